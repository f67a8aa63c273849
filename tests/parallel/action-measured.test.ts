import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { action } from '../../src/commands/action/action.ts';
import { formatRun } from '../../src/model/run/run.ts';
import { formatCause } from '../../src/report/comment/unjudged.ts';
import { type GitHubApi, startGitHubApi } from '../github-api/server.ts';
import { WORKFLOW_TOKEN } from '../github-api/state.ts';
import { type FakeWorkflowHost, fakeWorkflowHost } from '../support/fake-workflow-host.ts';
import { sampleShard } from '../support/sample-shards.ts';
import { zipOf } from '../support/zip.ts';
import { artifactsPerTest } from './artifact-bench.ts';

const HEAD = 'c'.repeat(40);
const RUN_ID = 77;
const bench = artifactsPerTest();
let api: GitHubApi;

beforeEach(async () => {
  api = await startGitHubApi();
  vi.stubEnv('GITHUB_API_URL', api.url);
});
afterEach(async () => {
  await api[Symbol.asyncDispose]();
});

/** What the measuring job of a pull request uploads: the whole comparison as one shard, slower by that. */
function measured(by: number, commit = HEAD): string {
  const worse = by === 0 ? [] : [{ tier: 'saturation', by }];
  const run = sampleShard({ index: 1, services: [['rest']], noise: 0.3, rounds: 8, worse });
  return formatRun({ ...run, rounds: { ...run.rounds, head: { ...run.rounds.head, commit, dirty: false } } });
}

function upload(name: string, files: Readonly<Record<string, string>>, runId = RUN_ID): void {
  const zip = zipOf(Object.entries(files).map(([path, text]) => ({ name: path, text })));
  api.state.artifacts.push({ id: 100 + api.state.artifacts.length, runId, name, zip });
}

async function judge(): Promise<{
  readonly exitCode: number;
  readonly host: FakeWorkflowHost;
  readonly comment: string;
}> {
  const repo = { full_name: 'one/service' };
  const host = {
    ...fakeWorkflowHost({ token: WORKFLOW_TOKEN, mode: 'comment', upload: 'false', comment: 'always' }),
    eventName: 'pull_request',
    payload: {
      pull_request: { number: 12, base: { sha: 'b'.repeat(40), ref: 'main', repo }, head: { sha: HEAD, repo } },
    },
    temporaryFolder: bench.folder,
  };
  const exitCode = await action(host);
  return { exitCode, host, comment: api.state.comments.map(({ body }) => body).join('\n') };
}

test('judges the newest artifact that the measuring job of this workflow run left, and no other', async () => {
  upload('wiregauge-measured', { 'run.json': measured(0) });
  upload('wiregauge-measured', { 'run.json': measured(0.1), 'report.html': '<script>' });
  upload('wiregauge-other-measured', { 'run.json': 'no run' });
  upload('wiregauge', { 'run.json': 'no run' });
  upload('wiregauge-measured', { 'run.json': measured(0) }, RUN_ID - 1);

  const { exitCode, host, comment } = await judge();

  expect(exitCode).toBe(1);
  expect(host.outputs.get('outcome')).toBe('regressed');
  expect(comment).toMatch(/Regression: /);
});

test('passes what did not get slower', async () => {
  upload('wiregauge-measured', { 'run.json': measured(0) });

  const { exitCode, host } = await judge();

  expect([exitCode, host.outputs.get('outcome')]).toEqual([0, 'passed']);
});

test('says why nothing was measured, as the measuring job does', async () => {
  upload('wiregauge-measured', {
    'unjudged.json': formatCause({ head: undefined, cause: 'the base does not build', next: 'Fix `main`.' }),
  });

  const { exitCode, host, comment } = await judge();

  expect([exitCode, host.outputs.get('outcome')]).toEqual([2, 'incomplete']);
  expect(comment).toMatch(/was not judged: the base does not build/);
});

test('does not pass a measurement that ended halfway', async () => {
  const cause = formatCause({ head: undefined, cause: 'the service crashed' });
  upload('wiregauge-measured', { 'run.json': measured(0), 'unjudged.json': cause });

  const { exitCode, comment } = await judge();

  expect(exitCode).toBe(2);
  expect(comment).toMatch(/was not judged: the service crashed/);
});

test('is red and names the artifact if the measuring job left none, as after a cancellation', async () => {
  const { exitCode, comment } = await judge();

  expect(exitCode).toBe(2);
  expect(comment).toMatch(/this workflow run has no artifact "wiregauge-measured"/);
});

test('refuses the measurement of another commit', async () => {
  upload('wiregauge-measured', { 'run.json': measured(0, 'd'.repeat(40)) });

  expect((await judge()).exitCode).toBe(2);
});

describe('a head that another open pull request has, too', () => {
  beforeEach(() => {
    const of = { state: 'open', head: 'one:topic', headSha: HEAD, baseSha: 'b'.repeat(40) } as const;
    api.state.pulls.push({ ...of, number: 12 }, { ...of, number: 13 });
  });

  test('is not judged: what is green on another base would be green here', async () => {
    upload('wiregauge-measured', { 'run.json': measured(0) });

    const { exitCode, host, comment } = await judge();

    expect([exitCode, host.outputs.get('outcome')]).toEqual([2, 'incomplete']);
    expect(comment).toMatch(/was not judged: .*12 and .*13 have the same head, and share its check runs/);
  });

  test('stays red if it is slower', async () => {
    upload('wiregauge-measured', { 'run.json': measured(0.1) });

    expect((await judge()).exitCode).toBe(1);
  });

  test('is judged with a warning if GitHub does not list the pull requests', async () => {
    upload('wiregauge-measured', { 'run.json': measured(0) });
    api.fail('pulls/list', { kind: 'bad-gateway' }, 9);

    const { exitCode, host } = await judge();

    expect(exitCode).toBe(0);
    expect(host.annotations).toContainEqual(
      expect.objectContaining({ level: 'warning', message: expect.stringContaining('another pull request') }),
    );
  });
});
