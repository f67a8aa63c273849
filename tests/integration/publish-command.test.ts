import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type PublishFlags, publish } from '../../src/commands/publish.ts';
import { readHistograms } from '../../src/core/history-store/histograms.ts';
import { readSegment } from '../../src/core/history-store/segment.ts';
import { formatRun, type Run } from '../../src/core/run.ts';
import { sampleRun } from '../sample-run.ts';
import { startGitHttp } from './git-http.ts';
import { gitIn } from './git-repository.ts';
import { publishPerTest } from './publish-bench.ts';

const bench = publishPerTest();

const SEGMENT = 'performance/history/2026-11.jsonl';
const FLAGS: PublishFlags = { remote: 'origin', branch: 'gh-pages', folder: 'performance' };
const WORKFLOW = /^(?:GITHUB_|RUNNER_|Image)/;

let printed = '';
let before = '';

beforeEach(() => {
  before = process.cwd();
  process.chdir(bench.scene.repository);
  for (const name of Object.keys(process.env).filter((known) => WORKFLOW.test(known))) {
    delete process.env[name];
  }
  printed = '';
  const print = (text: unknown) => {
    printed += String(text);
    return true;
  };
  vi.spyOn(process.stdout, 'write').mockImplementation(print);
  vi.spyOn(process.stderr, 'write').mockImplementation(print);
});

afterEach(() => {
  vi.restoreAllMocks();
  process.chdir(before);
});

/** A run of the commit that is checked out, as a file. */
function runFile(change: Partial<Run> = {}): string {
  const commit = { head: bench.scene.git('rev-parse', 'HEAD'), dirty: false };
  const file = join(bench.scene.folder, 'run.json');
  writeFileSync(
    file,
    formatRun(sampleRun({ rounds: 3, change: { startedAt: '2026-11-21T10:00:00.000Z', commit, ...change } })),
  );
  return file;
}

const tip = () => gitIn(bench.remote, 'rev-parse', 'gh-pages');

describe('wiregauge publish', () => {
  it('adds the run with what git knows of its commit, and says so in one line', async () => {
    bench.seed('gh-pages');
    bench.scene.git('tag', 'v1.2.0');

    expect(await publish(runFile(), FLAGS)).toBe(0);

    const sha = bench.scene.git('rev-parse', 'HEAD');
    expect(printed).toMatch(
      new RegExp(
        `^users ${sha.slice(0, 9)} is published in gh-pages:performance of origin, as run [0-9a-f]{12} \\(1 try, \\d+\\.\\d KB\\)\\n$`,
      ),
    );
    const [entry] = readSegment(bench.text(SEGMENT), SEGMENT);
    expect(entry).toMatchObject({ commit: { sha, subject: 'First' }, branch: 'main', tags: ['v1.2.0'], rounds: 3 });
    const [histograms] = readHistograms(bench.text(SEGMENT.replace('.jsonl', '.histograms.jsonl')), SEGMENT);
    expect(histograms?.run).toBe(entry?.run);
    expect(Object.keys(histograms?.cells ?? {})).toContain('rest/all/saturation');
    expect(gitIn(bench.remote, 'log', '-1', '--format=%s', 'gh-pages')).toBe(`wiregauge: users ${sha.slice(0, 9)}`);
  });

  it('says where the run is already, and does nothing', async () => {
    bench.seed('gh-pages');
    await publish(runFile(), FLAGS);
    const first = tip();
    printed = '';

    expect(await publish(runFile(), FLAGS)).toBe(0);

    expect(printed).toMatch(
      /is in gh-pages:performance of origin already, as run [0-9a-f]{12}: nothing was written\n$/,
    );
    expect(tip()).toBe(first);
  });

  it('says what it would write, and writes nothing', async () => {
    const first = bench.seed('gh-pages');

    expect(await publish(runFile(), { ...FLAGS, dryRun: true })).toBe(0);

    expect(printed).toMatch(/would be published in gh-pages:performance, which would grow by \d+\.\d KB:\n/);
    expect(printed).toMatch(/ {2}new history\/2026-11\.jsonl\n/);
    expect(tip()).toBe(first);
  });

  it.each([
    ['changes that are in no commit', { commit: { head: 'a'.repeat(40), dirty: true } }, /in no commit/],
    ['nothing that was measured', { samples: [] }, /no figure/],
  ])('refuses a run of %s', async (_, change, words) => {
    const first = bench.seed('gh-pages');

    await expect(publish(runFile(change), FLAGS)).rejects.toThrow(words);

    expect(tip()).toBe(first);
  });

  it('refuses what a workflow measured for a pull request, also with every flag', async () => {
    const first = bench.seed('gh-pages');
    Object.assign(process.env, { GITHUB_ACTIONS: 'true', GITHUB_EVENT_NAME: 'pull_request' });

    await expect(publish(runFile(), { ...FLAGS, allowDirty: true, createBranch: true })).rejects.toThrow(
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

    expect(await publish(runFile(), { ...FLAGS, ifAllowed: true })).toBe(0);

    expect(printed).toMatch(/::warning title=Wiregauge::Nothing was published: .*permissions: \{ contents: write \}/);
    await expect(publish(runFile(), FLAGS)).rejects.toThrow(/does not let this account write/);
  });
});
