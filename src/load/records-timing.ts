import { randomAt } from '../foundation/random.ts';
import type { ScheduledRecords } from '../model/measured.ts';

/** When each request of a part was due and answered, ordered by when it was due; milliseconds since `originMs`. */
export interface Timing {
  readonly originMs: number;
  /** The scheduled arrival; in a closed loop, which has no schedule, the start. */
  readonly dueMs: Float64Array;
  readonly endMs: Float64Array;
  /** From the scheduled arrival to the answer, and never less than the tool recorded. */
  readonly latencyMs: Float64Array;
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
  return { originMs, dueMs, endMs, latencyMs };
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
