import type { Records } from '../model/records.ts';
import { ascendingOrder } from './records-order.ts';

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
  return {
    count: () => count,
    add(start, latencyNanoseconds, failure) {
      if (count === startMs.length) {
        startMs = doubled(startMs, Float64Array);
        latencyMs = doubled(latencyMs, Float64Array);
        failures = doubled(failures, Uint16Array);
      }
      originSeconds ??= start.seconds;
      startMs[count] = (start.seconds - originSeconds) * 1000 + start.nanoseconds / 1e6;
      latencyMs[count] = latencyNanoseconds / 1e6;
      failures[count] = failure;
      count += 1;
    },
    finish(failureKinds) {
      const order = ascendingOrder(startMs.subarray(0, count));
      return {
        originMs: (originSeconds ?? 0) * 1000,
        startMs: reordered(startMs, order, new Float64Array(count)),
        latencyMs: reordered(latencyMs, order, new Float64Array(count)),
        failure: reordered(failures, order, new Uint16Array(count)),
        failureKinds,
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
