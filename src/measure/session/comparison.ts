import { randomInt } from 'node:crypto';
import { ConfigError, KnownError, MeasurementError } from '../../foundation/errors.ts';
import { counted } from '../../foundation/numbers.ts';
import type { OutputFolder } from '../../host/files/output.ts';
import { keepToLoadCore, machineIdentity } from '../../host/machine/machine.ts';
import type { OutputOptions } from '../../host/terminal/output.ts';
import { progressOf } from '../../host/terminal/progress.ts';
import type { Plan } from '../../model/plan.ts';
import type { Policy } from '../../model/policy.ts';
import { countingSeconds, countsAlone } from '../../model/profiles.ts';
import { mostRounds, roundSeconds, type Side, tiersOf } from '../../model/rounds.ts';
import type { KnownNoise, NoisePlace } from '../../model/run/calibration.ts';
import type { StoredPlant } from '../../model/run/plant.ts';
import { type RoundsRecord, type ShardName, servicesByShard } from '../../model/run/rounds.ts';
import type { RunInRounds } from '../../model/run/run.ts';
import { isSameGroup, suiteOfServices } from '../../model/suite/groups.ts';
import type { SuiteFiles } from '../../project/files.ts';
import { protocolClient } from '../../protocols/client.ts';
import { requireValgrind } from '../../runtime/valgrind/valgrind.ts';
import { type IdenticalService, identicalServices } from '../identical/identical.ts';
import { mayCount, timeToCount } from '../instructions/time.ts';
import { compareVersions, type RoundsFacts } from '../plans/compare.ts';
import { interleaveOf, type RoundBench } from '../plans/versions.ts';
import { answerBook } from '../trial/answers.ts';
import { trialBench } from '../trial/bench.ts';
import { failureRecord } from '../trial/failure.ts';
import { keepIn } from '../trial/keep.ts';
import { logExpected, storedCalibration } from './calibration.ts';
import { comparisonPlan, logOtherPlan } from './plan-line.ts';
import { runFactsOf, sizesOf, slotProfile } from './run-facts.ts';

import { expectedPlace, machineOwner, openRuntime, type PreparedRuntime, type RuntimeChoice } from './runtime.ts';
import { onlyServices, type VersionSuites, versionRecord } from './versions/suites.ts';
import { inWords, maskingFolders, thrownInRepository, type VersionFolder } from './versions/words.ts';

interface Comparing
  extends Pick<
      RoundBench,
      | 'profile'
      | 'profiler'
      | 'interleave'
      | 'budgetSeconds'
      | 'stopsEarly'
      | 'storedCounts'
      | 'onCounts'
      | 'adviceFor'
      | 'secrets'
      | 'signal'
    >,
    Pick<RoundsRecord, 'rules'>,
    Share {
  readonly policy: Policy;
  readonly trend?: Pick<RoundsRecord, 'anchor' | 'stored'>;
}

export interface ComparisonJob extends Comparing, Pick<OutputOptions, 'json'> {
  readonly base: VersionFolder;
  readonly head: VersionFolder;
  /** Selected ones; undefined: all of the suite. */
  readonly services: readonly string[] | undefined;
  readonly runtime: RuntimeChoice;
  readonly always?: boolean | undefined;
  readonly counts?: boolean | undefined;
  readonly storedNoise?: (place: NoisePlace) => KnownNoise | undefined;
  readonly storedPlant?: (place: NoisePlace) => StoredPlant | undefined;
  readonly seed: number | undefined;
  readonly output: OutputFolder;
}

export async function measureComparison(requested: ComparisonJob): Promise<RunInRounds> {
  const { base, head, suites, profile } = requested;
  const secrets = maskingFolders(requested.secrets, [base, head]);
  const job = { ...requested, secrets };
  const progress = progressOf(job);
  const log = (line: string): void => progress.line(line);
  try {
    progress.chapter(`Build ${base.ref} (base) and ${head.ref} (head)`);
    const { suite } = suites;
    const canCount = await mayCount(job);
    const planned = comparisonPlan({ ...job, base: base.ref, head: head.ref, suite, canCount });
    const place = expectedPlace(job.runtime, suites.head);
    log(planned(place));
    suites.head.leftOut?.forEach(log);
    if (countsAlone(profile)) {
      // Before minutes go into builds.
      await requireValgrind();
    }
    await using versions = await openVersions(job, log);
    const { prepared, unbuilt } = versions;
    const { runner, name: runtime } = prepared.base.runtime;
    logOtherPlan(planned, place, runtime, log);
    const required = { root: process.cwd(), runner, suite: suite.name, profile: profile.name };
    const identical = unbuilt === undefined ? await identicalIn(job, prepared, log) : [];
    const left = withoutIdentical(job, identical);
    const comparing = { ...left, suite: left.suites.suite, place: { ...place, runtime } };
    const isMeasured = unbuilt === undefined && comparing.suite.services.length > 0;
    const seconds = isMeasured ? await timeToCount(comparing, prepared.base.runtime, log) : undefined;
    const calibration = storedCalibration(required, log);
    if (isMeasured) {
      logExpected({ ...comparing, runner, calibration, isCounted: seconds !== undefined }, log);
    }
    const { shards, services } = left;
    const { adopted } = left.suites;
    const own = { ...versionRecord(base, left.suites.base, services), ...(adopted && { adopted }) };
    const sizes = async (side: Side) =>
      unbuilt === undefined
        ? { sizes: await sizesOf(prepared[side].runtime, [...job.suites[side].services.values()]) }
        : {};
    const plant = job.storedPlant?.({ runner, runtime, profile: profile.name, interleave: job.interleave });
    const session = {
      ...left,
      trend: withPlant(job.trend, plant),
      ...{ countingSeconds: seconds, identical, prepared, calibration, progress },
      records: {
        base: { ...ownRecord(own, shards), ...(await sizes('base')) },
        head: { ...ownRecord(versionRecord(head, left.suites.head, services), shards), ...(await sizes('head')) },
      },
      seed: job.seed ?? randomInt(1, 2 ** 31),
      keep: keepIn(job.output),
    };
    return unbuilt === undefined ? await measureRounds(session) : await keepUnbuilt(session, unbuilt);
  } catch (thrown) {
    // It may go on to a place at which nothing masks it: a file, a comment.
    throw thrown instanceof KnownError ? inWords(thrown, secrets.mask) : thrown;
  } finally {
    progress.finish();
  }
}

