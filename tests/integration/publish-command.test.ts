import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { runsAdded } from '../../src/app/history/add.ts';
import { type PublishFlags, publish } from '../../src/commands/publish.ts';
import { entryOf } from '../../src/core/history-store/entry-of.ts';
import { readHistograms } from '../../src/core/history-store/histograms.ts';
import { readSegment } from '../../src/core/history-store/segment.ts';
import { storedRunsOf } from '../../src/core/history-store/stored-runs.ts';
import { seededRandom } from '../../src/core/random.ts';
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

  it('knows a commit of the default branch that is checked out by itself, and that of no other', async () => {
    bench.scene.commit('Second');
    bench.scene.git('push', '--quiet', 'origin', 'main');
    bench.seed('gh-pages');
    const clone = bench.clone('ci');
    gitIn(clone, 'checkout', '--quiet', '--detach', 'origin/main~1');
    process.chdir(clone);
    const commit = (name: string) => ({ head: gitIn(clone, 'rev-parse', name), dirty: false });
    const measured = (day: number, name: string) =>
      runFile({ startedAt: `2026-11-0${day}T10:00:00.000Z`, commit: commit(name) });

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

describe('a single run that is published', () => {
  const DAY_MS = 86_400_000;
  const day = (index: number) => new Date(Date.UTC(2026, 0, 1) + index * DAY_MS).toISOString();

  /** A run whose services take so many times the usual CPU time. */
  function slower(factor: number, startedAt: string): Run {
    const run = sampleRun({ rounds: 3 });
    const samples = run.samples.map((sample) => ({
      ...sample,
      values: { ...sample.values, cpuMicrosPerRequest: factor * (sample.values.cpuMicrosPerRequest ?? 1) },
    }));
    return { ...run, startedAt, samples };
  }

  async function publishPast(): Promise<void> {
    bench.seed('gh-pages');
    const jitter = seededRandom(1);
    const additions = Array.from({ length: 25 }, (_, index) => ({
      entry: entryOf(slower(1 + 0.01 * jitter(), day(index)), { run: `past-${index}`, branch: 'main' }),
    }));
    await using store = await bench.open();
    await store.change((read) => runsAdded(read, additions, { wiregauge: '0.1.0', branch: 'main' }), 'Past runs');
  }

  function suiteFile(name: string, policy: string): void {
    const own = readFileSync(join(before, 'suites/users.yml'), 'utf8').replace('name: users', `name: ${name}`);
    mkdirSync(join(bench.scene.repository, 'suites'));
    writeFileSync(join(bench.scene.repository, 'suites', `${name}.yml`), `${own}\n${policy}`);
  }

  const outcome = () => {
    const path = 'performance/history/2026-01.jsonl';
    return readSegment(bench.text(path), path).at(-1)?.outcome;
  };

  it.each([
    ['users', '', 'suspicious', /by the policy of suites\/users\.yml\n/],
    [
      'users',
      'policy: { thresholds: [{ metric: cpuMicrosPerRequest, threshold: 50% }] }\n',
      'passed',
      /by the policy of suites\/users\.yml\n/,
    ],
    ['others', '', 'suspicious', /by the usual policy, since there is no suite "users" here\n/],
  ])(
    'is judged by what its suite says, where the checkout has "%s" with "%s"',
    async (...[name, policy, expected, words]) => {
      await publishPast();
      suiteFile(name, policy);

      expect(await publish(runFile(slower(1.3, day(30))), FLAGS)).toBe(0);

      expect(outcome()).toBe(expected);
      expect(printed).toMatch(words);
    },
  );

  it('is not said to be held against any where there is no branch, or no run to hold it against', async () => {
    await expect(publish(runFile(slower(1.3, day(30))), FLAGS)).rejects.toThrow(/has no branch gh-pages/);
    expect(printed).not.toContain('held against');

    await publishPast();
    await expect(publish(runFile(slower(1.3, '2025-01-01T00:00:00.000Z')), FLAGS)).resolves.toBe(0);
    expect(printed).not.toContain('held against');
  });

  it('is not published by the usual policy where the file of its suite cannot be read', async () => {
    await publishPast();
    const first = tip();
    suiteFile('users', 'policy: { thresholds: 3 }\n');

    await expect(publish(runFile(slower(1.3, day(30))), FLAGS)).rejects.toThrow(/suites\/users\.yml/);

    expect(tip()).toBe(first);
  });
});
