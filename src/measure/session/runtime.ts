import { ConfigError, EnvironmentError, KnownError } from '../../foundation/errors.ts';
import { formatDuration } from '../../foundation/numbers.ts';
import type { Lookups } from '../../foundation/placeholders.ts';
import { wordList } from '../../foundation/text.ts';
import { lockMachine } from '../../host/locks.ts';
import { checkSystem, chooseCores } from '../../host/machine/machine.ts';
import { removeOrphans } from '../../host/machine/orphans.ts';
import { isOwnerAlive, machineOwner } from '../../host/machine/proc.ts';
import { remarkLog } from '../../host/terminal/output.ts';
import { USUAL_WAIT } from '../../model/profiles.ts';
import { fewestRounds, type RoundProfile, roundSeconds } from '../../model/rounds.ts';
import {
  containedNeeds,
  needsContainers,
  type Place,
  type Program,
  programsOf,
  type Service,
} from '../../model/service.ts';
import type { Suite } from '../../model/suite/suite.ts';
import type { SuiteFiles } from '../../project/files.ts';
import { OWN_ROOT } from '../../project/own-root.ts';
import { bothRuntimes } from '../../runtime/both.ts';
import { type DockerAnswer, dockerAnswers } from '../../runtime/docker/engine.ts';
import { parseBuildArgs } from '../../runtime/docker/images/image.ts';
import { needContainers } from '../../runtime/docker/needs.ts';
import { dockerRuntime, removeOrphanContainers } from '../../runtime/docker/runtime.ts';
import { driverFromImage } from '../../runtime/docker/tools.ts';
import { refuseUnsupported } from '../../runtime/kubernetes/refusal.ts';
import { kubernetesRuntime, removeOrphanPods } from '../../runtime/kubernetes/runtime.ts';
import { refuseTooFewCores } from '../../runtime/needs.ts';
import type { LoadTools, Runtime, RuntimeOptions } from '../../runtime/port.ts';
import { processRuntime } from '../../runtime/process/runtime.ts';
import { cachesHere } from '../../runtime/tools/places.ts';
import { provideLoadTools } from '../../runtime/tools/tools.ts';

/** Runtime of the services; `both` only for services that name their place (`inBothRuntimes`). */
export type RuntimeChoice = 'auto' | Place['runtime'];

export interface RuntimeRequest {
  readonly choice: RuntimeChoice;
  readonly root: string;
  readonly services: readonly Service[];
  /** Number of services that run at once; undefined: one. */
  readonly atOnce?: number;
  /** Values of placeholders in environment variables, except those of `needs`. */
  readonly lookups?: Lookups;
  readonly signal: AbortSignal;
  readonly log: (line: string) => void;
}

export interface PreparedRuntime {
  readonly runtime: Runtime;
  readonly tools: LoadTools;
}

export const LIMITS = { cpus: 1, memoryMiB: 512 };

/**
 * Removes leftovers of dead runs, finds the load tools, and opens the requested runtime with its services built. `auto` uses the Docker engine if it
 * responds and builds the images, else plain processes, and logs why; if all services already run, only the load tools are started, as plain
 * processes. `both` opens both, for services that name their place. The caller disposes of the runtime.
 */
export async function openRuntime(request: RuntimeRequest): Promise<PreparedRuntime> {
  const { log } = request;
  checkSystem();
  if (request.choice === 'kubernetes') {
    return await openKubernetes(request);
  }
  const cores = chooseCores();
  refuseTooFewCores(request.services, cores);
  if (cores.service === cores.load) {
    log(`the service and the load tool share core ${cores.load}: latency and rates include the load tool's share`);
  }
  const answer = await engineFor(request);
  const hasDocker = answer?.ok === true;
  await removeOrphans(log);
  if (hasDocker) {
    await removeOrphanContainers(isOwnerAlive, log);
  }
  const options = { ...baseOptions(request), tools: await loadTools(request, hasDocker) };
  if (request.choice === 'both') {
    const reason = 'set by --runtime both';
    const docker = await dockerRuntime({ ...options, reason });
    const both = bothRuntimes({ docker, process: await processRuntime({ ...options, reason }) });
    const opened = await preparedFor(request, both, options.tools);
    log(`runtime: containers and plain processes, ${reason}`);
    return opened;
  }
  const mayContain = hasDocker && request.choice !== 'process';
  const opened = mayContain ? await openDocker(request, options) : reasonOf(request, answer);
  if (typeof opened !== 'string') {
    return opened;
  }
  const contained = containedNeeds(request.services).map(({ name }) => name);
  const besides = contained.length === 0 ? '' : `; ${wordList([...new Set(contained)])} in containers`;
  log(`runtime: plain processes, ${opened}${besides}`);
  const processes = { ...options, reason: opened };
  const containers = contained.length === 0 ? undefined : await needContainers(processes);
  return await preparedFor(request, await processRuntime(processes, containers), options.tools);
}

