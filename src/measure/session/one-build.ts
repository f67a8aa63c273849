import { randomInt } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { ConfigError } from '../../foundation/errors.ts';
import { wordList } from '../../foundation/text.ts';
import { outputFolder } from '../../host/files/output.ts';
import { readCommit } from '../../host/git/git.ts';
import { versionOf } from '../../host/git/worktrees.ts';
import { machineOwner } from '../../host/machine/proc.ts';
import { profileNamed, usualBudgetSeconds } from '../../model/profiles.ts';
import { mostRounds, type RoundProfile, roundSeconds } from '../../model/rounds.ts';
import type { PlantRecord } from '../../model/run/plant.ts';
import type { RunInRounds } from '../../model/run/run.ts';
import type { Service } from '../../model/service.ts';
import { operationsFor } from '../../model/suite/groups.ts';
import { asPlainProcess } from '../../model/suite/published.ts';
import type { Suite } from '../../model/suite/suite.ts';
import type { SuiteFiles } from '../../project/files.ts';
import { takeSecrets } from '../../project/policy.ts';
import { readSuite, withCheckedContracts } from '../../project/suite.ts';
import { mayCount } from '../instructions/time.ts';
import type { TrialBench } from '../trial/bench.ts';
import { keepIn } from '../trial/keep.ts';
import { verify } from '../trial/verify.ts';
import { selfPlan, servicesPlan } from './plan-line.ts';
import { measureRounds, type RoundsJob } from './rounds.ts';
import { namedOperations } from './run-facts.ts';
import { aloneOnMachine, checkBudget, expectedPlace, type MeasureFlags } from './runtime.ts';
import { inSession, type Job } from './session.ts';
import { readSuites, type VersionSuites, versionRecord } from './versions/suites.ts';
import { maskingFolders, namingNoFolder } from './versions/words.ts';

type VersusJob = Job & Pick<RoundsJob, 'profile' | 'budgetSeconds' | 'seed' | 'keep'>;

export async function measureVersus(job: VersusJob): Promise<RunInRounds> {
  const { files, profile, runtime, budgetSeconds } = job;
  const sides = await versusSides(files);
  checkBudget(budgetSeconds, profile, { suite: sides.suites.suite, place: expectedPlace(runtime, files) });
  const { suite, services } = files;
  const planned = servicesPlan({ suite, profile, budgetSeconds, canCount: await mayCount({}) });
  return await inSession({ ...job, files: sides.suites.head, atOnce: 2 }, planned, async (session) => {
    await verify({ ...session, suite, services, runtime: session.prepared.head.runtime });
    return await measureRounds(session, { ...job, ...sides });
  });
}

/** Services that are compared may have separate operations, but with the same names. Throws ConfigError for others, with their names. */
export function refuseOtherOperations(suite: Suite): void {
  const [first = '', ...others] = suite.services;
  const namesOf = (service: string): readonly string[] => operationsFor(suite, service).map(({ name }) => name);
  const required = namesOf(first);
  const other = others.find((service) => !isDeepStrictEqual(namesOf(service).toSorted(), required.toSorted()));
  if (other !== undefined) {
    throw new ConfigError(
      `${first} and ${other} have different operations, so they cannot be compared: ${wordList(required)}, and ${wordList(namesOf(other))}`,
      {
        code: 'WG-406',
        next: 'Select services that share the operations of the file, or whose own operations have the same names.',
      },
    );
  }
}

/** Services of a suite against the first one, as the two sides of one build: the working tree. */
export async function versusSides(files: SuiteFiles): Promise<Pick<RoundsJob, 'suites' | 'records' | 'versus'>> {
  const [first = '', ...names] = files.suite.services;
  const reference = files.services.get(first) as Service;
  const suite = { ...files.suite, services: names };
  const head = { ...files, suite };
  // The reference is the base of every other service.
  const services = new Map(names.map((name) => [name, reference]));
  const requested = operationsFor(files.suite, first);
  const base = { ...head, suite: { ...suite, operations: requested, groups: undefined }, services };
  return { suites: { suite, base, head }, records: await versusRecords(head), versus: { reference: first } };
}

/** Services of `inBothRuntimes` in containers, as the head, against themselves as plain processes, as the base. */
export async function runtimeSides(files: SuiteFiles): Promise<Pick<RoundsJob, 'suites' | 'records' | 'versus'>> {
  const { suite } = files;
  const contained = [...files.services.values()].filter(({ runtime }) => runtime === 'docker');
  const references = Object.fromEntries(contained.map(({ name }) => [name, asPlainProcess(name)]));
  const headSuite = { ...suite, services: contained.map(({ name }) => name) };
  const head = { ...files, suite: headSuite, services: new Map(contained.map((service) => [service.name, service])) };
  const plain = contained.map(({ name }) => [name, files.services.get(asPlainProcess(name)) as Service] as const);
  const base = { ...head, services: new Map(plain) };
  const [reference = ''] = Object.values(references);
  return {
    suites: { suite: headSuite, base, head },
    records: await versusRecords(head),
    versus: { reference, references },
  };
}

