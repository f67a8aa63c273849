import { openProgress } from '../adapters/progress.ts';
import type { Progress, Runtime } from '../app/ports.ts';
import type { RunInRounds } from '../core/verdict/kept-cells.ts';
import { OWN_ROOT } from './own-root.ts';
import { policyFor } from './policy.ts';
import { remarkStream, type Telling } from './result.ts';
import { measureRounds, type RoundsSession } from './rounds-session.ts';
import { openRuntime, type PreparedRuntime, type RuntimeChoice } from './runtime.ts';

/** A comparison in rounds whose two sides are of one build: a build with itself, or services with each other. */
export interface OneBuild
  extends Pick<
    RoundsSession,
    'suites' | 'profile' | 'seed' | 'budgetSeconds' | 'versus' | 'secrets' | 'keep' | 'signal'
  > {
  /** What `run.json` says of either side. */
  readonly record: RoundsSession['records']['base'];
}

/** What is to be built, and what is said of it. */
export interface Building extends Pick<Telling, 'json'> {
  readonly runtime: RuntimeChoice;
  /** The first line of the log. */
  readonly planLine: string;
  /** Rejects where the services must not be measured. */
  readonly check?: (runtime: Runtime, progress: Progress) => Promise<unknown>;
}

/** Services that are built, and where it is shown what becomes of them. */
export interface Built {
  readonly prepared: PreparedRuntime;
  readonly progress: Progress;
}

/** Builds the services of the head and plays all rounds with them. */
export async function measureOneBuild(build: OneBuild, building: Building): Promise<RunInRounds> {
  const { secrets, signal } = build;
  const { root, services: named } = build.suites.head;
  const progress = openProgress(remarkStream(building));
  const log = (line: string): void => progress.line(line);
  try {
    log(building.planLine);
    build.suites.head.leftOut?.forEach(log);
    const services = [...named.values()];
    const opening = { choice: building.runtime, root, ownRoot: OWN_ROOT, services, needsDriver: true };
    const prepared = await openRuntime({ ...opening, lookups: secrets.lookups, signal, log });
    await using runtime = prepared.runtime;
    await building.check?.(runtime, progress);
    return await playOneBuild(build, { prepared, progress });
  } finally {
    progress.finish();
  }
}

/** Plays all rounds, none of which ends them early: the same runtime starts both sides. */
export async function playOneBuild(build: OneBuild, { prepared, progress }: Built): Promise<RunInRounds> {
  const { record, suites, ...session } = build;
  return await measureRounds({
    ...session,
    suites,
    prepared: { base: prepared, head: prepared },
    records: { base: record, head: record },
    interleave: 'blocks',
    policy: policyFor(suites.head.root, suites.suite, undefined),
    stopsEarly: false,
    progress,
  });
}
