import { rm } from 'node:fs/promises';
import type { Container } from 'dockerode';
import type { Reading, RunningService } from '../app/ports.ts';
import { messageOf } from '../core/errors.ts';
import { removeContainer, type ServicePlace, startServiceContainer, stopContainer } from './docker-container.ts';
import { containerCounters } from './docker-counters.ts';
import { blockPlayer, runLoad, startLoadContainer } from './docker-load.ts';
import { lastLogLines } from './docker-logs.ts';
import { hostCpu, networkCounters } from './proc.ts';
import { ownedFolder } from './processes-folder.ts';

const LOG_LINES = 20;
const ENDED_LOG_LINES = 5;

type Cleanup = () => Promise<void>;

/**
 * Starts a service in a fresh container and a second one for the load tools in the same network. Where anything fails,
 * what was started so far is removed before the error is thrown.
 */
export async function startService(place: ServicePlace): Promise<RunningService> {
  const cleanups: Cleanup[] = [];
  try {
    return await startBoth(place, cleanups);
  } catch (thrown) {
    await cleanUp(cleanups).catch((failure: unknown) =>
      place.options.log(`something of ${place.service.name} could not be removed: ${messageOf(failure)}`),
    );
    throw thrown;
  }
}

async function startBoth(place: ServicePlace, cleanups: Cleanup[]): Promise<RunningService> {
  const { engine, options, service, image } = place;
  const folder = await ownedFolder(options.owner);
  cleanups.push(() => rm(folder, { recursive: true, force: true }));
  const started = await startServiceContainer(place);
  cleanups.push(() => stopContainer(started.container));
  let isStopping = false;
  const ended = endOf(place, started.container, () => isStopping);
  const loadPlace = { engine, options, image, service: started.container, folder };
  const load = await startLoadContainer(loadPlace);
  cleanups.push(() => removeContainer(load.container));
  const blocks = blockPlayer(loadPlace, load);
  cleanups.push(() => blocks[Symbol.asyncDispose]());
  let loads = 0;
  return {
    address: `127.0.0.1:${started.hostPort}`,
    loadAddress: `127.0.0.1:${service.port}`,
    ended,
    reading: readings(started, load),
    load(commands, signal) {
      loads += 1;
      return runLoad({ place: loadPlace, started: load, name: `load-${loads}` }, commands, signal);
    },
    play: (loads, signal) => blocks.play(loads, signal),
    logs: () => lastLogLines(started.container, LOG_LINES),
    async [Symbol.asyncDispose]() {
      isStopping = true;
      await cleanUp(cleanups);
    },
  };
}

type Started = Parameters<typeof containerCounters>[0];

// The load tools share the service's network, so that their packets go over its loopback interface: all bytes are seen there,
// but no file of the kernel tells those to the service from those of the service.
function readings(service: Started, load: Started): () => Promise<Reading> {
  const serviceCounters = containerCounters(service);
  const loadCounters = containerCounters(load);
  return async () => {
    const [used, loadUsed] = await Promise.all([serviceCounters.read(), loadCounters.read()]);
    const network = serviceCounters.isVisible ? networkCounters(service.pid) : undefined;
    return {
      atMs: Date.now(),
      service: { ...used, wireBytes: network?.loopbackBytes },
      loadCpuSeconds: loadUsed.cpuSeconds,
      host: {
        ...hostCpu(),
        listenOverflows: network?.listenOverflows ?? 0,
        timeWaitSockets: network?.timeWaitSockets ?? 0,
      },
    };
  };
}

async function endOf(place: ServicePlace, container: Container, isStopping: () => boolean): Promise<string> {
  let sentence: string;
  try {
    await container.wait();
    sentence = isStopping() ? '' : await describeEnd(place, container);
  } catch (thrown) {
    sentence = `the Docker engine no longer tells of ${place.service.name}: ${messageOf(thrown)}`;
  }
  // Stopped by us: not an end by itself, so there is nothing to tell.
  return isStopping() ? new Promise(() => undefined) : sentence;
}

async function describeEnd({ service, options }: ServicePlace, container: Container): Promise<string> {
  const { State: state } = await container.inspect();
  const how = state.OOMKilled
    ? `was killed when it needed more than its ${options.limits.memoryMiB} MiB of memory`
    : `ended by itself with exit code ${state.ExitCode}`;
  const lines = await lastLogLines(container, ENDED_LOG_LINES);
  return `${service.name} ${how}; ${lines === '' ? 'it had printed nothing' : `its last lines: ${lines}`}`;
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
