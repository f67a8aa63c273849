import type { RunInRounds } from '../../model/run/kept-cells.ts';
import { policyFor } from '../../project/policy.ts';
import type { Progress, Runtime } from '../../runtime/ports.ts';
import { type Building, type Built, whileBuilt } from './built.ts';
import { measureRounds, type RoundsSession } from './rounds-session.ts';

/** A comparison in rounds whose two sides are of one build: a build with itself, or services with each other. */
export interface OneBuild
  extends Pick<
    RoundsSession,
    'suites' | 'profile' | 'seed' | 'budgetSeconds' | 'versus' | 'secrets' | 'keep' | 'signal'
  > {
  /** What `run.json` says of either side. */
  readonly record: RoundsSession['records']['base'];
}

/** How the build is made, and when it is not measured. */
export interface OneBuilding extends Pick<Building, 'runtime' | 'planLine' | 'json'> {
  /** Rejects where the services must not be measured. */
  readonly check?: (runtime: Runtime, progress: Progress) => Promise<unknown>;
}

/** Builds the services of the head and plays all rounds with them. */
export async function measureOneBuild(build: OneBuild, { check, ...building }: OneBuilding): Promise<RunInRounds> {
  const { secrets, signal, suites } = build;
  return await whileBuilt({ ...building, files: suites.head, needsDriver: true, secrets, signal }, async (built) => {
    await check?.(built.prepared.runtime, built.progress);
    return await playOneBuild(build, built);
  });
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
