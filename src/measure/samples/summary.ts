import { encodeHistogram } from '../../foundation/histogram.ts';
import { mean, quantile, type Sorted, sorted, standardDeviation } from '../../foundation/statistics.ts';
import type { MeasuredWindow, RecordSummary, Records, ScheduledRecords } from '../../model/load.ts';
import type { MetricName } from '../../model/metric.ts';
import type { FailureCount } from '../../model/run/sample.ts';

type MaybeValues = { readonly [Name in MetricName]?: number | undefined };

/** Summary of a window. Requests belong to the window in which they were due; latencies are those of successful ones, from the due time. */
export function summarise(parts: readonly ScheduledRecords[], window: MeasuredWindow): RecordSummary {
  return summariseBlocks([{ parts, window }]);
}

export interface RecordedBlock {
  readonly parts: readonly ScheduledRecords[];
  readonly window: MeasuredWindow;
}

/** The same over several blocks of equal length: all latencies together, and the mean rate. */
export function summariseBlocks(blocks: readonly RecordedBlock[]): RecordSummary {
  const timed = blocks.map(({ parts, window }) => ({ timed: parts.map(timedPart), window }));
  const requests = requestsIn(timed);
  const latencyMs = sorted(requests.latencyMs);
  const recordedMs = sorted(requests.recordedMs);
  const lagMs = sorted(requests.lagMs);
  const firstMs = sorted(requests.firstMs.filter((first) => first >= 0));
  const values: MaybeValues = {
    ...latencyValues(latencyMs),
    recordedP50Ms: quantile(recordedMs, 0.5),
    recordedP99Ms: tail(recordedMs, 0.99),
    lagP99Ms: tail(lagMs, 0.99),
    lagMaxMs: lagMs.at(-1),
    firstMessageP50Ms: quantile(firstMs, 0.5),
    firstMessageP99Ms: tail(firstMs, 0.99),
    messagesPerSecond: mean(timed.flatMap((block) => messagesPerSecond(block) ?? [])),
    achievedRps: mean(timed.flatMap((block) => achievedRps(block) ?? [])),
    errorRate: requests.total === 0 ? undefined : (requests.total - latencyMs.length) / requests.total,
  };
  return {
    values: Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)),
    histogram: encodeHistogram(latencyMs),
    requests: requests.total,
    failures: requests.failures,
    offeredRps: offeredRps(blocks[0]?.parts ?? []),
    // Counts whole blocks, not only their windows.
    droppedRequests: blocks
      .flatMap(({ parts }) => parts)
      .reduce((sum, { planned = 0, records }) => sum + Math.max(0, planned - records.startMs.length), 0),
    longestStallMs: Math.max(0, ...timed.map(longestStall)),
  };
}

/** Requests in the window of a block, including failed ones, and the sum of the latencies of successful ones. */
export function sumOfBlock({ parts, window }: RecordedBlock): {
  readonly requests: number;
  readonly latencyMs: number;
} {
  const { total, latencyMs } = requestsIn([{ timed: parts.map(timedPart), window }]);
  return { requests: total, latencyMs: latencyMs.reduce((sum, latency) => sum + latency, 0) };
}

interface TimedBlock {
  readonly timed: readonly TimedPart[];
  readonly window: MeasuredWindow;
}

function requestsIn(blocks: readonly TimedBlock[]) {
  const spans = blocks.flatMap(({ timed, window }) => timed.map((part) => requestsOfPart(part, window)));
  const joined = (name: 'latencyMs' | 'recordedMs' | 'lagMs' | 'firstMs') =>
    joinedColumns(spans.map((span) => span[name]));
  return {
    total: spans.reduce((sum, { failure }) => sum + failure.length, 0),
    failures: failuresIn(spans),
    latencyMs: joined('latencyMs'),
    recordedMs: joined('recordedMs'),
    lagMs: joined('lagMs'),
    firstMs: joined('firstMs'),
  };
}

