import { median } from '../../foundation/statistics.ts';
import {
  ALL_OPERATIONS,
  type CellKey,
  cellName,
  type MetricName,
  memberOf,
  memberOperation,
  SATURATION,
} from '../../model/metric.ts';
import { ALL_TIERS, type FamilyRow, type Policy, permittedErrors, rowsOf } from '../../model/policy.ts';
import { isInRounds } from '../../model/run/comparison.ts';
import type { Run } from '../../model/run/run.ts';
import type { Sample } from '../../model/run/sample.ts';
import { isStaged } from '../../model/suite/suite.ts';

const MEMORY: readonly FamilyRow[] = [{ metric: 'peakMemoryMiB', gate: false }];

/**
 * Metrics compared with the past in a cell: those of a comparison, except for the achieved rate at a tier, which equals the offered one whenever the
 * cell measures its service.
 */
export function historyRows(cell: CellKey): readonly FamilyRow[] {
  if (cell.tier === ALL_TIERS) {
    return MEMORY;
  }
  return rowsOf(cell).filter(({ metric }) => metric !== 'achievedRps' || cell.tier === SATURATION);
}

const SPOILING = ['generator-limited', 'saturated'] as const;

const MAX_MARKED = 0.2;

export interface MeasuredCell {
  readonly cell: CellKey;
  readonly rounds: number;
  /** Medians of the metrics compared with the past, and the error rate for all operations together. */
  readonly values: Readonly<Partial<Record<MetricName, number>>>;
  readonly failed: number;
  /** True for ramped users: compared with the past, but not gating unless a policy says so. */
  readonly isStaged?: boolean | undefined;
  /** Reason that the figures do not measure the service; undefined if they do. */
  readonly spoiled: (typeof SPOILING)[number] | 'failing' | undefined;
  readonly errorRate: number;
}

/**
 * Figures of a cell that measure its service. A spoiled cell keeps its error rate: a failed request counts at any load, and a service that fails half
 * of its requests misses the offered rate, which spoils the rest. If the load tool was the limit, the cell also keeps its CPU time per request, which
 * does not depend on the tool.
 */
export function usableValues({ values, spoiled }: MeasuredCell): MeasuredCell['values'] {
  if (spoiled === undefined) {
    return values;
  }
  const { errorRate, cpuMicrosPerRequest } = values;
  return {
    ...(errorRate !== undefined && { errorRate }),
    ...(spoiled === 'generator-limited' && cpuMicrosPerRequest !== undefined && { cpuMicrosPerRequest }),
  };
}

/**
 * Cells of a run with metrics that are compared with the past, including those of members, and one for each service over all tiers, with its memory.
 * For two versions the head, in kept rounds.
 */
export function measuredCells(run: Run, policy: Policy): readonly MeasuredCell[] {
  const samples = keptSamples(run);
  const staged = run.suite.tiers.filter(isStaged).map(({ name }) => name);
  const cells = grouped([...samples, ...memberSamples(samples)], ({ cell }) => cellName(cell))
    .flatMap((own) => measuredCell(own, policy))
    .map((one) => (staged.includes(one.cell.tier) ? { ...one, isStaged: true } : one));
  const failing = new Set(cells.filter(({ spoiled }) => spoiled === 'failing').map(({ cell }) => cell.service));
  const services = grouped(samples, ({ cell }) => cell.service)
    .flatMap(memoryCell)
    .filter(({ cell }) => !failing.has(cell.service));
  return [...cells, ...services];
}

/** Cells of a run in which more requests failed than the policy permits, the worst first; members belong to their service. */
export function failingCells(run: Run, policy: Policy): readonly MeasuredCell[] {
  return measuredCells(run, policy)
    .filter(({ cell, spoiled }) => spoiled === 'failing' && memberOf(cell) === undefined)
    .sort((one, other) => other.errorRate - one.errorRate);
}

