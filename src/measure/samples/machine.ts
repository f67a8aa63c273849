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

type Span = readonly Reading[];

/**
 * Machine metrics from the readings of one or more spans of time, and the requests answered in them; undefined without two readings. Increases are
 * summed over the spans, from the first reading of each to its last: a block is little longer than a tick.
 */
export function summariseMachine(spans: readonly Span[], answers: number): MachineSummary | undefined {
  const readings = spans.flat();
  const grown = (read: Counter) => growthOver(spans, read);
  const known = (read: (reading: Reading) => number) => grown(read) ?? 0;
  const seconds = known(({ atMs }) => atMs) / 1000;
  if (seconds <= 0) {
    return undefined;
  }
  const cpuSeconds = grown(({ service }) => service.cpuSeconds);
  const loadCpuSeconds = known((reading) => reading.loadCpuSeconds);
  const needsCpuSeconds = grown((reading) => reading.needsCpuSeconds);
  const wireBytes = grown(({ service }) => service.wireBytes);
  const pressure = grown(({ host }) => host.cpuPressureSeconds);
  const peaks = readings.flatMap(({ service }) => service.peakMemoryMiB ?? []);
  const busySeconds = known(({ host }) => host.busySeconds);
  const stealSeconds = known(({ host }) => host.stealSeconds);
  const listenOverflows = known(({ host }) => host.listenOverflows);
  // Unreadable use by a service would count as that of other programs.
  const foreign = cpuSeconds === undefined ? 0 : busySeconds - cpuSeconds - loadCpuSeconds - (needsCpuSeconds ?? 0);
  return {
    values: {
      ...(cpuSeconds !== undefined && { serviceCpuShare: cpuSeconds / seconds }),
      loadCpuShare: loadCpuSeconds / seconds,
      ...(peaks.length === readings.length && { peakMemoryMiB: Math.max(...peaks) }),
      ...(answers > 0 && cpuSeconds !== undefined && { cpuMicrosPerRequest: (cpuSeconds * 1e6) / answers }),
      ...(answers > 0 && wireBytes !== undefined && { wireBytesPerRequest: wireBytes / answers }),
      ...(wireBytes !== undefined && { wireMegabytesPerSecond: wireBytes / 1e6 / seconds }),
    },
    ...memberValues(spans, answers),
    host: {
      stealShare: Math.max(0, stealSeconds) / seconds,
      // The kernel counts in ticks, while the service's counters are exact: a small negative difference means none.
      foreignCpuShare: Math.max(0, foreign) / seconds,
      ...(needsCpuSeconds !== undefined && { needsCpuShare: Math.max(0, needsCpuSeconds) / seconds }),
      ...(pressure !== undefined && { cpuPressureShare: Math.max(0, pressure / seconds) }),
      listenOverflows: Math.max(0, listenOverflows),
      timeWaitSockets: Math.max(...readings.map(({ host }) => host.timeWaitSockets)),
    },
  };
}

type Counter = (reading: Reading) => number | undefined;

/** Undefined if a first or last reading lacks the counter. */
function growthOver(spans: readonly Span[], read: Counter): number | undefined {
  return spans.reduce<number | undefined>((sum, span) => {
    const [from, to] = [span[0], span.at(-1)].map((reading) => reading && read(reading));
    return sum === undefined || from === undefined || to === undefined ? undefined : sum + (to - from);
  }, 0);
}

function memberValues(spans: readonly Span[], answers: number): Pick<MachineSummary, 'members'> {
  const readings = spans.flat();
  const [first, last] = [readings[0]?.members, readings.at(-1)?.members];
  if (first === undefined || last === undefined) {
    return {};
  }
  const values = Object.keys(last).map((name): [string, MemberValues] => {
    const perAnswer = (counter: keyof MemberCounters): number | undefined => {
      const growth = growthOver(spans, ({ members }) => members?.[name]?.[counter]);
      return growth === undefined || answers === 0 ? undefined : Math.max(0, growth) / answers;
    };
    const cpuSeconds = perAnswer('cpuSeconds');
    return [
      name,
      {
        cpuMicrosPerRequest: cpuSeconds === undefined ? undefined : cpuSeconds * 1e6,
        peakMemoryMiB: Math.max(...readings.flatMap(({ members }) => members?.[name]?.peakMemoryMiB ?? [])),
        receivedBytesPerRequest: perAnswer('receivedBytes'),
        sentBytesPerRequest: perAnswer('sentBytes'),
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

/** Counters over all blocks, each from idle to idle. */
export function machineAround(blocks: readonly MeasuredBlock[]): MachineSummary | undefined {
  const answers = blocks.reduce(
    (sum, { parts, before, after }) => sum + answersBetween(parts, before.atMs, after.atMs),
    0,
  );
  const spans = blocks.map(({ before, after }) => [before, after]);
  const machine = summariseMachine(spans, answers);
  return machine && { ...machine, values: overLoad(machine.values, blocks) };
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
