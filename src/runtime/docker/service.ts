import { rm } from 'node:fs/promises';
import { messageOf } from '../../foundation/index.ts';
import { hostCpu, networkCounters, ownedFolder } from '../../host/index.ts';
import type { Reading, Service } from '../../model/index.ts';
import { environmentBeside } from '../../model/index.ts';
import { loadLimits } from '../control.ts';
import type { RunningService } from '../port.ts';
import {
  endOfContainer,
  lastLogLines,
  limitsOf,
  removeContainer,
  type StartedContainer,
  stopContainer,
  tryInContainer,
} from './container.ts';
import { containerCounters } from './counters.ts';
import { blockPlayer, runLoad, startLoadContainer } from './load.ts';
import { type DockerPlace, type NeedsInNetwork, startNeedContainers } from './needs.ts';
import { type ProgramContainer, startProgramContainer } from './program.ts';

const LOG_LINES = 20;

/**
 * Service and load tool share one network, so a service that closes every connection takes the load tool's ports away: each
 * stays in TIME_WAIT, and after some 14,000 the tool spends its time looking for a free one. Clients on machines of their own
 * would not see that.
 */
const SOCKETS = { 'net.ipv4.ip_local_port_range': '1024 65535', 'net.ipv4.tcp_max_tw_buckets': '4096' };

type Cleanup = () => Promise<void>;

/** A service to start. */
export interface ServiceStart {
  readonly place: DockerPlace;
  readonly service: Service;
  /** Ends the wait for what it needs. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Starts what a service needs, the service in a fresh container, and another one for the load tools in the same network. Where
 * anything fails, what was started so far is removed before the error is thrown.
 */
export async function startContainerService(start: ServiceStart): Promise<RunningService> {
  const { place, service } = start;
  const cleanups: Cleanup[] = [];
  try {
    return await startAll(start, cleanups);
  } catch (thrown) {
    await cleanUp(cleanups).catch((failure: unknown) =>
      place.options.log(`something of ${service.name} could not be removed: ${messageOf(failure)}`),
    );
    throw thrown;
  }
}

async function startAll({ place, service, signal }: ServiceStart, cleanups: Cleanup[]): Promise<RunningService> {
  const { engine, options, imageOf } = place;
  const folder = await ownedFolder(options.owner);
  cleanups.push(() => rm(folder, { recursive: true, force: true }));
  const needs = await startNeedContainers(place, service, signal);
  cleanups.push(async () => await needs?.[Symbol.asyncDispose]());
  const started = await startServiceContainer({ place, service }, needs);
  const { container } = started;
  cleanups.push(() => stopContainer(container));
  let isStopping = false;
  const { memoryMiB } = limitsOf(options, service.limits);
  const ended = endOfContainer({ name: service.name, container, memoryMiB, isStopping: () => isStopping });
  const limits = loadLimits(options.limits, service.limits);
  const loadPlace = { engine, options, image: imageOf(service), service: container, limits, folder };
  const load = await startLoadContainer(loadPlace);
  cleanups.push(() => removeContainer(load.container));
  const blocks = blockPlayer(loadPlace, load);
  cleanups.push(() => blocks[Symbol.asyncDispose]());
  let loads = 0;
  return {
    address: `127.0.0.1:${started.hostPort}`,
    loadAddress: `127.0.0.1:${service.port}`,
    ended,
    needEnded: needs?.ended,
    reading: readings(started, load, needs),
    load(commands, stop) {
      loads += 1;
      return runLoad({ place: loadPlace, started: load, name: `load-${loads}` }, commands, stop);
    },
    play: (block, stop) => blocks.play(block, stop),
    logs: () => lastLogLines(container, LOG_LINES),
    tries: (command) => tryInContainer(container, command),
    async [Symbol.asyncDispose]() {
      isStopping = true;
      await cleanUp(cleanups);
    },
  };
}

async function startServiceContainer(
  { place, service }: ServiceStart,
  needs: NeedsInNetwork | undefined,
): Promise<ProgramContainer> {
  const { engine, options, imageOf } = place;
  return await startProgramContainer({
    engine,
    options,
    program: service,
    image: imageOf(service),
    core: options.cores.service,
    environment: environmentBeside(service, needs?.places ?? [], options.lookups),
    sysctls: SOCKETS,
    ...(needs !== undefined && { network: { name: needs.network.name } }),
  });
}

// The load tools share the service's network, so that their packets go over its loopback interface: all bytes are seen there,
// but no file of the kernel tells those to the service from those of the service. What it needs is not behind that interface.
function readings(
  service: StartedContainer,
  load: StartedContainer,
  needs: NeedsInNetwork | undefined,
): () => Promise<Reading> {
  const serviceCounters = containerCounters(service);
  const loadCounters = containerCounters(load);
  return async () => {
    const [used, loadUsed, needsCpuSeconds] = await Promise.all([
      serviceCounters.read(),
      loadCounters.read(),
      needs?.cpuSeconds(),
    ]);
    const network = serviceCounters.isVisible ? networkCounters(service.pid) : undefined;
    return {
      atMs: Date.now(),
      service: { ...used, wireBytes: network?.loopbackBytes },
      loadCpuSeconds: loadUsed.cpuSeconds,
      ...(needsCpuSeconds !== undefined && { needsCpuSeconds }),
      host: {
        ...hostCpu(),
        listenOverflows: network?.listenOverflows ?? 0,
        timeWaitSockets: network?.timeWaitSockets ?? 0,
      },
    };
  };
}

/** Undoes in reverse order; what cannot be undone does not keep the rest from it. */
async function cleanUp(cleanups: Cleanup[]): Promise<void> {
  const failures: unknown[] = [];
  for (let cleanup = cleanups.pop(); cleanup !== undefined; cleanup = cleanups.pop()) {
    await cleanup().catch((thrown: unknown) => failures.push(thrown));
  }
  if (failures.length > 0) {
    throw failures[0];
  }
}
