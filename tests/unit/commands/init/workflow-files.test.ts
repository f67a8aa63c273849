import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { workflowFiles } from '../../../../src/commands/init/workflow-files.ts';

interface Workflow {
  readonly name: string;
  readonly concurrency?: { readonly group: string };
  readonly jobs: Readonly<Record<string, { readonly steps: readonly { uses: string; with?: object }[] }>>;
}

const stepOf = ({ jobs }: Workflow, job: string) => jobs[job]?.steps.find(({ uses }) => uses.startsWith('wiregauge/'));

test('of the root are the two that the examples have', () => {
  const { compare, history, texts } = workflowFiles('');

  expect([compare, history]).toEqual(['.github/workflows/performance.yml', '.github/workflows/history.yml']);
  expect(Object.values(texts).join('')).not.toContain('directory');
});

test('of a folder go to the root with its directory, and share nothing with those of another folder', () => {
  const { compare, history, texts } = workflowFiles('apps/my api');
  const comparing = parse(texts[compare] ?? '') as Workflow;
  const keeping = parse(texts[history] ?? '') as Workflow;

  expect([compare, history]).toEqual([
    '../../.github/workflows/performance-apps-my-api.yml',
    '../../.github/workflows/history-apps-my-api.yml',
  ]);
  expect(comparing.name).toBe('performance-apps-my-api');
  expect(comparing.concurrency?.group).toMatch(/^performance-apps-my-api-\$\{\{/);
  expect(stepOf(comparing, 'measure')?.with).toEqual({
    directory: 'apps/my api',
    shard: '1/1',
    artifact: 'wiregauge-measured',
  });
  expect(stepOf(comparing, 'wiregauge')?.with).toEqual({ 'comment-id': 'apps-my-api', mode: 'merge' });
  expect(stepOf(keeping, 'history')?.with).toEqual({ directory: 'apps/my api' });
  expect(stepOf(keeping, 'anchor')?.with).toEqual({
    directory: 'apps/my api',
    mode: 'anchor',
    artifact: 'wiregauge-anchor',
  });
});

test.each(['a ${{ github.token }}', 'a"b', 'a\nb'])('refuses %j, which a workflow would take for more', (directory) => {
  expect(() => workflowFiles(directory)).toThrow(/cannot be used in a workflow/);
});
