import { MeasurementError } from '../../foundation/errors.ts';
import { mean, quantile, sorted } from '../../foundation/statistics.ts';
import type { MeasuredWindow, ScheduledRecords } from '../../model/load.ts';
import {
  ALL_OPERATIONS,
  type Repetitions,
  type Sample,
  type StageSample,
  type TimeSeries,
} from '../../model/metric.ts';
import { operationWorkers, type Pace } from '../../model/plan.ts';
import type { Reading } from '../../model/runner.ts';
import { type Operation, type UserStage, usersAt } from '../../model/suite/suite.ts';
import { summariseBlockMachine } from './block.ts';
import {
  answersBetween,
  firstStartMs,
  lastEndMs,
  type MachineSummary,
  marking,
  perMessage,
  summariseMachine,
  UNREAD_HOST,
} from './machine.ts';
import { isAmong, marksOf, mostLateWhileFree } from './marks.ts';
import { ownSample, type PagesAround } from './own.ts';
import { type TimedPart, timedParts } from './records.ts';
import { summarise } from './summary.ts';

/** Records of the ramp and the steady stage of a load, and the readings of the steady stage. */
export interface LoadRecords {
  readonly operations: readonly Operation[];
  readonly pace: Pace;
  readonly warmupSeconds: number;
  /** Behind the warm-up; of users without think time, at most. */
  readonly measureSeconds: number;
  readonly ramp: readonly ScheduledRecords[];
  readonly steady: readonly ScheduledRecords[];
  readonly readings: readonly Reading[];
  /** The pages of its programs before the steady stage and after it; undefined if none has one. */
  readonly pages?: PagesAround | undefined;
  readonly cpus?: number | undefined;
  readonly hasOwnCores?: boolean | undefined;
  /** For one request with its connection, by operation; see connectionBytesOf. */
  readonly connectionBytes?: ReadonlyMap<string, number> | undefined;
  readonly growing?: readonly string[] | undefined;
  readonly hasEscaped?: boolean | undefined;
}

type Observation = Omit<Sample, 'cell' | 'round' | 'side' | 'position'>;

interface SamplePlace extends Pick<Sample, 'round' | 'position'> {
  readonly cell: Omit<Sample['cell'], 'operation'>;
}

export function samplesOf(
  records: LoadRecords,
  { cell: { suite, service, tier }, round, position }: SamplePlace,
): Sample[] {
  const { whole, single } = observationsOf(records);
  const placed = (operation: string, seen: Observation): Sample => ({
    cell: { suite, service, operation, tier },
    round,
    side: 'head',
    position,
    ...seen,
  });
  return [placed(ALL_OPERATIONS, whole), ...single.map(({ operation, seen }) => placed(operation, seen))];
}

/** Observations of all operations, with the machine and the time series, and of each. The window begins after the warm-up. */
export function observationsOf(records: LoadRecords) {
  const { operations, pace, ramp, steady, pages } = records;
  const window = windowOf(records);
  const machine = machineOf(records, window);
  const stages = pace.mode === 'stages' ? pace.stages : undefined;
  const staged = stages && stageSamples(records, stages);
  const shares = staged?.flatMap(({ values }) => values.loadCpuShare ?? []) ?? [];
  const focus = { window, machine, busiest: shares.length === 0 ? undefined : Math.max(...shares) };
  const whole: Observation = {
    ...observationOf(records, focus),
    members: machine?.members,
    series: withMemory(records, window.fromMs, timeSeries([...ramp, ...steady], window.fromMs, stages)),
    ...(staged !== undefined && { stages: staged }),
    ...(pages !== undefined && { own: ownSample(steady, pages) }),
    ...(isOneUser(records) && { repetitions: repetitionsOf(steady, window) }),
  };
  const single = operations.map((operation) => ({
    operation: operation.name,
    seen: observationOf(records, focus, operation),
  }));
  return { whole, single };
}

function withMemory({ readings }: LoadRecords, zeroMs: number, series: TimeSeries): TimeSeries {
  const bySecond = new Map(
    readings.flatMap(({ atMs, service: { memoryMiB } }) =>
      memoryMiB === undefined ? [] : [[Math.floor((atMs - zeroMs) / 1000), Number(memoryMiB.toFixed(3))] as const],
    ),
  );
  return bySecond.size === 0
    ? series
    : { ...series, memoryMiB: series.second.map((second) => bySecond.get(second) ?? null) };
}

interface Focus {
  readonly window: MeasuredWindow;
  readonly machine: MachineSummary | undefined;
  /** The load tool's in the busiest of the stages: its limit in one spoils the whole, however idle it was in the others. */
  readonly busiest: number | undefined;
}

