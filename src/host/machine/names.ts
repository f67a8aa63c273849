import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { EnvironmentError } from '../../foundation/errors.ts';

/** How long a program that asks may take to read the answer. */
export const ANSWER_MS = 3000;

// Node.js up to 20 fills a shorter name up with zero bytes, later ones do not, and then two versions would take two locks.
const NAME_LENGTH = 107;

/** The socket at which the program that has a name answers. */
export function socketOfName(name: string): string {
  return `\0${name.padEnd(NAME_LENGTH, '.')}`;
}

/**
 * A name that one program of this machine can have at a time, for as long as it lives or until this is disposed of; undefined if
 * another has it. Programs that ask are told `answer`. Programs in another network namespace, as in most containers, have other names.
 *
 * It is a socket in the kernel's abstract namespace. Unlike a file it goes with its program, however that ends, so that there is no
 * stale one to be recognised or removed, and only one program can bind it.
 */
export async function takeName(name: string, answer: string): Promise<AsyncDisposable | undefined> {
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    open.add(socket);
    socket.on('close', () => open.delete(socket));
    // The program that asked is gone.
    socket.on('error', () => undefined);
    socket.setTimeout(ANSWER_MS, () => socket.destroy()).unref();
    socket.end(answer);
  });
  if (!(await isBound(server, socketOfName(name)))) {
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
    throw new EnvironmentError(`a lock on this machine cannot be acquired: ${cause}`, {
      code: 'WG-205',
      cause,
      next: 'Allow Wiregauge to bind abstract Unix sockets: it uses them as locks.',
    });
  }
}

/** Of a name of a user's own, so that all of it fits. */
const MOST_OWN = 20;

/** The variable by which a user takes locks of another name than everybody else. */
const LOCK_VARIABLE = 'WIREGAUGE_LOCK';

/** What to do if a lock is not available. */
export const BESIDE = `If another user holds the lock without measuring, use a lock with another name: ${LOCK_VARIABLE}=<any word>.`;

/** The name that everybody asks for. */
export const COMMON_NAME = 'wiregauge';

/** Anybody may hold the name that everybody asks for, and nobody one that they cannot know. */
export function usualName(): string {
  const own = (process.env[LOCK_VARIABLE] ?? '').replace(/[^\w-]+/g, '').slice(0, MOST_OWN);
  return own === '' ? COMMON_NAME : `${COMMON_NAME}-${own}`;
}
