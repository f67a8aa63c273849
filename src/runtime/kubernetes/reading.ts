import * as z from 'zod';
import {
  parseHostTicks,
  parseListeners,
  parseListenOverflows,
  parseMemoryMiB,
  parseNetworkBytes,
  parsePressureSeconds,
  parseTimeWaitSockets,
} from '../../host/machine/proc-files.ts';
import type { MemberCounters, Reading, RunnerFingerprint } from '../../model/runner.ts';
import { openDialog } from '../driver/channel.ts';
import { EngineLost } from '../ended.ts';
import { type Read, readingOf } from '../reading.ts';
import { execOf, type Kubectl } from './kubectl.ts';
import { DRIVER_PATH } from './manifests.ts';

/** Line of the reader in a pod (tools/load/cmd/wiregauge-load/pod.go). */
export const podUseSchema = z.object({
  atNs: z.number(),
  cpuNs: z.number(),
  memoryKiB: z.number(),
  peakKiB: z.number(),
  cores: z.int().positive(),
  files: z.record(z.string(), z.string()),
});

/** Resource use of the programs of a pod, with the kernel's texts about its network and its machine by path below /proc. */
export type PodUse = z.infer<typeof podUseSchema>;

const TICKS_PER_SECOND = 100;

/** Counters of the programs of a pod, as one member of a service; its bytes are those of its pod. */
export function memberCounters({ cpuNs, peakKiB, files }: PodUse): MemberCounters {
  const bytes = parseNetworkBytes(files['net/dev'] ?? '');
  return {
    cpuSeconds: cpuNs / 1e9,
    peakMemoryMiB: peakKiB / 1024,
    receivedBytes: bytes.received,
    sentBytes: bytes.sent,
  };
}

/** Counters of all other programs of a service. */
export interface Others extends Pick<Read, 'members' | 'entry'> {
  /** CPU time of the busiest load generator, and of those on the node. */
  readonly load: { readonly busiest: number; readonly onNode: number };
  /** CPU time of its needs; undefined without them. */
  readonly needs: number | undefined;
}

/**
 * Counters of a service from its reader. Bytes are those of its pod, so unknown if it also communicates with needs and members. Of the load
 * generators, the busiest counts, which is subtracted from the use of this machine together with that of the service: it replaces those that run on
 * it. Needs have separate CPUs, and do not count as other programs.
 */
export function podReading(use: PodUse, { load, needs, members, entry }: Others): Reading {
  const { atNs, memoryKiB, files } = use;
  const ticks = parseHostTicks(files['stat'] ?? '');
  const { receivedBytes = 0, sentBytes = 0, ...own } = memberCounters(use);
  return readingOf({
    atMs: atNs / 1e6,
    ...{ own, entry, members },
    memoryMiB: memoryKiB / 1024,
    wireBytes: needs === undefined && members.length === 0 ? receivedBytes + sentBytes : undefined,
    loadCpuSeconds: load.busiest,
    host: {
      busySeconds: ticks.busy / TICKS_PER_SECOND + load.busiest - load.onNode - (needs ?? 0),
      stealSeconds: ticks.steal / TICKS_PER_SECOND,
      cpuPressureSeconds: parsePressureSeconds(files['pressure/cpu'] ?? ''),
      listenOverflows: parseListenOverflows(files['net/netstat'] ?? ''),
      timeWaitSockets: parseTimeWaitSockets(files['net/sockstat'] ?? ''),
    },
  });
}

/** True if a program of the pod listens on the port, at any address. */
export function listensOn({ files }: PodUse, port: number): boolean {
  return ['net/tcp', 'net/tcp6'].some((file) =>
    parseListeners(files[file] ?? '', /./).some((one) => one.port === port),
  );
}

/** Machine of a node, from a reader on it. No core is exclusive there. */
export function runnerOf({ cores, files }: PodUse, architecture: string, engine: string): RunnerFingerprint {
  const cpu = files['cpuinfo'] ?? '';
  return {
    cpuModel: /^model name\s*:\s*(.+)$/m.exec(cpu)?.[1]?.trim() ?? 'unknown',
    cores,
    memoryMiB: Math.round(parseMemoryMiB(files['meminfo'] ?? '', 'MemTotal') ?? 0),
    platform: `linux-${architecture}`,
    kernel: files['sys/kernel/osrelease']?.trim() ?? 'unknown',
    node: process.version,
    cgroup: (files['self/cgroup'] ?? '').startsWith('0::') ? 'v2' : 'v1',
    engine,
  };
}

/** Reader in a running pod. Disposing of it ends it. */
export interface PodReader extends AsyncDisposable {
  /** Throws EngineLost if it has ended, along with its pod or the connection to it. */
  read(): Promise<PodUse>;
}

/** Starts the reader in a container that has the driver, and sees the processes of its pod. */
export async function openReader(
  kubectl: Kubectl,
  { pod, container }: { readonly pod: string; readonly container: string },
): Promise<PodReader> {
  const open = (heard: (line: string) => void) => kubectl.open(execOf({ pod, container }, [DRIVER_PATH, 'pod']), heard);
  const dialog = await openDialog(open, {
    schema: podUseSchema,
    endedEarly: ({ how, lastLines }) =>
      lost(`the counters of a pod cannot be read: the reader ended ${how}: ${lastLines}`),
  });
  return { read: () => dialog.request(() => ''), [Symbol.asyncDispose]: dialog.end };
}

/** Error for a lost pod, or connection to it: not the fault of a version. */
export function lost(message: string, cause?: unknown): EngineLost {
  return new EngineLost(message, {
    code: 'WG-214',
    cause,
    next: 'A pod was removed or evicted, or the connection to it broke. See `kubectl get events`, and measure again.',
  });
}