function observationOf(records: LoadRecords, { window, machine, busiest }: Focus, operation?: Operation): Observation {
  const { pace, steady } = records;
  const { workers } = pace;
  const parts = operation === undefined ? steady : steady.filter((part) => part.operation === operation.name);
  const summary = summarise(parts, window);
  const { longestStallMs: _forMarks, ...figures } = summary;
  const host = machine?.host ?? UNREAD_HOST;
  return {
    ...figures,
    values: {
      ...summary.values,
      ...(operation === undefined && machine && { ...machine.values, ...perMessage(machine.values, parts) }),
      ...bytesOf(records, operation),
    },
    measuredSeconds: (window.toMs - window.fromMs) / 1000,
    workers: operation === undefined ? workers : operationWorkers(workers, operation),
    marks: marksOf({
      workers,
      mode: pace.mode === 'open' || pace.mode === 'stages' ? 'open' : 'saturate',
      summary,
      machine: { ...marking(machine, records.hasOwnCores), ...(busiest !== undefined && { loadCpuShare: busiest }) },
      host,
      lateWhileFree: mostLateWhileFree(parts),
      cpus: records.cpus,
      isGrowing: isAmong(records.growing, operation),
      hasEscaped: records.hasEscaped,
      ...(operation === undefined && {
        memoryMiB: readingsIn(records, window).flatMap(({ service }) => service.memoryMiB ?? []),
      }),
    }),
    host,
  };
}

function readingsIn({ readings }: LoadRecords, { fromMs, toMs }: MeasuredWindow): readonly Reading[] {
  return readings.filter(({ atMs }) => atMs >= fromMs && atMs <= toMs);
}

function machineOf(records: LoadRecords, window: MeasuredWindow): MachineSummary | undefined {
  const { pace, steady, readings, warmupSeconds } = records;
  const [before, after] = [readings[0], readings.at(-1)];
  if (areUsers(pace) && warmupSeconds === 0) {
    // All is measured: from before the first request to behind the last answer, like a block.
    return before && after && summariseBlockMachine([{ parts: steady, before, after }]);
  }
  return machineWithin(records, window);
}

function machineWithin(records: LoadRecords, window: MeasuredWindow): MachineSummary | undefined {
  return summariseMachine(readingsIn(records, window), (from, to) => answersBetween(records.steady, from, to));
}

function bytesOf({ connectionBytes, operations }: LoadRecords, operation: Operation | undefined): Sample['values'] {
  const requested = operation === undefined ? operations : [{ ...operation, share: 1 }];
  const bytes = requested.map(({ name, share }) => share * (connectionBytes?.get(name) ?? Number.NaN));
  const mean = bytes.reduce((sum, one) => sum + one, 0);
  return Number.isNaN(mean) || requested.length === 0 ? {} : { connectionBytesPerRequest: mean };
}

/** Answers per second in the first `seconds` after the first request of a stage; failed ones count as answers. */
export function answersPerSecond(parts: readonly ScheduledRecords[], seconds: number): number {
  const fromMs = firstStartMs(parts);
  return answersBetween(parts, fromMs, fromMs + seconds * 1000) / seconds;
}

/** One who sends the next request as soon as the last is answered: only then is one request like the other. */
function isOneUser({ pace }: LoadRecords): boolean {
  return pace.mode === 'users' && pace.workers === 1;
}

/** The number of requests that users send, rather than the number that fits into a time. */
function areUsers({ mode }: Pace): boolean {
  return mode === 'users' || mode === 'stages';
}

function windowOf({ steady, pace, warmupSeconds, measureSeconds }: LoadRecords): MeasuredWindow {
  const fromMs = firstStartMs(steady) + warmupSeconds * 1000;
  return areUsers(pace)
    ? { fromMs: fromMs - EDGE_MS, toMs: lastEndMs(steady) + EDGE_MS }
    : { fromMs, toMs: fromMs + measureSeconds * 1000 };
}

/** For the first request and the last answer themselves: windows end before their last instant, and Unix time is rounded. */
const EDGE_MS = 0.01;

/** The number that a picture shows, evenly spread, */
const MOST_SPREAD = 400;

/** and the slowest in any case. */
const SLOWEST = 20;

/** Latencies of requests that one user sent in a row: an even selection, and the slowest. Failed ones only count. */
export function repetitionsOf(parts: readonly ScheduledRecords[], { fromMs, toMs }: MeasuredWindow): Repetitions {
  const sent = parts
    .flatMap(({ records: { originMs, startMs, latencyMs, failure } }) =>
      Array.from(startMs, (start, index) => ({
        atMs: originMs + start,
        latencyMs: latencyMs[index] ?? 0,
        isFailed: failure[index] !== 0,
      })),
    )
    .filter(({ atMs, latencyMs }) => atMs >= fromMs && atMs + latencyMs < toMs)
    .sort((one, other) => one.atMs - other.atMs)
    .map(({ latencyMs, isFailed }, index) => ({ number: index + 1, latencyMs, isFailed }))
    .filter(({ isFailed }) => !isFailed);
  const step = Math.max(1, sent.length / MOST_SPREAD);
  const slowest = new Set(sent.toSorted((one, other) => other.latencyMs - one.latencyMs).slice(0, SLOWEST));
  const kept = sent.filter(
    (one, index) => slowest.has(one) || Math.floor(index / step) !== Math.floor((index - 1) / step),
  );
  return {
    number: kept.map(({ number }) => number),
    latencyMs: kept.map(({ latencyMs }) => Number(latencyMs.toFixed(4))),
  };
}

