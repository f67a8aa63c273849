import { execFileSync } from 'node:child_process';
import { readProc } from '../files/reader.ts';
import { childEnvironment } from '../workflow.ts';
import { allProcesses, isOwnProcess, isRunning, OWNER_VARIABLE, pidNamespace, processTree } from './proc.ts';
import { type ProcessStat, parseEnvironment, parseRealTimeLimit } from './proc-files.ts';

/**
 * Processes are marked by their environment, and by their soft limit of real-time CPU, which every descendant inherits, even a daemon that
 * has left its process group, its parents and its environment. The value is over a hundred thousand years, so it limits nothing.
 */
const LIMIT_MARK = 1n << 62n;
const PID_BITS = 22n;
const START_BITS = 40n;

/** Limit that marks the descendants of an owner, "<pid>:<start time>"; undefined if it does not fit. */
export function limitOf(owner: string): string | undefined {
  const [pid = '0', started = '0'] = owner.split(':');
  const fits = BigInt(pid) >> PID_BITS === 0n && BigInt(started) >> START_BITS === 0n;
  return fits ? String(LIMIT_MARK | (BigInt(started) << PID_BITS) | BigInt(pid)) : undefined;
}

export function ownerOfLimit(limit: string | undefined): string | undefined {
  const value = limit === undefined || limit === 'unlimited' ? 0n : BigInt(limit);
  if (value >> 62n !== 1n) {
    return undefined;
  }
  const rest = value ^ LIMIT_MARK;
  return `${rest & ((1n << PID_BITS) - 1n)}:${rest >> PID_BITS}`;
}

/** Marks all programs that this program starts until it is disposed of. Without permission or `prlimit` only the environment marks them. */
export function markDescendants(owner: string): Disposable {
  const before = parseRealTimeLimit(readProc('/proc/self/limits') ?? '');
  const mark = limitOf(owner);
  if (before === undefined || mark === undefined) {
    return { [Symbol.dispose]: () => undefined };
  }
  limitSelf(mark);
  return { [Symbol.dispose]: () => limitSelf(before) };
}

function limitSelf(soft: string): void {
  try {
    const argv = ['--pid', String(process.pid), `--rttime=${soft}:`];
    execFileSync('prlimit', argv, { env: childEnvironment(process.env), stdio: 'ignore' });
  } catch {
    // Only the environment marks them.
  }
}

export function marksOf(pid: number): readonly string[] {
  return [...new Set([ownerInEnvironment(pid), ownerInLimit(pid)])].filter((owner) => owner !== undefined);
}

export function ownerInEnvironment(pid: number): string | undefined {
  return ifOurs(pid, parseEnvironment(readProc(`/proc/${pid}/environ`) ?? '', OWNER_VARIABLE));
}

function ownerInLimit(pid: number): string | undefined {
  return ifOurs(pid, ownerOfLimit(parseRealTimeLimit(readProc(`/proc/${pid}/limits`) ?? '')));
}

/** Ignores marks of other users, and those of another pid namespace, whose pids are other processes here. */
function ifOurs(pid: number, owner: string | undefined): string | undefined {
  const isOurs = owner !== undefined && isOwnProcess(pid) && pidNamespace(pid) === pidNamespace('self');
  return isOurs ? owner : undefined;
}

/** Descendants of an owner that have left the process tree of this program, as daemons do, and are not counted. */
export function escapedProcesses(owner: string): readonly ProcessStat[] {
  const marked = allProcesses().filter((stat) => isRunning(stat) && ownerInLimit(stat.pid) === owner);
  const own = new Set(processTree(process.pid).map(({ pid }) => pid));
  return marked.filter(({ pid }) => !own.has(pid));
}
