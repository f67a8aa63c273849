import { type ChildProcess, spawn } from 'node:child_process';
import { accessSync, constants as files } from 'node:fs';
import { constants } from 'node:os';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { codeOf, EnvironmentError, ifPossible } from '../foundation/errors.ts';
import { once } from '../foundation/once.ts';
import { fromLineStart, wordList } from '../foundation/text.ts';
import { marksOf } from './machine/descendants.ts';
import { allProcesses, isRunning, ownerOf, processStat } from './machine/proc.ts';
import type { ProcessStat } from './machine/proc-files.ts';
import { abortAfter, aborted } from './signals.ts';
import { childEnvironment } from './workflow.ts';

export function isProgram(path: string): boolean {
  // Undefined on success, if the file is executable.
  return ifPossible(() => accessSync(path, files.X_OK) === undefined) ?? false;
}

/** Path of a program in the folders of a PATH, which may be relative to `root`; undefined if none has it. */
export function programOnPath(name: string, path = process.env['PATH'] ?? '', root = '.'): string | undefined {
  const folders = path.split(':').filter((folder) => folder !== '');
  return folders.map((folder) => resolve(root, folder, name)).find(isProgram);
}

export interface ChildCommand {
  readonly argv: readonly string[];
  readonly cwd: string;
  /** Whole environment, without inherited variables of a workflow; see `childEnvironment`. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Variables of a workflow that the program needs, such as those of the cache. */
  readonly credentials?: Readonly<Record<string, string | undefined>>;
}

export interface ChildLimits {
  readonly signal?: AbortSignal;
  readonly limitSeconds: number;
}

export interface ChildEnd {
  /** 128 + the number of the signal if a signal ended it. */
  readonly exitCode: number;
  readonly signal: NodeJS.Signals | undefined;
  readonly timedOut: boolean;
  readonly lastLines: string;
  /** More of its last lines. */
  lines(count: number): string;
}

export interface Child {
  readonly pid: number;
  /** Resolves once it has ended and was reaped; never rejects. */
  readonly ended: Promise<ChildEnd>;
  lastLines(count: number): string;
  /** Stops its process group with SIGTERM, and with SIGKILL after the grace period. Throws EnvironmentError if a process survives. */
  stop(graceMs: number): Promise<void>;
}

const GRACE_MS = 3000;

const DRAIN_MS = 2000;

const END_LINES = 20;

const KEPT_BYTES = 4 * 1024 * 1024;

