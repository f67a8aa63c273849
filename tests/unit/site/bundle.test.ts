import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

// Types allow it, since the page shares modules with programs for Node.js.
test('the trend page calls nothing that browsers of 2023 lack', () => {
  expect(readFileSync('dist/site/page.js', 'utf8')).not.toMatch(/\b(?:Map|Object)\.groupBy\b/);
});
