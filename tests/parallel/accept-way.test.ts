import { expect, test } from 'vitest';
import { acceptWay, commandWorkflowOf } from '../../src/commands/pull-request/comment.ts';
import { githubPerTest } from './github-bench.ts';

const bench = githubPerTest();
const REGRESSED = { outcome: 'regressed' } as const;

test.each([
  ['.github/workflows/performance.yml', '.github/workflows/performance-command.yml'],
  ['.github/workflows/performance-apps-api.yml', '.github/workflows/performance-command-apps-api.yml'],
  ['.github/workflows/measure.yaml', '.github/workflows/measure-command.yaml'],
])('commands for %s are those of %s', (workflow, command) => {
  expect(commandWorkflowOf(workflow)).toBe(command);
});

test('a comment offers a command only if the default branch has the workflow that obeys it', async () => {
  expect(await acceptWay(bench.github(), REGRESSED)).toBe('label');

  bench.api.state.files.add('main:.github/workflows/performance-command.yml');
  expect(await acceptWay(bench.github(), REGRESSED)).toBe('command');
  expect(await acceptWay(bench.github(), REGRESSED, '.github/workflows/other.yml')).toBe('label');
});

test('the label is made once, and only after a regression', async () => {
  await acceptWay(bench.github(), { outcome: 'passed' });
  expect(bench.api.requested).toEqual([]);

  await acceptWay(bench.github(), REGRESSED);
  await acceptWay(bench.github(), REGRESSED);
  expect([...bench.api.state.knownLabels]).toEqual(['wiregauge: accepted']);
});

test('a token that may not write offers the label all the same', async () => {
  bench.api.state.accounts.set('ghs_reader', { login: 'github-actions[bot]', type: 'Bot', access: 'read' });

  expect(await acceptWay(bench.github({ token: 'ghs_reader' }), REGRESSED)).toBe('label');
  expect(bench.api.state.knownLabels.size).toBe(0);
});
