import { mean } from '../../foundation/statistics.ts';
import type { RecordSummary, Records, ScheduledRecords } from '../../model/load.ts';
import type { MetricName } from '../../model/metric.ts';
import type { HostReading } from '../../model/run/sample.ts';
import type { Mark } from '../../model/sample/mark.ts';
import type { Operation } from '../../model/suite/suite.ts';

export interface MarkEvidence {
  readonly mode: 'open' | 'saturate';
  readonly summary: RecordSummary;
  readonly machine: Readonly<Partial<Record<MetricName, number>>>;
  readonly host: HostReading;
  /** Share of the requests that were sent late although the load tool had free workers. */
  readonly lateWhileFree: number;
  /** Maximum number of requests in flight; undefined: more than one. */
  readonly workers?: number | undefined;
  readonly cpus?: number | undefined;
  /** True if responses were longer after the load than before it; see grownOperations. */
  readonly isGrowing?: boolean | undefined;
  readonly memoryMiB?: readonly number[] | undefined;
  readonly hasEscaped?: boolean | undefined;
}

const RULES: readonly { readonly mark: Mark; readonly holds: (evidence: MarkEvidence) => boolean }[] = [
  { mark: 'generator-limited', holds: isGeneratorLimited },
  { mark: 'saturated', holds: (evidence) => fallsShort(evidence) && !isGeneratorLimited(evidence) },
  {
    mark: 'not-saturated',
    holds: (evidence) => evidence.mode === 'saturate' && leftCoreIdle(evidence) && !isGeneratorLimited(evidence),
  },
  { mark: 'failing', holds: ({ summary }) => (summary.values.errorRate ?? 0) > 0.01 },
  {
    mark: 'dropped',
    // A few requests at the very end of a load may be lost when the tool stops.
    holds: ({ summary: { droppedRequests, requests } }) => droppedRequests / (droppedRequests + requests) > 0.001,
  },
  { mark: 'stalled', holds: ({ summary }) => summary.longestStallMs > 500 },
  { mark: 'socket-limited', holds: ({ host }) => host.listenOverflows > 0 || host.timeWaitSockets > 10_000 },
  { mark: 'disturbed', holds: ({ host }) => host.foreignCpuShare + host.stealShare > 0.1 },
  { mark: 'growing', holds: ({ isGrowing }) => isGrowing === true },
  { mark: 'leaking', holds: ({ memoryMiB = [] }) => growsSteadily(memoryMiB) },
  { mark: 'escaped', holds: ({ hasEscaped }) => hasEscaped === true },
];

export function marksOf(evidence: MarkEvidence): Mark[] {
  return RULES.filter(({ holds }) => holds(evidence)).map(({ mark }) => mark);
}

/**
 * Needs run on the core of the load tool and compete with it. A closed loop always has requests waiting: as long as the service's core is full, the
 * service is the limit, however busy the load tool is. With one request at a time, the needs work while the load tool waits, and do not compete with
 * it.
 */
function isGeneratorLimited(evidence: MarkEvidence): boolean {
  const { machine, host, lateWhileFree, workers } = evidence;
  const needsShare = evidence.mode === 'saturate' && workers === 1 ? 0 : (host.needsCpuShare ?? 0);
  const isBusy = (machine.loadCpuShare ?? 0) + needsShare > 0.8;
  const isServiceFull =
    evidence.mode === 'saturate' && machine.serviceCpuShare !== undefined && !leftCoreIdle(evidence);
  return (isBusy && !isServiceFull) || lateWhileFree > 0.01;
}

/** Time taken by other programs was not available to the service, so a busy machine does not make a full core look idle. */
function leftCoreIdle({ machine, host, cpus = 1 }: MarkEvidence): boolean {
  const { serviceCpuShare: used } = machine;
  return used !== undefined && used + host.stealShare + host.foreignCpuShare < 0.95 * cpus;
}

function fallsShort({ summary }: MarkEvidence): boolean {
  const { offeredRps, values } = summary;
  return offeredRps !== undefined && (values.achievedRps ?? 0) < 0.99 * offeredRps;
}

/** True if an operation is named; for all operations together if any is. */
export function isAmong(names: readonly string[] = [], operation: Pick<Operation, 'name'> | undefined): boolean {
  return operation === undefined ? names.length > 0 : names.includes(operation.name);
}

const QUARTERS = [0, 1, 2, 3];
const LEAST_GROWTH_MIB = 32;
const LEAST_GROWTH = 0.2;

/** True if a series of values still grows at its end as before: warming up levels off. */
function growsSteadily(values: readonly number[]): boolean {
  if (values.length < QUARTERS.length) {
    return false;
  }
  const edge = (quarter: number): number => Math.floor((quarter * values.length) / QUARTERS.length);
  const means = QUARTERS.map((quarter) => mean(values.slice(edge(quarter), edge(quarter + 1))) ?? 0);
  const steps = means.slice(1).map((one, index) => one - (means[index] ?? 0));
  const growth = (means.at(-1) ?? 0) - (means[0] ?? 0);
  const isLarge = growth >= Math.max(LEAST_GROWTH_MIB, LEAST_GROWTH * (means[0] ?? 0));
  return isLarge && steps.every((step) => step >= growth / steps.length / 2);
}

const LATE_MS = 10;

/** Share of requests sent over 10 ms late although less than 90% of the workers were busy: the load tool's own delay. */
export function lateWhileFree({ records, workers }: ScheduledRecords): number {
  const { dueMs } = records;
  if (dueMs === undefined || dueMs.length === 0) {
    return 0;
  }
  const inFlight = inFlightAtStarts(records);
  const late = records.startMs.filter(
    (start, index) => start - (dueMs[index] ?? start) > LATE_MS && (inFlight[index] ?? 0) < 0.9 * workers,
  );
  return late.length / records.startMs.length;
}

/** Highest such share of an operation in each block, as the median over the blocks: a limit shows in most of them, an outside disturbance in one. */
export function lateInBlocks(blocks: readonly { readonly parts: readonly ScheduledRecords[] }[]): number {
  const shares = blocks
    .map(({ parts }) => Math.max(0, ...parts.map(lateWhileFree)))
    .sort((left, right) => left - right);
  return shares[Math.ceil(shares.length / 2) - 1] ?? 0;
}

function inFlightAtStarts({ startMs, latencyMs }: Records): Float64Array {
  const ends = startMs.map((start, index) => start + (latencyMs[index] ?? 0)).sort();
  let ended = 0;
  return startMs.map((start, index) => {
    while (ended < index && (ends[ended] ?? Number.POSITIVE_INFINITY) <= start) {
      ended += 1;
    }
    return index - ended;
  });
}
