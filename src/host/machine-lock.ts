import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { EnvironmentError } from '../foundation/errors.ts';
import { checkSystem } from './machine/cores.ts';
import { pidNamespace } from './machine/proc.ts';
import { socketOfName, takeName } from './name-lock.ts';

const ATTEMPTS = 10;
const PAUSE_MS = 20;
const ANSWER_MS = 3000;
const ANSWER_LENGTH = 4096;
const WHAT_LENGTH = 200;

// Anybody can hold the lock and answer what they like.
const holderSchema = z.object({
  pid: z.int().positive(),
  namespace: z.string().optional(),
  sinceMs: z.int().min(0).max(8.64e15),
  what: z.string(),
});

type Holder = z.infer<typeof holderSchema>;

/**
 * Takes the lock of this machine, whatever the user, the checkout and the temporary folder, for as long as this program lives or
 * until it is disposed of. `owner` is "<pid>:<start time>", `what` the command that runs. Throws EnvironmentError that says who has
 * it. Programs in another network namespace, as in most containers, have another lock.
 */
export async function lockMachine(owner: string, what: string, name = 'wiregauge'): Promise<AsyncDisposable> {
  checkSystem();
  const self = { pid: Number.parseInt(owner, 10), namespace: pidNamespace('self'), sinceMs: Date.now(), what };
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const lock = await takeName(name, JSON.stringify(self));
    if (lock !== undefined) {
      return lock;
    }
    const answer = await ask(socketOfName(name));
    if (answer !== '') {
      throw refusal(holderOf(answer));
    }
    // It was given back in this moment.
    await sleep(PAUSE_MS);
  }
  throw refusal(undefined);
}

/** Who has the lock, in words that go on from "is being measured"; undefined where nobody has it. It is not taken. */
export async function lockHolder(name = 'wiregauge'): Promise<string | undefined> {
  const answer = await ask(socketOfName(name));
  return answer === '' ? undefined : sentenceOf(holderOf(answer));
}

/** What the holder says, or as much of it as fits; empty where there is none any more. */
async function ask(path: string): Promise<string> {
  const socket = connect({ path });
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
    const isGone = thrown instanceof Error && 'code' in thrown && thrown.code === 'ECONNREFUSED';
    return isGone ? '' : text || 'no answer';
  } finally {
    clearTimeout(timer);
    socket.destroy();
  }
}

function holderOf(answer: string): Holder | undefined {
  try {
    return holderSchema.safeParse(JSON.parse(answer)).data;
  } catch {
    return undefined;
  }
}

function refusal(holder: Holder | undefined): EnvironmentError {
  return new EnvironmentError(`this machine is being measured already ${sentenceOf(holder)}`, {
    next: 'Wait until it has ended, or end it: two measurements at once spoil each other.',
  });
}

function sentenceOf(holder: Holder | undefined): string {
  if (holder === undefined) {
    return 'by a program that does not say which it is (`ss -xlp | grep wiregauge` may show it)';
  }
  const { pid, namespace, sinceMs } = holder;
  const where = namespace === pidNamespace('self') ? '' : ' of another container';
  const since = new Date(sinceMs).toISOString().replace('T', ' ').slice(0, 19);
  const what = [...holder.what.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')].slice(0, WHAT_LENGTH).join('');
  return `by process ${pid}${where}: \`${what}\`, since ${since} UTC`;
}
