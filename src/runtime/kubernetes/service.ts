import { rm } from 'node:fs/promises';
import { ownedFolder } from '../../host/files/own-folders.ts';
import type { Service } from '../../model/service.ts';
import { startWhole } from '../cleanups.ts';
import { openRelay, RELAY_MODE, type Relay } from '../driver/relay.ts';
import { type KeptNeeds, startAround } from '../needs.ts';
import type { RunningService } from '../port.ts';
import type { RunningNeed } from '../ready.ts';
import type { Cluster } from './cluster.ts';
import { execOf } from './kubectl.ts';
import { LOCAL, RemoteLoad } from './load.ts';
import { DRIVER_PATH, TOOLS_CONTAINER } from './manifests.ts';
import { type PodPlace, startPodProgram } from './program.ts';
import { memberCounters, podReading } from './reading.ts';

export interface ServicePlace extends PodPlace {
  /** Needs that are kept over a run. */
  readonly kept: KeptNeeds<RunningNeed>;
}

/** Starts the needs of a service, its other members, and itself in separate pods; leaves nothing behind on failure. */
export async function startPodService(
  place: ServicePlace,
  service: Service,
  signal?: AbortSignal,
  isRelayed = false,
): Promise<RunningService> {
  const { cluster, options, kept } = place;
  const { log } = options;
  return await startWhole({ name: service.name, log }, async (cleanups) => {
    const around = cleanups.use(
      await startAround<RunningNeed>(
        service,
        {
          kept,
          log,
          // On the node of the services: at the same distance for both versions.
          async start(need, places, family) {
            const { host, reader, ...program } = await startPodProgram(place, need, places, signal);
            const { name, port, ports } = need;
            return {
              ...program,
              need,
              place: { name, host, port, ports, ...(family !== undefined && { family }) },
              used: async () => memberCounters(await reader.read()),
            };
          },
          relay: isRelayed ? () => startRelay(cluster) : undefined,
        },
        signal,
      ),
    );
    const program = cleanups.use(await startPodProgram(place, service, around.places, signal));
    const folder = await ownedFolder(options.owner);
    cleanups.add(() => rm(folder, { recursive: true, force: true }));
    const { host, ownPort, reader, ended, logs, tries } = program;
    const atMs = async () => (await reader.read()).atNs / 1e6;
    const load = cleanups.use(new RemoteLoad(cluster, { folder, port: service.port, atMs }));
    const address = `${LOCAL}:${ownPort}`;
    return {
      ...{ address, loadAddress: `${host}:${service.port}`, folder: options.root, ended, logs, tries },
      hasCpuQuota: true,
      ...around.face(address, async () => (await reader.read()).cpuNs / 1e9),
      async reading() {
        const [use, used, needs, members] = await Promise.all([
          reader.read(),
          load.cpuSeconds(),
          around.needsCpuSeconds(),
          Promise.all(around.members.map(async (one) => [one.need.name, await one.used()] as const)),
        ]);
        return podReading(use, { load: used, needs, members, entry: service.entry });
      },
      play: (loads, stop) => load.play(loads, stop),
      [Symbol.asyncDispose]: () => cleanups[Symbol.asyncDispose](),
    };
  });
}

/** Starts a relay in the pod on the services' node, which is idle except while they are loaded. */
function startRelay({ kubectl, node: { pod, host } }: Cluster): Promise<Relay> {
  const command = execOf({ pod: pod.name, container: TOOLS_CONTAINER }, [DRIVER_PATH, RELAY_MODE, '0.0.0.0']);
  return openRelay((heard) => kubectl.open(command, heard), host);
}
