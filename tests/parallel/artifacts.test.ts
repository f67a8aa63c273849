import { mkdtemp, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { fromBufferPromise } from 'yauzl';
import { rememberResults, uploadFolder, uploadRemembered } from '../../src/commands/action/artifact.ts';
import { forkComment } from '../../src/commands/pull-request/fork-comment.ts';
import { historyFolder } from '../../src/history/folder.ts';
import { runsAdded } from '../../src/history/publish.ts';
import { startGitHubApi } from '../github-api/server.ts';
import { WORKFLOW_TOKEN } from '../github-api/state.ts';
import { fakeWorkflowHost } from '../support/fake-workflow-host.ts';
import { sampleEntry, sampleSeries } from '../support/sample-history.ts';
import { artifactsPerTest, RUN } from './artifact-bench.ts';

const SECRET_LINK = 'secret.txt';
const bench = artifactsPerTest();

async function namesIn(zip: Uint8Array | undefined): Promise<readonly string[]> {
  const archive = await fromBufferPromise(Buffer.from(zip ?? []), { strictFileNames: true, lazyEntries: true });
  const names: string[] = [];
  for await (const entry of archive.eachEntry()) {
    names.push(entry.fileName);
  }
  return names.toSorted();
}

/** A folder with a history in which the base is 2% above the release v1.4.0 in CPU time. */
async function anchoredHistory(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'wiregauge-anchored-'));
  const entry = sampleEntry({
    kind: 'anchored',
    anchor: { name: 'v1.4.0', commit: 'a'.repeat(40) },
    commit: { sha: RUN.rounds.base.commit ?? '' },
    suite: RUN.suite.name,
    series: [sampleSeries({ suite: RUN.suite.name, unit: '× v1.4.0' })],
    values: [1.02],
    spreads: [0.003],
  });
  const store = historyFolder(folder, () => {});
  await store.change(({ read }) => runsAdded(read, [{ entry }], { wiregauge: '0.1.0' }), 'An anchored run');
  return folder;
}