/** Samples of a run that show the current service: for two versions those of the head, in kept rounds. */
export function keptSamples(run: Run): readonly Sample[] {
  const heads = run.samples.filter(({ side }) => side === 'head');
  if (!isInRounds(run)) {
    return heads;
  }
  const kept = new Set(
    run.rounds.rounds.filter(({ outcome }) => outcome === 'kept').map(({ service, round }) => `${service} ${round}`),
  );
  return heads.filter(({ cell, round }) => kept.has(`${cell.service} ${round}`));
}

/** Samples of service members, each in its own cell: its CPU time per request to the service, with the marks and the error rate of the whole. */
export function memberSamples(samples: readonly Sample[]): readonly Sample[] {
  return samples.flatMap((sample) =>
    Object.entries(sample.members ?? {}).flatMap(([name, { cpuMicrosPerRequest }]) =>
      cpuMicrosPerRequest === undefined
        ? []
        : [
            {
              ...sample,
              cell: { ...sample.cell, operation: memberOperation(name) },
              values: {
                ...(sample.values.errorRate !== undefined && { errorRate: sample.values.errorRate }),
                cpuMicrosPerRequest,
              },
              members: undefined,
              failures: [],
            },
          ],
    ),
  );
}

type Samples = readonly [Sample, ...Sample[]];

function grouped(samples: readonly Sample[], nameOf: (sample: Sample) => string): readonly Samples[] {
  // A group has at least the sample that names it.
  return [...Map.groupBy(samples, nameOf).values()] as unknown as readonly Samples[];
}

function measuredCell(samples: Samples, policy: Policy): readonly MeasuredCell[] {
  const { cell } = samples[0];
  const compared = historyRows(cell).map(({ metric }) => metric);
  const metrics = cell.operation === ALL_OPERATIONS ? [...compared, 'errorRate' as const] : compared;
  const values: Partial<Record<MetricName, number>> = {};
  for (const metric of metrics) {
    const middle = median(samples.flatMap((sample) => sample.values[metric] ?? []));
    if (middle !== undefined) {
      values[metric] = middle;
    }
  }
  const marked = (mark: (typeof SPOILING)[number]) => samples.filter(({ marks }) => marks.includes(mark)).length;
  const errorRate = errorRateOver(samples);
  const spoiled =
    errorRate > permittedErrors(policy, cell)
      ? ('failing' as const)
      : SPOILING.find((mark) => marked(mark) > MAX_MARKED * samples.length);
  const failed = samples.flatMap(({ failures }) => failures).reduce((sum, { count }) => sum + count, 0);
  return metrics.length === 0 ? [] : [{ cell, rounds: samples.length, values, failed, errorRate, spoiled }];
}

function errorRateOver(samples: Samples): number {
  const requests = samples.reduce((sum, sample) => sum + sample.requests, 0);
  const failed = samples.reduce((sum, sample) => sum + (sample.values.errorRate ?? 0) * sample.requests, 0);
  return requests === 0 ? 0 : failed / requests;
}

function memoryCell(samples: Samples): readonly MeasuredCell[] {
  const peaks = memoryPeaks(samples);
  const peakMemoryMiB = median(peaks);
  const cell = { ...samples[0].cell, operation: ALL_OPERATIONS, tier: ALL_TIERS };
  return peakMemoryMiB === undefined
    ? []
    : [{ cell, rounds: peaks.length, values: { peakMemoryMiB }, failed: 0, errorRate: 0, spoiled: undefined }];
}

/** Peak memory of a service in each round. A process keeps its peak through all its loads, so a round has one: the highest of its tiers. */
export function memoryPeaks(samples: readonly Sample[]): readonly number[] {
  return grouped(samples, ({ round }) => String(round)).flatMap((round) => {
    const marks = round.flatMap(({ values }) => values.peakMemoryMiB ?? []);
    return marks.length === 0 ? [] : [Math.max(...marks)];
  });
}
