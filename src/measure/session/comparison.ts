import { randomInt } from 'node:crypto';
import { ConfigError, KnownError } from '../../foundation/errors.ts';
import { counted } from '../../foundation/numbers.ts';
import type { OutputFolder } from '../../host/files/output.ts';
import { keepToLoadCore, machineIdentity } from '../../host/machine/machine.ts';
import type { Telling } from '../../host/terminal/output.ts';
import { type Progress, progressOf } from '../../host/terminal/progress.ts';
import type { Plan } from '../../model/plan.ts';
import type { Policy } from '../../model/policy.ts';
import { countingSeconds, countsAlone } from '../../model/profiles.ts';
import { mostRounds, type RoundProfile, roundSeconds, type Side, tiersOf } from '../../model/rounds.ts';
import type { Calibration, KnownNoise, NoisePlace } from '../../model/run/calibration.ts';
import { type RoundsRecord, type ShardName, servicesByShard } from '../../model/run/rounds.ts';
import type { RunInRounds } from '../../model/run/run.ts';
import { isSameGroup, suiteOfServices } from '../../model/suite/groups.ts';
import type { SuiteFiles } from '../../project/files.ts';
import { OWN_ROOT } from '../../project/own-root.ts';
import { protocolClient } from '../../protocols/client.ts';
import { requireValgrind } from '../../runtime/valgrind/valgrind.ts';
import type { Secrets } from '../../secrets/secrets.ts';
import { type IdenticalService, identicalServices } from '../identical/identical.ts';
import { mayCount, timeToCount } from '../instructions/time.ts';
import { compareVersions, type RoundsFacts } from '../plans/compare.ts';
import { interleaveOf } from '../plans/fixed-ports.ts';
import type { RoundBench } from '../plans/versions.ts';
import { AnswerBook } from '../trial/answers/answer-book.ts';
import { trialBench } from '../trial/bench.ts';
import { failureRecord } from '../trial/failure.ts';
import { keepIn } from '../trial/keep.ts';
import { logExpected, storedCalibration } from './calibration.ts';
import { logOtherPlan, planLine } from './plan-line.ts';
import { runFactsOf, slotProfile } from './run-facts.ts';
import { expectedPlace, machineOwner, type PreparedRuntime, type RuntimeChoice } from './runtime.ts';
import { openVersions, type UnbuiltVersion, type VersionRuntimes } from './versions/opening.ts';
import { onlyServices, type VersionSuites, versionRecord } from './versions/suites.ts';
import { inWords, maskingFolders, type VersionFolder } from './versions/words.ts';

/** A comparison of two versions, or the share of it that one job measures. */
export interface ComparisonJob extends Share, Pick<Telling, 'json'>, Pick<RoundBench, 'profiler' | 'adviceFor'> {
  readonly base: VersionFolder;
  readonly head: VersionFolder;
  /** Those that were asked for; undefined: all of the suite. */
  readonly services: readonly string[] | undefined;
  readonly profile: RoundProfile;
  readonly policy: Policy;
  /** Where it is from, if it is not simply the base's. */
  readonly rules?: RoundsRecord['rules'];
  readonly runtime: RuntimeChoice;
  readonly interleave: 'blocks' | 'slots';
  readonly budgetSeconds: number;
  /** Whether services are measured that run the same files in both versions. */
  readonly always?: boolean | undefined;
  /** Whether instructions are counted besides; undefined: they are, if they can be. */
  readonly counts?: boolean | undefined;
  /** Finds the stored counts of the base's commit; undefined if nobody looks for any. */
  readonly storedCounts?: RoundBench['storedCounts'];
  /** Finds what is stored of the noise of a kind of machine; undefined if nobody looks for any. */
  readonly storedNoise?: (place: NoisePlace) => KnownNoise | undefined;
  /** What is known of the anchor of the trend. */
  readonly trend?: Pick<RoundsRecord, 'anchor' | 'stored'>;
  readonly stopsEarly: boolean;
  /** undefined: random. */
  readonly seed: number | undefined;
  readonly secrets: Secrets;
  readonly output: OutputFolder;
  readonly signal: AbortSignal;
}

