import { EnvironmentError, KnownError } from '../../foundation/errors.ts';
import type { Lookups } from '../../foundation/placeholders.ts';
import { cacheFolder } from '../../host/files/cache-folder.ts';
import { checkSystem, chooseCores } from '../../host/machine/cores.ts';
import { removeOrphans } from '../../host/machine/orphans.ts';
import { isOwnerAlive, ownerOf } from '../../host/machine/proc.ts';
import type { Service } from '../../model/service.ts';
import { parseBuildArgs } from '../../runtime/docker/build/docker-build-args.ts';
import { dockerRuntime } from '../../runtime/docker/docker.ts';
import { removeOrphanContainers } from '../../runtime/docker/docker-cleanup.ts';
import type { DockerAnswer } from '../../runtime/docker/docker-engine.ts';
import { dockerAnswers } from '../../runtime/docker/docker-engine.ts';
import { loadToolsFromImage } from '../../runtime/docker/docker-tools.ts';
import type { LoadTools, Runtime, RuntimeOptions } from '../../runtime/ports.ts';
import { processRuntime } from '../../runtime/process/processes.ts';
import { provideLoadTools } from '../../runtime/tools/tools.ts';
import { containersOnly, refuseContainersOnly } from './containers-only.ts';

export type RuntimeChoice = 'auto' | 'docker' | 'process';

/** What a runtime is opened for. */
export interface RuntimeRequest {
  readonly choice: RuntimeChoice;
  /** The repository whose services are measured. */
  readonly root: string;
  /** The folder that Wiregauge came in, which pins the load tools. */
  readonly ownRoot: string;
  readonly services: readonly Service[];
  /** Whether blocks are played: then the load driver is provided, too, or a line of the log says why it is not there. */
  readonly needsDriver?: boolean | 'if-possible';
  /** What placeholders in environment variables stand for, those of `needs` left out. */
  readonly lookups?: Lookups;
  readonly signal: AbortSignal;
  readonly log: (line: string) => void;
}

/** A runtime whose services are built and whose load tools are there. */
export interface PreparedRuntime {
  readonly runtime: Runtime;
  readonly tools: LoadTools;
}

/** Of each service, and of whatever one needs, unless it says others. */
export const LIMITS = { cpus: 1, memoryMiB: 512 };

/**
 * Removes what dead runs left, finds the load tools, and opens the runtime that was asked for with its services built.
 * `auto` takes the Docker engine where it answers and builds the images, else plain processes, and says why; where all services
 * run already, only the load tools are started, as plain processes.
 * The caller disposes of the runtime.
 */
export async function openRuntime(request: RuntimeRequest): Promise<PreparedRuntime> {
  const { log } = request;
  checkSystem();
  const answer = await engineFor(request);
  await removeOrphans(log);
  if (answer?.ok === true) {
    await removeOrphanContainers(isOwnerAlive, log);
  }
  const options = { ...baseOptions(request), tools: await loadTools(request, answer?.ok === true) };
  if (answer?.ok === true) {
    const docker = await openDocker(request, options);
    if (docker.kind === 'opened') {
      return { runtime: docker.runtime, tools: options.tools };
    }
    return await openProcesses(request, { ...options, reason: docker.why });
  }
  return await openProcesses(request, { ...options, reason: reasonOf(request, answer) });
}

/** What the engine answers; undefined where no container is wanted. Throws where one must be and cannot. */
async function engineFor({ choice, services }: RuntimeRequest): Promise<DockerAnswer | undefined> {
  const answer = choice === 'process' || !areStarted(services) ? undefined : await dockerAnswers();
  if (answer?.ok === false && choice === 'docker') {
    throw new EnvironmentError(`--runtime docker: ${answer.why}`, { next: answer.next });
  }
  if (answer?.ok !== true) {
    refuseContainersOnly(services, answer);
  }
  return answer;
}

