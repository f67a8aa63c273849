import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { historyFolder } from '../../src/history/folder.ts';
import { runsAdded } from '../../src/history/publish.ts';
import { historyEntries, requireIndex } from '../../src/history/reader.ts';
import { readIndex } from '../../src/history/store/index-file.ts';
import { INDEX_PATH } from '../../src/history/store/segments.ts';
import { lockFolder } from '../../src/host/locks.ts';
import { sampleEntry } from '../support/sample-history.ts';

let root = '';
const programs: ChildProcess[] = [];
const lines: string[] = [];

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'wiregauge-folder-'));
  lines.length = 0;
});

afterEach(() => {
  for (const program of programs.splice(0)) {
    program.kill('SIGKILL');
  }
  rmSync(root, { recursive: true, force: true });
});

const log = (line: string): void => void lines.push(line);
const folder = () => join(root, 'performance');

async function add(run: string, place = folder()) {
  const entry = sampleEntry({ run });
  return await historyFolder(place, log).change(
    ({ read }) => runsAdded(read, [{ entry }], { wiregauge: '0.1.0' }),
    'add',
  );
}

async function runsIn(place = folder()): Promise<readonly string[]> {
  const { read } = historyFolder(place, log);
  const { segments } = readIndex((await read(INDEX_PATH)) ?? '', INDEX_PATH);
  return (await historyEntries(read, segments)).map(({ run }) => run).sort();
}

const SOURCE = `
  import { historyFolder } from '${pathToFileURL(join(import.meta.dirname, '../../src/history/folder.ts')).href}';
  import { runsAdded } from '${pathToFileURL(join(import.meta.dirname, '../../src/history/publish.ts')).href}';
  import { once } from 'node:events';
  const [folder, entries, hold] = process.argv.slice(1);
  console.log('ready');
  await once(process.stdin, 'data');
  process.stdin.destroy();
  const store = historyFolder(folder, () => undefined);
  for (const entry of JSON.parse(entries)) {
    await store.change(({ read }) => runsAdded(read, [{ entry }], { wiregauge: '0.1.0' }), 'add');
  }
  if (hold === 'hold') {
    await store.change(() => { console.log('writing'); return new Promise(() => setInterval(() => undefined, 1000)); }, 'hold');
  }`;

/** Another program, once it is ready to add runs one after the other; with "hold" it then keeps writing until it is killed. */
async function startProgram(runs: readonly string[], hold = '') {
  const entries = JSON.stringify(runs.map((run) => sampleEntry({ run })));
  const argv = ['--import', 'tsx', '--input-type=module', '-e', SOURCE, folder(), entries, hold];
  const program = spawn(process.execPath, argv, { stdio: ['pipe', 'pipe', 'inherit'] });
  programs.push(program);
  await once(program.stdout, 'data');
  return program;
}

describe('a history in a folder', () => {
  it('has the runs of all concurrent writers, for each path to it', async () => {
    mkdirSync(folder());
    symlinkSync(folder(), join(root, 'link'));
    const names = Array.from({ length: 30 }, (_, index) => `run-${String(index).padStart(2, '0')}`);

    await Promise.all(names.map((run, index) => add(run, index % 2 === 0 ? folder() : join(root, 'link'))));

    expect(await runsIn()).toEqual(names);
  });

  it('has the runs of several programs that begin it at once', async () => {
    const names = ['a', 'b', 'c'].map((name) => Array.from({ length: 20 }, (_, index) => `${name}-${10 + index}`));

    const all = await Promise.all(names.map((runs) => startProgram(runs)));
    const exits = all.map((program) => once(program, 'exit'));
    for (const { stdin } of all) {
      stdin.end('go');
    }
    const ends = await Promise.all(exits);

    expect(ends.map(([exitCode]) => exitCode)).toEqual([0, 0, 0]);
    expect(await runsIn()).toEqual(names.flat());
  });

  it('locks out other writers while one writes, and unlocks once it was killed', async () => {
    const holder = await startProgram(['first'], 'hold');
    holder.stdin.end('go');
    await once(holder.stdout, 'data');
    await expect(lockFolder(folder(), log, 0)).rejects.toThrow(/another process is writing to/);

    const writing = add('second');
    await expect.poll(() => lines, { timeout: 20_000 }).toEqual([`another process is writing to ${folder()}: waiting`]);
    holder.kill('SIGKILL');
    await writing;

    expect(await runsIn()).toEqual(['first', 'second']);
  });

  it('can be written to again after a change that failed, and other folders all the time', async () => {
    const store = historyFolder(folder(), log);
    await expect(store.change(() => Promise.reject(new Error('no')), 'fail')).rejects.toThrow('no');
    await using _turn = await lockFolder(join(root, 'other'), log);

    await add('first');

    expect(await runsIn()).toEqual(['first']);
    expect(existsSync(join(root, 'other'))).toBe(false);
  });

  it('lists the files of a folder of its own, and nothing where there is none', async () => {
    const store = historyFolder(folder(), log);
    expect(await store.list('history')).toEqual([]);

    await add('first');
    mkdirSync(join(folder(), 'history', 'more'));

    expect(await store.list('history')).toEqual(['2026-11.jsonl', 'changes.json', 'index.json']);
  });

  it('is not started again if its index is missing', async () => {
    await add('first');
    rmSync(join(folder(), INDEX_PATH));
    rmSync(join(folder(), 'history/changes.json'));

    await expect(requireIndex(historyFolder(folder(), log))).rejects.toThrow(
      /is missing, though history\/2026-11\.jsonl/,
    );
  });
});
