import { ifPossible } from '../../foundation/errors.ts';
import { EngineLost } from '../ended.ts';
import type { Kubectl } from './kubectl.ts';
import { DRIVER_PATH } from './manifests.ts';
import { type PodUse, parsePodUse } from './reading.ts';

/** A reader in a pod that stays up. Disposing of it ends it. */
export interface PodReader extends AsyncDisposable {
  /** Throws EngineLost if it has ended, as with its pod or the connection to it. */
  read(): Promise<PodUse>;
}

interface Waiting {
  readonly resolve: (use: PodUse) => void;
  readonly reject: (reason: Error) => void;
}

/** Starts the reader in a container that has the driver, and sees the processes of its pod. */
export async function openReader(
  kubectl: Kubectl,
  { pod, container }: { readonly pod: string; readonly container: string },
): Promise<PodReader> {
  const waiting: Waiting[] = [];
  let failure: Error | undefined;
  const channel = await kubectl.open(execOf({ pod, container }, [DRIVER_PATH, 'pod']), (line) => {
    // A connection that breaks may cut a line off.
    const use = ifPossible(() => parsePodUse(line));
    if (use !== undefined) {
      waiting.shift()?.resolve(use);
    }
  });
  void channel.ended.then(({ how, lastLines }) => {
    failure = lost(`the counters of a pod cannot be read: the reader ended ${how}: ${lastLines}`);
    for (const { reject } of waiting.splice(0)) {
      reject(failure);
    }
  });
  return {
    read: () =>
      new Promise((resolve, reject) => {
        if (failure !== undefined) {
          reject(failure);
          return;
        }
        waiting.push({ resolve, reject });
        channel.send('\n');
      }),
    [Symbol.asyncDispose]: () => channel.end(),
  };
}

/** The error for a pod, or a connection to it, that is gone: no fault of a version. */
export function lost(message: string, cause?: unknown): EngineLost {
  return new EngineLost(message, {
    code: 'WG-214',
    cause,
    next: 'A pod was removed or evicted, or the connection to it broke. See `kubectl get events`, and measure again.',
  });
}

/** Arguments of kubectl for a command in a container, with its standard input and output. */
export function execOf(
  { pod, container }: { readonly pod: string; readonly container: string },
  command: readonly string[],
): readonly string[] {
  return ['exec', '--stdin', '--quiet', pod, `--container=${container}`, '--', ...command];
}
