import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import packageFile from '../../../package.json' with { type: 'json' };
import { documentAddress } from '../../../src/foundation/text.ts';

test('a document has its address in the repository that package.json names', () => {
  const repository = packageFile.homepage.replace(/#.*/, '');

  expect(documentAddress('docs/config.md#presets')).toBe(`${repository}/blob/main/docs/config.md#presets`);
  expect(existsSync('docs/config.md')).toBe(true);
});
