import { execFileSync } from 'node:child_process';
import { readdirSync, readlinkSync } from 'node:fs';
import { basename } from 'node:path';
import { ifPossible } from '../../foundation/errors.ts';
import { formatShare } from '../../foundation/numbers.ts';
import { once } from '../../foundation/once.ts';
import { cleanText } from '../../foundation/text.ts';
import { readProc } from '../files/reader.ts';
import { childEnvironment } from '../workflow.ts';
import {
  type ProcessStat,
  parseChildren,
  parseHostTicks,
  parseListenOverflows,
  parseLoopbackBytes,
  parseMemoryMiB,
  parseNetworkBytes,
  parsePressureSeconds,
  parseProcessStat,
  parseTimeWaitSockets,
  parseUsers,
} from './proc-files.ts';

/** USER_HZ, the unit of CPU time in /proc; 100, as on every common machine, if getconf is missing. */
export const ticksPerSecond = once((): number => {
  const env = childEnvironment(process.env);
  const printed = ifPossible(() => execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8', env }));
  return Number(printed) || 100;
});

export function hostCpu() {
  const ticks = parseHostTicks(readProc('/proc/stat') ?? '');
  const pressure = readProc('/proc/pressure/cpu');
  return {
    busySeconds: ticks.busy / ticksPerSecond(),
    stealSeconds: ticks.steal / ticksPerSecond(),
    cpuPressureSeconds: pressure === undefined ? undefined : parsePressureSeconds(pressure),
  };
}

export function networkCounters(pid: number | 'self') {
  const folder = `/proc/${pid}/net`;
  return {
    loopbackBytes: parseLoopbackBytes(readProc(`${folder}/dev`) ?? ''),
    listenOverflows: parseListenOverflows(readProc(`${folder}/netstat`) ?? ''),
    timeWaitSockets: parseTimeWaitSockets(readProc(`${folder}/sockstat`) ?? ''),
  };
}

/** Bytes received and sent in the network namespace of a process, without loopback; undefined once the process has ended. */
export function networkBytes(pid: number): { readonly received: number; readonly sent: number } | undefined {
  const dev = readProc(`/proc/${pid}/net/dev`);
  return dev === undefined ? undefined : parseNetworkBytes(dev);
}

export function processStat(pid: number | 'self'): ProcessStat | undefined {
  const stat = readProc(`/proc/${pid}/stat`);
  return stat === undefined ? undefined : parseProcessStat(stat);
}

/** Name of a program for messages: Node.js 24 calls each of its processes "MainThread". */
export function programName({ pid, name }: ProcessStat): string {
  if (name !== 'MainThread') {
    return name;
  }
  return ifPossible(() => basename(readlinkSync(`/proc/${pid}/exe`))) ?? name;
}

export function allProcesses(): readonly ProcessStat[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => processStat(Number(name)))
    .filter((stat) => stat !== undefined);
}

const NAMED_SHARE = 0.1;

/** Starts to watch other programs; the function names the one that used most CPU time since then: see `busiestOther`. */
export function watchOthers(): () => string | undefined {
  const [before, startedMs] = [allProcesses(), performance.now()];
  return () => {
    const own = new Set(processTree(process.pid).map(({ pid }) => pid));
    const others = allProcesses().filter(({ pid }) => !own.has(pid));
    return busiestOther(before, others, (performance.now() - startedMs) / 1000);
  };
}

/** Program that used most CPU time of others, as "postgres (process 812), 42.0% of a core"; undefined below 10% of a core. */
export function busiestOther(
  before: readonly ProcessStat[],
  after: readonly ProcessStat[],
  seconds: number,
): string | undefined {
  // Reaped children have used theirs before, such as orphans that end up with process 1.
  const own = ({ cpuTicks, reapedTicks }: ProcessStat) => cpuTicks - reapedTicks;
  const known = new Map(before.map((one) => [`${one.pid} ${one.startTicks}`, own(one)]));
  const shares = after.flatMap((one) => {
    const ticks = known.get(`${one.pid} ${one.startTicks}`);
    const isEngine = /^(?:dockerd|containerd)/.test(one.name);
    return ticks === undefined || isEngine ? [] : [{ one, share: (own(one) - ticks) / ticksPerSecond() / seconds }];
  });
  const [most] = shares.toSorted((a, b) => b.share - a.share);
  return most === undefined || most.share < NAMED_SHARE
    ? undefined
    : `${cleanText(programName(most.one), 40)} (process ${most.one.pid}), ${formatShare(most.share)} of a core`;
}

