import packageFile from '../../../package.json' with { type: 'json' };
import { readCommit } from '../../host/git/git.ts';
import { type Plan, type Profile, plannedSeconds } from '../../model/plan.ts';
import { mostRounds, type RoundProfile } from '../../model/rounds.ts';
import type { RoundsRecord } from '../../model/run/rounds.ts';
import { RUN_SCHEMA, type Run } from '../../model/run/run.ts';
import { sweepRecord } from '../../model/run/sweep.ts';
import type { MicroBenchmarks } from '../../model/sample/micro-benchmark.ts';
import { type Need, needsContainers, type Program, type Service } from '../../model/service.ts';
import { overNetwork } from '../../model/suite/network.ts';
import { publishedIn } from '../../model/suite/published.ts';
import type { Operation, Suite } from '../../model/suite/suite.ts';
import type { SuiteFiles } from '../../project/files.ts';
import { parseBuildArgs } from '../../runtime/docker/images/image.ts';
import type { Runtime } from '../../runtime/port.ts';
import { LOAD_TOOL_VERSIONS } from '../../runtime/tools/places.ts';
import type { RunFacts } from '../plans/run.ts';
import { LIMITS, type PreparedRuntime } from './runtime.ts';

export interface RunParts extends Pick<PreparedRuntime, 'runtime'> {
  readonly plan: Plan;
  readonly files: SuiteFiles;
  readonly budgetSeconds?: number | undefined;
  readonly microBenchmarks?: readonly MicroBenchmarks[] | undefined;
}

export async function runFactsOf({ plan, files, runtime, ...others }: RunParts): Promise<RunFacts> {
  const { budgetSeconds, microBenchmarks = [] } = others;
  const { suite, profile, modes, seed } = plan;
  const { tiers, published, factorial } = suite;
  const sweep = sweepRecord(suite);
  const services = [...files.services.values()];
  return {
    schema: RUN_SCHEMA,
    ...(await measurementOrigin(files, runtime)),
    seed,
    suite: {
      ...suiteRecord(suite),
      tiers,
      ...(suite.wasNamed !== undefined && { wasNamed: { ...suite.wasNamed, configHashes: files.formerHashes ?? [] } }),
      ...(sweep !== undefined && { sweep }),
      ...(factorial !== undefined && { factorial }),
      ...(published !== undefined && { published: publishedIn(published, runtime.name) }),
    },
    services: services.map((service) => serviceRecord(service, service.runtime ?? runtime.name)),
    plan: {
      profile,
      modes,
      plannedSeconds: plannedSeconds(plan, { runtime: runtime.name, services: files.services }),
      ...(budgetSeconds !== undefined && { budgetSeconds }),
    },
    ...(microBenchmarks.length > 0 && { microBenchmarks }),
  };
}

type Origin = Pick<
  RunFacts,
  'wiregauge' | 'startedAt' | 'commit' | 'configHash' | 'runner' | 'runtime' | 'limits' | 'tools'
>;

export async function measurementOrigin(files: SuiteFiles, runtime: Runtime): Promise<Origin> {
  return {
    wiregauge: packageFile.version,
    startedAt: new Date().toISOString(),
    commit: await readCommit(files.root),
    configHash: files.configHash,
    runner: runtime.runner,
    runtime: { name: runtime.name, reason: runtime.reason },
    limits: LIMITS,
    tools: LOAD_TOOL_VERSIONS,
  };
}

export function suiteRecord(
  suite: Suite,
): Pick<RunFacts['suite'], 'name' | 'title' | 'operations' | 'groups' | 'network' | 'warmupSeconds'> {
  const { network, saturation } = suite;
  const { warmupSeconds } = saturation;
  return {
    name: suite.name,
    title: suite.title,
    ...operationsBy(suite, ({ name, share }) => ({ name, share })),
    ...(warmupSeconds !== undefined && { warmupSeconds }),
    ...overNetwork({ network }),
  };
}

/** Operations of a suite by name, and which services have which if that differs. */
export function namedOperations(suite: SuiteOperations): Pick<RoundsRecord['base'], 'operations' | 'groups'> {
  return operationsBy(suite, ({ name }) => name);
}

type SuiteOperations = Pick<Suite, 'operations' | 'groups'>;