/** `lagMs`: delay with which each request of an open loop was sent. */
function requestsOfPart(part: TimedPart, window: MeasuredWindow) {
  const { records, ratePerSecond, originMs, dueMs, firstMs } = part;
  const from = firstNotBelow(dueMs, window.fromMs - originMs);
  const to = Math.max(from, firstNotBelow(dueMs, window.toMs - originMs));
  const span = (column: Float64Array) => column.subarray(from, to);
  const failure = records.failure.subarray(from, to);
  return {
    ...{ failure, failureKinds: records.failureKinds },
    latencyMs: chosen(span(part.latencyMs), failure, 'answered'),
    recordedMs: chosen(span(records.latencyMs), failure, 'answered'),
    lagMs: ratePerSecond === undefined ? new Float64Array() : difference(span(records.startMs), span(dueMs)),
    firstMs: firstMs === undefined ? new Float64Array() : chosen(span(firstMs), failure, 'answered'),
  };
}

function difference(column: Float64Array, other: Float64Array): Float64Array {
  const result = new Float64Array(column.length);
  for (let index = 0; index < column.length; index += 1) {
    result[index] = (column[index] ?? 0) - (other[index] ?? 0);
  }
  return result;
}

/** Failures by kind, the most frequent first. */
function failuresIn(spans: readonly Pick<Records, 'failure' | 'failureKinds'>[]): FailureCount[] {
  const counts = new Map<string, number>();
  for (const { failure, failureKinds } of spans) {
    for (const code of failure) {
      const kind = code === 0 ? undefined : failureKinds[code - 1];
      if (kind !== undefined) {
        counts.set(kind, (counts.get(kind) ?? 0) + 1);
      }
    }
  }
  return [...counts]
    .map(([kind, count]) => ({ kind, count }))
    .sort((left, right) => right.count - left.count || (left.kind < right.kind ? -1 : 1));
}

function latencyValues(latencyMs: Sorted): MaybeValues {
  const middle = mean(latencyMs);
  const deviation = standardDeviation(latencyMs);
  return {
    latencyMeanMs: middle,
    latencyP50Ms: quantile(latencyMs, 0.5),
    latencyP90Ms: tail(latencyMs, 0.9),
    latencyP95Ms: tail(latencyMs, 0.95),
    latencyP99Ms: tail(latencyMs, 0.99),
    latencyP999Ms: tail(latencyMs, 0.999),
    latencyMinMs: latencyMs[0],
    latencyMaxMs: latencyMs.at(-1),
    latencySdMs: deviation,
    // As in wrk: the share of the values within one standard deviation of the mean.
    withinSdShare:
      middle === undefined || deviation === undefined
        ? undefined
        : latencyMs.filter((value) => Math.abs(value - middle) <= deviation).length / latencyMs.length,
  };
}

/** Quantile of the upper tail; undefined if no request is beyond it, since it would equal the maximum. */
function tail(values: Sorted, share: number): number | undefined {
  return values.length < Math.round(1 / (1 - share)) ? undefined : quantile(values, share);
}

/** Successful responses that ended in the window, whenever they were due, per second; weighted if a response counts for more. */
function achievedRps(
  { timed, window: { fromMs, toMs } }: TimedBlock,
  counting: (part: ScheduledRecords) => number = () => 1,
): number | undefined {
  if (toMs <= fromMs || timed.every(({ endMs }) => endMs.length === 0)) {
    return undefined;
  }
  let answers = 0;
  for (const part of timed) {
    const each = counting(part);
    for (let index = 0; index < part.endMs.length; index += 1) {
      const end = part.originMs + (part.endMs[index] ?? 0);
      answers += end >= fromMs && end < toMs && part.records.failure[index] === 0 ? each : 0;
    }
  }
  return (answers * 1000) / (toMs - fromMs);
}

/** Messages per second in successful responses that ended in the window; undefined unless all are streams. */
function messagesPerSecond(block: TimedBlock): number | undefined {
  return block.timed.some(({ messages }) => messages === undefined)
    ? undefined
    : achievedRps(block, ({ messages = 0 }) => messages);
}

function offeredRps(parts: readonly ScheduledRecords[]): number | undefined {
  const rates = parts.flatMap(({ ratePerSecond }) => ratePerSecond ?? []);
  return rates.length < parts.length || rates.length === 0 ? undefined : rates.reduce((sum, rate) => sum + rate);
}