describe('the results of a step', () => {
  test('become one artifact with relative paths, whose address is an output', async () => {
    await bench.leaveResults();
    const host = fakeWorkflowHost();

    const url = await uploadFolder(host, bench.folder);

    expect(url).toBe('https://github.com/one/service/actions/runs/77/artifacts/9001');
    expect(host.outputs).toEqual(new Map([['artifact-url', url]]));
    expect(host.annotations).toEqual([]);
    expect(await namesIn(bench.service.artifacts.get('wiregauge')?.zip)).toEqual([
      'charts/overview.svg',
      'report.md',
      'run.json',
    ]);
    expect(bench.service.requested).toEqual(['CreateArtifact', 'PUT block', 'PUT blocklist', 'FinalizeArtifact']);
  });

  test('lack links, half-written files and what no artifact can hold', async () => {
    await bench.leaveResults();
    const outside = await mkdtemp(join(tmpdir(), 'outside-'));
    try {
      await writeFile(join(outside, SECRET_LINK), 'secret');
      await symlink(join(outside, SECRET_LINK), join(bench.folder, SECRET_LINK));
      await symlink(outside, join(bench.folder, 'linked'));
      await writeFile(join(bench.folder, '.run.json.12.part'), '{');
      await writeFile(join(bench.folder, 'a:b.log'), 'odd');

      await uploadFolder(fakeWorkflowHost({ artifact: 'mine' }), bench.folder);

      expect(await namesIn(bench.service.artifacts.get('mine')?.zip)).toEqual([
        'charts/overview.svg',
        'report.md',
        'run.json',
      ]);
    } finally {
      await rm(outside, { recursive: true, force: true });
    }
  });

  test('are what the second stage judges and links to', async () => {
    await bench.leaveResults();
    await uploadFolder(fakeWorkflowHost(), bench.folder);
    const { id = 0, zip = new Uint8Array() } = bench.service.artifacts.get('wiregauge') ?? {};
    const headSha = RUN.rounds.head.commit ?? '';
    await using api = await startGitHubApi();
    api.state.artifacts.push({ id, runId: 77, name: 'wiregauge', zip });
    api.state.pulls.push({
      number: 12,
      state: 'open',
      head: 'two:topic',
      headRepository: 'two/service',
      headSha,
      baseSha: 'b'.repeat(40),
    });
    vi.stubEnv('GITHUB_API_URL', api.url);
    vi.stubEnv('GITHUB_TOKEN', WORKFLOW_TOKEN);
    vi.stubEnv('GITHUB_SERVER_URL', '');
    api.state.files.add('gh-pages:performance/history/index.json');

    const history = await anchoredHistory();

    const { exitCode } = await forkComment({
      check: 'Wiregauge: performance',
      against: `history:${history}`,
      repository: 'one/service',
      workflowRun: 77,
      headSha,
      artifact: 'wiregauge',
      comment: 'always',
      commentId: 'performance',
      runUrl: 'https://github.com/one/service/actions/runs/77',
    });

    expect(exitCode).toBe(1);
    expect(api.state.checks).toMatchObject([{ name: 'Wiregauge: performance', headSha, conclusion: 'failure' }]);
    const [comment] = api.state.comments;
    expect(comment?.body).toContain('Regression: ');
    expect(comment?.body).toContain(
      `which is not trusted: its pages may contain anything](https://github.com/one/service/actions/runs/77/artifacts/${id})`,
    );
    expect(comment?.body).not.toContain('[Report]');
    expect(comment?.body).toContain('[Trend](https://one.github.io/service/performance/#series=');
    expect(comment?.body).toMatch(/Drift since v1\\?\.4\\?\.0, with this change: REST .* CPU per request/);
    await rm(history, { recursive: true });
  });

  test('keep run.json where the rest is too much', async () => {
    await bench.leaveResults();
    await writeFile(join(bench.folder, 'large.log'), '');
    // A hole: it takes no room on the disk.
    await truncate(join(bench.folder, 'large.log'), 101e6);
    const host = fakeWorkflowHost();

    await uploadFolder(host, bench.folder);

    expect(await namesIn(bench.service.artifacts.get('wiregauge')?.zip)).toContain('run.json');
    expect(host.annotations).toMatchObject([
      { level: 'warning', message: expect.stringContaining('large.log (101.0 MB)') },
    ]);
  });

  test('stay where they are without the service, which is not a warning', async () => {
    await bench.leaveResults();
    vi.stubEnv('ACTIONS_RESULTS_URL', '');
    const host = fakeWorkflowHost();

    expect(await uploadFolder(host, bench.folder)).toBeUndefined();

    expect(host.annotations).toEqual([]);
    expect(bench.printed).toContain(`the results stay in ${bench.folder}`);
    expect(bench.service.requested).toEqual([]);
  });

  test('stay where they are on a GitHub Enterprise server', async () => {
    await bench.leaveResults();
    vi.stubEnv('GITHUB_SERVER_URL', 'https://github.example.org');
    const host = fakeWorkflowHost();

    expect(await uploadFolder(host, bench.folder)).toBeUndefined();

    expect(host.annotations).toEqual([]);
    expect(bench.service.requested).toEqual([]);
  });

  test('create no artifact if nothing was left', async () => {
    const host = fakeWorkflowHost();

    expect(await uploadFolder(host, join(bench.folder, 'never-made'))).toBeUndefined();

    expect(host.annotations).toEqual([]);
    expect(bench.service.requested).toEqual([]);
  });
});

describe('the end of the job', () => {
  test('uploads what a step left that crashed or was cancelled', async () => {
    const main = fakeWorkflowHost();
    rememberResults(main, bench.folder);
    await bench.leaveResults();

    await uploadRemembered(fakeWorkflowHost({}, main.state));

    expect(bench.service.artifacts.has('wiregauge')).toBe(true);
  });

  test.each([
    ['well', 0],
    ['with a warning', 99],
  ])('does not upload again what ended %s', async (_how, faults) => {
    const main = fakeWorkflowHost();
    rememberResults(main, bench.folder);
    await bench.leaveResults();
    bench.service.fail('CreateArtifact', 403, faults);
    await uploadFolder(main, bench.folder);
    const before = bench.service.requested.length;
    const later = fakeWorkflowHost({}, main.state);

    await uploadRemembered(later);

    expect(bench.service.requested).toHaveLength(before);
    expect(later.annotations).toEqual([]);
  });

  test('has nothing to do for a step that was to upload nothing', async () => {
    await bench.leaveResults();

    await uploadRemembered(fakeWorkflowHost());

    expect(bench.service.requested).toEqual([]);
  });
});
