import { MeasurementError } from '../../foundation/errors.ts';
import type { Clock } from '../../host/machine/clock.ts';

const MOST_CLOCK_STEP_MS = 50;

/**
 * What the work gives. Throws MeasurementError if the machine's clock was set while it was done: the records of a load and the readings
 * beside it are put together by that clock. `during` says what the work was, such as "round".
 */
export async function underOneClock<Result>(
  clock: Clock,
  during: string,
  work: () => Promise<Result>,
): Promise<Result> {
  const offsetMs = clock.nowMs() - clock.steadyMs();
  const result = await work();
  const steppedMs = clock.nowMs() - clock.steadyMs() - offsetMs;
  if (Math.abs(steppedMs) > MOST_CLOCK_STEP_MS) {
    throw new MeasurementError(`the machine's clock jumped by ${Math.round(steppedMs)} ms during the ${during}`, {
      next: 'Make sure that no time service steps the clock while you measure.',
    });
  }
  return result;
}