/** Runtime with pods of a cluster. Throws KnownError if it cannot be used, and leaves nothing behind then. */
async function openKubernetes(request: RuntimeRequest): Promise<PreparedRuntime> {
  const { services, log } = request;
  refuseUnsupported(services);
  const base = baseOptions(request);
  await removeOrphans(log);
  await removeOrphanPods(isOwnerAlive, base.owner, log);
  const tools = await loadTools(request, true);
  const reason = 'set by --runtime kubernetes';
  const options = { ...base, tools, reason, services, atOnce: request.atOnce ?? 1 };
  const runtime = await kubernetesRuntime(options, request.signal);
  log(`runtime: kubernetes, ${reason}`);
  return await preparedFor(request, runtime, tools);
}

/** Files with the limits that apply to their services. */
export function withLimits<Files extends Pick<SuiteFiles, 'services'>>(
  files: Files,
  { runtime }: PreparedRuntime,
): Files {
  const services = [...files.services].map(([name, one]) => [name, runtime.withLimits?.(one) ?? one] as const);
  return { ...files, services: new Map(services) };
}

async function engineFor({ choice, services }: RuntimeRequest): Promise<DockerAnswer | undefined> {
  refuseMixedStarts(services);
  if (choice === 'process') {
    refuseContainersOnly(plainPrograms(services), undefined);
  }
  const isRequired = areStarted(services) && (choice !== 'process' || services.some(needsContainers));
  const answer = isRequired ? await dockerAnswers() : undefined;
  if (answer?.ok === false && (choice === 'docker' || choice === 'both')) {
    throw new EnvironmentError(`--runtime ${choice}: ${answer.why}`, { code: 'WG-201', next: answer.next });
  }
  if (answer?.ok !== true) {
    refuseContainersOnly(programsOf(services), answer);
  }
  return answer;
}

function reasonOf({ services }: RuntimeRequest, answer: DockerAnswer | undefined): string {
  if (answer?.ok === false) {
    return `the Docker engine cannot be used: ${answer.why}`;
  }
  return areStarted(services) ? 'set by --runtime process' : 'the services are already running';
}

function areStarted(services: readonly Service[]): boolean {
  return services.some(({ address }) => address === undefined);
}

async function preparedFor(
  { services, signal }: RuntimeRequest,
  runtime: Runtime,
  tools: LoadTools,
): Promise<PreparedRuntime> {
  try {
    await runtime.prepare(services, signal);
    return { runtime, tools };
  } catch (thrown) {
    await runtime[Symbol.asyncDispose]();
    throw thrown;
  }
}

async function openDocker(
  request: RuntimeRequest,
  options: ReturnType<typeof baseOptions> & Pick<RuntimeOptions, 'tools'>,
): Promise<PreparedRuntime | string> {
  const { choice, services, signal, log } = request;
  const reason = choice === 'docker' ? 'set by --runtime docker' : 'the Docker engine answers and builds the images';
  const runtime = await dockerRuntime({ ...options, reason });
  try {
    const opened = await preparedFor(request, runtime, options.tools);
    log(`runtime: docker, ${reason}`);
    return opened;
  } catch (thrown) {
    const plain = plainPrograms(services);
    const hasImages = plain.every(({ image }) => image !== undefined);
    const isContainersOnly = containersOnly(plain).length > 0 || (hasImages && services.some(needsContainers));
    const isFinal = choice === 'docker' || isContainersOnly || signal.aborted;
    if (isFinal || !(thrown instanceof KnownError)) {
      throw thrown;
    }
    const lines = thrown.brief.split('\n').filter((line) => line.trim() !== '');
    return [...new Set([lines[0], lines.at(-1)])].join(' ').slice(0, 500);
  }
}

function buildArguments() {
  return parseBuildArgs(process.env['WIREGAUGE_BUILD_ARGS']);
}

function baseOptions({ root, log, lookups = {} }: RuntimeRequest) {
  const buildArgs = buildArguments();
  return { root, log, lookups, limits: LIMITS, cores: chooseCores(), owner: machineOwner(), buildArgs };
}

/** Load driver from the caches of this machine, installed if missing. Only Docker can use one from an image. */
export async function loadTools(
  { log, signal }: Pick<RuntimeRequest, 'log' | 'signal'>,
  hasDocker: boolean,
): Promise<LoadTools> {
  const image = { root: OWN_ROOT, buildArgs: buildArguments(), owner: machineOwner() };
  const fromImage = (folder: string): Promise<void> => driverFromImage(folder, image, signal);
  return await provideLoadTools({
    ...cachesHere(),
    root: OWN_ROOT,
    log,
    signal,
    ...(hasDocker && { fromImage }),
  });
}

