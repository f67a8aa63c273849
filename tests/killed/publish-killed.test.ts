import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { readSegment } from '../../src/history/store/segment.ts';
import { removeOrphans } from '../../src/host/machine/orphans.ts';
import { formatRun } from '../../src/model/run/run.ts';
import { gitIn } from '../integration/git-repository.ts';
import { numberedRun } from '../integration/publication.ts';
import { everythingIn, foldersOf, publishFrom, publishPerTest } from '../integration/publish-bench.ts';

const bench = publishPerTest();

const SEGMENT = 'performance/history/2026-11.jsonl';
const runsThere = () =>
  readSegment(bench.text(SEGMENT), SEGMENT)
    .map(({ at }) => at)
    .sort();
const startOf = (number: number) => numberedRun(number).startedAt;

const source = (path: string) => pathToFileURL(join(import.meta.dirname, '../..', path)).href;

/** A program that publishes the run of its first argument from a clone, with the ids of the bench. */
const PUBLISHER = `
  import { readFileSync } from 'node:fs';
  import { openHistoryBranch } from '${source('src/history/branch/branch.ts')}';
  import { ownerOf } from '${source('src/host/machine/proc.ts')}';
  import { exitAtSignals } from '${source('src/host/signals.ts')}';
  import { publishRun } from '${source('src/history/publish.ts')}';
  import { publicationOf } from '${source('tests/integration/publication.ts')}';
  exitAtSignals();
  const [checkout, file] = process.argv.slice(1);
  const place = { remote: 'origin', branch: 'gh-pages', folder: 'performance' };
  const owner = ownerOf(process.pid) ?? '';
  const store = await openHistoryBranch({ ...place, checkout, createBranch: false, owner, log: () => undefined });
  await publishRun(store, publicationOf(JSON.parse(readFileSync(file, 'utf8'))), 'wiregauge: killed');`;

/** Pids of what stays behind on purpose: sleepers that a test waits for, or ends. */
const pids: number[] = [];

afterEach(() => {
  for (const pid of pids.splice(0)) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has ended.
    }
  }
});

function startPublisher(number: number, environment: NodeJS.ProcessEnv = {}): ChildProcess {
  const file = join(bench.scene.folder, 'killed.json');
  writeFileSync(file, formatRun(numberedRun(number)));
  const argv = ['--import', 'tsx', '--input-type=module', '-e', PUBLISHER, bench.scene.repository, file];
  return spawn(process.execPath, argv, {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, ...environment },
  });
}

/** A program that writes its pid to a file and sleeps, the first time that it is called with `word`; else it is what it stands for. */
function sleeper(
  path: string,
  { word, seconds, otherwise }: { word: string; seconds: number; otherwise: string },
): string {
  const mark = join(bench.scene.folder, 'mark');
  const lines = [
    '#!/bin/sh',
    `case " $* " in *"${word}"*)`,
    `if [ ! -e '${mark}' ]; then echo $$ > '${mark}.part'; mv '${mark}.part' '${mark}'; for second in $(seq ${seconds}); do sleep 1; done; fi;;`,
    'esac',
    otherwise,
  ];
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, `${lines.join('\n')}\n`);
  chmodSync(path, 0o755);
  return mark;
}

/** The same, at its push. */
async function startSlowPublisher(): Promise<{ readonly child: ChildProcess; readonly git: number }> {
  const bin = join(bench.scene.folder, 'bin');
  const mark = sleeper(join(bin, 'git'), {
    word: ' push ',
    seconds: 60,
    otherwise: `PATH='${process.env['PATH']}' exec git "$@"`,
  });
  const child = startPublisher(1, { PATH: `${bin}:${process.env['PATH']}` });
  return { child, git: await pidIn(mark) };
}

async function pidIn(mark: string): Promise<number> {
  for (let waited = 0; !existsSync(mark); waited += 1) {
    expect(waited).toBeLessThan(600);
    await sleep(50);
  }
  const pid = Number(readFileSync(mark, 'utf8'));
  pids.push(pid);
  return pid;
}

async function ended(pid: number): Promise<void> {
  for (let waited = 0; existsSync(`/proc/${pid}`); waited += 1) {
    expect(waited).toBeLessThan(600);
    await sleep(50);
  }
}

async function kill(child: ChildProcess): Promise<number> {
  expect(await end(child, 'SIGKILL')).toBeNull();
  return child.pid ?? 0;
}

/** Exit code of a program that gets a signal. */
async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  const exit = once(child, 'exit');
  child.kill(signal);
  const [code] = await exit;
  return code;
}

describe('a publisher that is interrupted', () => {
  it.each(['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const)('by %s leaves no folder and no git', async (signal) => {
    const tip = bench.seed('gh-pages');
    const { child, git } = await startSlowPublisher();

    expect(await end(child, signal)).toBe(130);

    await ended(git);
    expect(foldersOf(child.pid ?? 0)).toEqual([]);
    expect(gitIn(bench.remote, 'rev-parse', 'gh-pages')).toBe(tip);
  });
});

describe('a publisher that is killed', () => {
  it('between commit and push has pushed nothing, and does not block later runs', async () => {
    const tip = bench.seed('gh-pages');
    const before = everythingIn(bench.scene.repository);
    const { child } = await startSlowPublisher();

    const pid = await kill(child);

    expect(gitIn(bench.remote, 'rev-parse', 'gh-pages')).toBe(tip);
    expect(everythingIn(bench.scene.repository)).toEqual(before);
    expect((await publishFrom(bench, numberedRun(2))).attempts).toBe(1);
    expect((await publishFrom(bench, numberedRun(1))).outcome).toBe('written');
    expect(runsThere()).toEqual([startOf(1), startOf(2)]);
    expect(foldersOf(pid)).toHaveLength(1);
    await removeOrphans(() => undefined);
    expect(foldersOf(pid)).toEqual([]);
  });

  it.each([
    ['somebody else publishes meanwhile', true],
    ['nobody else does', false],
  ])('in the middle of a push leaves each run once, where %s', async (_, isOvertaken) => {
    bench.seed('gh-pages');
    const before = everythingIn(bench.scene.repository);
    const mark = sleeper(join(bench.remote, 'hooks/pre-receive'), { word: ' ', seconds: 4, otherwise: 'exit 0' });
    const child = startPublisher(1);
    const hook = await pidIn(mark);
    const tip = gitIn(bench.remote, 'rev-parse', 'gh-pages');

    const pid = await kill(child);

    expect(existsSync(`/proc/${hook}`)).toBe(true);
    if (isOvertaken) {
      expect((await publishFrom(bench, numberedRun(2))).outcome).toBe('written');
      expect(gitIn(bench.remote, 'rev-parse', 'gh-pages^')).toBe(tip);
    }
    await ended(hook);
    await publishFrom(bench, numberedRun(1));
    await publishFrom(bench, numberedRun(2));
    expect(runsThere()).toEqual([startOf(1), startOf(2)]);
    expect(gitIn(bench.remote, 'fsck', '--strict', '--no-progress', '--no-dangling')).toBe('');
    expect(everythingIn(bench.scene.repository)).toEqual(before);
    await removeOrphans(() => undefined);
    expect(foldersOf(pid)).toEqual([]);
  });
});
