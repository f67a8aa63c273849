import * as z from 'zod';
import {
  parseHostTicks,
  parseListenOverflows,
  parseMemoryMiB,
  parseNetworkBytes,
  parsePressureSeconds,
  parseTimeWaitSockets,
} from '../../host/machine/proc-files.ts';
import type { Reading, RunnerFingerprint } from '../../model/runner.ts';

/** A line of the reader in a pod (tools/load/cmd/wiregauge-load/pod.go). */
const podSchema = z.object({
  atNs: z.number(),
  cpuNs: z.number(),
  memoryKiB: z.number(),
  peakKiB: z.number(),
  cores: z.int().positive(),
  files: z.record(z.string(), z.string()),
});

/** Use of the programs of a pod, with the kernel's texts about its network and its machine by their paths below /proc. */
export type PodUse = z.infer<typeof podSchema>;

/** Throws for any other line. */
export function parsePodUse(line: string): PodUse {
  return podSchema.parse(JSON.parse(line));
}

const TICKS_PER_SECOND = 100;

/**
 * Counters of a service by its reader. Bytes are those of its pod, so its load and whatever else it talks to. Of the load generators, the busiest
 * counts, which is subtracted from the use of this machine with that of the service: it takes the place of those that are on it.
 */
export function readingOf(
  { atNs, cpuNs, memoryKiB, peakKiB, files }: PodUse,
  load: { readonly busiest: number; readonly onNode: number },
): Reading {
  const ticks = parseHostTicks(files['stat'] ?? '');
  const bytes = parseNetworkBytes(files['net/dev'] ?? '');
  return {
    atMs: atNs / 1e6,
    service: {
      cpuSeconds: cpuNs / 1e9,
      memoryMiB: memoryKiB / 1024,
      peakMemoryMiB: peakKiB / 1024,
      wireBytes: bytes.received + bytes.sent,
    },
    loadCpuSeconds: load.busiest,
    host: {
      busySeconds: ticks.busy / TICKS_PER_SECOND + load.busiest - load.onNode,
      stealSeconds: ticks.steal / TICKS_PER_SECOND,
      cpuPressureSeconds: parsePressureSeconds(files['pressure/cpu'] ?? ''),
      listenOverflows: parseListenOverflows(files['net/netstat'] ?? ''),
      timeWaitSockets: parseTimeWaitSockets(files['net/sockstat'] ?? ''),
    },
  };
}

const LISTENING = '0A';

/** True if a program of the pod listens on the port, at whatever address. */
export function listensOn({ files }: PodUse, port: number): boolean {
  const end = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  return ['net/tcp', 'net/tcp6'].some((file) =>
    (files[file] ?? '').split('\n').some((line) => {
      const [, local = '', , state] = line.trim().split(/\s+/);
      return state === LISTENING && local.endsWith(end);
    }),
  );
}

/** The machine of a node, by a reader on it. No core is exclusive there. */
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