/** Place where services will run, as far as known before the runtime is opened: containers, unless excluded. */
export function expectedPlace(choice: RuntimeChoice, { services }: Pick<SuiteFiles, 'services'>): Place {
  const programs = programsOf([...services.values()]);
  const isContained = programs.length > 0 && programs.every(({ image }) => image !== undefined);
  const either = choice !== 'process' && isContained ? 'docker' : 'process';
  return { runtime: choice === 'both' || choice === 'kubernetes' ? choice : either, services };
}

/** Throws ConfigError if there is not enough time for the rounds of the first look: the result could only be "inconclusive". */
export function checkBudget(
  budgetSeconds: number,
  profile: RoundProfile,
  { suite, place }: { readonly suite: Suite; readonly place: Place },
): void {
  const rounds = fewestRounds(profile);
  const seconds = rounds * roundSeconds(profile, suite, place);
  if (seconds > budgetSeconds) {
    throw new ConfigError(
      `a budget of ${formatDuration(budgetSeconds)} is too small: ${rounds} rounds of profile ${profile.name} take about ${formatDuration(seconds)}`,
      { code: 'WG-115', next: `Raise --budget, use --profile quick, or select fewer services with --services.` },
    );
  }
}

/** Programs that run like the services: all except needs in containers next to plain processes. */
export function plainPrograms(services: readonly Service[]): readonly Program[] {
  return programsOf(services.map((service) => (needsContainers(service) ? { ...service, needs: [] } : service)));
}

export function containersOnly(programs: readonly Program[]): readonly string[] {
  return programs.filter(({ process }) => process === undefined).map(({ name }) => name);
}

/** Throws ConfigError if one program has no image and another no process: a run starts all except needs in the same way. */
export function refuseMixedStarts(services: readonly Service[]): void {
  const programs = plainPrograms(services);
  const mixed = services.flatMap(({ needs = [] }) => (containersOnly(needs).length > 0 ? needs : []));
  const plain = [...mixed, ...programs].find(({ image }) => image === undefined);
  const [contained] = containersOnly(programs);
  if (plain !== undefined && contained !== undefined) {
    throw new ConfigError(
      `${plain.name} has no image, and ${contained} has no process: they cannot all run as containers, nor all as plain processes`,
      {
        code: 'WG-116',
        next: `Add a \`process\` with a \`command\` to ${contained}, or an \`image\` with a \`port\` to ${plain.name}.`,
      },
    );
  }
}

/** Throws EnvironmentError with the engine's refusal, or ConfigError, if a program can only run in a container. */
export function refuseContainersOnly(programs: readonly Program[], answer: DockerAnswer | undefined): void {
  const [first] = containersOnly(programs);
  if (first === undefined) {
    return;
  }
  if (answer?.ok === false) {
    throw new EnvironmentError(`${first} can be started in a container only, and ${answer.why}`, {
      code: 'WG-116',
      next: answer.start,
    });
  }
  throw new ConfigError(`${first}: has no command to start it as a plain process`, {
    code: 'WG-116',
    next: 'Add one (`process:`), or measure it in a container with --runtime docker.',
  });
}

/** Flags of commands that measure a suite. */
export interface MeasureFlags {
  readonly wait?: number | undefined;
  readonly json?: boolean | undefined;
  readonly suite?: string | undefined;
  readonly services?: readonly string[] | undefined;
  readonly operations?: readonly string[] | undefined;
  readonly profile: string;
  /** Seconds. */
  readonly budget?: number | undefined;
  readonly runtime: RuntimeChoice;
  readonly rounds?: number | undefined;
  readonly seed?: number | undefined;
  readonly verbose?: boolean | undefined;
  readonly out: string;
}

/** Lock of this machine for one measurement until it is disposed of; services in a cluster do not need it. Throws EnvironmentError if the wait takes too long. */
export async function aloneOnMachine(
  { runtime, wait, json }: Partial<Pick<MeasureFlags, 'runtime' | 'wait' | 'json'>>,
  job: Pick<Parameters<typeof lockMachine>[0], 'what' | 'mostSeconds' | 'signal'>,
): Promise<AsyncDisposable> {
  if (runtime === 'kubernetes') {
    return { [Symbol.asyncDispose]: async () => undefined };
  }
  return await lockMachine({
    ...job,
    owner: machineOwner(),
    waitSeconds: wait ?? USUAL_WAIT.seconds,
    log: remarkLog({ json }),
  });
}