export async function startChild(command: ChildCommand): Promise<Child> {
  const [file = '', ...rest] = command.argv;
  endMarkedAtExit();
  const started = spawn(file, rest, {
    cwd: command.cwd,
    env: { ...childEnvironment(command.environment), ...command.credentials },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const print = keepLast(started);
  const pid = await spawned(started, command);
  const release = killGroupsAtExit(pid);
  const lines = (count: number) => print().trimEnd().split(/\r?\n/).slice(-count).join('\n');
  const ended = endOf(started).then((end) => ({ ...end, timedOut: false, lastLines: lines(END_LINES), lines }));
  let stopping: Promise<void> | undefined;
  const stop = async (graceMs: number): Promise<void> => {
    try {
      await endGroup(pid, graceMs);
    } catch (thrown) {
      // Must not keep this program alive.
      started.unref();
      started.stdout.destroy();
      started.stderr.destroy();
      throw thrown;
    }
    await ended;
    release();
  };
  return {
    pid,
    ended,
    lastLines: lines,
    // Only once: the number may be reused for another group.
    stop: (graceMs) => (stopping ??= stop(graceMs)),
  };
}

/** Runs a program to its end; any exit code is a result, and no process of its group remains. An abort rejects with its reason. */
export async function runChild(command: ChildCommand, limits: ChildLimits): Promise<ChildEnd> {
  limits.signal?.throwIfAborted();
  const child = await startChild(command);
  const overtime = abortAfter(limits.limitSeconds * 1000);
  const stop = AbortSignal.any([overtime.signal, ...(limits.signal === undefined ? [] : [limits.signal])]);
  try {
    await Promise.race([child.ended, aborted(stop)]);
    limits.signal?.throwIfAborted();
  } finally {
    // The time limit does not apply to stopping.
    overtime[Symbol.dispose]();
    await child.stop(GRACE_MS);
  }
  return { ...(await child.ended), timedOut: overtime.signal.aborted };
}

function spawned(started: ChildProcess, { argv, cwd }: ChildCommand): Promise<number> {
  return new Promise((resolve, reject) => {
    started.once('spawn', () => resolve(started.pid ?? 0));
    started.once('error', (cause) => {
      reject(
        new EnvironmentError(`${argv[0]} cannot be started in ${cwd}: ${cause.message}`, {
          code: 'WG-213',
          cause,
          next: `Check that ${argv[0]} is installed and on PATH.`,
        }),
      );
    });
  });
}

function endOf(started: ChildProcess): Promise<{ exitCode: number; signal: NodeJS.Signals | undefined }> {
  const closed = new Promise((resolve) => started.once('close', resolve));
  return new Promise((resolve) => {
    started.once('exit', async (code, signal) => {
      // A descendant may keep the pipes open, and on a busy machine the last output may be late.
      await Promise.race([closed, sleep(DRAIN_MS, undefined, { ref: false })]);
      resolve({
        exitCode: code ?? 128 + (signal === null ? 0 : constants.signals[signal]),
        signal: signal ?? undefined,
      });
    });
  });
}

// Drains the pipes; the text is only decoded on demand.
function keepLast({ stdout, stderr }: ChildProcess): () => string {
  const kept: Buffer[] = [];
  let [bytes, isCut] = [0, false];
  const keep = (chunk: Buffer) => {
    kept.push(chunk);
    bytes += chunk.length;
    while (bytes - (kept[0]?.length ?? 0) >= KEPT_BYTES) {
      bytes -= kept.shift()?.length ?? 0;
      isCut = true;
    }
  };
  stdout?.on('data', keep);
  stderr?.on('data', keep);
  return () => {
    const text = Buffer.concat(kept).toString('utf8');
    return isCut ? fromLineStart(text) : text;
  };
}

const POLL_MS = 20;

const KILL_WAIT_MS = 5000;

/** A killed process first frees its memory, which takes longer on a busy machine. */
const BUSY_KILL_WAIT_MS = 30_000;

/** Processes, and groups as negative numbers, that are ended when this program exits. */
const living = new Map<number, NodeJS.Signals>();

/** Stops a group with SIGTERM, then SIGKILL. Throws EnvironmentError with surviving processes, for example of another user. */
export async function endGroup(group: number, graceMs: number): Promise<void> {
  if (group <= 1) {
    throw new Error(`${group} is not a process group that can be signalled`);
  }
  await end(-group, (stat) => stat.group === group, graceMs);
}

export async function endProcess(pid: number, graceMs: number): Promise<void> {
  await end(pid, (stat) => stat.pid === pid, graceMs);
}

async function end(target: number, isMeant: (stat: ProcessStat) => boolean, graceMs: number): Promise<void> {
  const running = () => allProcesses().filter((stat) => isMeant(stat) && isRunning(stat));
  const isGone = async (withinMs: number): Promise<boolean> => {
    for (const until = performance.now() + withinMs; performance.now() < until; await sleep(POLL_MS)) {
      // Zombies can still be signaled, and remain if process 1 does not reap them.
      if (!sent(target, 0) || running().length === 0) {
        return true;
      }
    }
    return false;
  };
  if (!sent(target, 'SIGTERM') || (await isGone(graceMs))) {
    return;
  }
  sent(target, 'SIGKILL');
  const hasEnded =
    (await isGone(KILL_WAIT_MS)) ||
    (running().every(({ pid }) => isPermitted(pid)) && (await isGone(BUSY_KILL_WAIT_MS)));
  const left = hasEnded ? [] : running();
  if (left.length > 0) {
    throw unstoppable(left);
  }
}

function unstoppable(left: readonly ProcessStat[]): EnvironmentError {
  const names = wordList(left.map(({ name, pid }) => `${name} (pid ${pid})`));
  const pids = left.map(({ pid }) => pid).join(' ');
  return left.every(({ pid }) => isPermitted(pid))
    ? new EnvironmentError(`${names} does not end, though it was killed`, {
        code: 'WG-213',
        next: `A disk or a network share may not respond: \`ps -o pid,stat,wchan,comm ${pids}\` shows what it waits for.`,
      })
    : new EnvironmentError(`${names} cannot be stopped: it may run as another user`, {
        code: 'WG-213',
        next: `Stop it by hand: \`sudo kill -9 ${pids}\`.`,
      });
}

export function killGroupsAtExit(group: number): () => void {
  return endAtExit(-group, 'SIGKILL');
}

/** Sends the signal to a process, or to a group by its negative number, when this program exits; returns a function that cancels this. */
export function endAtExit(target: number, signal: NodeJS.Signals): () => void {
  endMarkedAtExit();
  living.set(target, signal);
  return () => living.delete(target);
}

/** Ends started programs and marked processes at exit from now on, including those that are just starting or ending. */
export const endMarkedAtExit = once(() => process.once('exit', endAll));

/** Sends a signal to a process, or to a group by its negative number; returns false if there is none. */
function sent(target: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(target, signal);
  } catch (thrown) {
    const code = codeOf(thrown);
    if (code === 'ESRCH') {
      return false;
    }
    if (code === 'EPERM') {
      return true;
    }
    throw thrown;
  }
}

/** True if this program may signal a process; true if it has ended. */
function isPermitted(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (thrown) {
    return codeOf(thrown) !== 'EPERM';
  }
}

/** Maximum number of searches, since processes may start others in the meantime. */
const MAX_LOOKS = 5;

/** Ends them, and processes outside their groups with the mark of this program. */
function endAll(): void {
  for (const [target, signal] of living) {
    sent(target, signal);
  }
  const own = ownerOf(process.pid) ?? '';
  const ownGroup = processStat('self')?.group;
  for (let look = 0, isLeft = true; isLeft && look < MAX_LOOKS; look += 1) {
    const left = allProcesses().filter(
      (stat) => stat.group !== ownGroup && isRunning(stat) && marksOf(stat.pid).includes(own),
    );
    for (const { pid } of left) {
      sent(pid, 'SIGKILL');
    }
    isLeft = left.length > 0;
  }
}
