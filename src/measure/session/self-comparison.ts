import { randomInt } from 'node:crypto';
import { outputFolder, versionOf } from '../../host/index.ts';
import type { RoundProfile, RunInRounds } from '../../model/index.ts';
import { profileNamed, roundSeconds } from '../../model/index.ts';
import type { SuiteFiles } from '../../project/index.ts';
import { takeSecrets } from '../../project/index.ts';
import type { Secrets } from '../../secrets/index.ts';
import { keepIn } from '../slots/benchmark.ts';
import { measureOneBuild, type OneBuild } from './build.ts';
import { type AloneFlags, aloneOnMachine } from './machine-turn.ts';
import { machineOwner, type RuntimeChoice } from './runtime.ts';
import {
  maskingFolders,
  namingNoFolder,
  readSuites,
  type VersionFolder,
  type VersionSuites,
  versionRecord,
} from './versions.ts';

/** A comparison of one build with itself. */
export interface SelfComparison extends AloneFlags {
  readonly suite?: string | undefined;
  readonly services?: readonly string[] | undefined;
  readonly profile: string;
  readonly rounds: number;
  readonly runtime: RuntimeChoice;
  readonly seed?: number | undefined;
  readonly out: string;
  /** Environment of the head's services besides their own, by service: a slowdown that is built in, for benchmarks. */
  readonly slowdown?: Readonly<Record<string, Readonly<Record<string, string>>>> | undefined;
}

/** Compares the working tree with itself for so many rounds, none of which ends it early; the run also lies in `out`. */
export async function compareWithItself(comparison: SelfComparison, signal: AbortSignal): Promise<RunInRounds> {
  const { suite, services, rounds } = comparison;
  await using _lock = await aloneOnMachine(comparison, { what: 'wiregauge calibrate', signal });
  await using version = await versionOf(process.cwd(), undefined, machineOwner());
  return await namingNoFolder([version], async () => {
    const suites = readSuites({ base: version, head: version }, suite, services);
    const secrets = maskingFolders(takeSecrets(suites.head.secrets), [version]);
    const profile = { ...profileNamed(comparison.profile), looks: [{ rounds, spent: 1 }] };
    const head = withEnvironment(suites.head, comparison.slowdown ?? {});
    return await measure({ comparison, profile, version, suites: { ...suites, head }, secrets, signal });
  });
}

interface SelfComparisonJob {
  readonly comparison: SelfComparison;
  readonly profile: RoundProfile;
  readonly version: VersionFolder;
  readonly suites: VersionSuites;
  readonly secrets: Secrets;
  readonly signal: AbortSignal;
}

async function measure({
  comparison,
  profile,
  version,
  suites,
  secrets,
  signal,
}: SelfComparisonJob): Promise<RunInRounds> {
  const { rounds, runtime, services, seed, json } = comparison;
  const seconds = rounds * roundSeconds(profile, suites.suite);
  const build: OneBuild = {
    suites,
    record: versionRecord(version, suites.head, services),
    profile,
    seed: seed ?? randomInt(1, 2 ** 31),
    // A machine that takes twice as long as planned has shown what it is.
    budgetSeconds: 2 * seconds,
    secrets,
    keep: keepIn(await outputFolder(comparison.out)),
    signal,
  };
  const planned = { kind: 'self', ref: version.ref, rounds, seconds } as const;
  return await measureOneBuild(build, { runtime, json, planned });
}

function withEnvironment(files: SuiteFiles, added: NonNullable<SelfComparison['slowdown']>): SuiteFiles {
  const services = [...files.services].map(([name, service]) => {
    const environment = { ...service.environment, ...added[name] };
    return [name, { ...service, environment }] as const;
  });
  return { ...files, services: new Map(services) };
}
