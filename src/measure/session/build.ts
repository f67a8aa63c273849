import type { Telling } from '../../host/terminal/output.ts';
import { type Progress, progressOf } from '../../host/terminal/progress.ts';
import type { RunInRounds } from '../../model/run/run.ts';
import type { SuiteFiles } from '../../project/files.ts';
import { OWN_ROOT } from '../../project/own-root.ts';
import { policyFor } from '../../project/policy.ts';
import type { Runtime } from '../../runtime/port.ts';
import type { Secrets } from '../../secrets/secrets.ts';
import { timeToCount } from '../instructions/time.ts';
import { measureRounds, type RoundsSession } from './comparison.ts';
import { logOtherPlan, type Planned, planLine } from './plan-line.ts';
import {
  expectedPlace,
  openRuntime,
  type PreparedRuntime,
  type RuntimeChoice,
  type RuntimeRequest,
} from './runtime.ts';

/** What is to be built, and what is said of it. */
export interface Building extends Pick<Telling, 'json'>, Pick<RuntimeRequest, 'signal'> {
  readonly files: SuiteFiles;
  readonly runtime: RuntimeChoice;
  readonly secrets: Secrets;
  readonly planned: Planned;
}

/** Services that are built, and where it is shown what becomes of them. */
export interface Built {
  readonly prepared: PreparedRuntime;
  readonly progress: Progress;
}

/** Builds the services of one version and gives what the work comes to; the runtime lasts as long. Throws KnownError if it cannot be opened. */
export async function whileBuilt<Result>(
  { files, runtime, secrets, planned, signal, json }: Building,
  work: (built: Built) => Promise<Result>,
): Promise<Result> {
  const progress = progressOf({ json });
  const log = (line: string): void => progress.line(line);
  try {
    progress.chapter('Build');
    const place = expectedPlace(runtime, files);
    log(planLine(planned, place));
    files.leftOut?.forEach(log);
    const services = [...files.services.values()];
    const opening = { choice: runtime, root: files.root, ownRoot: OWN_ROOT, services };
    const prepared = await openRuntime({ ...opening, lookups: secrets.lookups, signal, log });
    await using _runtime = prepared.runtime;
    logOtherPlan(planned, { place, runtime: prepared.runtime.name }, log);
    return await work({ prepared, progress });
  } finally {
    progress.finish();
  }
}

/** A comparison in rounds whose two sides are of one build: a build with itself, or services with each other. */
export interface OneBuild
  extends Pick<
    RoundsSession,
    'suites' | 'profile' | 'seed' | 'budgetSeconds' | 'adviceFor' | 'versus' | 'secrets' | 'keep' | 'signal'
  > {
  /** What `run.json` says of either side. */
  readonly record: RoundsSession['records']['base'];
  /** Whether instructions are counted before the rounds, if that is possible here and the budget leaves the time. */
  readonly counts?: boolean | undefined;
  /** Whether a look may end it; undefined: all rounds are played. */
  readonly stopsEarly?: boolean | undefined;
}

/** How the build is made, and when it is not measured. */
export interface OneBuilding extends Pick<Building, 'runtime' | 'planned' | 'json'> {
  /** Rejects if the services must not be measured. */
  readonly check?: (runtime: Runtime, progress: Progress) => Promise<unknown>;
}

/** Builds the services of the head and plays all rounds with them. */
export async function measureOneBuild(build: OneBuild, { check, ...building }: OneBuilding): Promise<RunInRounds> {
  const { secrets, signal, suites } = build;
  return await whileBuilt({ ...building, files: suites.head, secrets, signal }, async (built) => {
    await check?.(built.prepared.runtime, built.progress);
    return await playOneBuild(build, built);
  });
}

/** Plays the rounds: the same runtime starts both sides. */
export async function playOneBuild(build: OneBuild, { prepared, progress }: Built): Promise<RunInRounds> {
  const { record, suites, counts = false, stopsEarly = false, ...session } = build;
  const { profile, budgetSeconds } = session;
  const { runtime } = prepared;
  const comparing = { profile, budgetSeconds, suite: suites.suite, place: expectedPlace(runtime.name, suites.head) };
  const seconds = await timeToCount({ ...comparing, counts }, runtime, (line) => progress.line(line));
  return await measureRounds({
    ...session,
    countingSeconds: seconds,
    suites,
    prepared: { base: prepared, head: prepared },
    records: { base: record, head: record },
    interleave: 'blocks',
    policy: policyFor(suites.head.root, suites.suite, undefined),
    stopsEarly,
    progress,
  });
}
