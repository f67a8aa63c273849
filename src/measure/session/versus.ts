import { randomInt } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { ConfigError } from '../../foundation/errors.ts';
import { wordList } from '../../foundation/text.ts';
import type { OutputFolder } from '../../host/files/output.ts';
import { readCommit } from '../../host/git/git.ts';
import type { Telling } from '../../host/terminal/output.ts';
import type { RoundProfile } from '../../model/rounds.ts';
import type { RoundsRecord } from '../../model/run/rounds.ts';
import type { RunInRounds } from '../../model/run/run.ts';
import type { Service } from '../../model/service.ts';
import { operationsFor } from '../../model/suite/groups.ts';
import { asPlainProcess } from '../../model/suite/published.ts';
import type { Suite } from '../../model/suite/suite.ts';
import type { SuiteFiles } from '../../project/files.ts';
import { takeSecrets } from '../../project/policy.ts';
import { mayCount } from '../instructions/time.ts';
import { trialBench } from '../trial/bench.ts';
import { keepIn } from '../trial/keep.ts';
import { verify } from '../trial/verify.ts';
import { measureOneBuild, type OneBuild } from './build.ts';
import { namedOperations } from './run-facts.ts';
import { checkBudget, expectedPlace, type RuntimeChoice } from './runtime.ts';

/** Services that are compared with the first of them. */
export interface VersusJob extends Pick<Telling, 'json'> {
  readonly files: SuiteFiles;
  readonly profile: RoundProfile;
  readonly runtime: RuntimeChoice;
  readonly budgetSeconds: number;
  /** undefined: random. */
  readonly seed?: number | undefined;
  readonly output: OutputFolder;
  readonly signal: AbortSignal;
}

/** Builds the services, verifies that they answer the same, counts what each executes beside the first, and plays rounds that alternate with it. */
export async function measureVersus(job: VersusJob): Promise<RunInRounds> {
  const { files, profile, runtime, budgetSeconds, output, signal, json } = job;
  const sides = await versusSides(files);
  checkBudget(budgetSeconds, profile, { suite: sides.suites.suite, place: expectedPlace(runtime, files) });
  const secrets = takeSecrets(files.secrets);
  const seed = job.seed ?? randomInt(1, 2 ** 31);
  const build = { ...sides, profile, seed, budgetSeconds, secrets, keep: keepIn(output), signal, counts: true };
  const { suite, services } = files;
  const canCount = await mayCount({});
  return await measureOneBuild(build, {
    runtime,
    json,
    planned: { kind: 'services', suite, profile, budgetSeconds, canCount },
    check: (opened, progress) =>
      verify({ ...trialBench({ secrets, progress, signal }), suite, services, runtime: opened }),
  });
}

/** Services that are compared may have operations of their own, but of the same names. Throws ConfigError for others, with their names. */
export function refuseOtherOperations(suite: Suite): void {
  const [first = '', ...others] = suite.services;
  const namesOf = (service: string): readonly string[] => operationsFor(suite, service).map(({ name }) => name);
  const wanted = namesOf(first);
  const other = others.find((service) => !isDeepStrictEqual(namesOf(service).toSorted(), wanted.toSorted()));
  if (other !== undefined) {
    throw new ConfigError(
      `${first} and ${other} have different operations, so they cannot be compared: ${wordList(wanted)}, and ${wordList(namesOf(other))}`,
      {
        code: 'WG-406',
        next: 'Select services that share the operations of the file, or whose own operations have the same names.',
      },
    );
  }
}

/** The services of a suite against the first of them, as the two sides of one build: the working tree as it is. */
export async function versusSides(files: SuiteFiles): Promise<Pick<OneBuild, 'suites' | 'record' | 'versus'>> {
  const [first = '', ...names] = files.suite.services;
  const reference = files.services.get(first) as Service;
  const suite = { ...files.suite, services: names };
  const head = { ...files, suite };
  // The reference takes the place of the base of every other service.
  const services = new Map(names.map((name) => [name, reference]));
  const asked = operationsFor(files.suite, first);
  const base = { ...head, suite: { ...suite, operations: asked, groups: undefined }, services };
  return { suites: { suite, base, head }, record: await versusRecord(head), versus: { reference: first } };
}

/** Each service of `inBothRuntimes` in containers, as the head, against itself as plain processes, as the base. */
export async function runtimeSides(files: SuiteFiles): Promise<Pick<OneBuild, 'suites' | 'record' | 'versus'>> {
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
    record: await versusRecord(head),
    versus: { reference, references },
  };
}

/** Services of a run of both runtimes that could be measured in both of them. */
export function pairedServices(files: SuiteFiles, isMeasured: (service: string) => boolean): readonly string[] {
  return [...files.services.values()]
    .filter(({ runtime, name }) => runtime === 'docker' && isMeasured(name) && isMeasured(asPlainProcess(name)))
    .flatMap(({ name }) => [asPlainProcess(name), name]);
}

async function versusRecord({ root, suite, configHash }: SuiteFiles): Promise<RoundsRecord['base']> {
  const { head: commit, dirty } = await readCommit(root);
  return {
    ref: 'working tree',
    ...(commit !== undefined && { commit }),
    dirty,
    configHash,
    services: suite.services,
    ...namedOperations(suite),
  };
}
