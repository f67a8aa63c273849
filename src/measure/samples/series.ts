import { MeasurementError } from '../../foundation/errors.ts';
import { mean, quantile, sorted } from '../../foundation/statistics.ts';
import type { MeasuredWindow, ScheduledRecords } from '../../model/load.ts';
import type { Repetitions, TimeSeries } from '../../model/run/sample.ts';
import { type UserStage, usersAt } from '../../model/suite/suite.ts';
import { type TimedPart, timedPart } from './summary.ts';

/** Number of evenly spread latencies in a chart, */
const MAX_SPREAD = 400;

/** and of the slowest ones, which it always includes. */
const SLOWEST = 20;

/** Latencies of consecutive requests of one user: an even selection, and the slowest. Failed ones are only counted. */
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
  const step = Math.max(1, sent.length / MAX_SPREAD);
  const slowest = new Set(sent.toSorted((one, other) => other.latencyMs - one.latencyMs).slice(0, SLOWEST));
  const kept = sent.filter(
    (one, index) => slowest.has(one) || Math.floor(index / step) !== Math.floor((index - 1) / step),
  );
  return {
    number: kept.map(({ number }) => number),
    latencyMs: kept.map(({ latencyMs }) => Number(latencyMs.toFixed(4))),
  };
}

const MAX_SECONDS = 86_400;

/** One bin per second from `zeroMs`, including the ramp: arrivals by schedule, responses and latencies by their end; users in stages. */
export function timeSeries(
  parts: readonly ScheduledRecords[],
  zeroMs: number,
  stages?: readonly UserStage[],
): TimeSeries {
  const columns = parts.map((part) => secondsOf(timedPart(part), zeroMs));
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
      // Mean of each second.
      users: second.map((from) => usersAt(stages, from + 0.5)),
    }),
  };
}

type Seconds = ReturnType<typeof secondsOf>;

/** Second in which each request was due, and in which each successful one was answered, with its latency. */
function secondsOf({ records, originMs, dueMs, endMs, latencyMs }: TimedPart, zeroMs: number) {
  const second = (ms: number) => Math.floor((originMs - zeroMs + ms) / 1000);
  const isAnswered = (_: number, index: number) => records.failure[index] === 0;
  return {
    dueSecond: dueMs.map(second),
    answerSecond: endMs.filter(isAnswered).map(second),
    answerLatencyMs: latencyMs.filter(isAnswered),
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
  if (last - first >= MAX_SECONDS) {
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
