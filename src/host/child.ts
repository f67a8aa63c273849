import { type ChildProcess, spawn } from 'node:child_process';
import { constants } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { EnvironmentError } from '../foundation/errors.ts';
import { wordList } from '../foundation/text.ts';
import { marksOf } from './machine/descendants.ts';
import { allProcesses, isRunning, ownerOf, processStat } from './machine/proc.ts';
import type { ProcessStat } from './machine/proc-files.ts';
import { abortAfter } from './signals.ts';
import { childEnvironment } from './workflow.ts';

/** A program to start, as an argument vector: no shell reads it. */
export interface ChildCommand {
  readonly argv: readonly string[];
  readonly cwd: string;
  /** The whole environment; what it would inherit of a workflow is left out, see `childEnvironment`. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Variables of a workflow that this program needs, such as those for its cache. */
  readonly credentials?: Readonly<Record<string, string | undefined>>;
  /** Drops standard output, so that `lastLines` has standard error only. */
  readonly errorsOnly?: boolean;
}

/** What ends a child before it ends by itself, and who is to know of it meanwhile. */
export interface ChildLimits {
  readonly signal?: AbortSignal;
  readonly limitSeconds: number;
  /** Is told of the child as soon as it runs. */
  readonly started?: (child: Child) => void;
}

/** How a child ended. */
export interface ChildEnd {
  /** 128 + the signal's number if a signal ended it. */
  readonly exitCode: number;
  readonly signal: NodeJS.Signals | undefined;
  /** Whether it was ended because its time limit was over. */
  readonly timedOut: boolean;
  readonly lastLines: string;
}

/** A running program in a process group of its own. */
export interface Child {
  readonly pid: number;
  /** Settles once it has ended and was reaped; never rejects. */
  readonly ended: Promise<ChildEnd>;
  /** The last lines that it printed, at most this many. */
  lastLines(count: number): string;
  /** Ends it and all of its process group: SIGTERM, and SIGKILL after the grace. Throws EnvironmentError if something of it survives. */
  stop(graceMs: number): Promise<void>;
}

const GRACE_MS = 3000;

const DRAIN_MS = 2000;

const END_LINES = 20;

const KEPT_BYTES = 256 * 1024;

/** Starts a program; throws EnvironmentError if it cannot be started. */
export async function startChild(command: ChildCommand): Promise<Child> {
  const [file = '', ...rest] = command.argv;
  endMarkedAtExit();
  const started = spawn(file, rest, {
    cwd: command.cwd,
    env: { ...childEnvironment(command.environment), ...command.credentials },
    detached: true,
    stdio: ['ignore', command.errorsOnly ? 'ignore' : 'pipe', 'pipe'],
  });
  const print = keepLast(started);
  const pid = await spawned(started, command);
  const release = killGroupsAtExit(pid);
  const ended = endOf(started).then(({ exitCode, signal }) => {
    return { exitCode, signal, timedOut: false, lastLines: linesOf(print(), END_LINES) };
  });
  let stopping: Promise<void> | undefined;
  const stop = async (graceMs: number): Promise<void> => {
    try {
      await endGroup(pid, graceMs);
    } catch (thrown) {
      // Nothing waits for what cannot be ended.
      started.unref();
      started.stdout?.destroy();
      started.stderr?.destroy();
      throw thrown;
    }
    await ended;
    release();
  };
  return {
    pid,
    ended,
    lastLines: (count) => linesOf(print(), count),
    // Once only: later the number may be another group's.
    stop: (graceMs) => (stopping ??= stop(graceMs)),
  };
}

/**
 * Runs a program to its end, whatever its exit code. Over the time limit it is ended (`timedOut`); an abort ends it and
 * rejects with the signal's reason. Nothing of its process group is left. Throws EnvironmentError if it cannot be started.
 */
export async function runChild(command: ChildCommand, limits: ChildLimits): Promise<ChildEnd> {
  limits.signal?.throwIfAborted();
  const child = await startChild(command);
  limits.started?.(child);
  const overtime = abortAfter(limits.limitSeconds * 1000);
  const stop = AbortSignal.any([overtime.signal, ...(limits.signal === undefined ? [] : [limits.signal])]);
  const stopped = new Promise<void>((resolve) => {
    stop.addEventListener('abort', () => resolve(), { once: true });
    if (stop.aborted) {
      resolve();
    }
  });
  try {
    await Promise.race([child.ended, stopped]);
    limits.signal?.throwIfAborted();
  } finally {
    // What takes time from here on is not the program's.
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
      // A descendant may hold the pipes open for as long as it likes; on a busy machine the last output takes its time.
      await Promise.race([closed, sleep(DRAIN_MS, undefined, { ref: false })]);
      resolve({
        exitCode: code ?? 128 + (signal === null ? 0 : constants.signals[signal]),
        signal: signal ?? undefined,
      });
    });
  });
}

