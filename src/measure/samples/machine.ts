import type { ScheduledRecords } from '../../model/load.ts';
import type { MetricName } from '../../model/metric.ts';
import type { HostReading, MemberValues } from '../../model/run/sample.ts';
import type { MemberCounters, Reading } from '../../model/runner.ts';

export interface MachineSummary {
  readonly values: Readonly<Partial<Record<MetricName, number>>>;
  readonly members?: Readonly<Record<string, MemberValues>>;
  readonly host: HostReading;
}

/** State of a host without two usable readings: unknown. */
export const UNREAD_HOST: HostReading = { stealShare: 0, foreignCpuShare: 0, listenOverflows: 0, timeWaitSockets: 0 };

/** Machine metrics for marks. If members have their own cores, the CPU share is that of the busiest. */
export function marking(
  machine: MachineSummary | undefined,
  hasOwnCores: boolean | undefined,
): MachineSummary['values'] {
  const { values = {}, members = {} } = machine ?? {};
  const whole = values.cpuMicrosPerRequest;
  const busiest = Math.max(0, ...Object.values(members).flatMap((member) => member.cpuMicrosPerRequest ?? []));
  return hasOwnCores !== true || whole === undefined || whole <= 0 || values.serviceCpuShare === undefined
    ? values
    : { ...values, serviceCpuShare: (values.serviceCpuShare * busiest) / whole };
}

/** Machine metrics from readings in the measured time, and the requests answered between the first and the last; undefined for one reading. */
export function summariseMachine(readings: readonly Reading[], answers: number): MachineSummary | undefined {
  const first = readings[0];
  const last = readings.at(-1);
  if (first === undefined || last === undefined || last.atMs <= first.atMs) {
    return undefined;
  }
  const seconds = (last.atMs - first.atMs) / 1000;
  const cpuSeconds = grown(first.service.cpuSeconds, last.service.cpuSeconds);
  const loadCpuSeconds = last.loadCpuSeconds - first.loadCpuSeconds;
  const needsCpuSeconds = grown(first.needsCpuSeconds, last.needsCpuSeconds);
  const wireBytes = grown(first.service.wireBytes, last.service.wireBytes);
  const pressure = grown(first.host.cpuPressureSeconds, last.host.cpuPressureSeconds);
  const peaks = readings.flatMap(({ service }) => service.peakMemoryMiB ?? []);
  const busySeconds = last.host.busySeconds - first.host.busySeconds;
  // Unreadable use by a service would count as that of other programs.
  const foreign = cpuSeconds === undefined ? 0 : busySeconds - cpuSeconds - loadCpuSeconds - (needsCpuSeconds ?? 0);
  return {
    values: {
      ...(cpuSeconds !== undefined && { serviceCpuShare: cpuSeconds / seconds }),
      loadCpuShare: loadCpuSeconds / seconds,
      ...(peaks.length > 0 && { peakMemoryMiB: Math.max(...peaks) }),
      ...(answers > 0 && cpuSeconds !== undefined && { cpuMicrosPerRequest: (cpuSeconds * 1e6) / answers }),
      ...(answers > 0 && wireBytes !== undefined && { wireBytesPerRequest: wireBytes / answers }),
      ...(wireBytes !== undefined && { wireMegabytesPerSecond: wireBytes / 1e6 / seconds }),
    },
    ...memberValues(readings, answers),
    host: {
      stealShare: Math.max(0, last.host.stealSeconds - first.host.stealSeconds) / seconds,
      // The kernel counts in ticks, while the service's counters are exact: a small negative difference means none.
      foreignCpuShare: Math.max(0, foreign) / seconds,
      ...(needsCpuSeconds !== undefined && { needsCpuShare: Math.max(0, needsCpuSeconds) / seconds }),
      ...(pressure !== undefined && { cpuPressureShare: Math.max(0, pressure / seconds) }),
      listenOverflows: Math.max(0, last.host.listenOverflows - first.host.listenOverflows),
      timeWaitSockets: Math.max(...readings.map(({ host }) => host.timeWaitSockets)),
    },
  };
}

function grown(before: number | undefined, after: number | undefined): number | undefined {
  return before === undefined || after === undefined ? undefined : after - before;
}

function memberValues(readings: readonly Reading[], answers: number): Pick<MachineSummary, 'members'> {
  const [first, last] = [readings[0]?.members, readings.at(-1)?.members];
  if (first === undefined || last === undefined) {
    return {};
  }
  const perAnswer = (before: number | undefined, after: number | undefined): number | undefined => {
    const growth = grown(before, after);
    return growth === undefined || answers === 0 ? undefined : Math.max(0, growth) / answers;
  };
  const values = Object.entries(last).map(([name, now]): [string, MemberValues] => {
    const before = first[name];
    const cpuSeconds = perAnswer(before?.cpuSeconds, now.cpuSeconds);
    const peaks = readings.flatMap(({ members }) => members?.[name]?.peakMemoryMiB ?? []);
    return [
      name,
      {
        cpuMicrosPerRequest: cpuSeconds === undefined ? undefined : cpuSeconds * 1e6,
        peakMemoryMiB: Math.max(...peaks),
        receivedBytesPerRequest: perAnswer(before?.receivedBytes, now.receivedBytes),
        sentBytesPerRequest: perAnswer(before?.sentBytes, now.sentBytes),
      },
    ];
  });
  return { members: Object.fromEntries(values) };
}

