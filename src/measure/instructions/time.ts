import { KnownError } from '../../foundation/errors.ts';
import { formatDuration } from '../../foundation/numbers.ts';
import { countsAlone, headCountingSeconds, secondsToCount } from '../../model/profiles.ts';
import type { RoundProfile } from '../../model/rounds.ts';
import type { Member, Place, Readiness, Service } from '../../model/service.ts';
import type { Suite } from '../../model/suite/suite.ts';
import type { Runtime } from '../../runtime/port.ts';
import { findValgrind } from '../../runtime/valgrind/valgrind.ts';

interface Comparing {
  readonly profile: RoundProfile;
  readonly suite: Suite;
  readonly budgetSeconds: number;
  readonly place: Place;
  readonly counts?: boolean | undefined;
}

export async function mayCount({ counts = true }: Pick<Comparing, 'counts'>): Promise<boolean> {
  return counts && (await findValgrind(process.env['PATH'] ?? '')) !== undefined;
}

/** Time for counting instructions, in seconds. Undefined if they are not counted; if that would have been possible, one line gives the reason. */
export async function timeToCount(
  { profile, counts = true, ...budgeted }: Comparing,
  runtime: Runtime,
  log: (line: string) => void,
): Promise<number | undefined> {
  const { suite, budgetSeconds } = budgeted;
  const seconds = secondsToCount(profile, budgeted);
  if (counts && countsAlone(profile)) {
    return seconds;
  }
  if (!counts || profile.name === 'smoke' || suite.services.length === 0) {
    return undefined;
  }
  return await unlessObstacle(
    seconds,
    seconds > 0 ? undefined : `the budget of ${formatDuration(budgetSeconds)} is for rounds`,
    runtime,
    log,
  );
}

/** Seconds for counting after everything else of a run, at most four times the usual; undefined if not counted, and a line gives the reason. */
export async function timeToCountHead(
  { services, secondsLeft }: { readonly services: readonly string[]; readonly secondsLeft: number },
  runtime: Runtime,
  log: (line: string) => void,
): Promise<number | undefined> {
  const seconds = headCountingSeconds({ services });
  if (services.length === 0) {
    return undefined;
  }
  const reason = `the budget leaves ${formatDuration(secondsLeft)}, and counting takes about ${formatDuration(seconds)}`;
  const most = Math.min(4 * seconds, secondsLeft);
  return await unlessObstacle(most, seconds <= secondsLeft ? undefined : reason, runtime, log);
}

/** The seconds; undefined if nothing can count here, or there is a reason not to: then a line gives it. */
async function unlessObstacle(
  seconds: number,
  reason: string | undefined,
  runtime: Runtime,
  log: (line: string) => void,
): Promise<number | undefined> {
  const obstacle =
    reason ??
    (await runtime.counting.counter().then(
      () => undefined,
      (thrown: unknown) => {
        if (thrown instanceof KnownError) {
          return `${thrown.brief}. ${thrown.next ?? ''}`.trim();
        }
        throw thrown;
      },
    ));
  if (obstacle !== undefined) {
    log(`instructions are not counted: ${obstacle}`);
  }
  return obstacle === undefined ? seconds : undefined;
}

/** A counted service is about fifty times slower; so are its start and its responses. */
const TIMES_SLOWER = 50;

const USUAL_READY_SECONDS = 20;

/** Service with the additional time that its start, and that of its members, needs under the counter, if any. */
export function unhurried(
  service: Service,
  { countingSeconds = Number.POSITIVE_INFINITY }: { readonly countingSeconds?: number | undefined },
): Service {
  const slower = ({ check, timeoutSeconds = USUAL_READY_SECONDS }: Readiness): Member['ready'] => ({
    check,
    timeoutSeconds: Math.max(1, Math.min(timeoutSeconds * TIMES_SLOWER, countingSeconds)),
  });
  return {
    ...service,
    ready: slower(service.ready ?? { check: { kind: 'usual' } }),
    ...(service.members !== undefined && {
      members: service.members.map((member) => ({ ...member, ready: slower(member.ready) })),
    }),
  };
}
