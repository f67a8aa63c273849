import { machineIdentity } from '../../host/machine/machine.ts';
import type { Plan } from '../../model/plan.ts';
import { countingSeconds } from '../../model/profiles.ts';
import { mostRounds, roundSeconds, type Side, tiersOf } from '../../model/rounds.ts';
import type { KnownNoise, NoisePlace } from '../../model/run/calibration.ts';
import type { RoundsRecord } from '../../model/run/rounds.ts';
import type { RunInRounds } from '../../model/run/run.ts';
import { policyFor } from '../../project/policy.ts';
import { timeToCount } from '../instructions/time.ts';
import { compareVersions, type RoundsFacts } from '../plans/compare.ts';
import { failureRecord } from '../trial/failure.ts';
import type { RoundBench } from '../trial/versions.ts';
import { logExpected } from './calibration.ts';
import { roundsProfile, runFactsOf } from './run-facts.ts';
import { withLimits } from './runtime.ts';
import { type Session, versionBench } from './session.ts';
import type { VersionSuites } from './versions/suites.ts';

/** Two sides to compare in rounds: what is measured, for how long, and further data for the record. */
export interface RoundsJob
  extends Pick<RoundBench, 'profile' | 'profiler' | 'budgetSeconds' | 'versus' | 'storedCounts' | 'onCounts' | 'keep'>,
    Partial<Pick<RoundBench, 'interleave' | 'stopsEarly'>>,
    Pick<RoundsRecord, 'rules' | 'identical' | 'calibration' | 'plant' | 'shards' | 'anchor' | 'stored'> {
  /** Suites with only the services of this job; everything else, such as the hash of the configuration, covers the whole suite. */
  readonly suites: VersionSuites;
  readonly records: Readonly<Record<Side, RoundsRecord['base']>>;
  readonly seed: number;
  /** Undefined: that of the head's suite. */
  readonly policy?: RoundsRecord['policy'];
  /** False if no instructions are counted; undefined: they are counted if possible. */
  readonly counts?: boolean | undefined;
  readonly storedNoise?: ((place: NoisePlace) => KnownNoise | undefined) | undefined;
}

/** Counts the instructions of both sides if there is time, then compares them in rounds. */
export async function measureRounds(session: Session, requested: RoundsJob): Promise<RunInRounds> {
  const { suites, versus, interleave = 'blocks', stopsEarly = false } = requested;
  const { suite, base, head } = suites;
  const policy = requested.policy ?? policyFor(head.root, suite, undefined);
  const { prepared, progress, log } = session;
  const { runner, name: runtime } = prepared.head.runtime;
  const place = { runtime, services: head.services };
  const job = { ...requested, suite, policy, interleave, stopsEarly, place };
  if (session.unbuilt !== undefined) {
    return await keepUnbuilt(session, job, session.unbuilt);
  }
  const isLoaded = suite.services.length > 0;
  const seconds = isLoaded ? await timeToCount(job, prepared.base.runtime, log) : undefined;
  if (isLoaded) {
    logExpected({ ...job, runner, isCounted: seconds !== undefined }, log);
  }
  const bench = {
    ...job,
    ...versionBench(session, suites, { interleave, comparesVersions: versus === undefined }),
    versions: {
      base: { ...withLimits(base, prepared.base), ...prepared.base },
      head: { ...withLimits(head, prepared.head), ...prepared.head },
    },
    countingSeconds: seconds,
    machine: machineIdentity,
  };
  progress.chapter(seconds === undefined ? 'Rounds' : 'Instructions');
  return await compareVersions(bench, await roundsFacts(session, { ...job, ...bench }));
}

type FactsJob = RoundsJob & Required<Pick<RoundsJob, 'policy' | 'interleave'>> & Pick<RoundBench, 'countingSeconds'>;

/** Comparison without rounds, because a version does not build. A head then fails; for a base with the head's configuration this is not a failure. */
async function keepUnbuilt(
  session: Session,
  job: FactsJob,
  { side, failure }: NonNullable<Session['unbuilt']>,
): Promise<RunInRounds> {
  session.log(failure.message);
  const facts = await roundsFacts(session, job);
  const unbuilt = [{ services: job.suites.suite.services, side, ...failureRecord(failure, session) }];
  const run: RunInRounds = {
    ...facts,
    rounds: { ...facts.rounds, rounds: [], ended: 'decided', unbuilt },
    samples: [],
    failures: [],
    complete: true,
    spent: { totalSeconds: 0, overheadSeconds: 0 },
  };
  await job.keep(run);
  return run;
}

async function roundsFacts({ prepared }: Session, job: FactsJob): Promise<RoundsFacts> {
  const { suites, records, profile, seed, identical = [] } = job;
  const { suite, head } = suites;
  const { interleave, budgetSeconds, policy, rules, calibration, versus, plant, shards, anchor, stored } = job;
  const place = { runtime: prepared.head.runtime.name, services: head.services };
  const plan: Plan = { suite, profile: roundsProfile(profile), modes: ['open', 'saturate'], seed, trials: [] };
  const { commit, dirty } = records.head;
  const counting = job.countingSeconds === undefined ? 0 : countingSeconds(suite);
  const facts = await runFactsOf({ plan, files: withLimits(head, prepared.head), ...prepared.head });
  return {
    ...facts,
    commit: { ...(commit !== undefined && { head: commit }), dirty },
    plan: { ...facts.plan, plannedSeconds: counting + mostRounds(profile) * roundSeconds(profile, suite, place) },
    rounds: {
      ...records,
      ...{ interleave, profile, tiers: tiersOf(profile, suite).map(({ name }) => name), budgetSeconds, policy },
      ...{ rules, calibration, versus, plant, shards },
      ...(identical.length > 0 && { identical: [...identical] }),
      ...{ anchor, stored },
    },
  };
}
