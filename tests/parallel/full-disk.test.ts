import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { runCommandLine } from '../../src/commands/program/program.ts';
import { EnvironmentError } from '../../src/foundation/errors.ts';
import { historyFolder } from '../../src/history/folder.ts';
import { runsAdded } from '../../src/history/publish.ts';
import { historyEntries } from '../../src/history/reader.ts';
import { readIndex } from '../../src/history/store/index-file.ts';
import { readSegment } from '../../src/history/store/segment.ts';
import { INDEX_PATH } from '../../src/history/store/segments.ts';
import { versionOf } from '../../src/host/git/worktrees.ts';
import { ownerOf } from '../../src/host/machine/proc.ts';
import { formatRun } from '../../src/model/run/run.ts';
import { gitIn } from '../integration/git-repository.ts';
import { numberedRun } from '../integration/publication.ts';
import { publishFrom, publishPerTest } from '../integration/publish-bench.ts';
import { requires } from '../support/requires.ts';
import { sampleEntry } from '../support/sample-history.ts';
import { sampleRounds } from '../support/sample-rounds.ts';
import { sampleRun } from '../support/sample-run.ts';
import { fillDisk, smallDisks } from '../support/small-disk.ts';

const bench = publishPerTest();
const disks = smallDisks();
const small = () => join(bench.scene.folder, 'small');

const SEGMENT = 'performance/history/2026-11.jsonl';
const tip = () => gitIn(bench.remote, 'rev-parse', 'gh-pages');
const OWNER = ownerOf(process.pid) ?? '';

/** What work gives, or what it throws. */
async function ended<Result>(work: Promise<Result>): Promise<Result | EnvironmentError> {
  try {
    return await work;
  } catch (thrown) {
    return thrown instanceof EnvironmentError ? thrown : Promise.reject(thrown);
  }
}

/** Nothing but what fills it up. */
const leftOn = (disk: string) => readdirSync(disk).filter((name) => name !== '.filling');

describe.runIf(requires('root'))('publishing while a disk is full', () => {
  it('of temporary files, at whichever step, publishes all of the run or nothing, and leaves nothing there', async () => {
    const first = bench.seed('gh-pages');
    const refusals = new Set<string>();
    let outcome: string | undefined;
    for (let kibibytes = 4; outcome === undefined; kibibytes = Math.ceil(kibibytes * 1.5)) {
      disks.mount(small(), kibibytes);
      process.env['TMPDIR'] = small();

      const end = await ended(publishFrom(bench, numberedRun(1)));

      expect(leftOn(small())).toEqual([]);
      if (end instanceof EnvironmentError) {
        expect(`${end.message}\n${end.next}`).toMatch(/full|No space left on device|disk space/);
        expect(end.next).toMatch(/[Ff]ree some (disk )?space/);
        expect(tip()).toBe(first);
        refusals.add(end.message.replace(/\/\S+|[0-9a-f]{40}/g, '*'));
      } else {
        outcome = end.outcome;
      }
      disks.unmount(small());
    }

    expect(outcome).toBe('written');
    expect(readSegment(bench.text(SEGMENT), SEGMENT)).toHaveLength(1);
    // As it grows, other steps fail of it.
    expect(refusals.size).toBeGreaterThan(1);
  });

  it('of the checkout writes nothing there, and so succeeds', async () => {
    bench.seed('gh-pages');
    disks.mount(small(), 4096);
    const checkout = join(small(), 'clone');
    gitIn(small(), 'clone', '--quiet', bench.remote, checkout);
    fillDisk(small(), 0);

    expect(await publishFrom(bench, numberedRun(1), { checkout })).toMatchObject({ outcome: 'written' });
  });

  it('of the remote says what that said, and breaks nothing there', async () => {
    bench.seed('gh-pages');
    disks.mount(small(), 4096);
    const remote = join(small(), 'full.git');
    gitIn(small(), 'clone', '--quiet', '--bare', bench.remote, remote);
    bench.scene.git('remote', 'set-url', 'origin', remote);
    const before = gitIn(remote, 'rev-parse', 'gh-pages');
    fillDisk(small(), 0);

    const end = await ended(publishFrom(bench, numberedRun(1)));

    expect(end).toMatchObject({
      message: expect.stringMatching(/git could not push gh-pages(?: of origin)?: .*(?:full|[Nn]o space|unpack)/),
    });
    expect(gitIn(remote, 'rev-parse', 'gh-pages')).toBe(before);
    expect(gitIn(remote, 'fsck', '--strict', '--no-progress', '--no-dangling')).toBe('');
    rmSync(join(small(), '.filling'));
    expect(await publishFrom(bench, numberedRun(1))).toMatchObject({ outcome: 'written' });
  });
});

describe.runIf(requires('root'))('comparing while the disk of .git is full', () => {
  it('says so, and leaves no worktree behind', async () => {
    disks.mount(small(), 4096);
    const checkout = join(small(), 'clone');
    gitIn(small(), 'clone', '--quiet', bench.remote, checkout);
    fillDisk(small(), 0);

    for (const ref of ['HEAD', undefined]) {
      writeFileSync(join(checkout, 'app.txt'), 'two\n');
      const end = await ended(versionOf(checkout, ref, OWNER));

      expect(end).toBeInstanceOf(EnvironmentError);
      expect(end).toMatchObject({ next: expect.stringContaining('Free some disk space') });
      expect(gitIn(checkout, 'worktree', 'list').split('\n')).toHaveLength(1);
    }
  });
});