function withPlant({ stored, ...trend }: NonNullable<Comparing['trend']> = {}, plant: StoredPlant | undefined) {
  return stored === undefined ? trend : { ...trend, stored: { ...stored, ...(plant !== undefined && { plant }) } };
}

async function identicalIn(
  { always, suites, policy, secrets, signal }: ComparisonJob,
  { base, head }: VersionRuntimes['prepared'],
  log: (line: string) => void,
): Promise<readonly IdenticalService[]> {
  if (always === true || suites.adopted !== undefined) {
    return [];
  }
  const found = await identicalServices({
    suite: suites.suite,
    versions: {
      base: { runtime: base.runtime, files: suites.base },
      head: { runtime: head.runtime, files: suites.head },
    },
    client: protocolClient(secrets),
    watcher: { folder: head.tools.folder, owner: machineOwner() },
    log: (line) => log(secrets.mask(line)),
    ...{ policy, signal },
  });
  for (const { service, unopened = [] } of found) {
    const why = unopened.length === 0 ? '' : `; it opens none of ${counted(unopened.length, 'changed file')}`;
    log(`${service}: not measured, both versions run the same files${why}`);
  }
  return found;
}

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

export interface Share {
  /** With the services of this job alone; everything else, as the hash of the configuration, is that of the whole. */
  readonly suites: VersionSuites;
  readonly shards: RoundsRecord['shards'];
}

