import type { ScheduledRecords } from '../../model/measured.ts';

/** Unix time of the first request of all parts, in milliseconds. */
export function firstStartMs(parts: readonly ScheduledRecords[]): number {
  const starts = parts.flatMap(({ records }) =>
    [...records.startMs.subarray(0, 1)].map((start) => records.originMs + start),
  );
  return Math.min(...starts);
}

/** Unix time of the last answer of all parts, in milliseconds. */
export function lastEndMs(parts: readonly ScheduledRecords[]): number {
  let last = Number.NEGATIVE_INFINITY;
  for (const { records } of parts) {
    records.startMs.forEach((start, index) => {
      last = Math.max(last, records.originMs + start + (records.latencyMs[index] ?? 0));
    });
  }
  return last;
}

/** Requests answered between two Unix times, failed ones included. */
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