describe.runIf(requires('root'))('a history in a folder whose disk is full', () => {
  it('takes a run whole or not at all, and takes it once there is room', async () => {
    disks.mount(small(), 1024);
    const folder = join(small(), 'performance');
    const store = historyFolder(folder, () => undefined);
    const add = (run: string) =>
      store.change(
        ({ read }) =>
          runsAdded(read, [{ entry: sampleEntry({ run }), histograms: { 'rest/all/low': 'AAAA' } }], {
            wiregauge: '0.1.0',
          }),
        'add',
      );
    const runs = async () => {
      const { segments } = readIndex((await store.read(INDEX_PATH)) ?? '', INDEX_PATH);
      return (await historyEntries(store.read, segments)).map(({ run }) => run);
    };
    await add('first');
    const outcomes: string[] = [];
    for (const free of [0, 4, 8, 12, 16, 24, 64]) {
      fillDisk(small(), free);
      const before = await runs();

      const end = await ended(add(`with-${free}`));

      const isRefused = end instanceof EnvironmentError;
      expect(isRefused ? end.message : 'written').toMatch(/^written$|cannot be written: the disk is full \(ENOSPC\)$/);
      expect(await runs()).toEqual(isRefused ? before : [...before, `with-${free}`]);
      expect(readdirSync(folder, { recursive: true }).filter((name) => String(name).endsWith('.part'))).toEqual([]);
      outcomes.push(isRefused ? 'refused' : 'written');
    }

    expect(outcomes[0]).toBe('refused');
    expect(outcomes.at(-1)).toBe('written');
  });
});

describe.runIf(requires('root'))('a command that writes files on a full disk', () => {
  let complaint = '';
  beforeEach(() => {
    complaint = '';
    vi.stubEnv('GITHUB_ACTIONS', undefined);
    vi.spyOn(process.stdout, 'write').mockReturnValue(true);
    vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
      complaint += String(text);
      return true;
    });
    mkdirSync(small(), { recursive: true });
    disks.mount(small(), 2048);
  });
  afterEach(() => {
    vi.restoreAllMocks();
    vi.unstubAllEnvs();
  });

  /** A file beside the disk. */
  function given(name: string, text: string): string {
    const file = join(bench.scene.folder, name);
    writeFileSync(file, text);
    return file;
  }
  const run = (second: number) => sampleRun({ change: { startedAt: `2026-11-21T10:0${second}:00.000Z` } });
  const contentsOf = (folder: string): Record<string, string> =>
    Object.fromEntries(
      readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile() && entry.name !== '.filling')
        .map(({ parentPath, name }) => [join(parentPath, name), readFileSync(join(parentPath, name), 'utf8')]),
    );

  it.each<[string, (second: number) => readonly string[]]>([
    [
      'the reports of a run',
      (second) => ['report', given('run.json', formatRun(run(second))), '--out', join(small(), 'out')],
    ],
    [
      'those of a comparison, with its charts',
      (second) => [
        'report',
        given('run.json', formatRun({ ...sampleRounds(), seed: second })),
        '--out',
        join(small(), 'out'),
      ],
    ],
    [
      'the union of runs',
      (second) => [
        ...['shards', 'merge', given('a.json', formatRun(run(second))), given('b.json', formatRun(run(second + 1)))],
        ...['--out', join(small(), 'out/run.json')],
      ],
    ],
    [
      'a baseline',
      (second) => [
        'baseline',
        'update',
        given('run.json', formatRun(run(second))),
        '--folder',
        join(small(), 'baselines'),
      ],
    ],
  ])('says so, with %s: what was there stays, or is replaced whole', async (_, argv) => {
    expect([await runCommandLine([...argv(1)]), complaint]).toEqual([0, '']);
    const before = contentsOf(small());
    const written: Record<string, string>[] = [];
    for (const free of [0, 4, 16]) {
      fillDisk(small(), free);
      complaint = '';

      const exitCode = await runCommandLine([...argv(2)]);

      if (exitCode === 2) {
        expect(complaint).toMatch(
          /^wiregauge: \S+ cannot be written: the disk is full \(ENOSPC\)\n {2}Free some space/,
        );
        expect(complaint).not.toMatch(/^\s+at /m);
      }
      expect([0, 2]).toContain(exitCode);
      expect(readdirSync(small(), { recursive: true }).filter((name) => String(name).endsWith('.part'))).toEqual([]);
      written.push(contentsOf(small()));
    }
    rmSync(join(small(), '.filling'));
    complaint = '';

    expect([await runCommandLine([...argv(2)]), complaint]).toEqual([0, '']);

    const after = contentsOf(small());
    expect(after).not.toEqual(before);
    for (const [path, text] of written.flatMap((files) => Object.entries(files))) {
      expect([before[path], after[path]]).toContain(text);
    }
  });
});
