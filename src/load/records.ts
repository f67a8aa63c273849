import { randomAt } from '../foundation/index.ts';
import type { Records, ScheduledRecords } from '../model/index.ts';

/** Moment of a record: whole Unix seconds, and nanoseconds on top, so that no precision is lost in one number. */
export interface RecordTime {
  readonly seconds: number;
  readonly nanoseconds: number;
}

/** Collects records one by one, in any order, and gives them as columns in order of their start. */
export interface RecordColumns {
  /** Records so far. */
  count(): number;
  /** `failure` is 0 for an answer as it should be, else 1 + index into the kinds given to `finish`. */
  add(start: RecordTime, latencyNanoseconds: number, failure: number): void;
  /** The time to the first message of the record that was added last. */
  noteFirst(nanoseconds: number): void;
  finish(failureKinds: readonly string[]): Records;
}

const FIRST_CAPACITY = 1024;

/** Empty columns that double when they are full: a million records take 18 MB, and never more than three times that. */
export function recordColumns(): RecordColumns {
  let originSeconds: number | undefined;
  let count = 0;
  let startMs = new Float64Array(FIRST_CAPACITY);
  let latencyMs = new Float64Array(FIRST_CAPACITY);
  let failures = new Uint16Array(FIRST_CAPACITY);
  let firstMs: Float64Array<ArrayBuffer> | undefined;
  return {
    count: () => count,
    add(start, latencyNanoseconds, failure) {
      if (count === startMs.length) {
        startMs = doubled(startMs, Float64Array);
        latencyMs = doubled(latencyMs, Float64Array);
        failures = doubled(failures, Uint16Array);
        firstMs = firstMs && doubled(firstMs, Float64Array).fill(Number.NaN, count);
      }
      originSeconds ??= start.seconds;
      startMs[count] = (start.seconds - originSeconds) * 1000 + start.nanoseconds / 1e6;
      latencyMs[count] = latencyNanoseconds / 1e6;
      failures[count] = failure;
      count += 1;
    },
    noteFirst(nanoseconds) {
      // Most loads have no streams.
      firstMs ??= new Float64Array(startMs.length).fill(Number.NaN);
      firstMs[count - 1] = nanoseconds / 1e6;
    },
    finish(failureKinds) {
      const order = ascendingOrder(startMs.subarray(0, count));
      return {
        originMs: (originSeconds ?? 0) * 1000,
        startMs: reordered(startMs, order, new Float64Array(count)),
        latencyMs: reordered(latencyMs, order, new Float64Array(count)),
        failure: reordered(failures, order, new Uint16Array(count)),
        failureKinds,
        ...(firstMs !== undefined && { firstMs: reordered(firstMs, order, new Float64Array(count)) }),
      };
    },
  };
}

interface Column {
  readonly length: number;
  [index: number]: number;
}

interface FixedColumn extends Column {
  set(from: this): void;
}

function doubled<Kind extends FixedColumn>(column: Kind, kind: new (length: number) => Kind): Kind {
  const twice = new kind(column.length * 2);
  twice.set(column);
  return twice;
}

function reordered<Kind extends Column>(column: Kind, order: Uint32Array, into: Kind): Kind {
  for (let index = 0; index < order.length; index += 1) {
    into[index] = column[order[index] ?? 0] ?? 0;
  }
  return into;
}

/**
 * The positions of the keys in ascending order of their key; equal keys keep their order.
 * A bottom-up merge sort: records arrive almost in order, and a pair of runs that already is in order costs one
 * comparison. A typed array's own sort with a comparison function takes several times as long.
 */
export function ascendingOrder(keys: Float64Array): Uint32Array {
  let order = new Uint32Array(keys.length);
  for (let index = 0; index < order.length; index += 1) {
    order[index] = index;
  }
  let spare = new Uint32Array(keys.length);
  for (let width = 1; width < keys.length; width *= 2) {
    for (let from = 0; from < keys.length; from += 2 * width) {
      mergeRuns({ keys, order, into: spare }, from, width);
    }
    [order, spare] = [spare, order];
  }
  return order;
}

interface Merge {
  readonly keys: Float64Array;
  readonly order: Uint32Array;
  readonly into: Uint32Array;
}

function mergeRuns(merge: Merge, from: number, width: number): void {
  const { keys, order, into } = merge;
  const middle = Math.min(from + width, keys.length);
  const to = Math.min(middle + width, keys.length);
  if (middle === to || keyAt(keys, order, middle - 1) <= keyAt(keys, order, middle)) {
    into.set(order.subarray(from, to), from);
    return;
  }
  interleave(merge, { from, middle, to });
}

