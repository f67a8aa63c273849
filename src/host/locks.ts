import { spawn } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { connect } from 'node:net';
import { basename, dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import { codeOf, EnvironmentError, ifPossible } from '../foundation/errors.ts';
import { formatDuration } from '../foundation/numbers.ts';
import { readProc } from './files/reader.ts';
import { checkSystem } from './machine/machine.ts';
import { ANOTHER_NAME, ANSWER_MS, COMMON_NAME, socketOfName, takeName, usualName } from './machine/names.ts';
import { pidNamespace } from './machine/proc.ts';
import { childEnvironment } from './workflow.ts';

const FIRST_PAUSE_MS = 10;

const LONGEST_PAUSE_MS = 200;

/** Maximum wait for another writer; importing ten thousand runs takes some seconds. */
const MAX_MS = 120_000;

/** Lock for writing to a folder, by its real path. Throws EnvironmentError after two minutes. No lock without abstract sockets. */
export async function lockFolder(
  folder: string,
  log: (line: string) => void,
  mostMs = MAX_MS,
): Promise<AsyncDisposable> {
  if (process.platform !== 'linux') {
    return { [Symbol.asyncDispose]: async () => undefined };
  }
  const path = createHash('sha256')
    .update(await realPath(resolve(folder)))
    .digest('hex');
  const name = `${usualName()}-folder-${path}`;
  const until = performance.now() + mostMs;
  let hasLogged = false;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
    const lock = await takeName(name, '');
    if (lock !== undefined) {
      return lock;
    }
    if (performance.now() > until) {
      throw new EnvironmentError(`another process is writing to ${folder}`, {
        code: 'WG-205',
        next: `Try again later. Nothing was written. ${ANOTHER_NAME}`,
      });
    }
    if (pauseMs === LONGEST_PAUSE_MS && !hasLogged) {
      hasLogged = true;
      log(`another process is writing to ${folder}: waiting`);
    }
    await sleep(pauseMs * (0.5 + Math.random()));
  }
}

async function realPath(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (thrown) {
    return codeOf(thrown) === 'ENOENT' && dirname(path) !== path
      ? join(await realPath(dirname(path)), basename(path))
      : path;
  }
}

/** Pause between two attempts. Across network namespaces, which have no queue, it shrinks with the time that a program has waited. */
const MAX_PAUSE_MS = 1000;
const LEAST_PAUSE_MS = 50;
const FASTER_EVERY_MS = 2000;

const PAUSE_OF_WORDS_MS = 10_000;

const SILENT_TIMES = 10;

/** Looks at a free lock, one in a second, after which the front of the queue is passed over: it may be stopped. */
const PASSED_OVER_LOOKS = SILENT_TIMES + 3;

const SILENT_MS = 20;

const hasJustEnded = (times: number): boolean => times > 0 && times <= SILENT_TIMES;

const ANSWER_LENGTH = 4096;

const WHAT_LENGTH = 200;

// Any program can have the lock and send any answer.
const holderSchema = z.object({
  pid: z.int().positive(),
  namespace: z.string().optional(),
  sinceMs: z.int().min(0).max(8.64e15),
  untilMs: z.int().min(0).max(8.64e15).optional(),
  what: z.string(),
});

type Holder = z.infer<typeof holderSchema>;

export interface MachineTurn {
  /** "<pid>:<start time>". */
  readonly owner: string;
  readonly what: string;
  /** Maximum planned duration without builds, if known, which waiting programs report. */
  readonly mostSeconds?: number | undefined;
  readonly waitSeconds: number;
  readonly log: (line: string) => void;
  readonly signal: AbortSignal;
  readonly name?: string | undefined;
}

/**
 * Locks this machine across users, containers, checkouts and temporary folders until it is disposed of or the program ends. Waits if
 * another program has the lock, and logs for which one and until when. Programs of one network namespace receive it in the order in which
 * they began to wait. Throws EnvironmentError with the holder after the wait, and the
 * reason of the signal. A lock with another name is limited to this network namespace.
 */
export async function lockMachine(turn: MachineTurn): Promise<AsyncDisposable> {
  checkSystem();
  const { waitSeconds, name = usualName() } = turn;
  const since = performance.now();
  const wait = { turn, name, since, until: since + waitSeconds * 1000, print: seldom(turn.log) };
  const here = await lockHere(wait);
  if (name !== COMMON_NAME) {
    return here;
  }
  try {
    const beyond = await lockBeyond(wait);
    return {
      async [Symbol.asyncDispose]() {
        await beyond[Symbol.asyncDispose]();
        await here[Symbol.asyncDispose]();
      },
    };
  } catch (thrown) {
    await here[Symbol.asyncDispose]();
    throw thrown;
  }
}

