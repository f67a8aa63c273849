import type { MemberCounters, Reading } from '../model/runner.ts';

export interface Read extends Omit<Reading, 'service' | 'members'> {
  /** Counters of the service, or of its entry. */
  readonly own: MemberCounters;
  readonly entry: string | undefined;
  /** Other members by name. */
  readonly members: readonly (readonly [string, MemberCounters])[];
  readonly memoryMiB: number;
  readonly wireBytes: number | undefined;
}

/** Reading of a service whose counters cover all of its programs together. */
export function readingOf({ own, entry, members, memoryMiB, wireBytes, ...read }: Read): Reading {
  const all = [own, ...members.map(([, member]) => member)];
  return {
    ...read,
    service: {
      cpuSeconds: all.reduce((sum, one) => sum + one.cpuSeconds, 0),
      memoryMiB,
      peakMemoryMiB: all.reduce((sum, one) => sum + one.peakMemoryMiB, 0),
      wireBytes,
    },
    ...(entry !== undefined && { members: { [entry]: own, ...Object.fromEntries(members) } }),
  };
}