/** Longest time in ms in which a request was waiting and none was answered; a failed request is not a response. */
function longestStall({ timed, window }: TimedBlock): number {
  const moments = timed.map(momentsOf);
  const inOrder = (name: 'dueMs' | 'answerMs' | 'failureMs') => joinedColumns(moments.map((one) => one[name])).sort();
  const [dueMs, answerMs, failureMs] = [inOrder('dueMs'), inOrder('answerMs'), inOrder('failureMs')] as const;
  let longestMs = 0;
  let sinceMs = Number.NEGATIVE_INFINITY;
  let answers = 0;
  let previous = { endMs: Number.NEGATIVE_INFINITY, isAnswer: false };
  for (let ended = 0; ended < dueMs.length; ended += 1) {
    const due = dueMs[ended] ?? 0;
    const answer = answerMs[answers] ?? Number.POSITIVE_INFINITY;
    const failure = failureMs[ended - answers] ?? Number.POSITIVE_INFINITY;
    // With due times and ends each in order, the due time at the same position shows when a request waited again.
    if (due > previous.endMs) {
      sinceMs = due;
    } else if (previous.isAnswer) {
      sinceMs = previous.endMs;
    }
    previous = { endMs: Math.min(answer, failure), isAnswer: answer <= failure };
    answers += previous.isAnswer ? 1 : 0;
    longestMs = Math.max(longestMs, Math.min(previous.endMs, window.toMs) - Math.max(sinceMs, window.fromMs));
  }
  return longestMs;
}

/** In Unix milliseconds. */
function momentsOf(part: TimedPart) {
  const { startMs, failure } = part.records;
  const dueMs = new Float64Array(startMs.length);
  const endMs = new Float64Array(startMs.length);
  for (let index = 0; index < startMs.length; index += 1) {
    // A request that was sent early waits from then on.
    dueMs[index] = part.originMs + Math.min(part.dueMs[index] ?? 0, startMs[index] ?? 0);
    endMs[index] = part.originMs + (part.endMs[index] ?? 0);
  }
  return { dueMs, answerMs: chosen(endMs, failure, 'answered'), failureMs: chosen(endMs, failure, 'failed') };
}

export function chosen(column: Float64Array, failure: Uint16Array, which: 'answered' | 'failed'): Float64Array {
  const readsFailed = which === 'failed';
  const kept = new Float64Array(column.length);
  let count = 0;
  for (let index = 0; index < column.length; index += 1) {
    kept[count] = column[index] ?? 0;
    count += (failure[index] !== 0) === readsFailed ? 1 : 0;
  }
  return kept.subarray(0, count);
}

function joinedColumns(columns: readonly Float64Array[]): Float64Array {
  const all = new Float64Array(columns.reduce((sum, column) => sum + column.length, 0));
  let at = 0;
  for (const column of columns) {
    all.set(column, at);
    at += column.length;
  }
  return all;
}

/** Records of an operation, with the due and response time of each request, ordered by due time; milliseconds since `originMs`. */
export interface TimedPart extends ScheduledRecords {
  readonly originMs: number;
  /** Scheduled arrival; in a closed loop, which has no schedule, the start. */
  readonly dueMs: Float64Array;
  readonly endMs: Float64Array;
  /** From the scheduled arrival to the response, and never less than the tool recorded. */
  readonly latencyMs: Float64Array;
  readonly firstMs?: Float64Array | undefined;
}

/** Each latency counts from when its request was due, which a closed loop does not know (`dueTimes` in tools/load/cmd/wiregauge-load/records.go). */
export function timedPart(part: ScheduledRecords): TimedPart {
  const { startMs, latencyMs: recorded, originMs, dueMs = startMs, firstMs: recordedFirst } = part.records;
  const endMs = new Float64Array(startMs.length);
  const latencyMs = new Float64Array(startMs.length);
  // Plain loops here and in the summary: over a million records, typed arrays' own map and filter are several times slower.
  for (let index = 0; index < startMs.length; index += 1) {
    const latency = recorded[index] ?? 0;
    const end = (startMs[index] ?? 0) + latency;
    endMs[index] = end;
    latencyMs[index] = Math.max(latency, end - (dueMs[index] ?? 0));
  }
  const firstMs = recordedFirst?.map((first, index) => first + (latencyMs[index] ?? 0) - (recorded[index] ?? 0));
  return { ...part, originMs, dueMs, endMs, latencyMs, firstMs };
}

function firstNotBelow(column: Float64Array, limit: number): number {
  let from = 0;
  let to = column.length;
  while (from < to) {
    const middle = (from + to) >>> 1;
    if ((column[middle] ?? 0) < limit) {
      from = middle + 1;
    } else {
      to = middle;
    }
  }
  return from;
}
