import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, describe, expect, it } from 'vitest';
import {
  busiestOther,
  hostCpu,
  isOwnerAlive,
  networkCounters,
  ownerOf,
  processStat,
  processTree,
  ticksPerSecond,
  treeCounters,
} from '../../../../src/host/machine/proc.ts';
import type { ProcessStat } from '../../../../src/host/machine/proc-files.ts';

const NOBODY = 2 ** 22 + 1;
const started: ReturnType<typeof spawn>[] = [];

/** A Node program that runs until it is killed; `ready` settles when it prints. */
async function runNode(source: string) {
  const child = spawn(process.execPath, ['-e', source], { stdio: ['ignore', 'pipe', 'inherit'] });
  started.push(child);
  const [first] = await once(child.stdout, 'data');
  return { child, pid: child.pid ?? 0, first: String(first).trim() };
}

async function end(child: ReturnType<typeof spawn>): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) {
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
}

afterEach(async () => {
  await Promise.all(started.splice(0).map(end));
});

/** Of CPU time: on a busy machine that is more than what the start and the end of the program take. */
const burn = (milliseconds: number) => `while (process.cpuUsage().user < ${milliseconds * 1000});`;
/** CPU time of all children that this program has reaped, with theirs. */
const reapedChildrenCpuSeconds = () => (processStat('self')?.reapedTicks ?? 0) / ticksPerSecond();

const IDLE = 'setInterval(() => {}, 1000);';

describe('treeCounters', () => {
  it('counts a process, its living and its reaped children once each', async () => {
    const reaped = `require('child_process').spawnSync(process.execPath, ['-e', ${JSON.stringify(burn(300))}]);`;
    const living = JSON.stringify(`${burn(300)}console.log('ready');${IDLE}`);
    const wait = `const child = require('child_process').spawn(process.execPath, ['-e', ${living}], { stdio: 'inherit' });`;
    const quit = "process.on('SIGTERM', () => child.kill()); child.on('exit', () => process.exit());";
    const before = reapedChildrenCpuSeconds();

    const { child, pid } = await runNode(`${reaped}${wait}${quit}`);

    expect(processTree(pid)[0]?.pid).toBe(pid);
    expect(processTree(pid)).toHaveLength(2);
    const { cpuSeconds, memoryMiB } = treeCounters(pid);
    // Pages that other programs share count in part, so that it is less beside many of Node.js.
    expect(memoryMiB).toBeGreaterThan(8);
    child.kill('SIGTERM');
    await once(child, 'exit');
    // What the kernel then gives us for all three, and they did little but end since.
    const truth = reapedChildrenCpuSeconds() - before;
    expect(cpuSeconds).toBeLessThanOrEqual(truth + 0.05);
    expect(cpuSeconds).toBeGreaterThan(0.7 * truth);
  });

  it('gives zeros for a process that is gone', () => {
    expect(treeCounters(NOBODY)).toEqual({ cpuSeconds: 0, memoryMiB: 0 });
    expect(processTree(NOBODY)).toEqual([]);
  });
});

describe('owners', () => {
  it('is alive while its process runs and not after', async () => {
    const { child, pid } = await runNode(`console.log('ready');${IDLE}`);
    const owner = ownerOf(pid) ?? '';

    expect(owner).toBe(`${pid}:${processStat(pid)?.startTicks}`);
    expect(isOwnerAlive(owner)).toBe(true);

    await end(child);
    expect(isOwnerAlive(owner)).toBe(false);
  });

  it('is not alive where another process has its pid', () => {
    expect(isOwnerAlive(`${process.pid}:${(processStat('self')?.startTicks ?? 0) - 1}`)).toBe(false);
  });

  it('is not alive as a zombie', async () => {
    // A shell that execs sleep never reaps what the shell had started; it has to be sleep by the time the other one dies.
    const shell = spawn('sh', ['-c', 'sh -c "sleep 0.5; kill -9 \\$\\$" & echo $!; exec sleep 60'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    started.push(shell);
    const [line] = await once(shell.stdout, 'data');
    const zombie = Number(String(line).trim());

    await expect.poll(() => processStat(zombie)?.state, { timeout: 10_000 }).toBe('Z');
    expect(isOwnerAlive(ownerOf(zombie) ?? '')).toBe(false);
  });

  it('takes nonsense for a dead owner', () => {
    expect(isOwnerAlive('')).toBe(false);
    expect(isOwnerAlive('x:y')).toBe(false);
    expect(ownerOf(NOBODY)).toBeUndefined();
  });
});

describe('counters of the machine', () => {
  it('grow with what this program does', () => {
    const before = hostCpu();
    for (const until = performance.now() + 200; performance.now() < until; );

    expect(hostCpu().busySeconds).toBeGreaterThan(before.busySeconds);
    expect(hostCpu().stealSeconds).toBeGreaterThanOrEqual(before.stealSeconds);
  });

  it('of a network are there for this program and empty for one that is gone', () => {
    expect(networkCounters('self').timeWaitSockets).toBeGreaterThanOrEqual(0);
    expect(networkCounters(NOBODY)).toEqual({ loopbackBytes: 0, listenOverflows: 0, timeWaitSockets: 0 });
  });

  it('has the time of a child only once it was reaped', async () => {
    const before = reapedChildrenCpuSeconds();
    const { child, pid } = await runNode(`${burn(200)}console.log('ready');${IDLE}`);

    const used = treeCounters(pid).cpuSeconds;
    expect(used).toBeGreaterThan(0);
    expect(reapedChildrenCpuSeconds()).toBe(before);

    await end(child);
    expect(reapedChildrenCpuSeconds() - before).toBeGreaterThanOrEqual(used - 0.011);
  });
});

describe('other programs', () => {
  const stat = (pid: number, name: string, seconds: number, startTicks = 7): ProcessStat => ({
    ...{ pid, name, state: 'R', parent: 1, group: pid, session: pid, reapedTicks: 0, startTicks },
    cpuTicks: seconds * ticksPerSecond(),
  });
  const before = [stat(812, 'postgres', 100), stat(900, 'cron', 5), stat(901, 'dockerd', 0), stat(902, 'old', 0)];

  it('are named by the one that used most CPU time', () => {
    const after = [stat(900, 'cron', 7), stat(812, 'postgres', 104.2), stat(901, 'dockerd', 9), stat(902, 'new', 9, 8)];

    expect(busiestOther(before, after, 10)).toBe('postgres (process 812), 42.0% of a core');
  });

  it('are not named if none used over 10% of a core, or if they came later', () => {
    const after = [stat(812, 'postgres', 100.9), stat(903, 'late', 9)];
    const parent = { ...stat(900, 'cron', 95), reapedTicks: 90 * ticksPerSecond() };

    expect(busiestOther(before, after, 10)).toBeUndefined();
    expect(busiestOther(before, [parent], 10)).toBeUndefined();
  });
});
