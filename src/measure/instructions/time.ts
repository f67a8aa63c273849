import { formatDuration, KnownError } from '../../foundation/index.ts';
import { countsAlone, type Place, type RoundProfile, type Suite, secondsToCount } from '../../model/index.ts';
import type { Runtime } from '../../runtime/index.ts';

/** A comparison before its counts and its rounds. */
interface Comparing {
  readonly profile: RoundProfile;
  readonly suite: Suite;
  readonly budgetSeconds: number;
  readonly place: Place;
}

/** For how long instructions may be counted, in seconds. Undefined if they are not; if they could have been, one line says why. */
export async function timeToCount(
  { profile, ...budgeted }: Comparing,
  runtime: Runtime,
  log: (line: string) => void,
): Promise<number | undefined> {
  const { suite, budgetSeconds } = budgeted;
  const seconds = secondsToCount(profile, budgeted);
  if (countsAlone(profile)) {
    return seconds;
  }
  if (profile.name === 'smoke' || suite.services.length === 0) {
    return undefined;
  }
  const obstacle =
    seconds > 0 ? await obstacleIn(runtime) : `the budget of ${formatDuration(budgetSeconds)} is for rounds`;
  if (obstacle === undefined) {
    return seconds;
  }
  log(`instructions are not counted: ${obstacle}`);
  return undefined;
}

async function obstacleIn({ counting }: Runtime): Promise<string | undefined> {
  try {
    await counting.counter();
    return undefined;
  } catch (thrown) {
    if (thrown instanceof KnownError) {
      return `${thrown.brief}. ${thrown.next ?? ''}`.trim();
    }
    throw thrown;
  }
}
