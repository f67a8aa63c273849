import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { childEnvironment } from '../workflow.ts';

/**
 * The containers of a machine have network, process and file namespaces of their own, but all share its time namespace. The kernel
 * keeps one file for it, whatever the path that it is opened by.
 */
const SHARED = '/proc/self/ns/time';

/** What `flock` of util-linux and of BusyBox ends with if another program has the lock. */
const HELD = 1;

/** Says that the lock is there, and ends when its input does: with the program that started it, however that ends. */
const HOLD = ['sh', '-c', 'echo locked && exec cat'] as const;

/**
 * A lock that one program of this machine has at a time, in whatever network namespace it runs; undefined if another one has it. It goes
 * with the program. On a system without `flock`, or whose kernel has no time namespaces, everybody is given it.
 */
export async function takeBeyondNetwork(): Promise<AsyncDisposable | undefined> {
  const nothing = { [Symbol.asyncDispose]: async () => undefined };
  if (!existsSync(SHARED)) {
    return nothing;
  }
  // A session of its own: Ctrl-C at a terminal must not end it before the program.
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
  const said = await Promise.race([once(holder.stdout, 'data').catch(() => undefined), ended]);
  if (!Array.isArray(said)) {
    return said === HELD ? undefined : nothing;
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
