import type { ScheduledRecords } from '../../model/load.ts';

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

export function joinedColumns(columns: readonly Float64Array[]): Float64Array {
  const all = new Float64Array(columns.reduce((sum, column) => sum + column.length, 0));
  let at = 0;
  for (const column of columns) {
    all.set(column, at);
    at += column.length;
  }
  return all;
}

/** Records of an operation, and when each request was due and answered, ordered by when it was due; milliseconds since `originMs`. */
export interface TimedPart extends ScheduledRecords {
  readonly originMs: number;
  /** The scheduled arrival; in a closed loop, which has no schedule, the start. */
  readonly dueMs: Float64Array;
  readonly endMs: Float64Array;
  /** From the scheduled arrival to the answer, and never less than the tool recorded. */
  readonly latencyMs: Float64Array;
  readonly firstMs?: Float64Array | undefined;
}

/** Each latency from when its request was due, which a closed loop does not know (`dueTimes` in tools/load/cmd/wiregauge-load/records.go). */
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
