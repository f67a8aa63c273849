import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { childEnvironment } from '../workflow.ts';

/**
 * Containers of a machine have separate network, process and file namespaces, but all share its time namespace. The kernel has one inode
 * for it, regardless of the path.
 */
const SHARED = '/proc/self/ns/time';

/** Exit code of `flock` (util-linux and BusyBox) if another program has the lock. */
const LOCKED = 1;

/** Reports the lock, and exits when its standard input closes, which happens when the parent ends. */
const HOLD = ['sh', '-c', 'echo locked && exec cat'] as const;

/**
 * Lock that one program of this machine can have at a time, across network namespaces; undefined if another one has it. It is released when
 * the program ends. Without `flock` or time namespaces in the kernel, every caller gets it.
 */
export async function takeBeyondNetwork(): Promise<AsyncDisposable | undefined> {
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