interface Wait {
  readonly turn: MachineTurn;
  readonly name: string;
  readonly since: number;
  readonly until: number;
  readonly print: (line: string) => void;
}

async function lockHere({ name, ...wait }: Wait): Promise<AsyncDisposable> {
  await using place = await joinQueue(name, wait.turn.waitSeconds > 0);
  let [silent, answeredAt, holder] = [0, Number.NEGATIVE_INFINITY, ''];
  for (;;) {
    wait.turn.signal.throwIfAborted();
    const isNext = place.isFirst() || silent > PASSED_OVER_LOOKS;
    const lock = await (isNext && takeName(name, JSON.stringify(selfOf(wait.turn))));
    if (lock) {
      return lock;
    }
    // Answering disturbs the measurement of the holder.
    if (performance.now() - answeredAt >= MAX_PAUSE_MS) {
      const answer = await answerOf(name);
      silent = answer === '' ? silent + 1 : 0;
      if (hasJustEnded(silent)) {
        await sleep(SILENT_MS);
        continue;
      }
      [answeredAt, holder] = [performance.now(), sentenceOf(holderOf(answer))];
    }
    await pause(wait, holder, isNext ? LEAST_PAUSE_MS : MAX_PAUSE_MS);
  }
}

async function lockBeyond(wait: Omit<Wait, 'name'>): Promise<AsyncDisposable> {
  for (let looks = 1; ; looks += 1) {
    wait.turn.signal.throwIfAborted();
    const lock = await takeBeyondNetwork();
    if (lock !== undefined) {
      return lock;
    }
    // `doctor` takes it briefly to check whether it is free.
    await (looks === 1
      ? sleep(SILENT_MS * SILENT_TIMES)
      : pause(
          wait,
          ELSEWHERE,
          Math.max(LEAST_PAUSE_MS, MAX_PAUSE_MS / (1 + (performance.now() - wait.since) / FASTER_EVERY_MS)),
        ));
  }
}

const ELSEWHERE = 'by a program in another container or network namespace';

async function pause({ turn, until, print }: Omit<Wait, 'name'>, holder: string, mostMs: number): Promise<void> {
  const leftMs = until - performance.now();
  if (leftMs <= 0) {
    throw refusal(holder, turn.waitSeconds);
  }
  print(`waiting for this machine: it is being measured ${holder}`);
  await sleep(Math.min(mostMs, leftMs), undefined, { signal: turn.signal }).catch(() => undefined);
}

function selfOf({ owner, what, mostSeconds }: MachineTurn): Holder {
  const sinceMs = Date.now();
  const untilMs = mostSeconds === undefined ? {} : { untilMs: Math.round(sinceMs + mostSeconds * 1000) };
  return { pid: Number.parseInt(owner, 10), namespace: pidNamespace('self'), sinceMs, ...untilMs, what };
}

/** Logs each new line once, and at most one in ten seconds, since the text comes from another program and may change constantly. */
function seldom(log: (line: string) => void): (line: string) => void {
  let [last, nextAt] = ['', 0];
  return (line) => {
    if (line !== last && performance.now() >= nextAt) {
      [last, nextAt] = [line, performance.now() + PAUSE_OF_WORDS_MS];
      log(line);
    }
  };
}

/** Holder of the lock, in words that continue "is being measured"; undefined if it is free. Does not take the lock. */
export async function lockHolder(name = usualName()): Promise<string | undefined> {
  const answer = await answerOf(name);
  if (answer !== '') {
    return sentenceOf(holderOf(answer));
  }
  if (name !== COMMON_NAME) {
    return undefined;
  }
  const beyond = await takeBeyondNetwork();
  await beyond?.[Symbol.asyncDispose]();
  return beyond === undefined ? ELSEWHERE : undefined;
}

/** Answer of the holder, up to the limit; empty if there is none any more. */
async function answerOf(name: string): Promise<string> {
  const socket = connect({ path: socketOfName(name) });
  const timer = setTimeout(() => socket.destroy(new Error('no answer')), ANSWER_MS);
  let text = '';
  try {
    for await (const chunk of socket) {
      text += String(chunk);
      if (text.length > ANSWER_LENGTH) {
        break;
      }
    }
    return text;
  } catch (thrown) {
    return codeOf(thrown) === 'ECONNREFUSED' ? '' : text || 'no answer';
  } finally {
    clearTimeout(timer);
    socket.destroy();
  }
}

