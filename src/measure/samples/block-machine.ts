import type { Reading } from '../../model/counters.ts';
import type { ScheduledRecords } from '../../model/measured.ts';
import { type MachineSummary, summariseMachine } from './machine.ts';
import { answersBetween, firstStartMs, lastEndMs } from './measured-span.ts';

/** All that one block left: the records of each operation, and a reading before and after it. */
export interface PlayedBlock {
  readonly parts: readonly ScheduledRecords[];
  readonly before: Reading;
  readonly after: Reading;
}

/** Of a clock that stood still. */
const UNREAD: MachineSummary = {
  values: {},
  host: { stealShare: 0, foreignCpuShare: 0, listenOverflows: 0, timeWaitSockets: 0 },
};

/**
 * Counters of the kernel over all blocks, each from idle to idle, so that no request falls between two readings. The differences are
 * summed before anything is made of them, since a block is little longer than the kernel's tick.
 */
export function summariseBlockMachine(blocks: readonly PlayedBlock[]): MachineSummary {
  const [from, to] = endToEnd(blocks);
  const answers = blocks.reduce(
    (sum, { parts, before, after }) => sum + answersBetween(parts, before.atMs, after.atMs),
    0,
  );
  const machine = summariseMachine([from, to], () => answers);
  return machine === undefined ? UNREAD : { ...machine, values: overLoad(machine.values, blocks) };
}

type Counter = (reading: Reading) => number | undefined;

/** Two readings that differ by what all blocks added to the counters. */
function endToEnd(blocks: readonly PlayedBlock[]): readonly [Reading, Reading] {
  const sum = (read: Counter): number =>
    blocks.reduce((total, { before, after }) => total + (read(after) ?? 0) - (read(before) ?? 0), 0);
  const most = (read: Counter): number =>
    Math.max(0, ...blocks.flatMap(({ before, after }) => [read(before) ?? 0, read(after) ?? 0]));
  const ifSeen = (read: Counter, over: (read: Counter) => number): number | undefined =>
    blocks.every(({ before, after }) => read(before) !== undefined && read(after) !== undefined)
      ? over(read)
      : undefined;
  const reading = (over: typeof sum): Reading => ({
    atMs: over(({ atMs }) => atMs),
    service: {
      cpuSeconds: ifSeen(({ service }) => service.cpuSeconds, over),
      memoryMiB: ifSeen(({ service }) => service.memoryMiB, most),
      peakMemoryMiB: ifSeen(({ service }) => service.peakMemoryMiB, most),
      wireBytes: ifSeen(({ service }) => service.wireBytes, over),
    },
    loadCpuSeconds: over(({ loadCpuSeconds }) => loadCpuSeconds),
    needsCpuSeconds: ifSeen(({ needsCpuSeconds }) => needsCpuSeconds, over),
    host: {
      busySeconds: over(({ host }) => host.busySeconds),
      stealSeconds: over(({ host }) => host.stealSeconds),
      cpuPressureSeconds: ifSeen(({ host }) => host.cpuPressureSeconds, over),
      listenOverflows: over(({ host }) => host.listenOverflows),
      timeWaitSockets: most(({ host }) => host.timeWaitSockets),
    },
  });
  return [reading(() => 0), reading(sum)];
}

/** Shares of a core hold for the time in which the service was loaded, which is a little less than that between the readings. */
function overLoad(values: MachineSummary['values'], blocks: readonly PlayedBlock[]): MachineSummary['values'] {
  const { serviceCpuShare, loadCpuShare, ...others } = values;
  const loadedMs = blocks.reduce((sum, { parts }) => sum + Math.max(0, lastEndMs(parts) - firstStartMs(parts)), 0);
  const readMs = blocks.reduce((sum, { before, after }) => sum + after.atMs - before.atMs, 0);
  const stretch = loadedMs > 0 ? Math.max(1, readMs / loadedMs) : 1;
  return {
    ...others,
    ...(serviceCpuShare !== undefined && { serviceCpuShare: serviceCpuShare * stretch }),
    ...(loadCpuShare !== undefined && { loadCpuShare: loadCpuShare * stretch }),
  };
}
