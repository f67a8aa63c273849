import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { action } from '../../src/commands/action/action.ts';
import { DEFAULT_POLICY } from '../../src/model/policy.ts';
import { formatRun, type RunInRounds } from '../../src/model/run/run.ts';
import { type GitHubApi, startGitHubApi } from '../github-api/server.ts';
import { WORKFLOW_TOKEN } from '../github-api/state.ts';
import { type FakeWorkflowHost, fakeWorkflowHost } from '../support/fake-workflow-host.ts';
import { DEARER } from '../support/sample-comment.ts';
import { sampleShard } from '../support/sample-shards.ts';
import { artifactsPerTest } from './artifact-bench.ts';

const HEAD = 'c'.repeat(40);
const SERVICES = [['one'], ['two']];
const PLAN = { suite: 'users', profile: 'standard', shards: SERVICES, policy: DEFAULT_POLICY };
const ARTIFACT = 'https://github.com/one/service/actions/runs/77/artifacts/9001';
const bench = artifactsPerTest();
let api: GitHubApi;

beforeEach(async () => {
  api = await startGitHubApi();
  vi.stubEnv('GITHUB_API_URL', api.url);
  vi.stubEnv('GITHUB_TOKEN', '');
});

afterEach(async () => {
  await api[Symbol.asyncDispose]();
});

/** What code that a shard measures makes of its file; undefined: no file. */
type Forgery = (shard: RunInRounds) => RunInRounds | undefined;

/** The job that unites two shards, which measures nothing by itself: both got slower. */
async function mergingJob(
  inputs: Readonly<Record<string, string>>,
  forged: Forgery = (shard) => shard,
): Promise<FakeWorkflowHost & { readonly summaries: readonly string[] }> {
  const runs = join(bench.folder, 'shards');
  for (const index of [1, 2]) {
    const shard = sampleShard({ ...DEARER, index, services: SERVICES });
    const head = { ...shard.rounds.head, commit: HEAD, dirty: false };
    await mkdir(join(runs, `${index}`), { recursive: true });
    const left = forged({ ...shard, rounds: { ...shard.rounds, head } });
    if (left !== undefined) {
      await writeFile(join(runs, `${index}`, 'run.json'), formatRun(left));
    }
  }
  const repo = { full_name: 'one/service' };
  const summaries: string[] = [];
  return {
    ...fakeWorkflowHost({
      ...{
        mode: 'comment',
        args: `--runs ${runs}`,
        token: WORKFLOW_TOKEN,
        comment: 'always',
        plan: JSON.stringify(PLAN),
      },
      ...inputs,
    }),
    eventName: 'pull_request',
    payload: {
      pull_request: { number: 12, base: { sha: 'b'.repeat(40), ref: 'main', repo }, head: { sha: HEAD, repo } },
    },
    temporaryFolder: bench.folder,
    summary: async (markdown) => void summaries.push(markdown),
    summaries,
  };
}