/** Builds both versions and plays rounds until the answer is clear; what was measured lies in the output folder at any time. */
export async function measureComparison(job: ComparisonJob): Promise<RunInRounds> {
  const { base, head, suites, signal } = job;
  const secrets = maskingFolders(job.secrets, [base, head]);
  const progress = progressOf(job);
  const log = (line: string): void => progress.line(line);
  try {
    progress.chapter(`Build ${base.ref} (base) and ${head.ref} (head)`);
    const { suite } = suites;
    const canCount = await mayCount(job);
    const planned = { ...job, kind: 'comparison', base: base.ref, head: head.ref, suite, canCount } as const;
    const place = expectedPlace(job.runtime, suites.head);
    log(planLine(planned, place));
    suites.head.leftOut?.forEach(log);
    if (countsAlone(job.profile)) {
      // Before minutes go into builds.
      await requireValgrind();
    }
    const folders = { base, head };
    const opening = { folders, suites, choice: job.runtime, ownRoot: OWN_ROOT, lookups: secrets.lookups, signal };
    await using versions = await openVersions(opening, log);
    const { prepared, unbuilt } = versions;
    const { runner, name: runtime } = prepared.base.runtime;
    logOtherPlan(planned, { place, runtime }, log);
    const wanted = { root: process.cwd(), runner, suite: suite.name, profile: job.profile.name };
    const identical = unbuilt === undefined ? await identicalIn(job, { versions, secrets, log }) : [];
    const left = withoutIdentical(job, identical);
    const comparing = { ...left, suite: left.suites.suite, place: { ...place, runtime } };
    const isMeasured = unbuilt === undefined && comparing.suite.services.length > 0;
    const seconds = isMeasured ? await timeToCount(comparing, prepared.base.runtime, log) : undefined;
    const calibration = storedCalibration(wanted, log);
    if (isMeasured) {
      logExpected({ ...comparing, runner, calibration, isCounted: seconds !== undefined }, log);
    }
    const session = {
      ...left,
      countingSeconds: seconds,
      identical,
      secrets,
      prepared,
      records: recordsOf(left),
      seed: job.seed ?? randomInt(1, 2 ** 31),
      calibration,
      progress,
      keep: keepIn(job.output),
    };
    return unbuilt === undefined ? await measureRounds(session) : await keepUnbuilt(session, unbuilt);
  } catch (thrown) {
    // What is told may go on to a place at which nothing masks it: a file, a comment.
    throw thrown instanceof KnownError ? inWords(thrown, secrets.mask) : thrown;
  } finally {
    progress.finish();
  }
}

interface BuiltComparison {
  readonly versions: VersionRuntimes;
  readonly secrets: Secrets;
  readonly log: (line: string) => void;
}

/** Services that need no measurement; none if one is wanted anyway. */
async function identicalIn(
  { always, suites, policy, signal }: ComparisonJob,
  { versions: { prepared }, secrets, log }: BuiltComparison,
): Promise<readonly IdenticalService[]> {
  if (always === true || suites.adopted !== undefined) {
    return [];
  }
  const client = protocolClient(secrets);
  const watcher = { folder: prepared.head.tools.folder, owner: machineOwner() };
  const versions = {
    base: { runtime: prepared.base.runtime, files: suites.base },
    head: { runtime: prepared.head.runtime, files: suites.head },
  };
  const { suite } = suites;
  const masked = (line: string): void => log(secrets.mask(line));
  const found = await identicalServices({ suite, versions, policy, client, watcher, log: masked, signal });
  for (const { service, unopened = [] } of found) {
    const why = unopened.length === 0 ? '' : `; it opens none of ${counted(unopened.length, 'changed file')}`;
    log(`${service}: not measured, both versions run the same files${why}`);
  }
  return found;
}

