import { lockMachine } from '../../host/locks.ts';
import { remarkLog } from '../../host/terminal/output.ts';
import { machineOwner } from './runtime.ts';

/** How a command measures alone on its machine. */
export interface AloneFlags {
  /** Seconds that it waits for another measurement to end; undefined: half an hour. */
  readonly wait?: number | undefined;
  readonly json?: boolean | undefined;
}

/** What measures. */
export interface AloneJob {
  readonly what: string;
  /** How long it measures at most by its plan, if that is known. */
  readonly mostSeconds?: number | undefined;
  readonly signal: AbortSignal;
}

/** Many jobs of CI end within it. */
export const USUAL_WAIT = { seconds: 1800, text: '30m' } as const;

/**
 * This machine for one measurement until it is disposed of. Waits for another one to end, and says for whom. Throws EnvironmentError if
 * that takes too long, and the reason of the signal.
 */
export async function aloneOnMachine({ wait, json }: AloneFlags, job: AloneJob): Promise<AsyncDisposable> {
  return await lockMachine({
    ...job,
    owner: machineOwner(),
    waitSeconds: wait ?? USUAL_WAIT.seconds,
    log: remarkLog({ json }),
  });
}
