import { type ChildProcess, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ownedFolder } from '../../src/host/files/own-folders.ts';
import { readProc } from '../../src/host/files/reader.ts';
import { removeOrphans } from '../../src/host/machine/orphans.ts';
import { isOwnerAlive, ownerOf, processStat } from '../../src/host/machine/proc.ts';
import { parseOpenFilesLimit } from '../../src/host/machine/proc-files.ts';
import { type Bench, makeBench, marked, ownedFolders, startRun } from '../integration/plain-service.ts';

let bench: Bench;
const programs: ChildProcess[] = [];

beforeEach(() => {
  bench = makeBench();
});

afterEach(async () => {
  for (const program of programs.splice(0)) {
    program.kill('SIGKILL');
  }
  await removeOrphans(() => undefined);
  bench.remove();
});

describe('a program that exits', () => {
  it('ends also what it is just starting', () => {
    const source = (name: string) => pathToFileURL(join(import.meta.dirname, '../../src', name)).href;
    // It looks itself, since the start of another program would end what a dead one has left.
    const script = `
      import { startChild } from '${source('host/child.ts')}';
      import { marksOf } from '${source('host/machine/descendants.ts')}';
      import { allProcesses, isRunning, OWNER_VARIABLE, ownerOf } from '${source('host/machine/proc.ts')}';
      const owner = ownerOf(process.pid);
      const left = () => allProcesses().filter((stat) => isRunning(stat) && marksOf(stat.pid).includes(owner)).length;
      const argv = ['sh', '-c', 'sleep 60 & exec sleep 60'];
      void startChild({ argv, cwd: '/', environment: { PATH: process.env.PATH, [OWNER_VARIABLE]: owner } });
      const before = left();
      process.once('exit', () => {
        for (let look = 0; left() > 0 && look < 50; look += 1) {
          Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
        }
        process.stdout.write(before + ' ' + left());
        process.kill(process.pid, 'SIGKILL');
      });
      process.exit();`;
    const argv = ['--import', 'tsx', '--input-type=module', '-e', script];
    const { stdout } = spawnSync(process.execPath, argv, { encoding: 'utf8' });

    expect(stdout).toMatch(/^[12] 0$/);
  });
});

describe('removeOrphans', () => {
  it('ends what a killed run left, removes its folder, and says so', async () => {
    const { program, owner } = await startRun(bench.root, programs);
    program.kill('SIGKILL');
    await once(program, 'exit');
    expect(isOwnerAlive(owner)).toBe(false);
    expect(ownedFolders(owner)).toHaveLength(1);
    const lines: string[] = [];

    await removeOrphans((line) => lines.push(line));

    expect(marked(owner)).toEqual([]);
    expect(ownedFolders(owner)).toEqual([]);
    expect(lines).toContainEqual(expect.stringMatching(/^stopping sleep \(pid \d+\), left over from an earlier run$/));
    expect(lines).toContainEqual(expect.stringMatching(/^removing .*wiregauge-\d+-\d+-\d+-\w+, left over from/));
  });

  it('leaves alone what a living run started', async () => {
    const { program, owner } = await startRun(bench.root, programs);
    const before = marked(owner);
    const lines: string[] = [];

    await removeOrphans((line) => lines.push(line));

    expect(marked(owner)).toEqual(before);
    expect(ownedFolders(owner)).toHaveLength(1);
    expect(lines.filter((line) => before.some((pid) => line.includes(`pid ${pid})`)))).toEqual([]);
    program.kill('SIGKILL');
    await once(program, 'exit');
    await removeOrphans(() => undefined);
    expect(marked(owner)).toEqual([]);
  });

  it('has only folders left to remove after a run that crashed: it kills its process groups itself', async () => {
    const { program, owner } = await startRun(bench.root, programs);

    program.kill('SIGUSR2');
    await once(program, 'exit');

    await expect.poll(() => marked(owner)).toEqual([]);
    await removeOrphans(() => undefined);
    expect(ownedFolders(owner)).toEqual([]);
  });

  it('has no driver to end: that ends with the run that started it', async () => {
    const { program, owner } = await startRun(bench.root, programs);
    const names = () => marked(owner).map((pid) => processStat(pid)?.name);
    expect(names()).toContain('wiregauge-load');

    program.kill('SIGKILL');
    await once(program, 'exit');

    await expect.poll(names, { timeout: 20_000 }).toEqual(['sleep']);
    await removeOrphans(() => undefined);
    expect([marked(owner), ownedFolders(owner)]).toEqual([[], []]);
  });

  it('leaves folders alone that are of a living owner, or not ours', async () => {
    const own = await ownedFolder(ownerOf(process.pid) ?? '');
    const foreign = join(tmpdir(), 'wiregauge-1-2-3');
    mkdirSync(foreign, { recursive: true });

    await removeOrphans(() => undefined);

    expect(existsSync(own)).toBe(true);
    expect(existsSync(foreign)).toBe(true);
    rmdirSync(own);
    rmdirSync(foreign);
  });
});

describe('a run', () => {
  it('gives service and tool enough open files, where the limit is low and may be raised', async () => {
    const { owner } = await startRun(bench.root, programs, ['prlimit', '--nofile=1024:1024']);

    const limits = marked(owner).map((pid) => parseOpenFilesLimit(readProc(`/proc/${pid}/limits`) ?? ''));

    expect(limits).toEqual(mayRaiseLimits() ? [4096, 4096] : [1024, 1024]);
  });
});

function mayRaiseLimits(): boolean {
  const low = ['--nofile=1024:1024', 'prlimit', '--nofile=4096:4096', 'true'];
  return spawnSync('prlimit', low).status === 0;
}