function holderOf(answer: string): Holder | undefined {
  return ifPossible(() => holderSchema.safeParse(JSON.parse(answer)).data);
}

function refusal(holder: string, waitSeconds: number): EnvironmentError {
  const waited = waitSeconds === 0 ? '' : ` (waited ${waitSeconds} s)`;
  return new EnvironmentError(`this machine is already being measured ${holder}${waited}`, {
    code: 'WG-205',
    next: `Try again when it has ended, or wait longer with --wait: simultaneous measurements distort each other. ${ANOTHER_NAME}`,
  });
}

function sentenceOf(holder: Holder | undefined): string {
  if (holder === undefined) {
    return 'by an unknown program (`ss -xlp | grep wiregauge` may show it)';
  }
  const { pid, namespace, sinceMs, untilMs } = holder;
  const where = namespace === pidNamespace('self') ? '' : ' of another container';
  // The end is unknown: a comparison ends as soon as its result is clear, and builds are not included.
  const most = untilMs === undefined ? '' : formatDuration((untilMs - sinceMs) / 1000);
  const until = most === '' ? '' : `; it measures for at most ${most}, plus builds`;
  const what = [...holder.what.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')].slice(0, WHAT_LENGTH).join('');
  const since = new Date(sinceMs).toISOString().replace('T', ' ').slice(0, 19);
  return `by process ${pid}${where}: \`${what}\`, since ${since} UTC${until}`;
}

/** Characters of the time since the start of the machine, in microseconds. */
const TIME_LENGTH = 16;

/**
 * Place in the queue for a lock, until it is disposed of or the program ends: a name. It is first if every program in this network
 * namespace that began to wait earlier has left the queue; without names in the kernel, every program is first.
 */
async function joinQueue(name: string, isWaiting: boolean): Promise<AsyncDisposable & { isFirst(): boolean }> {
  const time = String(process.hrtime.bigint() / 1000n).padStart(TIME_LENGTH, '0');
  const prefix = `${name}-queue-`;
  const own = `${time}-${randomUUID().slice(0, 8)}`;
  const place = isWaiting ? await takeName(prefix + own, '') : undefined;
  let isFirst = place === undefined;
  return {
    isFirst: () => (isFirst ||= placesOf(prefix).every((other) => other >= own)),
    [Symbol.asyncDispose]: async () => await place?.[Symbol.asyncDispose](),
  };
}

function placesOf(prefix: string): readonly string[] {
  const lines = (readProc('/proc/net/unix') ?? '').split('\n');
  return lines.flatMap((line) => {
    const [, place = ''] = line.split(`@${prefix}`);
    return /^\d{16}-/.test(place) ? [place] : [];
  });
}

/** Containers of a machine share its time namespace alone; the kernel has one inode for it. */
const SHARED = '/proc/self/ns/time';

/** Exit code of `flock` (util-linux and BusyBox) if another program has the lock. */
const LOCKED = 1;

/** Reports the lock, and exits when its standard input closes, which happens when the parent ends. */
const HOLD = ['sh', '-c', 'echo locked && exec cat'] as const;

/** Lock across network namespaces; undefined if another program has it. Every caller gets it without `flock` or time namespaces. */
async function takeBeyondNetwork(): Promise<AsyncDisposable | undefined> {
  const nothing = { [Symbol.asyncDispose]: async () => undefined };
  if (!existsSync(SHARED)) {
    return nothing;
  }
  // In a session of its own, so that Ctrl-C at a terminal does not end it before the program.
  const holder = spawn('flock', ['-x', '-n', SHARED, ...HOLD], {
    detached: true,
    stdio: ['pipe', 'pipe', 'ignore'],
    env: childEnvironment({ PATH: process.env['PATH'] }),
  });
  const ended = new Promise<number | null>((resolve) => {
    holder.once('error', () => resolve(null));
    holder.once('exit', resolve);
  });
  holder.stdin.on('error', () => undefined);
  const output = await Promise.race([once(holder.stdout, 'data').catch(() => undefined), ended]);
  if (!Array.isArray(output)) {
    return output === LOCKED ? undefined : nothing;
  }
  holder.unref();
  for (const pipe of [holder.stdin, holder.stdout]) {
    if ('unref' in pipe && typeof pipe.unref === 'function') {
      pipe.unref();
    }
  }
  return {
    async [Symbol.asyncDispose]() {
      holder.ref();
      holder.stdin.destroy();
      await ended;
    },
  };
}