export function processTree(pid: number): readonly ProcessStat[] {
  const root = processStat(pid);
  const found = root === undefined ? [] : [root];
  // Grows during the iteration.
  for (const parent of found) {
    // The kernel's own lists are a hundred times faster than reading all of /proc.
    const listed = listedChildren(parent.pid) ?? allProcesses().filter((stat) => stat.parent === parent.pid);
    found.push(...listed);
  }
  return found;
}

/** Use of a process with its descendants. Memory is the proportional set size, in which shared pages count once; if not available, the resident one. */
export function treeCounters(pid: number) {
  const tree = processTree(pid);
  return { cpuSeconds: cpuSecondsOf(tree), memoryMiB: sum(tree.map((stat) => memoryMiB(stat.pid))) };
}

export function treeCpuSeconds(pid: number): number {
  return cpuSecondsOf(processTree(pid));
}

/** CPU time of the processes of a tree. Reaped children count in their parent, except those of a parent that ignores SIGCHLD. */
function cpuSecondsOf(tree: readonly ProcessStat[]): number {
  return sum(tree.map((stat) => stat.cpuTicks)) / ticksPerSecond();
}

/** Mark of everything that a process starts, "<pid>:<start time>"; undefined if there is no such process. */
export function ownerOf(pid: number): string | undefined {
  const started = processStat(pid)?.startTicks;
  return started === undefined ? undefined : `${pid}:${started}`;
}

/** Marks everything that this program starts, so that it can be found again when it was killed. */
export function machineOwner(): string {
  return ownerOf(process.pid) ?? `${process.pid}:0`;
}

/** True if the process of a mark still runs; false for a zombie, and for another process with the same pid. */
export function isOwnerAlive(owner: string): boolean {
  const [pid, started] = owner.split(':').map(Number);
  const stat = pid === undefined ? undefined : processStat(pid);
  return stat !== undefined && stat.startTicks === started && isRunning(stat);
}

export function isRunning(stat: ProcessStat): boolean {
  return stat.state !== 'Z' && stat.state !== 'X';
}

/** True if a process belongs to this user, and has no other user's rights. */
export function isOwnProcess(pid: number): boolean {
  // Not by the owner of /proc/<pid>, which is root for processes that are not dumpable.
  const users = parseUsers(readProc(`/proc/${pid}/status`) ?? '');
  return users?.every((user) => user === process.getuid?.()) ?? false;
}

/** Number of the pid namespace of a process, outside of which pids are meaningless. Undefined if hidden. */
export function pidNamespace(pid: number | 'self'): string | undefined {
  return ifPossible(() => /\d+/.exec(readlinkSync(`/proc/${pid}/ns/pid`))?.[0]);
}

/** Environment variable that marks every process of a run with its owner. */
export const OWNER_VARIABLE = 'WIREGAUGE_OWNER';

export function bootId(): string {
  return readProc('/proc/sys/kernel/random/boot_id')?.trim() || 'unknown boot';
}

/** Scope of an owner's mark, "<boot>/<pid namespace>/<user>": elsewhere its pid is another process. */
export function ownerPlace(): string {
  return [bootId(), pidNamespace('self') ?? 0, process.getuid?.() ?? 0].join('/');
}

/** Children in the kernel's lists per thread; undefined if the kernel has no such lists, or the process has ended. */
function listedChildren(pid: number): readonly ProcessStat[] | undefined {
  const lists = threadsOf(pid).map((thread) => readProc(`/proc/${pid}/task/${thread}/children`));
  const known = lists.filter((list) => list !== undefined);
  return known.length === 0
    ? undefined
    : parseChildren(known)
        .map(processStat)
        .filter((stat) => stat !== undefined);
}

export function threadsOf(pid: number): readonly string[] {
  return ifPossible(() => readdirSync(`/proc/${pid}/task`)) ?? [];
}

// Faster than reading each mapping: the roll-up takes well under a millisecond for a Python service.
function memoryMiB(pid: number): number {
  const proportional = parseMemoryMiB(readProc(`/proc/${pid}/smaps_rollup`) ?? '', 'Pss');
  return proportional ?? parseMemoryMiB(readProc(`/proc/${pid}/status`) ?? '', 'VmRSS') ?? 0;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