function operationsBy<Kept>({ operations, groups }: SuiteOperations, kept: (operation: Operation) => Kept) {
  const all = (own: readonly Operation[]) => own.map(kept);
  const grouped = groups?.map((group) => ({ services: group.services, operations: all(group.operations) }));
  return { operations: all(operations), ...(grouped !== undefined && { groups: grouped }) };
}

type ServiceRecord = Run['services'][number];

export function serviceRecord(service: Service, runtime: Runtime['name']): ServiceRecord {
  const { name, title, protocol, environment, address, limits, needs = [], entry, cores, variant } = service;
  const needsRuntime = runtime === 'process' && needsContainers(service) ? 'docker' : runtime;
  return {
    ...{ name, title, protocol, environment, runtime: service.runtime, variant },
    ...(limits !== undefined && { limits: limitsOf(limits) }),
    address,
    ...(needs.length > 0 && { needs: needs.map((need) => needRecord(need, needsRuntime)) }),
    cores,
    ...(entry !== undefined && { members: memberRecords({ ...service, entry }, runtime) }),
  };
}

/** An entry without dependencies depends on all members that no other member depends on, so that a diagram reaches each of them. */
function memberRecords(
  service: Service & { readonly entry: string },
  runtime: Runtime['name'],
): NonNullable<ServiceRecord['members']> {
  const { entry, members = [], dependsOn: own = [] } = service;
  const waitedFor = new Set(members.flatMap(({ needs }) => needs));
  const dependsOn = own.length > 0 ? own : members.map(({ name }) => name).filter((name) => !waitedFor.has(name));
  const all = [{ ...service, name: entry, dependsOn }, ...members.map((one) => ({ ...one, dependsOn: one.needs }))];
  return all.map((one) => ({
    name: one.name,
    dependsOn: [...one.dependsOn],
    environment: one.environment,
    source: sourceText(one, runtime).slice(0, 200),
    limits: limitsOf(one.limits),
  }));
}

function needRecord(need: Need, runtime: Runtime['name']): NonNullable<ServiceRecord['needs']>[number] {
  const { name, fresh, limits } = need;
  return {
    name,
    fresh,
    source: `${sourceText(need, runtime)}${buildText(need, runtime)}`.slice(0, 200),
    limits: limitsOf(limits),
  };
}

/** Build arguments of a need's image, since one of them may select another database. */
function buildText({ image }: Need, runtime: Runtime['name']): string {
  if (runtime === 'process' || image === undefined || 'reference' in image) {
    return '';
  }
  const outside = parseBuildArgs(process.env['WIREGAUGE_BUILD_ARGS']);
  const built = Object.entries(image.args ?? {}).map(([name, value]) => `${name}=${outside[name] ?? value}`);
  return built.length === 0 ? '' : ` with ${built.join(', ')}`;
}

function sourceText({ image, process }: Program, runtime: Runtime['name']): string {
  if (runtime === 'process' || image === undefined) {
    return process?.command.join(' ') ?? '';
  }
  return 'reference' in image ? image.reference : `built from ${image.dockerfile}`;
}

function limitsOf({ cpus = LIMITS.cpus, memoryMiB = LIMITS.memoryMiB }: Program['limits'] = {}): typeof LIMITS {
  return { cpus, memoryMiB };
}

export function roundsProfile(profile: RoundProfile): Profile {
  return {
    name: profile.name,
    rampScale: 0,
    warmupSeconds: profile.dropSeconds,
    measureSeconds: profile.tierBlocks * profile.tierBlockSeconds,
    saturationSeconds: profile.saturationSeconds,
    rounds: mostRounds(profile),
  };
}

/** Sizes of the services' builds, without their needs, by name; none without an image or a binary. */
export async function sizesOf(
  runtime: Pick<Runtime, 'built'>,
  services: readonly Service[],
): Promise<NonNullable<RoundsRecord['base']['sizes']>> {
  const own = services.filter(({ address }) => address === undefined);
  const found = await Promise.all(
    own.map(async (service) => {
      const needs = (service.needs ?? []).map(({ name }) => name);
      const built = await runtime.built(service);
      const sizes = built.filter(({ name }) => !needs.includes(name)).flatMap(({ size }) => size ?? []);
      const bytes = sizes.reduce((sum, one) => sum + one.bytes, 0);
      return sizes.length === 0 ? [] : [[service.name, { bytes, layers: sizes.flatMap((one) => one.layers) }] as const];
    }),
  );
  return Object.fromEntries(found.flat());
}