/** Samples of each stage: of its requests and its readings. A stage without time is left out. */
function stageSamples(records: LoadRecords, stages: readonly UserStage[]): StageSample[] {
  const zeroMs = firstStartMs(records.steady);
  let [fromSeconds, fromUsers] = [0, 0];
  const samples: StageSample[] = [];
  for (const { seconds, users } of stages) {
    const fromMs = zeroMs + fromSeconds * 1000;
    if (seconds > 0) {
      const window = { fromMs, toMs: fromMs + seconds * 1000 };
      const { requests, values } = summarise(records.steady, window);
      const all = { ...values, ...machineWithin(records, window)?.values };
      samples.push({ fromSeconds, seconds, fromUsers, users, requests, values: all });
    }
    [fromSeconds, fromUsers] = [fromSeconds + seconds, users];
  }
  return samples;
}

const MOST_SECONDS = 86_400;

/** One bin a second, ramp included, from `zeroMs`: arrivals by schedule, answers and latencies by their end; users in stages. */
export function timeSeries(
  parts: readonly ScheduledRecords[],
  zeroMs: number,
  stages?: readonly UserStage[],
): TimeSeries {
  const columns = timedParts(parts).map((timed) => secondsOf(timed, zeroMs));
  const { first, count } = spanOf(columns);
  const offered = new Uint32Array(count);
  const answers = new Uint32Array(count);
  for (const { dueSecond, answerSecond } of columns) {
    countInto(offered, dueSecond, first);
    countInto(answers, answerSecond, first);
  }
  const latencies = latenciesBySecond(columns, answers, first).map(sorted);
  const second = Array.from({ length: count }, (_, bin) => first + bin);
  return {
    second,
    offeredRps: [...offered],
    achievedRps: [...answers],
    latencyMeanMs: latencies.map((values) => mean(values) ?? null),
    latencyP50Ms: latencies.map((values) => quantile(values, 0.5) ?? null),
    latencyP99Ms: latencies.map((values) => quantile(values, 0.99) ?? null),
    ...(stages !== undefined && {
      latencyP95Ms: latencies.map((values) => quantile(values, 0.95) ?? null),
      // In the mean of each second.
      users: second.map((from) => usersAt(stages, from + 0.5)),
    }),
  };
}

interface Seconds {
  /** The second in which each request was due. */
  readonly dueSecond: Float64Array;
  /** The second in which each successful request was answered, and its latency. */
  readonly answerSecond: Float64Array;
  readonly answerLatencyMs: Float64Array;
}

function secondsOf({ part, timing }: TimedPart, zeroMs: number): Seconds {
  const second = (ms: number) => Math.floor((timing.originMs - zeroMs + ms) / 1000);
  const isAnswered = (_: number, index: number) => part.records.failure[index] === 0;
  return {
    dueSecond: timing.dueMs.map(second),
    answerSecond: timing.endMs.filter(isAnswered).map(second),
    answerLatencyMs: timing.latencyMs.filter(isAnswered),
  };
}

function spanOf(columns: readonly Seconds[]): { first: number; count: number } {
  let first = Number.POSITIVE_INFINITY;
  let last = Number.NEGATIVE_INFINITY;
  for (const column of columns.flatMap(({ dueSecond, answerSecond }) => [dueSecond, answerSecond])) {
    for (const second of column) {
      first = Math.min(first, second);
      last = Math.max(last, second);
    }
  }
  if (last < first) {
    return { first: 0, count: 0 };
  }
  if (last - first >= MOST_SECONDS) {
    throw new MeasurementError(`The records of one slot span ${last - first} seconds, longer than any slot`, {
      code: 'WG-401',
      next: 'The clock of the machine was probably set while the load tool ran; measure again.',
    });
  }
  return { first, count: last - first + 1 };
}

function countInto(bins: Uint32Array, seconds: Float64Array, first: number): void {
  for (const second of seconds) {
    bins[second - first] = (bins[second - first] ?? 0) + 1;
  }
}

function latenciesBySecond(columns: readonly Seconds[], answers: Uint32Array, first: number): Float64Array[] {
  const bins = Array.from(answers, (count) => new Float64Array(count));
  const filled = new Uint32Array(answers.length);
  for (const { answerSecond, answerLatencyMs } of columns) {
    answerSecond.forEach((second, index) => {
      const bin = second - first;
      const place = filled[bin] ?? 0;
      bins[bin]?.fill(answerLatencyMs[index] ?? 0, place, place + 1);
      filled[bin] = place + 1;
    });
  }
  return bins;
}