/** Requested share of a comparison, or all of it. Services that only the base has belong to the first shard. */
export function shareOf(
  suites: VersionSuites,
  {
    services: requested,
    shard,
    pullRequest,
  }: {
    readonly services?: readonly string[] | undefined;
    readonly shard?: ShardName | undefined;
    readonly pullRequest?: string | undefined;
  },
): Share {
  if (shard === undefined) {
    return { suites, shards: undefined };
  }
  if (pullRequest !== undefined) {
    throw new ConfigError(
      '--pull-request cannot be combined with --shard: a label accepts a whole comparison, not one shard',
      {
        code: 'WG-101',
        next: 'Pass it to `wiregauge shards merge --judge`, which judges all shards.',
      },
    );
  }
  const all = requested ?? suites.head.ownServices;
  const gone = requested === undefined ? suites.base.ownServices.filter((service) => !all.includes(service)) : [];
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

export function ownRecord(record: RoundsRecord['base'], shards: RoundsRecord['shards']): RoundsRecord['base'] {
  const own = shards?.kind === 'shard' ? (shards.services[shards.index - 1] ?? []) : record.services;
  return { ...record, services: record.services.filter((service) => own.includes(service)) };
}

export interface RoundsSession
  extends Comparing,
    Pick<RoundBench, 'countingSeconds' | 'versus' | 'seed' | 'progress' | 'keep'>,
    Pick<RoundsRecord, 'identical' | 'calibration' | 'plant'> {
  readonly prepared: Readonly<Record<Side, PreparedRuntime>>;
  readonly records: Readonly<Record<Side, RoundsRecord['base']>>;
}

export async function measureRounds(requested: RoundsSession): Promise<RunInRounds> {
  const { suites, prepared, progress, secrets, versus } = requested;
  const { suite, base, head } = suites;
  const { name: runtime, runner } = prepared.head.runtime;
  const log = (line: string): void => progress.line(line);
  const sides = { services: suite.services, base: base.services, head: head.services, runtime };
  const session = { ...requested, interleave: interleaveOf(requested.interleave, sides, log) };
  await using _kept = await keepToLoadCore(runner, log);
  const bench = {
    ...session,
    ...trialBench(session),
    suite,
    versions: { base: { ...base, ...prepared.base }, head: { ...head, ...prepared.head } },
    answers: answerBook({
      mask: secrets.mask,
      comparesVersions: versus === undefined,
      areAlike: (one, other) => isSameGroup(suite, one, other),
      note: log,
    }),
    machine: machineIdentity,
  };
  progress.chapter(session.countingSeconds === undefined ? 'Rounds' : 'Instructions');
  return await compareVersions(bench, await roundsFacts(session));
}

/** Comparison without rounds: a version does not build. A head then fails; for a base with the head's configuration it is no fault. */
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

async function roundsFacts(session: RoundsSession): Promise<RoundsFacts> {
  const { suites, prepared, records, profile, seed, identical = [] } = session;
  const { suite, head } = suites;
  const { interleave, budgetSeconds, policy, rules, calibration, versus, plant, shards, trend } = session;
  const place = { runtime: prepared.head.runtime.name, services: head.services };
  const plan: Plan = { suite, profile: slotProfile(profile), modes: ['open', 'saturate'], seed, slots: [] };
  const { commit, dirty } = records.head;
  const counting = session.countingSeconds === undefined ? 0 : countingSeconds(suite);
  const facts = await runFactsOf({ plan, files: head, ...prepared.head });
  return {
    ...facts,
    commit: { ...(commit !== undefined && { head: commit }), dirty },
    plan: { ...facts.plan, plannedSeconds: counting + mostRounds(profile) * roundSeconds(profile, suite, place) },
    rounds: {
      ...records,
      ...{ interleave, profile, tiers: tiersOf(profile, suite).map(({ name }) => name), budgetSeconds, policy },
      ...(rules !== undefined && { rules }),
      ...(calibration !== undefined && { calibration }),
      ...(versus !== undefined && { versus }),
      ...(plant !== undefined && { plant }),
      ...(shards !== undefined && { shards }),
      ...(identical.length > 0 && { identical: [...identical] }),
      ...trend,
    },
  };
}

/** Both versions, built, or one of them and why the other could not be; disposing removes whatever they left. */
interface VersionRuntimes extends AsyncDisposable {
  /** The one that could be built is used for both. */
  readonly prepared: Readonly<Record<Side, PreparedRuntime>>;
  readonly unbuilt?: UnbuiltVersion | undefined;
}

interface UnbuiltVersion {
  readonly side: Side;
  readonly failure: MeasurementError;
}

type Opening = Pick<ComparisonJob, Side | 'suites' | 'runtime' | 'secrets' | 'signal'>;

/** Builds base, then head, in the runtime of the base. A head, or a base with the head's configuration, may fail to build. */
async function openVersions(opening: Opening, log: (line: string) => void): Promise<VersionRuntimes> {
  const isAdopted = opening.suites.adopted !== undefined;
  const base = await (isAdopted ? open(opening, 'base', log).catch(asUnbuilt) : open(opening, 'base', log));
  if (base instanceof MeasurementError) {
    return oneOf(await open(opening, 'head', log), { side: 'base', failure: base });
  }
  try {
    const head = await open({ ...opening, runtime: base.runtime.name }, 'head', log).catch(asUnbuilt);
    if (head instanceof MeasurementError) {
      return oneOf(base, { side: 'head', failure: head });
    }
    return {
      prepared: { base, head },
      async [Symbol.asyncDispose]() {
        await Promise.all([base, head].map(({ runtime }) => runtime[Symbol.asyncDispose]()));
      },
    };
  } catch (thrown) {
    await base.runtime[Symbol.asyncDispose]();
    throw thrown;
  }
}

function oneOf(built: PreparedRuntime, unbuilt: UnbuiltVersion): VersionRuntimes {
  return {
    prepared: { base: built, head: built },
    unbuilt,
    [Symbol.asyncDispose]: () => built.runtime[Symbol.asyncDispose](),
  };
}

/** Only what is the version's own fault, and not the machine's. */
function asUnbuilt(thrown: unknown): MeasurementError {
  if (thrown instanceof MeasurementError) {
    return thrown;
  }
  throw thrown;
}

async function open(opening: Opening, side: Side, log: (line: string) => void): Promise<PreparedRuntime> {
  const { suites, runtime, secrets, signal } = opening;
  const { root, ref, commit, dirty } = opening[side];
  const name = `${side} (${ref}, ${commit.slice(0, 10)}${dirty ? ' with changes' : ''})`;
  try {
    return await openRuntime({
      choice: runtime,
      ...{ root, lookups: secrets.lookups, signal },
      services: [...suites[side].services.values()],
      atOnce: 2,
      log: (line) => log(`${side}: ${line}`),
    });
  } catch (thrown) {
    const known = thrownInRepository(thrown, [opening[side]]);
    if (!(known instanceof MeasurementError)) {
      throw known;
    }
    // Its folder is gone when the message is read.
    const advice = dirty || known.next === undefined ? '' : `Check out ${commit.slice(0, 10)}. `;
    throw inWords(known, (text) => text, { before: `${name}: `, advice });
  }
}
