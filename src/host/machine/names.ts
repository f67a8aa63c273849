import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { codeOf, EnvironmentError } from '../../foundation/errors.ts';

export const ANSWER_MS = 3000;

// Node.js up to 20 pads shorter names with zero bytes, later versions do not: two versions would take two locks.
const NAME_LENGTH = 107;

export function socketOfName(name: string): string {
  return `\0${name.padEnd(NAME_LENGTH, '.')}`;
}

/** Name in the kernel's abstract namespace for one program at a time, with which it disappears; undefined if another has it. */
export async function takeName(name: string, answer: string): Promise<AsyncDisposable | undefined> {
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    open.add(socket);
    socket.on('close', () => open.delete(socket));
    // The client has disconnected.
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
    if (codeOf(cause) === 'EADDRINUSE') {
      return false;
    }
    throw new EnvironmentError(`a lock on this machine cannot be acquired: ${cause}`, {
      code: 'WG-205',
      cause,
      next: 'Allow Wiregauge to bind abstract Unix sockets: it uses them as locks.',
    });
  }
}

/** Maximum length of the user's part of the name. */
const MAX_OWN = 20;

const LOCK_VARIABLE = 'WIREGAUGE_LOCK';

/** Next step if a lock is not available. */
export const ANOTHER_NAME = `If another user holds the lock without measuring, use a lock with another name: ${LOCK_VARIABLE}=<any word>.`;

export const COMMON_NAME = 'wiregauge';

/** Name of the lock. Any user can block the default name, but not a name that they do not know. */
export function usualName(): string {
  const own = (process.env[LOCK_VARIABLE] ?? '').replace(/[^\w-]+/g, '').slice(0, MAX_OWN);
  return own === '' ? COMMON_NAME : `${COMMON_NAME}-${own}`;
}
