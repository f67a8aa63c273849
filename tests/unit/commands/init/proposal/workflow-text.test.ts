import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { COMMAND_TEXT, HISTORY_TEXT, WORKFLOW_TEXT } from '../../../../../src/commands/init/proposal/workflows.ts';

test('the workflow that is written is that of the minimal example', () => {
  expect(WORKFLOW_TEXT).toBe(readFileSync('examples/minimal/.github/workflows/performance.yml', 'utf8'));
});

test.each(['minimal', 'fork-safe'])('the workflow of commands is that of the example %s', (example) => {
  expect(COMMAND_TEXT).toBe(readFileSync(`examples/${example}/.github/workflows/performance-command.yml`, 'utf8'));
});

test('the workflow that keeps the history is that of the example', () => {
  expect(HISTORY_TEXT).toBe(readFileSync('examples/history/.github/workflows/history.yml', 'utf8'));
});
