import { MeasurementError } from '../../foundation/errors.ts';
import type { Kubectl } from './kubectl.ts';
import { DRIVER_PATH } from './manifests.ts';
import { type PodUse, parsePodUse } from './reading.ts';

/** A reader in a pod that stays up. Disposing of it ends it. */
export interface PodReader extends AsyncDisposable {
  /** Throws MeasurementError if it has ended, as with its pod. */
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
    waiting.shift()?.resolve(parsePodUse(line));
  });
  void channel.ended.then(({ how, lastLines }) => {
    failure = new MeasurementError(`the counters of a pod cannot be read: the reader ended ${how}: ${lastLines}`, {
      code: 'WG-402',
      next: 'Its pod has probably ended; check the last output of the service.',
    });
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

/** Arguments of kubectl for a command in a container, with its standard input and output. */
export function execOf(
  { pod, container }: { readonly pod: string; readonly container: string },
  command: readonly string[],
): readonly string[] {
  return ['exec', '--stdin', '--quiet', pod, `--container=${container}`, '--', ...command];
}