function interleave({ keys, order, into }: Merge, runs: { from: number; middle: number; to: number }): void {
  let left = runs.from;
  let right = runs.middle;
  let index = runs.from;
  while (left < runs.middle && right < runs.to) {
    const takeLeft = keyAt(keys, order, left) <= keyAt(keys, order, right);
    into[index] = order[takeLeft ? left : right] ?? 0;
    left += takeLeft ? 1 : 0;
    right += takeLeft ? 0 : 1;
    index += 1;
  }
  into.set(left < runs.middle ? order.subarray(left, runs.middle) : order.subarray(right, runs.to), index);
}

function keyAt(keys: Float64Array, order: Uint32Array, index: number): number {
  return keys[order[index] ?? 0] ?? 0;
}

/** The values of a column whose requests were answered as they should be, or whose requests failed. */
export function chosen(column: Float64Array, failure: Uint16Array, which: 'answered' | 'failed'): Float64Array {
  const wantsFailed = which === 'failed';
  const kept = new Float64Array(column.length);
  let count = 0;
  for (let index = 0; index < column.length; index += 1) {
    kept[count] = column[index] ?? 0;
    count += (failure[index] !== 0) === wantsFailed ? 1 : 0;
  }
  return kept.subarray(0, count);
}

/** All columns one after the other. */
export function joinedColumns(columns: readonly Float64Array[]): Float64Array {
  const all = new Float64Array(columns.reduce((sum, column) => sum + column.length, 0));
  let at = 0;
  for (const column of columns) {
    all.set(column, at);
    at += column.length;
  }
  return all;
}

/** When each request of a part was due and answered, ordered by when it was due; milliseconds since `originMs`. */
export interface Timing {
  readonly originMs: number;
  /** The scheduled arrival; in a closed loop, which has no schedule, the start. */
  readonly dueMs: Float64Array;
  readonly endMs: Float64Array;
  /** From the scheduled arrival to the answer, and never less than the tool recorded. */
  readonly latencyMs: Float64Array;
  /** The same to the first message of the answer; undefined if no answer is a stream. */
  readonly firstMs?: Float64Array | undefined;
}

/** A part and its timing. */
export interface TimedPart {
  readonly part: ScheduledRecords;
  readonly timing: Timing;
}

/** The parts, each with its timing. */
export function timedParts(parts: readonly ScheduledRecords[]): TimedPart[] {
  return parts.map((part) => ({ part, timing: timingOf(part) }));
}

/**
 * The schedule that the load tool was to keep, and each latency measured against it. Both tools bound the requests in
 * flight, so they send late while the service stalls and leave the wait out of what they record (coordinated
 * omission). The schedule is known, so the wait can be put back: the i-th request by order of start was due at
 * start_0 + i / rate. Exact as long as no request in between was left out; the tools catch up and leave out none.
 */
function timingOf(part: ScheduledRecords): Timing {
  const { records, ratePerSecond } = part;
  const { startMs, latencyMs: recorded, originMs } = records;
  const schedule = ratePerSecond === undefined ? undefined : dueIntervals(part);
  const firstMs = startMs[0] ?? 0;
  const dueMs = new Float64Array(startMs.length);
  const endMs = new Float64Array(startMs.length);
  const latencyMs = new Float64Array(startMs.length);
  // Plain loops here and in the summary: over a million records, typed arrays' own map and filter are several times slower.
  for (let index = 0; index < startMs.length; index += 1) {
    const start = startMs[index] ?? 0;
    const latency = recorded[index] ?? 0;
    const due = schedule === undefined ? start : firstMs + schedule(index) * (1000 / (ratePerSecond ?? 1));
    dueMs[index] = due;
    endMs[index] = start + latency;
    latencyMs[index] = Math.max(latency, start + latency - due);
  }
  const toFirstMs = records.firstMs?.map((first, index) => first + (latencyMs[index] ?? 0) - (recorded[index] ?? 0));
  return { originMs, dueMs, endMs, latencyMs, ...(toFirstMs !== undefined && { firstMs: toFirstMs }) };
}

/**
 * How many intervals after the first request each request was due. With jitter request i is due at a random moment of interval i;
 * the driver has the same numbers (due in tools/load/cmd/wiregauge-load/pacer.go).
 */
export function dueIntervals({ jitterSeed }: ScheduledRecords): (index: number) => number {
  if (jitterSeed === undefined) {
    return (index) => index;
  }
  const first = randomAt(jitterSeed, 0);
  return (index) => index + randomAt(jitterSeed, index) - first;
}

/** The first position of an ascending column whose value is not below the limit. */
export function firstNotBelow(column: Float64Array, limit: number): number {
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
