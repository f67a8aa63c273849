import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { EnvironmentError } from '../core/errors.ts';
import { checkSystem } from './cores.ts';
import { pidNamespace } from './proc.ts';

const ATTEMPTS = 10;
const PAUSE_MS = 20;
const ANSWER_MS = 3000;
const ANSWER_LENGTH = 4096;
const WHAT_LENGTH = 200;
// Node.js up to 20 fills a shorter name up with zero bytes, later ones do not, and then two versions would take two locks.
const NAME_LENGTH = 107;

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
 *
 * It is a socket in the kernel's abstract namespace. Unlike a file it goes with its program, however that ends, so that there is no
 * stale one to be recognised or removed, and only one program can bind it.
 */
export async function lockMachine(owner: string, what: string, name = 'wiregauge'): Promise<AsyncDisposable> {
  checkSystem();
  const path = `\0${name.padEnd(NAME_LENGTH, '.')}`;
  const self = { pid: Number.parseInt(owner, 10), namespace: pidNamespace('self'), sinceMs: Date.now(), what };
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const lock = await take(path, self);
    if (lock !== undefined) {
      return lock;
    }
    const answer = await ask(path);
    if (answer !== '') {
      throw refusal(holderOf(answer));
    }
    // It was given back in this moment.
    await sleep(PAUSE_MS);
  }
  throw refusal(undefined);
}

/** The lock; undefined where somebody else has it. */
async function take(path: string, self: Holder): Promise<AsyncDisposable | undefined> {
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    open.add(socket);
    socket.on('close', () => open.delete(socket));
    // Whoever asked has gone.
    socket.on('error', () => undefined);
    socket.setTimeout(ANSWER_MS, () => socket.destroy()).unref();
    socket.end(JSON.stringify(self));
  });
  if (!(await isBound(server, path))) {
    return undefined;
  }
  server.unref();
  return {
    async [Symbol.asyncDispose]() {
      if (server.listening) {
        const closed = once(server, 'close');
        server.close();
        for (const socket of open) {
          socket.destroy();
        }
        await closed;
      }
    },
  };
}

async function isBound(server: Server, path: string): Promise<boolean> {
  try {
    server.listen({ path });
    await once(server, 'listening');
    return true;
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'EADDRINUSE') {
      return false;
    }
    throw new EnvironmentError(`the lock of this machine cannot be taken: ${cause}`, {
      cause,
      next: 'Allow this program to bind abstract Unix sockets: it makes sure that only one measurement runs.',
    });
  }
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
