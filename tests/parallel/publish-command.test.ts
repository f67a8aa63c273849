import { describe, expect, it } from 'vitest';
import { publish } from '../../src/commands/history/publish.ts';
import { storedRunsOf } from '../../src/history/reader.ts';
import { readHistograms, readSegment } from '../../src/history/store/segment.ts';
import { startGitHttp } from '../integration/git-http.ts';
import { gitIn } from '../integration/git-repository.ts';
import { publishPerTest } from '../integration/publish-bench.ts';
import { FLAGS, printedPerTest, runFile } from './publish-command-bench.ts';

const bench = publishPerTest();
const printed = printedPerTest(bench);

const SEGMENT = 'performance/history/2026-11.jsonl';

const tip = () => gitIn(bench.remote, 'rev-parse', 'gh-pages');

describe('wiregauge publish', () => {
  it('adds the run with what git knows of its commit, and says so in one line', async () => {
    bench.seed('gh-pages');
    bench.scene.git('tag', 'v1.2.0');

    await publish(runFile(bench), FLAGS);

    const sha = bench.scene.git('rev-parse', 'HEAD');
    expect(printed.text).toMatch(
      new RegExp(
        `^published users ${sha.slice(0, 7)} in gh-pages:performance of origin, as run [0-9a-f]{12} \\(1 try, \\d+\\.\\d KB\\)\\n$`,
      ),
    );
    const [entry] = readSegment(bench.text(SEGMENT), SEGMENT);
    expect(entry).toMatchObject({ commit: { sha, subject: 'First' }, branch: 'main', tags: ['v1.2.0'], rounds: 3 });
    const [histograms] = readHistograms(bench.text(SEGMENT.replace('.jsonl', '.histograms.jsonl')), SEGMENT);
    expect(histograms?.run).toBe(entry?.run);
    expect(Object.keys(histograms?.cells ?? {})).toContain('rest/all/saturation');
    expect(gitIn(bench.remote, 'log', '-1', '--format=%s', 'gh-pages')).toBe(`wiregauge: users ${sha.slice(0, 7)}`);
  });

  it('knows a commit of the default branch that is checked out by itself, and that of no other', async () => {
    bench.scene.commit('Second');
    bench.scene.git('push', '--quiet', 'origin', 'main');
    bench.seed('gh-pages');
    const clone = bench.clone('ci');
    gitIn(clone, 'checkout', '--quiet', '--detach', 'origin/main~1');
    process.chdir(clone);
    const commit = (name: string) => ({ head: gitIn(clone, 'rev-parse', name), dirty: false });
    const measured = (day: number, name: string) =>
      runFile(bench, { startedAt: `2026-11-0${day}T10:00:00.000Z`, commit: commit(name) });

    await publish(measured(1, 'HEAD'), FLAGS);
    gitIn(clone, 'commit', '--quiet', '--allow-empty', '-m', 'Aside');
    gitIn(clone, 'branch', '--quiet', 'aside');
    await publish(measured(2, 'HEAD'), FLAGS);

    const entries = readSegment(bench.text(SEGMENT), SEGMENT);
    expect(entries.map(({ branch }) => branch)).toEqual(['main', 'aside']);
    const choice = { suite: 'users', branch: 'main', changes: [] };
    expect(storedRunsOf(entries, choice).map(({ startedAt }) => startedAt)).toEqual(['2026-11-01T10:00:00.000Z']);
  });

  it('says where the run is already, and does nothing', async () => {
    bench.seed('gh-pages');
    await publish(runFile(bench), FLAGS);
    const first = tip();
    printed.text = '';

    await publish(runFile(bench), FLAGS);

    expect(printed.text).toMatch(
      /is already in gh-pages:performance of origin, as run [0-9a-f]{12}: nothing was written\n$/,
    );
    expect(tip()).toBe(first);
  });

  it('says what it would write, and writes nothing', async () => {
    const first = bench.seed('gh-pages');

    await publish(runFile(bench), { ...FLAGS, dryRun: true });

    expect(printed.text).toMatch(/would be published in gh-pages:performance, which would grow by \d+\.\d KB:\n/);
    expect(printed.text).toMatch(/ {2}new history\/2026-11\.jsonl\n/);
    expect(tip()).toBe(first);
  });

  it.each([
    ['changes that are in no commit', { commit: { head: 'a'.repeat(40), dirty: true } }, /uncommitted changes/],
    ['nothing that was measured', { samples: [] }, /no figure/],
  ])('refuses a run of %s', async (_, change, words) => {
    const first = bench.seed('gh-pages');

    await expect(publish(runFile(bench, change), FLAGS)).rejects.toThrow(words);

    expect(tip()).toBe(first);
  });

  it('refuses what a workflow measured for a pull request, also with every flag', async () => {
    const first = bench.seed('gh-pages');
    Object.assign(process.env, { GITHUB_ACTIONS: 'true', GITHUB_EVENT_NAME: 'pull_request' });

    await expect(publish(runFile(bench), { ...FLAGS, allowDirty: true, createBranch: true })).rejects.toThrow(
      /pull_request/,
    );

    expect(tip()).toBe(first);
  });

  it('warns of a token that may only read where that is allowed, and fails elsewhere', async () => {
    bench.seed('gh-pages');
    const refuse = { status: 403, text: 'remote: Write access to repository not granted.' };
    await using server = await startGitHttp(bench.scene.folder, ({ url }) =>
      url?.includes('receive-pack') ? refuse : undefined,
    );
    bench.scene.git('remote', 'set-url', 'origin', `${server.url}/remote.git`);
    Object.assign(process.env, { GITHUB_ACTIONS: 'true', GITHUB_EVENT_NAME: 'push', GITHUB_REPOSITORY: 'one/service' });

    await publish(runFile(bench), { ...FLAGS, ifAllowed: true });

    expect(printed.text).toMatch(
      /::warning title=Wiregauge::Nothing was published: .*permissions: \{ contents: write \}/,
    );
    await expect(publish(runFile(bench), FLAGS)).rejects.toThrow(/this account may not write/);
  });
});
