import type { MeasuredWindow, ScheduledRecords } from '../../model/load.ts';
import type { Repetitions } from '../../model/metric.ts';

/** As many as a picture shows, evenly spread, */
const MOST_SPREAD = 400;

/** and the slowest in any case. */
const SLOWEST = 20;

/**
 * The latency of single requests that one user sent one after the other, in the order of their sending: so many of them, evenly spread,
 * and the slowest. Failed ones are left out, and counted.
 */
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
