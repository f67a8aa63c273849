import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { stepInputs } from '../../src/commands/action/inputs.ts';
import { publishResults } from '../../src/commands/action/publish.ts';
import { judgmentPage } from '../../src/commands/runs/report.ts';
import type { WorkflowHost } from '../../src/github/host/workflow-host.ts';
import { startGitHttp } from '../integration/git-http.ts';
import { gitIn } from '../integration/git-repository.ts';
import { publishPerTest } from '../integration/publish-bench.ts';
import { sampleRun } from '../support/sample-run.ts';

const bench = publishPerTest();

const PUSH = { kind: 'push', isDefaultBranch: true } as const;

let before = '';

beforeEach(() => {
  before = process.cwd();
  process.chdir(bench.scene.repository);
  Object.assign(process.env, { GITHUB_ACTIONS: 'true', GITHUB_EVENT_NAME: 'push', GITHUB_REPOSITORY: 'one/service' });
  vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  vi.spyOn(process.stderr, 'write').mockReturnValue(true);
});

afterEach(() => {
  vi.restoreAllMocks();
  process.chdir(before);
});

/** Publishes after a step as the action does; gives its exit code and outputs. */
async function after(
  { exitCode = 0, ...step }: Partial<Parameters<typeof publishResults>[1]> & { readonly exitCode?: number },
  inputs: Readonly<Record<string, string>> = {},
  warnings: string[] = [],
) {
  const out = join(bench.scene.folder, 'out');
  mkdirSync(out, { recursive: true });
  const run = sampleRun({ services: ['rest'] });
  const outputs: Record<string, string> = {};
  const host: WorkflowHost = {
    ...{ eventName: 'push', payload: {}, owner: 'one', repository: 'service', sha: '', runId: 7 },
    ...{ attempt: 1, step: 'wiregauge', job: 'job', workflow: undefined, temporaryFolder: out },
    inputs: new Map(Object.entries(inputs)),
    runUrl: (id) => `https://github.com/one/service/actions/runs/${id}`,
    conceal: () => undefined,
    output: (name, value) => {
      outputs[name] = value;
    },
    annotate: ({ message }) => void warnings.push(message),
    remember: () => undefined,
    remembered: () => '',
    summary: async () => undefined,
  };
  const judgment = { run, against: undefined };
  const measured = { exitCode, written: { judgment, page: judgmentPage(judgment), reports: [] } };
  const read = stepInputs(host.inputs);
  const usual = { event: PUSH, inputs: read, job: { mode: 'run' }, out, measured, reportUrl: undefined } as const;
  return { exitCode: await publishResults(host, { ...usual, ...step }), outputs };
}

const branches = () => gitIn(bench.remote, 'branch', '--format=%(refname:short)').split('\n');

it('publishes after a push to the default branch, creates the branch, and reports the address', async () => {
  expect(await after({})).toEqual({
    exitCode: 0,
    outputs: { 'history-url': 'https://one.github.io/service/performance/' },
  });
  expect(branches()).toEqual(['gh-pages', 'main']);
});

it('publishes after a plant on a schedule, also one that was not found', async () => {
  const plant = { event: { kind: 'by-schedule' }, job: { mode: 'plant' } } as const;

  expect((await after({ ...plant, exitCode: 1 })).exitCode).toBe(1);
  expect(branches()).toEqual(['gh-pages', 'main']);
});

it.each([
  ['a pull request', { event: { kind: 'other', name: 'pull_request' } }, {}],
  ['a push to another branch', { event: { ...PUSH, isDefaultBranch: false } }, {}],
  ['a calibration', { job: { mode: 'calibrate' } }, {}],
  ['one shard of a comparison', { job: { mode: 'compare' } }, { shard: '1/2' }],
  ['a push, where it is never to', {}, { publish: 'never' }],
] as const)('publishes nothing after %s', async (_, step, inputs) => {
  expect(await after(step, inputs)).toEqual({ exitCode: 0, outputs: {} });
  expect(branches()).toEqual(['main']);
});

it.each([
  [1, ['gh-pages', 'main']],
  [2, ['main']],
])(
  'keeps the exit code %i, and publishes what has regressed but nothing that could not be measured',
  async (exitCode, left) => {
    expect((await after({ exitCode })).exitCode).toBe(exitCode);
    expect(branches()).toEqual(left);
  },
);

it('fails the step where the history cannot be written for another reason than a token that may only read', async () => {
  bench.scene.git('remote', 'set-url', 'origin', join(bench.scene.folder, 'none.git'));

  expect(await after({})).toEqual({ exitCode: 2, outputs: {} });
});

it.each([
  ['auto', 0, 1],
  ['always', 2, 0],
] as const)(
  'without a checkout, as in a job that only merges, publishes nothing: with %s exit code %i',
  async (publish, exitCode, warned) => {
    process.chdir(bench.scene.folder);
    const warnings: string[] = [];

    expect(await after({ job: { mode: 'merge' } }, { publish }, warnings)).toEqual({ exitCode, outputs: {} });
    expect(warnings).toHaveLength(warned);
    expect(warnings.join('')).toMatch(warned === 0 ? /^$/ : /no checkout.*publish: never/);
    expect(branches()).toEqual(['main']);
  },
);

it('reports no address of a history if a read-only token led to a warning', async () => {
  bench.seed('gh-pages');
  const refuse = { status: 403, text: 'remote: Write access to repository not granted.' };
  await using server = await startGitHttp(bench.scene.folder, ({ url }) =>
    url?.includes('receive-pack') ? refuse : undefined,
  );
  bench.scene.git('remote', 'set-url', 'origin', `${server.url}/remote.git`);

  expect(await after({})).toEqual({ exitCode: 0, outputs: {} });
});

it('reports the address again if the run is already in the history', async () => {
  const first = await after({});

  expect(await after({})).toEqual(first);
  expect(first.outputs).toHaveProperty('history-url');
});

it('passes with a warning if a regression cannot be reported', async () => {
  const environment = { GITHUB_EVENT_PATH: join(bench.scene.folder, 'event.json'), GITHUB_REF_NAME: 'main' };
  writeFileSync(environment.GITHUB_EVENT_PATH, JSON.stringify({ repository: { default_branch: 'main' } }));
  Object.assign(process.env, environment);
  const written = vi.spyOn(process.stdout, 'write').mockReturnValue(true);

  const { exitCode } = await after({}, { 'alert-issue': 'true' });

  expect(exitCode).toBe(0);
  expect(written.mock.calls.join('')).toMatch(/::warning title=Wiregauge::The issue about changes .*issues: write/);
});
