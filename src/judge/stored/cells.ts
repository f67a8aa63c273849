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
 * Metrics compared with the past in a cell: those of a comparison, except for the achieved rate at a tier, which
 * is the offered one wherever the cell says anything of its service.
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
  /** Medians of what is compared with the past, and of all operations together the error rate. */
  readonly values: Readonly<Partial<Record<MetricName, number>>>;
  readonly failed: number;
  /** For users who come and go: compared with the past, and no gate unless a policy says so. */
  readonly isStaged?: boolean | undefined;
  /** Why the figures are no measure of the service; undefined if they are one. */
  readonly spoiled: (typeof SPOILING)[number] | 'failing' | undefined;
  readonly errorRate: number;
}

/**
 * The figures of a cell that are a measure of its service. A spoiled cell keeps its error rate: a failed request is one at any load, and a
 * service that fails half of its requests falls short of the offered rate, which spoils the rest. If the load tool was the limit, the cell
 * keeps its CPU time per request, too: whatever the tool does, that is the service's own.
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
 * The cells of a run in which something is compared with the past, those of the members of services too, and one for each service over
 * all tiers, with its memory. Of two versions the head, in the rounds that were kept.
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

/** The cells of a run in which more requests failed than the policy permits, the worst first; members are in their service. */
export function failingCells(run: Run, policy: Policy): readonly MeasuredCell[] {
  return measuredCells(run, policy)
    .filter(({ cell, spoiled }) => spoiled === 'failing' && memberOf(cell) === undefined)
    .sort((one, other) => other.errorRate - one.errorRate);
}

/** The samples of a run that say what its service does now: of two versions those of the head, in the rounds that were kept. */
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

/**
 * Samples of the members of services, each in a cell of its own: its CPU time for a request to the service,
 * with the marks and the error rate of the whole.
 */
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
  // A group has at least the sample that it is named by.
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

/**
 * The peak of memory of a service in each round, of its samples. A process keeps its highest mark through all its loads, so a round
 * has one: the highest of its tiers.
 */
export function memoryPeaks(samples: readonly Sample[]): readonly number[] {
  return grouped(samples, ({ round }) => String(round)).flatMap((round) => {
    const marks = round.flatMap(({ values }) => values.peakMemoryMiB ?? []);
    return marks.length === 0 ? [] : [Math.max(...marks)];
  });
}
