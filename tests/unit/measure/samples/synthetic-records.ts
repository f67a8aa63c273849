import type { Records, ScheduledRecords } from '../../../../src/model/load.ts';

/** One request: start and recorded latency in milliseconds, and its failure, if any. */
export interface Call {
  readonly startMs: number;
  readonly latencyMs: number;
  readonly failure?: string;
}

export function recordsOf(calls: readonly Call[], originMs = 0): Records {
  const failureKinds = [...new Set(calls.flatMap(({ failure }) => (failure === undefined ? [] : [failure])))];
  const ordered = [...calls].sort((left, right) => left.startMs - right.startMs);
  return {
    originMs,
    startMs: Float64Array.from(ordered, ({ startMs }) => startMs),
    latencyMs: Float64Array.from(ordered, ({ latencyMs }) => latencyMs),
    failure: Uint16Array.from(ordered, ({ failure }) =>
      failure === undefined ? 0 : 1 + failureKinds.indexOf(failure),
    ),
    failureKinds,
  };
}

export function partOf(calls: readonly Call[], changes: Partial<ScheduledRecords> & { originMs?: number } = {}) {
  const { originMs = 0, ...part } = changes;
  const ratePerSecond = 'ratePerSecond' in part ? part.ratePerSecond : 100;
  const records = recordsOf(calls, originMs);
  const [first = 0] = records.startMs;
  const due = ratePerSecond !== undefined && {
    dueMs: records.startMs.map((_, index) => first + (index * 1000) / ratePerSecond),
  };
  return {
    operation: 'GetUser',
    records: { ...records, ...due },
    planned: undefined,
    workers: 2,
    ...part,
    ratePerSecond,
  } satisfies ScheduledRecords;
}

/** A service that answers after `serviceMs`, but not at all while it is frozen. */
interface Frozen {
  readonly serviceMs: number;
  readonly fromMs: number;
  readonly toMs: number;
}

/**
 * What a load tool with so many workers does against a frozen service: it sends each request when it is due or, with
 * all workers waiting, as soon as one is free, and records the time from then on. Both ghz and vegeta do so.
 */
export function callsWithWorkers(arrivals: { rate: number; seconds: number }, workers: number, frozen: Frozen): Call[] {
  const freeAtMs = new Array<number>(workers).fill(0);
  return Array.from({ length: arrivals.rate * arrivals.seconds }, (_, index) => {
    const worker = freeAtMs.indexOf(Math.min(...freeAtMs));
    const startMs = Math.max((index * 1000) / arrivals.rate, freeAtMs[worker] ?? 0);
    const isFrozen = startMs + frozen.serviceMs > frozen.fromMs && startMs < frozen.toMs;
    const endMs = (isFrozen ? frozen.toMs : startMs) + frozen.serviceMs;
    freeAtMs[worker] = endMs;
    return { startMs, latencyMs: endMs - startMs };
  });
}