/** Why plain processes. */
function reasonOf({ services }: RuntimeRequest, answer: DockerAnswer | undefined): string {
  if (answer?.ok === false) {
    return `the Docker engine cannot be used: ${answer.why}`;
  }
  return areStarted(services) ? 'asked for with --runtime process' : 'the services run already';
}

function areStarted(services: readonly Service[]): boolean {
  return services.some(({ address }) => address === undefined);
}

type Opened =
  | { readonly kind: 'opened'; readonly runtime: Runtime }
  | { readonly kind: 'refused'; readonly why: string };

async function openDocker(request: RuntimeRequest, options: Omit<RuntimeOptions, 'reason'>): Promise<Opened> {
  const reason =
    request.choice === 'docker' ? 'asked for with --runtime docker' : 'the Docker engine answers and builds the images';
  const buildArgs = parseBuildArgs(process.env['WIREGAUGE_BUILD_ARGS']);
  const runtime = await dockerRuntime({ ...options, reason, buildArgs });
  try {
    await runtime.prepare(request.services, request.signal);
    request.log(`runtime: docker, ${reason}`);
    return { kind: 'opened', runtime };
  } catch (thrown) {
    await runtime[Symbol.asyncDispose]();
    const isFinal = request.choice === 'docker' || containersOnly(request.services).length > 0;
    if (isFinal || request.signal.aborted || !(thrown instanceof KnownError)) {
      throw thrown;
    }
    return { kind: 'refused', why: firstAndLastLine(thrown.message) };
  }
}

/** What failed stands in the first line of a failing build's message, and why in the last. */
function firstAndLastLine(message: string): string {
  const lines = message.split('\n').filter((line) => line.trim() !== '');
  return [...new Set([lines[0], lines.at(-1)])].join(' ').slice(0, 500);
}

async function openProcesses(request: RuntimeRequest, options: RuntimeOptions): Promise<PreparedRuntime> {
  request.log(`runtime: plain processes, ${options.reason}`);
  const runtime = await processRuntime(options);
  try {
    await runtime.prepare(request.services, request.signal);
    return { runtime, tools: options.tools };
  } catch (thrown) {
    await runtime[Symbol.asyncDispose]();
    throw thrown;
  }
}

function baseOptions({ root, log, lookups = {} }: RuntimeRequest): Omit<RuntimeOptions, 'reason' | 'tools'> {
  return { root, log, lookups, limits: LIMITS, cores: chooseCores(), owner: machineOwner() };
}

/** Marks whatever this program starts, so that it can be found again when it was killed. */
export function machineOwner(): string {
  return ownerOf(process.pid) ?? `${process.pid}:0`;
}

/**
 * The load tools, from the caches of this machine or put there, with the driver where blocks are played. Throws as provideLoadTools
 * does. Without Docker they cannot come out of an image.
 */
export async function loadTools(
  { ownRoot, log, signal, needsDriver }: Pick<RuntimeRequest, 'ownRoot' | 'log' | 'signal' | 'needsDriver'>,
  hasDocker: boolean,
): Promise<LoadTools> {
  const toolCacheFolder = process.env['RUNNER_TOOL_CACHE'] || undefined;
  const architecture = process.arch === 'arm64' ? 'arm64' : 'x64';
  const image = {
    root: ownRoot,
    buildArgs: parseBuildArgs(process.env['WIREGAUGE_BUILD_ARGS']),
    owner: machineOwner(),
    signal,
  };
  const fromImage = (folder: string, programs: readonly string[]): Promise<void> =>
    loadToolsFromImage(folder, { ...image, programs });
  return await provideLoadTools({
    root: ownRoot,
    cacheFolder: cacheFolder(process.env),
    ...(toolCacheFolder !== undefined && { toolCacheFolder }),
    architecture,
    log,
    signal,
    withDriver: needsDriver ?? false,
    ...(hasDocker && { fromImage }),
  });
}