/** The comparison of the other services. */
function withoutIdentical(job: ComparisonJob, identical: readonly IdenticalService[]): ComparisonJob {
  if (identical.length === 0) {
    return job;
  }
  const { suite, base, head } = job.suites;
  const isLeft = (name: string): boolean => identical.every(({ service }) => service !== name);
  const left = (files: SuiteFiles): SuiteFiles => ({
    ...onlyServices(files, [...files.services.keys()].filter(isLeft)),
    ownServices: files.ownServices.filter(isLeft),
    suite: suiteOfServices(files.suite, files.suite.services.filter(isLeft)),
  });
  return {
    ...job,
    suites: {
      ...job.suites,
      suite: suiteOfServices(suite, suite.services.filter(isLeft)),
      base: left(base),
      head: left(head),
    },
  };
}

function recordsOf({ base, head, suites, services, shards }: ComparisonJob) {
  const { adopted } = suites;
  return {
    base: ownRecord({ ...versionRecord(base, suites.base, services), ...(adopted && { adopted }) }, shards),
    head: ownRecord(versionRecord(head, suites.head, services), shards),
  };
}

/** What one job measures of a comparison. */
export interface Share {
  /** With the services of this job alone; everything else, as the hash of the configuration, is that of the whole. */
  readonly suites: VersionSuites;
  /** How the whole is split; undefined if one job measures all of it. */
  readonly shards: RoundsRecord['shards'];
}

/** What a share is taken from. */
interface Asked {
  readonly services?: readonly string[] | undefined;
  readonly shard?: ShardName | undefined;
  readonly pullRequest?: string | undefined;
}

/**
 * The share of a comparison that was asked for, or all of it. The services of the head are shared out, so that every job comes to the
 * same division; what only the base has is the first shard's to tell. Throws ConfigError for more shards than services.
 */
export function shareOf(suites: VersionSuites, { services: asked, shard, pullRequest }: Asked): Share {
  if (shard === undefined) {
    return { suites, shards: undefined };
  }
  if (pullRequest !== undefined) {
    throw new ConfigError(
      '--pull-request cannot be combined with --shard: a label accepts a whole comparison, not one shard',
      {
        code: 'WG-101',
        next: 'Pass it to `wiregauge merge --judge`, which judges all shards.',
      },
    );
  }
  const all = asked ?? suites.head.ownServices;
  const gone = asked === undefined ? suites.base.ownServices.filter((service) => !all.includes(service)) : [];
  const services = servicesByShard(all, shard.of).map((own, place) => (place === 0 ? [...own, ...gone] : own));
  const own = services[shard.index - 1] ?? [];
  const { suite, base, head } = suites;
  return {
    suites: {
      ...suites,
      suite: { ...suite, services: suite.services.filter((service) => own.includes(service)) },
      base: onlyServices(base, own),
      head: onlyServices(head, own),
    },
    shards: { kind: 'shard', of: shard.of, index: shard.index, services },
  };
}

/** What `run.json` says of a version, with the services of this share alone. */
export function ownRecord(record: RoundsRecord['base'], shards: RoundsRecord['shards']): RoundsRecord['base'] {
  const own = shards?.kind === 'shard' ? (shards.services[shards.index - 1] ?? []) : record.services;
  return { ...record, services: record.services.filter((service) => own.includes(service)) };
}

/** All that a comparison in rounds is decided by before its first round. */
export interface RoundsSession extends Pick<RoundBench, 'profiler' | 'storedCounts' | 'adviceFor'> {
  readonly suites: VersionSuites;
  readonly prepared: Readonly<Record<Side, PreparedRuntime>>;
  readonly records: Readonly<Record<Side, RoundsRecord['base']>>;
  /** Services that are not measured, since both versions run the same files. */
  readonly identical?: readonly IdenticalService[] | undefined;
  readonly profile: RoundProfile;
  readonly interleave: RoundsRecord['interleave'];
  readonly policy: Policy;
  readonly rules?: RoundsRecord['rules'];
  readonly seed: number;
  readonly budgetSeconds: number;
  /** For how long instructions may be counted before the rounds; undefined: they are not counted. */
  readonly countingSeconds?: number | undefined;
  readonly trend?: ComparisonJob['trend'];
  readonly stopsEarly: boolean;
  readonly calibration?: Calibration | undefined;
  /** Which service the others are compared with, if services rather than versions are compared. */
  readonly versus?: RoundsRecord['versus'];
  /** Which share of a comparison this is, if several jobs share it. */
  readonly shards?: RoundsRecord['shards'];
  readonly secrets: Secrets;
  readonly progress: Progress;
  /** Keeps what was measured so far. */
  readonly keep: (run: RunInRounds) => Promise<void>;
  readonly signal: AbortSignal;
}

