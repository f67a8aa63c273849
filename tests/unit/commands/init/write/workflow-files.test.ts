import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { actionOf, workflowFiles } from '../../../../../src/commands/init/write/workflow-files.ts';

interface Workflow {
  readonly name: string;
  readonly concurrency?: { readonly group: string };
  readonly jobs: Readonly<Record<string, { readonly steps: readonly { uses: string; with?: object }[] }>>;
}

const stepOf = ({ jobs }: Workflow, job: string) => jobs[job]?.steps.find(({ uses }) => uses.startsWith('wiregauge/'));

test('of the root are those that the examples have, with that of the history if it is wanted', () => {
  const { compare, command, history = '', texts } = workflowFiles('', true);

  expect([compare, command, history]).toEqual([
    '.github/workflows/performance.yml',
    '.github/workflows/performance-command.yml',
    '.github/workflows/history.yml',
  ]);
  expect(workflowFiles('', false).history).toBeUndefined();
  expect(Object.keys(workflowFiles('', false).texts)).toEqual([compare, command]);
  expect(Object.values(texts).join('')).not.toContain('directory');
});

test('of a folder go to the root with its directory, and share nothing with those of another folder', () => {
  const { compare, command, history = '', texts } = workflowFiles('apps/my api', true);
  const comparing = parse(texts[compare] ?? '') as Workflow;
  const keeping = parse(texts[history] ?? '') as Workflow;
  const obeying = parse(texts[command] ?? '') as Workflow;

  expect([compare, command, history]).toEqual([
    '../../.github/workflows/performance-apps-my-api.yml',
    '../../.github/workflows/performance-command-apps-my-api.yml',
    '../../.github/workflows/history-apps-my-api.yml',
  ]);
  expect(comparing.name).toBe('performance-apps-my-api');
  expect(comparing.concurrency?.group).toMatch(/^performance-apps-my-api-\$\{\{/);
  expect(stepOf(comparing, 'measure')?.with).toEqual({
    directory: 'apps/my api',
    shard: '1/1',
    artifact: 'wiregauge-measured',
  });
  expect(stepOf(comparing, 'wiregauge')?.with).toEqual({ 'comment-id': 'apps-my-api', mode: 'comment' });
  expect(stepOf(obeying, 'command')?.with).toEqual({
    workflow: '.github/workflows/performance-apps-my-api.yml',
    args: 'github command',
  });
  expect(keeping.jobs['history']?.steps.slice(1)).toMatchObject([
    { with: { directory: 'apps/my api' } },
    {
      with: { directory: 'apps/my api', args: 'compare --anchor', artifact: 'wiregauge-anchor' },
      if: '${' + "{ !cancelled() && github.event_name == 'push' }}",
    },
  ]);
});

test.each(['a ${{ github.token }}', 'a"b', 'a\nb'])('refuses %j, which a workflow would take for more', (directory) => {
  expect(() => workflowFiles(directory, false)).toThrow(/cannot be used in a workflow/);
});

test.each([
  ['the commit of its release, which no tag can move', { gitHead: 'ab'.repeat(20) }, `@${'ab'.repeat(20)} # v1.2.3`],
  ['the tag in a checkout', {}, '@v1'],
  ['the tag if the commit is none', { gitHead: 'main"\nrun: x' }, '@v1'],
])('of a package call %s', (_what, more, ref) => {
  const folder = mkdtempSync(join(tmpdir(), 'package-'));
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ version: '1.2.3', ...more }));

  expect(actionOf(folder)).toBe(`wiregauge/wiregauge${ref}`);
  rmSync(folder, { recursive: true });
});
