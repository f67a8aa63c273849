import { randomBytes } from 'node:crypto';
import type { Container, ContainerCreateOptions, HostConfig } from 'dockerode';
import type { ProgramLimits } from '../../model/service.ts';
import type { Limits, RuntimeOptions } from '../ports.ts';
import { type Engine, engineRefusalOf, isEngineRefusal } from './docker-engine.ts';
import { containerLabels } from './docker-labels.ts';

/** A container that was started, with the process id of its first process in the engine's own pid namespace. */
export interface StartedContainer {
  readonly container: Container;
  readonly pid: number;
}

/** What all containers of a slot have in common. */
export interface ContainerSettings {
  readonly options: RuntimeOptions;
  readonly core: number;
  /** Where they are not the usual ones. */
  readonly limits?: ProgramLimits | undefined;
}

const MIB = 2 ** 20;
const STOP_SECONDS = 2;
// Engines differ in their default, and some take 1024, which is below what 1000 connections need.
const OPEN_FILES = 16_384;

/** A name for a container or a network: all of one length, and drawn anew, so that it does not tell one version from the other. */
export function anonymousName(): string {
  return `wiregauge-${randomBytes(6).toString('hex')}`;
}

/** Creates and starts a container; where the start fails, it is removed and the engine's error thrown. */
export async function startContainer(engine: Engine, settings: ContainerCreateOptions): Promise<StartedContainer> {
  const name = anonymousName();
  const container = await engine.api.createContainer({ name, ...settings });
  try {
    await container.start();
    const { State: state } = await container.inspect();
    return { container, pid: state.Pid };
  } catch (thrown) {
    await removeContainer(container);
    const { Ulimits: limits, ...others } = settings.HostConfig ?? {};
    // An engine that may open fewer files itself cannot grant more; its own limit has to do then.
    if (limits !== undefined && /rlimit/.test(engineRefusalOf(thrown))) {
      return await startContainer(engine, { ...settings, HostConfig: others });
    }
    throw thrown;
  }
}

/** Limits, rights and labels that hold for services, what they need, and the load tool alike. */
export function commonSettings({
  options,
  core,
  limits,
}: ContainerSettings): ContainerCreateOptions & { HostConfig: HostConfig } {
  const { cpus, memoryMiB } = limitsOf(options, limits);
  const memory = memoryMiB * MIB;
  return {
    Labels: containerLabels(options.owner),
    // A health check is a program that starts every few seconds on the service's core and in its CPU time.
    Healthcheck: { Test: ['NONE'] },
    HostConfig: {
      CpusetCpus: String(core),
      NanoCpus: Math.round(cpus * 1e9),
      Memory: memory,
      // Memory and swap together: no swap.
      MemorySwap: memory,
      ReadonlyRootfs: true,
      Tmpfs: { '/tmp': '' },
      CapDrop: ['ALL'],
      SecurityOpt: ['no-new-privileges'],
      Ulimits: [{ Name: 'nofile', Soft: OPEN_FILES, Hard: OPEN_FILES }],
      // A service that logs every request must neither fill the disk nor wait for the engine to write.
      LogConfig: { Type: 'json-file', Config: { 'max-size': '1m', 'max-file': '1', mode: 'non-blocking' } },
    },
  };
}

/** What a program may use, by the usual limits and its own. */
export function limitsOf({ limits: usual }: RuntimeOptions, own: ProgramLimits | undefined): Limits {
  return { cpus: own?.cpus ?? usual.cpus, memoryMiB: own?.memoryMiB ?? usual.memoryMiB };
}

/** Ends a container, SIGTERM first, and removes it with its anonymous volumes; content where it is already gone. */
export async function stopContainer(container: Container): Promise<void> {
  await container.stop({ t: STOP_SECONDS }).catch(ignoring(304, 404));
  await removeContainer(container);
}

/** Kills and removes a container with its anonymous volumes; content where it is already gone. */
export async function removeContainer(container: Container): Promise<void> {
  await container.remove({ force: true, v: true }).catch(ignoring(404, 409));
}

/** Passes over refusals of the engine with one of these HTTP statuses; whatever else was thrown goes on. */
export function ignoring(...statuses: readonly number[]): (thrown: unknown) => void {
  return (thrown) => {
    if (!isEngineRefusal(thrown, ...statuses)) {
      throw thrown;
    }
  };
}
