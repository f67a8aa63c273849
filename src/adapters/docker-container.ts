import { randomBytes } from 'node:crypto';
import type { Container, ContainerCreateOptions, HostConfig } from 'dockerode';
import type { RuntimeOptions } from '../app/ports.ts';
import { EnvironmentError, MeasurementError } from '../core/errors.ts';
import type { Service } from '../core/service.ts';
import { type Engine, isRefusal, refusalOf } from './docker-engine.ts';
import { labelsOf } from './docker-labels.ts';
import { freePort } from './ports-free.ts';

/** A container that was started, with the process id of its first process in the engine's own pid namespace. */
export interface StartedContainer {
  readonly container: Container;
  readonly pid: number;
}

/** A container that a service runs in, with the port of 127.0.0.1 that leads to it. */
export interface ServiceContainer extends StartedContainer {
  readonly hostPort: number;
}

/** What a service's container is made from. */
export interface ServicePlace {
  readonly engine: Engine;
  readonly options: RuntimeOptions;
  readonly service: Service;
  readonly image: string;
}

/** What both containers of a slot have in common. */
export interface ContainerSettings {
  readonly options: RuntimeOptions;
  readonly core: number;
}

const MIB = 2 ** 20;
const PORT_ATTEMPTS = 5;
const STOP_SECONDS = 2;
// Engines differ in their default, and some take 1024, which is below what 1000 connections need.
const OPEN_FILES = 16_384;
const PORT_TAKEN = /port is already allocated|address already in use/;

/**
 * Starts the service in a fresh container with a network of its own. Throws EnvironmentError where the engine refuses the
 * limits, MeasurementError where the image's command cannot be started; nothing is left then.
 */
export async function startServiceContainer(place: ServicePlace): Promise<ServiceContainer> {
  for (let attempt = 1; ; attempt += 1) {
    const hostPort = await freePort();
    try {
      return { ...(await startContainer(place.engine, serviceSettings(place, hostPort))), hostPort };
    } catch (thrown) {
      // Somebody may take the port between the look and the start.
      if (attempt === PORT_ATTEMPTS || !PORT_TAKEN.test(refusalOf(thrown))) {
        throw startFailure(place, thrown);
      }
    }
  }
}

/** Creates and starts a container; where the start fails, it is removed and the engine's error thrown. */
export async function startContainer(engine: Engine, settings: ContainerCreateOptions): Promise<StartedContainer> {
  // All of one length, and drawn anew for each start: a name must not tell one version from the other.
  const name = `wiregauge-${randomBytes(6).toString('hex')}`;
  const container = await engine.api.createContainer({ name, ...settings });
  try {
    await container.start();
    const { State: state } = await container.inspect();
    return { container, pid: state.Pid };
  } catch (thrown) {
    await removeContainer(container);
    const { Ulimits: limits, ...others } = settings.HostConfig ?? {};
    // An engine that may open fewer files itself cannot grant more; its own limit has to do then.
    if (limits !== undefined && /rlimit/.test(refusalOf(thrown))) {
      return await startContainer(engine, { ...settings, HostConfig: others });
    }
    throw thrown;
  }
}

/** Limits, rights and labels that hold for the service and the load tool alike. */
export function commonSettings({
  options,
  core,
}: ContainerSettings): ContainerCreateOptions & { HostConfig: HostConfig } {
  const memory = options.limits.memoryMiB * MIB;
  return {
    Labels: labelsOf(options.owner),
    // A health check is a program that starts every few seconds on the service's core and in its CPU time.
    Healthcheck: { Test: ['NONE'] },
    HostConfig: {
      CpusetCpus: String(core),
      NanoCpus: Math.round(options.limits.cpus * 1e9),
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

/** Ends a container, SIGTERM first, and removes it with its anonymous volumes; content where it is already gone. */
export async function stopContainer(container: Container): Promise<void> {
  await container.stop({ t: STOP_SECONDS }).catch(ignoring(304, 404));
  await removeContainer(container);
}

/** Kills and removes a container with its anonymous volumes; content where it is already gone. */
export async function removeContainer(container: Container): Promise<void> {
  await container.remove({ force: true, v: true }).catch(ignoring(404, 409));
}

/**
 * Service and load tool share one network, so a service that closes every connection takes the load tool's ports away: each
 * stays in TIME_WAIT, and after some 14,000 the tool spends its time looking for a free one. Clients on machines of their own
 * would not see that.
 */
const SOCKETS = { 'net.ipv4.ip_local_port_range': '1024 65535', 'net.ipv4.tcp_max_tw_buckets': '4096' };

function serviceSettings({ options, service, image }: ServicePlace, hostPort: number): ContainerCreateOptions {
  const common = commonSettings({ options, core: options.cores.service });
  const port = `${service.port}/tcp`;
  const environment = { ...service.environment, HOST: '0.0.0.0', PORT: String(service.port) };
  return {
    ...common,
    Image: image,
    Env: Object.entries(environment).map(([name, value]) => `${name}=${value}`),
    ExposedPorts: { [port]: {} },
    HostConfig: {
      ...common.HostConfig,
      Sysctls: SOCKETS,
      PortBindings: { [port]: [{ HostIp: '127.0.0.1', HostPort: String(hostPort) }] },
    },
  };
}

function startFailure({ options, service, image }: ServicePlace, thrown: unknown): Error {
  const text = `the container of ${service.name} cannot be started: ${refusalOf(thrown)}`;
  // 400: the engine holds the settings for wrong, and all but the limits are ours.
  if (isRefusal(thrown, 400) && !/exec|OCI runtime/i.test(refusalOf(thrown))) {
    const { limits, cores } = options;
    return new EnvironmentError(`${text} (core ${cores.service}, ${limits.cpus} CPUs, ${limits.memoryMiB} MiB)`, {
      cause: thrown,
      next: 'Choose limits and cores that this machine has.',
    });
  }
  return new MeasurementError(text, { cause: thrown, next: `Try it by hand: docker run --rm --read-only ${image}` });
}

function ignoring(...statuses: readonly number[]): (thrown: unknown) => void {
  return (thrown) => {
    if (!isRefusal(thrown, ...statuses)) {
      throw thrown;
    }
  };
}
