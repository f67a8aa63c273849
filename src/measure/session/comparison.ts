import { randomInt } from 'node:crypto';
import { ConfigError, KnownError, MeasurementError } from '../../foundation/errors.ts';
import { counted } from '../../foundation/numbers.ts';
import { shortCommit } from '../../foundation/text.ts';
import type { OutputFolder } from '../../host/files/output.ts';
import { machineOwner } from '../../host/machine/proc.ts';
import { countsAlone } from '../../model/profiles.ts';
import type { Side } from '../../model/rounds.ts';
import type { NoisePlace } from '../../model/run/calibration.ts';
import type { StoredPlant } from '../../model/run/plant.ts';
import { type RoundsRecord, type ShardName, servicesByShard } from '../../model/run/rounds.ts';
import type { RunInRounds } from '../../model/run/run.ts';
import { suiteOfServices } from '../../model/suite/groups.ts';
import type { SuiteFiles } from '../../project/files.ts';
import { requireValgrind } from '../../runtime/valgrind/valgrind.ts';
import { type IdenticalService, identicalServices } from '../identical/identical.ts';
import { mayCount } from '../instructions/time.ts';
import { keepIn } from '../trial/keep.ts';
import { storedCalibration } from './calibration.ts';
import { comparisonPlan } from './plan-line.ts';
import { measureRounds, type RoundsJob } from './rounds.ts';
import { sizesOf } from './run-facts.ts';
import { openRuntime, type PreparedRuntime } from './runtime.ts';
import { type Builds, inSession, type Job, type Session, usedForBoth } from './session.ts';
import { onlyServices, type VersionSuites, versionRecord } from './versions/suites.ts';
import { inWords, maskingFolders, thrownInRepository, type VersionFolder } from './versions/words.ts';

export interface ComparisonJob extends Omit<Job, 'files'>, Omit<RoundsJob, 'records' | 'seed' | 'keep'> {
  readonly base: VersionFolder;
  readonly head: VersionFolder;
  readonly policy: RoundsRecord['policy'];
  /** Selected services; undefined: all of the suite. */
  readonly services?: readonly string[] | undefined;
  readonly always?: boolean | undefined;
  readonly storedPlant?: ((place: NoisePlace) => StoredPlant | undefined) | undefined;
  readonly seed?: number | undefined;
  readonly output: OutputFolder;
}

/** Builds both versions, leaves out services that run the same files in both, and compares the others. */
export async function measureComparison(requested: ComparisonJob): Promise<RunInRounds> {
  const { base, head, suites } = requested;
  const secrets = maskingFolders(requested.secrets, [base, head]);
  const job = { ...requested, secrets, files: suites.head };
  const canCount = await mayCount(job);
  const planned = comparisonPlan({
    ...job,
    ...{ base: base.ref, head: head.ref, suite: suites.suite, interleave: job.interleave ?? 'blocks', canCount },
  });
  try {
    return await inSession(job, planned, (session) => compareBuilds(session, job), {
      title: `Build ${base.ref} (base) and ${head.ref} (head)`,
      open: (log) => openVersions(job, log),
    });
  } catch (thrown) {
    // It may be shown where nothing masks it: in a file, in a comment.
    throw thrown instanceof KnownError ? inWords(thrown, secrets.mask) : thrown;
  }
}

async function compareBuilds(session: Session, job: ComparisonJob): Promise<RunInRounds> {
  const { base, head, services, shards, stored, profile, interleave = 'blocks' } = job;
  const { prepared, unbuilt, log } = session;
  const { runner, name: runtime } = prepared.head.runtime;
  const identical = await identicalIn(session, job);
  const suites = withoutIdentical(job.suites, identical);
  const { adopted } = suites;
  const sizes = async (side: Side) =>
    unbuilt === undefined
      ? { sizes: await sizesOf(prepared[side].runtime, [...job.suites[side].services.values()]) }
      : {};
  const own = { ...versionRecord(base, suites.base, services), ...(adopted && { adopted }) };
  const place = { runner, runtime, profile: profile.name, interleave };
  const plant = job.storedPlant?.(place);
  return await measureRounds(session, {
    ...{ ...job, suites, identical },
    records: {
      base: { ...ownRecord(own, shards), ...(await sizes('base')) },
      head: { ...ownRecord(versionRecord(head, suites.head, services), shards), ...(await sizes('head')) },
    },
    stored: stored && { ...stored, ...(plant && { plant }) },
    calibration: storedCalibration({ ...place, root: process.cwd(), suite: job.suites.suite.name }, log),
    seed: job.seed ?? randomInt(1, 2 ** 31),
    keep: keepIn(job.output),
  });
}