// Drains the pipes without looking at them: the text is put together only when somebody asks.
function keepLast({ stdout, stderr }: ChildProcess): () => string {
  const kept: Buffer[] = [];
  let bytes = 0;
  const keep = (chunk: Buffer) => {
    kept.push(chunk);
    bytes += chunk.length;
    while (bytes - (kept[0]?.length ?? 0) >= KEPT_BYTES) {
      bytes -= kept.shift()?.length ?? 0;
    }
  };
  stdout?.on('data', keep);
  stderr?.on('data', keep);
  return () => Buffer.concat(kept).toString('utf8');
}

function linesOf(text: string, count: number): string {
  return text.trimEnd().split(/\r?\n/).slice(-count).join('\n');
}

const POLL_MS = 20;

const KILL_WAIT_MS = 5000;

/** What is killed frees its memory first, which takes its time on a busy machine. */
const BUSY_KILL_WAIT_MS = 30_000;

/** What is ended at the exit of this program: groups, as negative numbers, and processes. */
const living = new Map<number, NodeJS.Signals>();

let isEnding = false;

/**
 * Ends all processes of a group: SIGTERM, and SIGKILL for those that are left after the grace. Throws EnvironmentError that names what
 * survives, such as a process of another user.
 */
export async function endGroup(group: number, graceMs: number): Promise<void> {
  const left = () => allProcesses().filter((stat) => stat.group === group && isRunning(stat));
  await end({ send: (signal) => signalGroup(group, signal), left }, graceMs);
}

/** Ends one process, and nothing else of its group, in the same way. */
export async function endProcess(pid: number, graceMs: number): Promise<void> {
  const left = () => allProcesses().filter((stat) => stat.pid === pid && isRunning(stat));
  await end({ send: (signal) => sent(pid, signal), left }, graceMs);
}

/** Processes that are being ended. */
interface Ending {
  /** False if there is nothing left. */
  readonly send: (signal: NodeJS.Signals | 0) => boolean;
  readonly left: () => readonly ProcessStat[];
}

async function end(ending: Ending, graceMs: number): Promise<void> {
  if (!ending.send('SIGTERM') || (await isGone(ending, graceMs))) {
    return;
  }
  ending.send('SIGKILL');
  const hasEnded =
    (await isGone(ending, KILL_WAIT_MS)) ||
    (ending.left().every(({ pid }) => isPermitted(pid)) && (await isGone(ending, BUSY_KILL_WAIT_MS)));
  const left = hasEnded ? [] : ending.left();
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

/** Kills the group when this program exits in whatever way it can notice; gives what takes that back. */
export function killGroupsAtExit(group: number): () => void {
  return endAtExit(-group, 'SIGKILL');
}

/** Sends the signal to a process, or to a group by its negative number, when this program exits; gives what takes that back. */
export function endAtExit(target: number, signal: NodeJS.Signals): () => void {
  endMarkedAtExit();
  living.set(target, signal);
  return () => living.delete(target);
}

/** From now on, what this program has started and what has its mark is ended when it exits: also what is just starting or ending. */
export function endMarkedAtExit(): void {
  if (!isEnding) {
    isEnding = true;
    process.once('exit', endAll);
  }
}

/** Sends a signal to all processes of a group, as far as it is permitted; false if there are none. */
export function signalGroup(group: number, signal: NodeJS.Signals | 0): boolean {
  if (group <= 1) {
    throw new Error(`${group} is not a process group that can be signalled`);
  }
  return sent(-group, signal);
}

function sent(target: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(target, signal);
  } catch (thrown) {
    const code = thrown instanceof Error && 'code' in thrown ? thrown.code : undefined;
    if (code === 'ESRCH') {
      return false;
    }
    if (code === 'EPERM') {
      return true;
    }
    throw thrown;
  }
}

/** True if this program may end a process, and if the process has ended. */
function isPermitted(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (thrown) {
    return !(thrown instanceof Error && 'code' in thrown && thrown.code === 'EPERM');
  }
}

async function isGone({ send, left }: Ending, withinMs: number): Promise<boolean> {
  for (const until = performance.now() + withinMs; performance.now() < until; await sleep(POLL_MS)) {
    // Zombies can still be signalled, and where process 1 reaps nothing they stay for ever.
    if (!send(0) || left().length === 0) {
      return true;
    }
  }
  return false;
}

/** It may start others while it is looked for. */
const MOST_LOOKS = 5;

/** Ends them, and what is in no group of them and has the mark of this program. */
function endAll(): void {
  for (const [target, signal] of living) {
    sent(target, signal);
  }
  const own = ownerOf(process.pid) ?? '';
  const ownGroup = processStat('self')?.group;
  for (let look = 0, isLeft = true; isLeft && look < MOST_LOOKS; look += 1) {
    const left = allProcesses().filter(
      (stat) => stat.group !== ownGroup && isRunning(stat) && marksOf(stat.pid).includes(own),
    );
    for (const { pid } of left) {
      sent(pid, 'SIGKILL');
    }
    isLeft = left.length > 0;
  }
}