/** Compares the two versions and gives the run, which was also kept. */
export async function measureRounds(asked: RoundsSession): Promise<RunInRounds> {
  const { suites, prepared, progress } = asked;
  const { serviceCore: service, loadCore: load } = prepared.head.runtime.runner;
  const log = (line: string): void => progress.line(line);
  const sides = { services: suites.suite.services, base: suites.base.services, head: suites.head.services };
  const runtime = prepared.head.runtime.name;
  const session = { ...asked, interleave: interleaveOf(asked.interleave, { ...sides, runtime }, log) };
  await using _kept = await keepToLoadCore({ service, load }, log);
  const bench = {
    ...session,
    ...trialBench(session),
    suite: suites.suite,
    versions: { base: versionOf(session, 'base'), head: versionOf(session, 'head') },
    answers: new AnswerBook({
      mask: session.secrets.mask,
      comparesVersions: session.versus === undefined,
      areAlike: (one, other) => isSameGroup(suites.suite, one, other),
      note: log,
    }),
    machine: machineIdentity,
  };
  progress.chapter(session.countingSeconds === undefined ? 'Rounds' : 'Instructions');
  return await compareVersions(bench, await roundsFacts(session));
}

/**
 * The comparison of which one version does not build: there are no rounds, and the run says why. A head fails as one that crashes does; of
 * a base it is no fault that it does not build with the configuration of the head.
 */
async function keepUnbuilt(session: RoundsSession, { side, failure }: UnbuiltVersion): Promise<RunInRounds> {
  session.progress.line(failure.message);
  const facts = await roundsFacts(session);
  const unbuilt = [{ services: session.suites.suite.services, side, ...failureRecord(failure, session) }];
  const run: RunInRounds = {
    ...facts,
    rounds: { ...facts.rounds, rounds: [], ended: 'decided', unbuilt },
    samples: [],
    failures: [],
    complete: true,
    spent: { totalSeconds: 0, overheadSeconds: 0 },
  };
  await session.keep(run);
  return run;
}

function versionOf({ suites, prepared }: RoundsSession, side: Side) {
  const { suite, services, ownNames }: SuiteFiles = suites[side];
  return { runtime: prepared[side].runtime, suite, services, ownNames };
}

async function roundsFacts(session: RoundsSession): Promise<RoundsFacts> {
  const { suites, prepared, records, profile, seed, budgetSeconds } = session;
  const { suite } = suites;
  const place = { runtime: prepared.head.runtime.name, services: suites.head.services };
  const plan: Plan = { suite, profile: slotProfile(profile), modes: ['open', 'saturate'], seed, slots: [] };
  const { commit, dirty } = records.head;
  const counting = session.countingSeconds === undefined ? 0 : countingSeconds(suite);
  const facts = await runFactsOf({ plan, files: suites.head, ...prepared.head });
  return {
    ...facts,
    commit: { ...(commit !== undefined && { head: commit }), dirty },
    plan: { ...facts.plan, plannedSeconds: counting + mostRounds(profile) * roundSeconds(profile, suite, place) },
    rounds: {
      base: records.base,
      head: records.head,
      interleave: session.interleave,
      profile,
      tiers: tiersOf(profile, suite).map(({ name }) => name),
      budgetSeconds,
      policy: session.policy,
      ...(session.rules !== undefined && { rules: session.rules }),
      ...(session.calibration !== undefined && { calibration: session.calibration }),
      ...(session.versus !== undefined && { versus: session.versus }),
      ...(session.shards !== undefined && { shards: session.shards }),
      ...(session.identical !== undefined && session.identical.length > 0 && { identical: session.identical }),
      ...session.trend,
    },
  };
}