async function identicalIn(
  { prepared: { base, head }, unbuilt, client, secrets, signal, log }: Session,
  { always, suites, policy }: ComparisonJob,
): Promise<readonly IdenticalService[]> {
  if (unbuilt !== undefined || always === true || suites.adopted !== undefined) {
    return [];
  }
  const found = await identicalServices({
    suite: suites.suite,
    versions: {
      base: { runtime: base.runtime, files: suites.base },
      head: { runtime: head.runtime, files: suites.head },
    },
    watcher: { folder: head.tools.folder, owner: machineOwner() },
    log: (line) => log(secrets.mask(line)),
    ...{ client, policy, signal },
  });
  for (const { service, unopened = [] } of found) {
    const why = unopened.length === 0 ? '' : `; it opens none of ${counted(unopened.length, 'changed file')}`;
    log(`${service}: not measured, both versions run the same files${why}`);
  }
  return found;
}

function withoutIdentical(suites: VersionSuites, identical: readonly IdenticalService[]): VersionSuites {
  const isLeft = (name: string): boolean => identical.every(({ service }) => service !== name);
  const left = (files: SuiteFiles): SuiteFiles => ({
    ...onlyServices(files, [...files.services.keys()].filter(isLeft)),
    ownServices: files.ownServices.filter(isLeft),
    suite: suiteOfServices(files.suite, files.suite.services.filter(isLeft)),
  });
  const { suite, base, head } = suites;
  return identical.length === 0
    ? suites
    : {
        ...suites,
        suite: suiteOfServices(suite, suite.services.filter(isLeft)),
        ...{ base: left(base), head: left(head) },
      };
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
): Pick<RoundsJob, 'suites' | 'shards'> {
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

/** Builds base, then head, in the runtime of the base. A head, or a base with the head's configuration, may fail to build. */
async function openVersions(opening: ComparisonJob, log: Session['log']): Promise<Builds> {
  if (countsAlone(opening.profile)) {
    // Checks before builds, which take minutes.
    await requireValgrind();
  }
  const isAdopted = opening.suites.adopted !== undefined;
  const base = await (isAdopted ? open(opening, 'base', log).catch(asUnbuilt) : open(opening, 'base', log));
  if (base instanceof MeasurementError) {
    return usedForBoth(await open(opening, 'head', log), { side: 'base', failure: base });
  }
  try {
    const head = await open({ ...opening, runtime: base.runtime.name }, 'head', log).catch(asUnbuilt);
    if (head instanceof MeasurementError) {
      return usedForBoth(base, { side: 'head', failure: head });
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

/** Returns a fault of the version; rethrows one of the machine. */
function asUnbuilt(thrown: unknown): MeasurementError {
  if (thrown instanceof MeasurementError) {
    return thrown;
  }
  throw thrown;
}

async function open(opening: ComparisonJob, side: Side, log: Session['log']): Promise<PreparedRuntime> {
  const { suites, runtime, secrets, signal } = opening;
  const { root, ref, commit, dirty } = opening[side];
  const name = `${side} (${ref}, ${shortCommit(commit)}${dirty ? ' with changes' : ''})`;
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
    // Its folder no longer exists when the message is read.
    const advice = dirty || known.next === undefined ? '' : `Check out ${commit.slice(0, 10)}. `;
    throw inWords(known, (text) => text, { before: `${name}: `, advice });
  }
}
