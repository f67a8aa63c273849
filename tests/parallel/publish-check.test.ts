import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { stepInputs } from '../../src/commands/action/inputs.ts';
import { reportComparison } from '../../src/commands/action/outcome.ts';
import { runCommandLine } from '../../src/commands/program/program.ts';
import { judgedRun } from '../../src/judge/verdict/judge.ts';
import type { RunInRounds } from '../../src/model/run/run.ts';
import { formatRun, type Run } from '../../src/model/run/run.ts';
import { type GitHubApi, startGitHubApi } from '../github-api/server.ts';
import { BOT, WORKFLOW_TOKEN } from '../github-api/state.ts';
import { type FakeWorkflowHost, fakeWorkflowHost } from '../support/fake-workflow-host.ts';
import { committed, DEARER, QUIET } from '../support/sample-comment.ts';
import { sampleRounds } from '../support/sample-rounds.ts';

let api: GitHubApi;
let folder: string;

beforeEach(async () => {
  api = await startGitHubApi();
  folder = await mkdtemp(join(tmpdir(), 'check-'));
  vi.stubEnv('GITHUB_API_URL', api.url);
  vi.stubEnv('GITHUB_TOKEN', WORKFLOW_TOKEN);
  vi.spyOn(process.stdout, 'write').mockReturnValue(true);
});

afterEach(async () => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  await api[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

async function fileOf(run: Run): Promise<string> {
  const file = join(folder, 'run.json');
  await writeFile(file, formatRun(run));
  return file;
}

const publish = async (run: Run, ...flags: readonly string[]) =>
  await runCommandLine(['publish', '--to', 'check', await fileOf(run), '--repository=owner/repository', ...flags]);

describe('wiregauge publish --to check', () => {
  test('writes the verdict next to the head, with the lines that it refers to', async () => {
    const run = committed(DEARER);

    expect(await publish(run, '--run-url=https://github.com/owner/repository/actions/runs/77')).toBe(0);

    expect(api.state.checks).toMatchObject([
      {
        name: 'Wiregauge',
        headSha: run.rounds.head.commit,
        status: 'completed',
        conclusion: 'failure',
        title: expect.stringMatching(/^Regression: /),
        detailsUrl: 'https://github.com/owner/repository/actions/runs/77',
      },
    ]);
    const [check] = api.state.checks;
    expect(check?.summary).toMatch(/\*\*Regression: /);
    expect(check?.annotations).toContainEqual(
      expect.objectContaining({ path: 'suites/users.yml', annotation_level: 'failure' }),
    );
  });

  test('updates what it wrote before on the same commit, without doubling the annotations', async () => {
    await publish(committed(DEARER));
    const before = api.state.checks[0]?.annotations.length;
    await publish(committed(DEARER), '--fail-on=never');

    expect(before).toBeGreaterThan(0);
    expect(api.state.checks).toHaveLength(1);
    expect(api.state.checks[0]).toMatchObject({ conclusion: 'neutral' });
    expect(api.state.checks[0]?.annotations).toHaveLength(before ?? 0);
  });

  test('is a success where nothing changed', async () => {
    await publish(committed(QUIET), '--name=Wiregauge: shop');

    expect(api.state.checks).toMatchObject([{ name: 'Wiregauge: shop', conclusion: 'success' }]);
  });

  test('refuses a head with changes that no commit has', async () => {
    const errors = vi.spyOn(process.stderr, 'write').mockReturnValue(true);

    expect(await publish(sampleRounds(QUIET))).toBe(2);

    expect(errors.mock.calls.join('')).toMatch(/a check run belongs to a commit/);
    expect(api.state.checks).toEqual([]);
  });
});

describe('the check run of the action', () => {
  const write = async (host: FakeWorkflowHost, run: RunInRounds, reportUrl?: string) => {
    const inputs = { ...stepInputs(host.inputs), 'check-run': true };
    const sha = run.rounds.head.commit ?? '';
    const event = { kind: 'merge-group', number: 12, baseSha: sha, baseRef: 'main', headSha: sha } as const;
    await reportComparison(host, { event, inputs, judged: judgedRun(run), reportUrl });
  };

  const warningsOf = ({ annotations }: FakeWorkflowHost) =>
    annotations.flatMap(({ message }) => (message.includes('could not be written') ? [message] : []));

  test('is named after the job and follows fail-on', async () => {
    const host = fakeWorkflowHost({ 'fail-on': 'never' });

    await write(host, committed(DEARER));

    expect(api.state.checks).toMatchObject([{ name: 'Wiregauge: performance', conclusion: 'neutral' }]);
    expect(warningsOf(host)).toEqual([]);
  });

  test('leads to the artifact and names its charts', async () => {
    const reportUrl = 'https://github.com/one/service/actions/runs/77/artifacts/9';

    await write(fakeWorkflowHost(), committed(DEARER), reportUrl);

    expect(api.state.checks[0]?.summary).toContain(`[the artifact](${reportUrl})`);
    expect(api.state.checks[0]?.summary).toContain('| charts/overview.svg |');
  });

  test('is a warning with the permission that is missing where a token only reads, as that of a fork', async () => {
    api.state.accounts.set(WORKFLOW_TOKEN, { ...BOT, access: 'read' });
    const host = fakeWorkflowHost();

    await write(host, committed(DEARER));

    expect(warningsOf(host)).toEqual([expect.stringContaining('checks: write')]);
  });

  test('is a warning without a token', async () => {
    vi.stubEnv('GITHUB_TOKEN', '');
    const host = fakeWorkflowHost();

    await write(host, committed(DEARER));

    expect(warningsOf(host)).toEqual([expect.stringContaining('no token')]);
  });

  test.each([
    ['push', { kind: 'push', isDefaultBranch: true }],
    ['run by hand', { kind: 'by-hand' }],
  ] as const)('is not written on a commit that is not that of a %s, for any measurement', async (_what, event) => {
    const host = fakeWorkflowHost();
    const inputs = { 'check-run': true };

    await reportComparison(host, { event, inputs, judged: judgedRun(committed(QUIET)), reportUrl: undefined });

    expect(api.state.checks).toEqual([]);
    expect(warningsOf(host)).toEqual([
      expect.stringMatching(/a check run belongs to a commit, d{40}, but \w{40} was measured/),
    ]);
  });
});
