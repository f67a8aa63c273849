import type { Reading } from './counters.ts';
import type { MetricName } from './metric.ts';
import type { HostReading } from './sample.ts';

/** What the machine's counters say about a slot: metrics of the service as a whole, and the state of the host. */
export interface MachineSummary {
  readonly values: Readonly<Partial<Record<MetricName, number>>>;
  readonly host: HostReading;
}

/** At a fixed moment: how many requests had been answered between two Unix times. */
export type AnswersBetween = (fromMs: number, toMs: number) => number;

/**
 * The machine's side of a slot, from readings in order of time that all lie in the measured part of the slot.
 * Undefined with fewer than two readings. CPU time and bytes are divided by the requests answered between the
 * first and the last reading, so that nothing hangs on when exactly the readings were taken.
 */
export function summariseMachine(
  readings: readonly Reading[],
  answersBetween: AnswersBetween,
): MachineSummary | undefined {
  const first = readings[0];
  const last = readings.at(-1);
  if (first === undefined || last === undefined || last.atMs <= first.atMs) {
    return undefined;
  }
  const seconds = (last.atMs - first.atMs) / 1000;
  const answers = answersBetween(first.atMs, last.atMs);
  const cpuSeconds = last.service.cpuSeconds - first.service.cpuSeconds;
  const loadCpuSeconds = last.loadCpuSeconds - first.loadCpuSeconds;
  return {
    values: {
      serviceCpuShare: cpuSeconds / seconds,
      loadCpuShare: loadCpuSeconds / seconds,
      peakMemoryMiB: Math.max(...readings.map((reading) => reading.service.peakMemoryMiB)),
      ...(answers > 0 && { cpuMicrosPerRequest: (cpuSeconds * 1e6) / answers, ...wireValues(first, last, answers) }),
    },
    host: hostReading(readings, { seconds, ownCpuSeconds: cpuSeconds + loadCpuSeconds }),
  };
}

function wireValues(first: Reading, last: Reading, answers: number): MachineSummary['values'] {
  const [before, after] = [first.service.wireBytes, last.service.wireBytes];
  return before === undefined || after === undefined ? {} : { wireBytesPerRequest: (after - before) / answers };
}

function hostReading(readings: readonly Reading[], spent: { seconds: number; ownCpuSeconds: number }): HostReading {
  const first = readings[0]?.host;
  const last = readings.at(-1)?.host;
  if (first === undefined || last === undefined) {
    throw new RangeError('a host reading needs readings');
  }
  const foreign = last.busySeconds - first.busySeconds - spent.ownCpuSeconds;
  const pressure =
    first.cpuPressureSeconds === undefined || last.cpuPressureSeconds === undefined
      ? undefined
      : (last.cpuPressureSeconds - first.cpuPressureSeconds) / spent.seconds;
  return {
    stealShare: Math.max(0, last.stealSeconds - first.stealSeconds) / spent.seconds,
    // The kernel counts in ticks, the service's counters are exact: a small negative difference means none.
    foreignCpuShare: Math.max(0, foreign) / spent.seconds,
    ...(pressure !== undefined && { cpuPressureShare: Math.max(0, pressure) }),
    listenOverflows: Math.max(0, last.listenOverflows - first.listenOverflows),
    timeWaitSockets: Math.max(...readings.map((reading) => reading.host.timeWaitSockets)),
  };
}