describe('the outcome of a step', () => {
  test('is reported with the address of the artifact uploaded before', async () => {
    const host = await mergingJob({ 'check-run': 'true', 'comment-id': 'shop' });

    expect(await action(host)).toBe(1);

    expect(host.outputs.get('artifact-url')).toBe(ARTIFACT);
    expect(host.outputs.get('outcome')).toBe('regressed');
    expect(api.state.comments[0]?.body).toContain(`[Report](${ARTIFACT})`);
    expect(host.summaries.join('')).toContain(`[the artifact](${ARTIFACT})`);
    expect(api.state.checks).toMatchObject([
      {
        name: 'Wiregauge: shop',
        headSha: HEAD,
        conclusion: 'failure',
        detailsUrl: 'https://github.com/one/service/actions/runs/77',
        summary: host.summaries.join(''),
      },
    ]);
  });

  test('is reported even if nothing is uploaded, without an unrequested check run', async () => {
    const host = await mergingJob({ upload: 'false' });

    expect(await action(host)).toBe(1);

    expect(bench.service.requested).toEqual([]);
    expect(host.state.size).toBe(0);
    expect(host.outputs.has('artifact-url')).toBe(false);
    expect(api.state.comments[0]?.body).toMatch(/Regression: /);
    expect(api.state.comments[0]?.body).not.toContain('[Report]');
    expect(api.state.checks).toEqual([]);
  });

  test('stays a verdict where the artifact is refused', async () => {
    bench.service.fail('CreateArtifact', 403);
    const host = await mergingJob({});

    expect(await action(host)).toBe(1);

    expect(host.annotations).toContainEqual(
      expect.objectContaining({ level: 'warning', message: expect.stringContaining('was not uploaded') }),
    );
    expect(host.outputs.get('outcome')).toBe('regressed');
    expect(api.state.comments).toHaveLength(1);
  });

  test('is reported before anything is done for an invalid input', async () => {
    const host = await mergingJob({ upload: 'maybe' });

    expect(await action(host)).toBe(2);

    expect(bench.service.requested).toEqual([]);
    expect(host.outputs.get('outcome')).toBe('incomplete');
    expect(api.state.comments[0]?.body).toMatch(/was not judged: the input \\`upload\\` is "maybe"/);
  });
});

const isFirst = ({ rounds: { shards } }: RunInRounds) => shards?.kind === 'shard' && shards.index === 1;

const changed = (run: RunInRounds, rounds: Partial<RunInRounds['rounds']>) => ({
  ...run,
  rounds: { ...run.rounds, ...rounds },
});

/** What makes a run with two slower services pass, if its files are believed. */
const FORGERIES: readonly (readonly [string, Forgery, RegExp])[] = [
  ['leaves no file', (run) => (isFirst(run) ? undefined : run), /Regression/],
  [
    'says that it is the only one',
    (run) =>
      isFirst(run) ? changed(run, { shards: { kind: 'shard', of: 1, index: 1, services: [['one']] } }) : undefined,
    /divide the services in another way, over 1 jobs instead of 2/,
  ],
  [
    'brings a policy that fails nothing',
    (run) => changed(run, { policy: { ...DEFAULT_POLICY, thresholds: [{ threshold: 9, gate: false }] } }),
    /Regression/,
  ],
  [
    'leaves its service out',
    (run) => changed(run, { head: { ...run.rounds.head, services: [] }, rounds: [] }),
    /leave out one, two/,
  ],
  [
    'brings a profile of its own',
    (run) => changed(run, { profile: { ...run.rounds.profile, looks: [{ rounds: 30, spent: 1e-9 }] } }),
    /Regression/,
  ],
  [
    'is of another profile',
    (run) => changed(run, { profile: { ...run.rounds.profile, name: 'smoke' } }),
    /are of suite users, profile smoke, and not of users, standard/,
  ],
  [
    'is of another commit, which its check run would say passed',
    (run) => changed(run, { head: { ...run.rounds.head, commit: 'e'.repeat(40) } }),
    /measured the commit eeeeeee/,
  ],
];

describe('a shard that code of the pull request has written', () => {
  test.each(FORGERIES)('makes nothing green where it %s', async (_what, forged, reported) => {
    const host = await mergingJob({ 'check-run': 'true' }, forged);

    expect(await action(host)).toBeGreaterThan(0);

    expect(host.outputs.get('outcome')).toMatch(/^(regressed|incomplete)$/);
    expect(api.state.checks).toMatchObject([{ headSha: HEAD, conclusion: 'failure' }]);
    expect(api.state.comments[0]?.body.split('<details>')[0]).toMatch(reported);
    expect(api.state.comments[0]?.body.split('<details>')[0]).not.toContain('✅');
  });

  test('is not merged by a plan that cannot be read', async () => {
    const host = await mergingJob({ plan: '{"shards": []}', 'check-run': 'true' });

    expect(await action(host)).toBe(2);

    expect(api.state.checks).toMatchObject([{ headSha: HEAD, conclusion: 'failure' }]);
    expect(api.state.comments[0]?.body).toMatch(/the plan of the shards cannot be read/);
  });
});
