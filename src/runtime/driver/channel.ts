import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type * as z from 'zod';
import { EnvironmentError, type ErrorCode } from '../../foundation/errors.ts';
import { parsedJson } from '../../foundation/json.ts';
import { endOfText } from '../../foundation/text.ts';
import { endGroup, endMarkedAtExit, killGroupsAtExit } from '../../host/child.ts';
import { childEnvironment } from '../../host/workflow.ts';

/** Started driver: accepts lines of JSON, and passes its lines to the code that opened it. */
export interface DriverChannel {
  send(line: string): void;
  /** Settles once it has ended; never rejects. */
  readonly ended: Promise<DriverEnd>;
  /** Ends it, even while it is working. */
  end(): Promise<void>;
}

export interface DriverEnd {
  /** Manner of its end: "with exit code 2", "by SIGKILL". */
  readonly how: string;
  readonly lastLines: string;
}

export type OpenDriver = (heard: (line: string) => void) => Promise<DriverChannel>;

/** Program on this machine that exchanges lines. */
export interface ProgramChannel extends DriverChannel {
  readonly pid: number;
  readonly ended: Promise<DriverEnd & { readonly exitCode: number }>;
  close(): void;
}

export interface ChannelProgram {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** What a message calls it, and the advice, if it cannot be started. */
  readonly unstartable: { readonly name: string; readonly code: ErrorCode; readonly next: string };
}

const GRACE_MS = 1000;

const KEPT_CHARACTERS = 4000;

/** Starts a program, which ends with this one; `heard` gets each line that it prints. Throws EnvironmentError if that fails. */
export async function openProgram(
  { argv, cwd, environment, unstartable }: ChannelProgram,
  heard: (line: string) => void,
): Promise<ProgramChannel> {
  const [file = '', ...rest] = argv;
  endMarkedAtExit();
  const child = spawn(file, rest, { cwd, env: childEnvironment(environment), detached: true, stdio: 'pipe' });
  const pid = await new Promise<number>((resolve, reject) => {
    child.once('spawn', () => resolve(child.pid ?? 0));
    child.once('error', (cause) => {
      const { name, code, next } = unstartable;
      reject(new EnvironmentError(`${name} cannot be started: ${cause.message}`, { code, cause, next }));
    });
  });
  const release = killGroupsAtExit(pid);
  let [kept, isOver] = ['', false];
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    kept = endOfText(kept + text, KEPT_CHARACTERS);
  });
  // `ended` reports its end; a line that can no longer be written needs no separate error.
  child.stdin.on('error', () => undefined);
  const printed = createInterface({ input: child.stdout }).on('line', heard);
  const allHeard = new Promise((resolve) => printed.once('close', resolve));
  // It starts no program that could keep its pipes open after its end.
  const closed = new Promise<Awaited<ProgramChannel['ended']>>((resolve) => {
    child.once('close', (code, signal) => {
      const how = signal === null ? `with exit code ${code}` : `by ${signal}`;
      resolve({ how, lastLines: kept.trim(), exitCode: code ?? 1 });
    });
  });
  const ended = closed.then(async (end) => {
    isOver = true;
    release();
    await allHeard;
    return end;
  });
  return {
    pid,
    ended,
    send: (line) => void child.stdin.write(line),
    close: () => void child.stdin.end(),
    async end() {
      if (!isOver) {
        await endGroup(pid, GRACE_MS);
        await ended;
      }
    },
  };
}

/** Requests to a program and its answers, in lines of JSON: an answer belongs to the request of its `id`, or else to the oldest one. */
export async function openDialog<Answer extends object>(
  open: OpenDriver,
  { schema, endedEarly }: { readonly schema: z.ZodType<Answer>; readonly endedEarly: (end: DriverEnd) => Error },
) {
  const requested = new Map<number, { resolve(answer: Answer): void; reject(reason: Error): void }>();
  let lastId = 0;
  let ended: Error | undefined;
  const channel = await open((line) => {
    // Other lines answer nothing: a broken connection may truncate one.
    const answer = schema.safeParse(parsedJson(line)).data as (Answer & { readonly id?: number }) | undefined;
    const [oldest = 0] = requested.keys();
    if (answer !== undefined) {
      const { id = oldest } = answer;
      requested.get(id)?.resolve(answer);
      requested.delete(id);
    }
  });
  const over = channel.ended.then((end) => {
    ended = endedEarly(end);
    for (const { reject } of requested.values()) {
      reject(ended);
    }
    requested.clear();
  });
  return {
    hasEnded: () => ended !== undefined,
    /** Answer to a line; rejects once the program has ended. */
    request: (lineOf: (id: number) => string): Promise<Answer> =>
      new Promise((resolve, reject) => {
        if (ended !== undefined) {
          reject(ended);
          return;
        }
        lastId += 1;
        requested.set(lastId, { resolve, reject });
        channel.send(`${lineOf(lastId)}\n`);
      }),
    async end(): Promise<void> {
      await channel.end();
      await over;
    },
  };
}