/** Records of each operation in a block, and the readings before it, after it, and each second in between if it was watched. */
export interface MeasuredBlock {
  readonly parts: readonly ScheduledRecords[];
  readonly before: Reading;
  readonly between?: readonly Reading[];
  readonly after: Reading;
}

/** Counters over all blocks, each from idle to idle. The differences are summed first: a block is little longer than a tick. */
export function machineAround(blocks: readonly MeasuredBlock[]): MachineSummary | undefined {
  const answers = blocks.reduce(
    (sum, { parts, before, after }) => sum + answersBetween(parts, before.atMs, after.atMs),
    0,
  );
  const machine = summariseMachine(endToEnd(blocks), answers);
  return machine && { ...machine, values: overLoad(machine.values, blocks) };
}

type Counter = (reading: Reading) => number | undefined;

/** Pair of readings whose difference is the sum of the counters' increase in each block. */
function endToEnd(blocks: readonly MeasuredBlock[]): readonly [Reading, Reading] {
  const sum = (read: Counter): number =>
    blocks.reduce((total, { before, after }) => total + (read(after) ?? 0) - (read(before) ?? 0), 0);
  const most = (read: Counter): number =>
    Math.max(0, ...blocks.flatMap(({ before, after }) => [read(before) ?? 0, read(after) ?? 0]));
  const ifSeen = (read: Counter, over: (read: Counter) => number): number | undefined =>
    blocks.every(({ before, after }) => read(before) !== undefined && read(after) !== undefined)
      ? over(read)
      : undefined;
  const members = Object.keys(blocks[0]?.before.members ?? {});
  const memberOver = (name: string, over: typeof sum): MemberCounters => ({
    cpuSeconds: over((reading) => reading.members?.[name]?.cpuSeconds),
    peakMemoryMiB: most((reading) => reading.members?.[name]?.peakMemoryMiB),
    receivedBytes: ifSeen((reading) => reading.members?.[name]?.receivedBytes, over),
    sentBytes: ifSeen((reading) => reading.members?.[name]?.sentBytes, over),
  });
  const reading = (over: typeof sum): Reading => ({
    atMs: over(({ atMs }) => atMs),
    service: {
      cpuSeconds: ifSeen(({ service }) => service.cpuSeconds, over),
      memoryMiB: ifSeen(({ service }) => service.memoryMiB, most),
      peakMemoryMiB: ifSeen(({ service }) => service.peakMemoryMiB, most),
      wireBytes: ifSeen(({ service }) => service.wireBytes, over),
    },
    ...(members.length > 0 && { members: Object.fromEntries(members.map((name) => [name, memberOver(name, over)])) }),
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

function overLoad(values: MachineSummary['values'], blocks: readonly MeasuredBlock[]): MachineSummary['values'] {
  const loadedMs = blocks.reduce((sum, { parts }) => sum + Math.max(0, lastEndMs(parts) - firstStartMs(parts)), 0);
  const readMs = blocks.reduce((sum, { before, after }) => sum + after.atMs - before.atMs, 0);
  const stretch = loadedMs > 0 ? Math.max(1, readMs / loadedMs) : 1;
  const perSecond = PER_SECOND.flatMap((metric) => {
    const value = values[metric];
    return value === undefined ? [] : [[metric, value * stretch]];
  });
  return { ...values, ...Object.fromEntries(perSecond) };
}

const PER_SECOND = ['serviceCpuShare', 'loadCpuShare', 'wireMegabytesPerSecond'] as const;

export function firstStartMs(parts: readonly ScheduledRecords[]): number {
  const starts = parts.flatMap(({ records }) =>
    [...records.startMs.subarray(0, 1)].map((start) => records.originMs + start),
  );
  return Math.min(...starts);
}

export function lastEndMs(parts: readonly ScheduledRecords[]): number {
  let last = Number.NEGATIVE_INFINITY;
  for (const { records } of parts) {
    records.startMs.forEach((start, index) => {
      last = Math.max(last, records.originMs + start + (records.latencyMs[index] ?? 0));
    });
  }
  return last;
}

export function answersBetween(parts: readonly ScheduledRecords[], fromMs: number, toMs: number): number {
  let answers = 0;
  for (const { records } of parts) {
    records.startMs.forEach((start, index) => {
      const end = records.originMs + start + (records.latencyMs[index] ?? 0);
      answers += end >= fromMs && end < toMs ? 1 : 0;
    });
  }
  return answers;
}

/** CPU time per message: that of a response, divided by its mean number of messages. Empty unless all responses are streams. */
export function perMessage(
  { cpuMicrosPerRequest }: MachineSummary['values'],
  parts: readonly ScheduledRecords[],
): MachineSummary['values'] {
  let answers = 0;
  let messages = 0;
  for (const part of parts) {
    answers += part.records.failure.length;
    messages += (part.messages ?? Number.NaN) * part.records.failure.filter((code) => code === 0).length;
  }
  return cpuMicrosPerRequest === undefined || !(messages > 0)
    ? {}
    : { cpuMicrosPerMessage: (cpuMicrosPerRequest * answers) / messages };
}