export function pairedServices(files: SuiteFiles, isMeasured: (service: string) => boolean): readonly string[] {
  return [...files.services.values()]
    .filter(({ runtime, name }) => runtime === 'docker' && isMeasured(name) && isMeasured(asPlainProcess(name)))
    .flatMap(({ name }) => [asPlainProcess(name), name]);
}

async function versusRecords({ root, suite, configHash }: SuiteFiles): Promise<RoundsJob['records']> {
  const { head: commit, dirty } = await readCommit(root);
  const record = {
    ref: 'working tree',
    ...(commit !== undefined && { commit }),
    dirty,
    configHash,
    services: suite.services,
    ...namedOperations(suite),
  };
  return { base: record, head: record };
}

/** Limits the rounds to those that fit into it. */
export interface SelfComparison extends MeasureFlags, Pick<TrialBench, 'adviceFor'> {
  readonly counts?: boolean | undefined;
  /** Plant in the head's services: then it is compared like a pull request, and may end early. */
  readonly plant?: PlantRecord | undefined;
  /** Additional environment of the head's services, by service: a built-in slowdown, for benchmarks. */
  readonly slowdown?: Readonly<Record<string, Readonly<Record<string, string>>>> | undefined;
}

/** Compares the working tree with itself for the given rounds, without an early end; the run is also in `out`. */
export async function compareWithItself(comparison: SelfComparison, signal: AbortSignal): Promise<RunInRounds> {
  const { suite: name, services, runtime, json, budget, plant, counts = false, adviceFor } = comparison;
  // Fails before waiting for the machine.
  withCheckedContracts(readSuite(process.cwd(), name, services));
  await using _lock = await aloneOnMachine(comparison, { what: 'wiregauge calibrate', signal });
  await using version = await versionOf(process.cwd(), undefined, machineOwner());
  return await namingNoFolder([version], async () => {
    const read = readSuites({ base: version, head: version }, name, { services });
    const secrets = maskingFolders(takeSecrets(read.head.secrets), [version]);
    const isWhole = plant !== undefined && comparison.rounds === undefined;
    const profile = isWhole ? profileNamed(comparison.profile).rounds : boundProfile(comparison, read);
    const suites = slowedDown(read, comparison);
    const { suite, head } = suites;
    const seconds = mostRounds(profile) * roundSeconds(profile, suite, expectedPlace(runtime, head));
    const record = versionRecord(version, head, services);
    const job = {
      ...{ suites, profile, counts, adviceFor, plant, secrets, signal, json, runtime, files: head },
      records: { base: record, head: record },
      seed: comparison.seed ?? randomInt(1, 2 ** 31),
      // A machine that takes twice the planned time would only confirm that it is slow.
      budgetSeconds:
        budget ?? (plant === undefined ? 2 * seconds : Math.max(2 * seconds, usualBudgetSeconds(profile.name))),
      stopsEarly: plant !== undefined,
      keep: keepIn(await outputFolder(comparison.out)),
    };
    const planned = selfPlan({ ref: version.ref, suite, profile, budgetSeconds: budget });
    return await inSession({ ...job, atOnce: 2 }, planned, (session) => measureRounds(session, job));
  });
}

/** Profile with the requested number of rounds, or as many as fit into the budget. Throws ConfigError for a budget of too few. */
export function boundProfile(
  { profile: name, rounds, budget, runtime }: Pick<SelfComparison, 'profile' | 'rounds' | 'budget' | 'runtime'>,
  suites: Pick<VersionSuites, 'suite' | 'head'>,
): RoundProfile {
  const { rounds: profile, calibrationRounds } = profileNamed(name);
  const required = rounds ?? calibrationRounds;
  if (budget === undefined) {
    return { ...profile, looks: [{ rounds: required, spent: 1 }] };
  }
  const measuring = { suite: suites.suite, place: expectedPlace(runtime, suites.head) };
  checkBudget(budget, profile, measuring);
  const affordable = Math.floor(budget / roundSeconds(profile, measuring.suite, measuring.place));
  return { ...profile, looks: [{ rounds: Math.min(required, affordable), spent: 1 }] };
}

/** Both versions, the head with its slowdown. The program that plants CPU time also uses memory, which is not a change of the service. */
function slowedDown(read: VersionSuites, { slowdown = {}, plant }: SelfComparison): VersionSuites {
  const { suite, head } = read;
  const services = [...head.services].map(([name, service]) => {
    const environment = { ...service.environment, ...slowdown[name] };
    return [name, { ...service, environment, ...(plant !== undefined && { plant }) }] as const;
  });
  const { policy } = suite;
  const thresholds = [...(policy.thresholds ?? []), { metric: 'peakMemoryMiB', gate: false }];
  return {
    ...read,
    suite: plant === undefined || 'memoryMB' in plant ? suite : { ...suite, policy: { ...policy, thresholds } },
    head: { ...head, services: new Map(services) },
  };
}
