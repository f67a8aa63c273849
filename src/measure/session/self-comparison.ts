import { randomInt } from 'node:crypto';
import { outputFolder } from '../../host/files/output.ts';
import { versionOf } from '../../host/git/worktrees.ts';
import { profileNamed, usualBudgetSeconds } from '../../model/profiles.ts';
import type { RoundProfile } from '../../model/rounds.ts';
import { mostRounds, roundSeconds } from '../../model/rounds.ts';
import type { RunInRounds } from '../../model/run/run.ts';
import type { SuiteFiles } from '../../project/files.ts';
import { takeSecrets } from '../../project/policy.ts';
import { readSuite, withCheckedContracts } from '../../project/suite.ts';
import type { Secrets } from '../../secrets/secrets.ts';
import type { RoundBench } from '../plans/versions.ts';
import { keepIn } from '../trial/keep.ts';
import { measureOneBuild, type OneBuild } from './build.ts';
import { type AloneFlags, aloneOnMachine } from './machine-turn.ts';
import { checkBudget, expectedPlace, machineOwner, type RuntimeChoice } from './runtime.ts';
import { readSuites, type VersionSuites, versionRecord } from './versions/suites.ts';
import { maskingFolders, namingNoFolder, type VersionFolder } from './versions/words.ts';

/** A comparison of one build with itself. */
export interface SelfComparison extends AloneFlags, Pick<RoundBench, 'adviceFor'> {
  readonly suite?: string | undefined;
  readonly services?: readonly string[] | undefined;
  readonly profile: string;
  /** undefined: as many as the profile has. */
  readonly rounds?: number | undefined;
  /** Seconds: no more rounds than fit into them. */
  readonly budget?: number | undefined;
  readonly runtime: RuntimeChoice;
  readonly seed?: number | undefined;
  readonly out: string;
  /** Whether instructions are counted before the rounds, if they can be. */
  readonly counts?: boolean | undefined;
  /** More CPU time of the head's services, 0.05 is 5%: then it is compared as a pull request is, and may end early. */
  readonly plant?: number | undefined;
  /** Environment of the head's services besides their own, by service: a slowdown that is built in, for benchmarks. */
  readonly slowdown?: Readonly<Record<string, Readonly<Record<string, string>>>> | undefined;
}

/** Compares the working tree with itself for so many rounds, none of which ends it early; the run also lies in `out`. */
export async function compareWithItself(comparison: SelfComparison, signal: AbortSignal): Promise<RunInRounds> {
  const { suite, services } = comparison;
  // Told before anything waits for the machine.
  withCheckedContracts(readSuite(process.cwd(), suite, services));
  await using _lock = await aloneOnMachine(comparison, { what: 'wiregauge calibrate', signal });
  await using version = await versionOf(process.cwd(), undefined, machineOwner());
  return await namingNoFolder([version], async () => {
    const suites = readSuites({ base: version, head: version }, suite, { services });
    const secrets = maskingFolders(takeSecrets(suites.head.secrets), [version]);
    const isWhole = comparison.plant !== undefined && comparison.rounds === undefined;
    const profile = isWhole ? profileNamed(comparison.profile).rounds : boundProfile(comparison, suites);
    const head = slowedDown(suites.head, comparison);
    return await measure({ comparison, profile, version, suites: { ...suites, head }, secrets, signal });
  });
}

/** The profile with as many rounds as were asked for, or as fit into the budget. Throws ConfigError for a budget of too few. */
export function boundProfile(
  { profile: name, rounds, budget, runtime }: Pick<SelfComparison, 'profile' | 'rounds' | 'budget' | 'runtime'>,
  suites: Pick<VersionSuites, 'suite' | 'head'>,
): RoundProfile {
  const { rounds: profile, calibrationRounds } = profileNamed(name);
  const wanted = rounds ?? calibrationRounds;
  if (budget === undefined) {
    return { ...profile, looks: [{ rounds: wanted, spent: 1 }] };
  }
  const measuring = { suite: suites.suite, place: expectedPlace(runtime, suites.head) };
  checkBudget(budget, profile, measuring);
  const affordable = Math.floor(budget / roundSeconds(profile, measuring.suite, measuring.place));
  return { ...profile, looks: [{ rounds: Math.min(wanted, affordable), spent: 1 }] };
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
  const { runtime, services, seed, json, budget, counts, plant, adviceFor } = comparison;
  const { suite } = suites;
  const seconds = mostRounds(profile) * roundSeconds(profile, suite, expectedPlace(runtime, suites.head));
  const build: OneBuild = {
    suites,
    record: versionRecord(version, suites.head, services),
    profile,
    seed: seed ?? randomInt(1, 2 ** 31),
    // A machine that takes twice as long as planned has shown what it is.
    budgetSeconds:
      budget ?? (plant === undefined ? 2 * seconds : Math.max(2 * seconds, usualBudgetSeconds(profile.name))),
    counts,
    stopsEarly: plant !== undefined,
    adviceFor,
    secrets,
    keep: keepIn(await outputFolder(comparison.out)),
    signal,
  };
  const planned = { kind: 'self', ref: version.ref, suite, profile, budgetSeconds: budget } as const;
  return await measureOneBuild(build, { runtime, json, planned });
}

function slowedDown(files: SuiteFiles, { slowdown = {}, plant }: SelfComparison): SuiteFiles {
  const services = [...files.services].map(([name, service]) => {
    const environment = { ...service.environment, ...slowdown[name] };
    return [name, { ...service, environment, ...(plant !== undefined && { plant }) }] as const;
  });
  return { ...files, services: new Map(services) };
}
