import { rm } from 'node:fs/promises';
import { messageOf } from '../../foundation/errors.ts';
import { ownedFolder } from '../../host/files/own-folders.ts';
import type { MemberCounters } from '../../model/runner.ts';
import type { NeedPlace, Service } from '../../model/service.ts';
import { type Cleanup, cleanUp } from '../docker/service.ts';
import { metricsPages } from '../metrics-page.ts';
import { firstEnd, type KeptNeeds, type NeedStarter, startNeeds } from '../needs.ts';
import type { RunningService } from '../port.ts';
import { ailmentAmong, type RunningNeed } from '../ready.ts';
import { LOCAL, RemoteLoad } from './load.ts';
import { type PodPlace, startPodProgram } from './program.ts';
import { memberCounters, readingOf } from './reading.ts';

/** A need or a member in a pod of its own. */
export interface PodNeed extends RunningNeed {
  used(): Promise<MemberCounters>;
}

export interface ServicePlace extends PodPlace {
  /** Needs that stay over a run. */
  readonly kept: KeptNeeds<PodNeed>;
}

/** Starts what a service needs, its other members, and itself in pods of their own; nothing is left of them if that fails. */
export async function startPodService(
  place: ServicePlace,
  service: Service,
  signal?: AbortSignal,
): Promise<RunningService> {
  const { cluster, options } = place;
  const { name, entry } = service;
  const cleanups: Cleanup[] = [];
  const kept = <Resource extends AsyncDisposable>(resource: Resource): Resource => {
    cleanups.push(async () => await resource[Symbol.asyncDispose]());
    return resource;
  };
  try {
    const needs = kept(await startNeeds(service, needStarter(place, undefined, signal), signal));
    const parts = { name, needs: service.members, reached: needs.places };
    const members = kept(await startNeeds(parts, needStarter(place, 'members', signal), signal));
    const program = kept(await startPodProgram(place, service, [...needs.places, ...members.places], signal));
    const folder = await ownedFolder(options.owner);
    cleanups.push(() => rm(folder, { recursive: true, force: true }));
    const { host, ownPort, reader } = program;
    const atMs = async () => (await reader.read()).atNs / 1e6;
    const load = kept(new RemoteLoad(cluster, { folder, port: service.port, atMs }));
    const address = `${LOCAL}:${ownPort}`;
    return {
      address,
      loadAddress: `${host}:${service.port}`,
      folder: options.root,
      ended: program.ended,
      needEnded: firstEnd([members, needs]),
      ailing: () => ailmentAmong(members.running, name),
      async cpuSeconds() {
        const [use, ...others] = await Promise.all([reader.read(), needs.cpuSeconds(), members.cpuSeconds()]);
        return others.reduce<number>((sum, seconds = 0) => sum + seconds, use.cpuNs / 1e9);
      },
      async reading() {
        const [use, used, needed, others] = await Promise.all([
          reader.read(),
          load.cpuSeconds(),
          needs.cpuSeconds(),
          Promise.all(members.running.map(async (one) => [one.need.name, await one.used()] as const)),
        ]);
        return readingOf(use, { load: used, needs: needed, members: new Map(others), entry });
      },
      play: (loads, stop) => load.play(loads, stop),
      pages: metricsPages({ service, address, members: members.running }),
      logs: (lines) => program.logs(lines),
      tries: (command) => program.tries(command),
      [Symbol.asyncDispose]: () => cleanUp(cleanups),
    };
  } catch (thrown) {
    await cleanUp(cleanups).catch((failure: unknown) =>
      options.log(`cleanup of ${name} failed: ${messageOf(failure)}`),
    );
    throw thrown;
  }
}

/** Starts needs, or members, on the node of the services: for both versions at the same distance. */
function needStarter(
  place: ServicePlace,
  family: NeedPlace['family'],
  signal: AbortSignal | undefined,
): NeedStarter<PodNeed> {
  return {
    kept: place.kept,
    async start(need, places) {
      const program = await startPodProgram(place, need, places, signal);
      const { host, ownPort, ended, reader } = program;
      const { name, port, ports } = need;
      const used = async () => memberCounters(await reader.read());
      return {
        need,
        place: { name, host, port, ports, ...(family !== undefined && { family }) },
        ownPort,
        ended,
        used,
        cpuSeconds: async () => (await used()).cpuSeconds,
        logs: () => program.logs(),
        tries: (command) => program.tries(command),
        [Symbol.asyncDispose]: () => program[Symbol.asyncDispose](),
      };
    },
    // Pods reach each other.
    join: async () => undefined,
  };
}
