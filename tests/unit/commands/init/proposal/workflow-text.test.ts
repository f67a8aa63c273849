import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { WORKFLOW_TEXT } from '../../../../../src/commands/init/proposal/project-text.ts';

test('the workflow that is written is that of the minimal example', () => {
  expect(WORKFLOW_TEXT).toBe(readFileSync('examples/minimal/.github/workflows/performance.yml', 'utf8'));
});
