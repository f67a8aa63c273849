import { ALL_OPERATIONS, METRICS, type Metric, type MetricName } from '../../model/metric.ts';
import type { Run } from '../../model/run/run.ts';
import { isSameNetwork } from '../../model/suite/network.ts';
import { arrivalTiers, isStaged, type Tier } from '../../model/suite/suite.ts';
import { type CellReading, type CellTable, type Figure, hasMark } from './cells.ts';

/** Latency difference that is relevant to a reader: at least this large, absolutely and as a ratio. */
const LATENCY_MATTERS: readonly { readonly metric: LatencyName; readonly ms: number; readonly times: number }[] = [
  // p99 moves by its own size from run to run at a fixed rate (docs/measurement.md): only a factor of two counts.
  { metric: 'latencyP99Ms', ms: 5, times: 2 },
  { metric: 'latencyP90Ms', ms: 1, times: 1.25 },
  { metric: 'latencyP50Ms', ms: 1, times: 1.25 },
];

/** A service sustains an offered rate if it achieves at least this share of it. */
export const HELD_SHARE = 0.99;

type LatencyName = Extract<MetricName, `latencyP${string}`>;

/** Two services at one tier, over all operations. */
export interface TierPair {
  readonly reference: ServiceAtTier;
  readonly other: ServiceAtTier;
}

export interface ServiceAtTier {
  readonly label: string;
  readonly cell: CellReading;
}

type TierRanking =
  | { readonly kind: 'unclear'; readonly limited: readonly ServiceAtTier[] }
  | { readonly kind: 'holds-alone'; readonly ahead: ServiceAtTier }
  | { readonly kind: 'faster'; readonly ahead: ServiceAtTier; readonly by: readonly LatencyName[] }
  | { readonly kind: 'neither-holds' | 'mixed' | 'within-rounds' | 'no-matter' };

function holdsRate({ cell }: ServiceAtTier): boolean {
  const { achievedRps, errorRate } = cell.figures;
  const offered = cell.offeredRps ?? 0;
  return (achievedRps?.median ?? 0) >= HELD_SHARE * offered && (errorRate?.median ?? 0) <= 0.01;
}

/**
 * Comparison of two services at a tier: which one sustains the offered rate, and if both do, whose latency is lower by a relevant amount. A
 * difference that the ranges of several rounds do not confirm ranks neither.
 */
export function tierRanking(pair: TierPair): TierRanking {
  const { reference, other } = pair;
  const both = [reference, other];
  const limited = both.filter(({ cell }) => hasMark(cell, 'generator-limited'));
  if (limited.length > 0) {
    return { kind: 'unclear', limited };
  }
  const [ahead, second] = both.filter(holdsRate);
  if (ahead === undefined) {
    return { kind: 'neither-holds' };
  }
  return second === undefined ? { kind: 'holds-alone', ahead } : latencyRanking(pair);
}

function latencyRanking(pair: TierPair): TierRanking {
  const found = Map.groupBy(LATENCY_MATTERS, (limit) => mattersAs(pair, limit));
  const [better, worse] = [found.get('better'), found.get('worse')];
  if (better !== undefined && worse !== undefined) {
    return { kind: 'mixed' };
  }
  const decisive = better ?? worse;
  if (decisive !== undefined) {
    const ahead = better === undefined ? pair.reference : pair.other;
    return { kind: 'faster', ahead, by: decisive.map(({ metric }) => metric) };
  }
  return { kind: found.has('overlapping') ? 'within-rounds' : 'no-matter' };
}

function mattersAs(pair: TierPair, limit: (typeof LATENCY_MATTERS)[number]): FigureDifference | undefined {
  const [left, right] = [pair.reference, pair.other].map(({ cell }) => cell.figures[limit.metric]);
  const status = changeFrom(limit.metric, left, right)?.status;
  if (left === undefined || right === undefined) {
    return undefined;
  }
  const [low, high] = [Math.min(left.median, right.median), Math.max(left.median, right.median)];
  return high - low >= limit.ms && high >= limit.times * low ? status : undefined;
}

/** Comparison with the reference: `same` is a negligible difference, `overlapping` a larger one that the rounds do not confirm. */
type FigureDifference = 'better' | 'worse' | 'same' | 'overlapping';

export interface FigureChange {
  /** Relative: 0.05 for 5% more; undefined if the reference is zero. */
  readonly change: number | undefined;
  readonly status: FigureDifference;
}

/** Two fresh starts of the same code differ this much (docs/measurement.md). */
const SAME_CHANGE = 0.02;

/** Absolute differences below these are irrelevant, however large they are in percent. */
const SAME_DIFFERENCE: Partial<Record<Metric['unit'], number>> = { ms: 0.1, share: 0.001 };

export function changeFrom(
  metric: MetricName,
  reference: Figure | undefined,
  other: Figure | undefined,
): FigureChange | undefined {
  if (reference === undefined || other === undefined) {
    return undefined;
  }
  const difference = other.median - reference.median;
  const change = reference.median === 0 ? (difference === 0 ? 0 : undefined) : difference / reference.median;
  if (isSmall(metric, difference, change)) {
    return { change, status: 'same' };
  }
  if (Math.min(reference.rounds, other.rounds) > 1 && reference.low <= other.high && other.low <= reference.high) {
    return { change, status: 'overlapping' };
  }
  const isBetter = METRICS[metric].better === 'lower' ? difference < 0 : difference > 0;
  return { change, status: isBetter ? 'better' : 'worse' };
}

function isSmall(metric: MetricName, difference: number, change: number | undefined): boolean {
  const least = SAME_DIFFERENCE[METRICS[metric].unit] ?? 0;
  return Math.abs(difference) < least || (change !== undefined && Math.abs(change) < SAME_CHANGE);
}

/**
 * First tier of a service, in the suite's order, at which it achieves less than 99% of the offered rate, or its p90 is at least ten times its p90 at
 * the lowest tier and at least 5 ms. Uses medians over the rounds. A tier that is missing, or at which the load tool was at its limit, shows nothing.
 * In a suite without rates, the p90 of the ramped users counts. Tiers with a different load, or with some operations only, are left out.
 */
export function turningTier({ suite }: Pick<Run, 'suite'>, cells: CellTable, service: string): string | undefined {
  const tiers = turningTiers(suite).flatMap(({ name }) => {
    const cell = cells.at({ service, operation: ALL_OPERATIONS, tier: name });
    return cell === undefined || hasMark(cell, 'generator-limited') ? [] : [{ name, cell }];
  });
  return tiers.find(({ cell }) => isTurned(cell, tiers[0]?.cell.figures.latencyP90Ms?.median))?.name;
}

/** Tiers that are the same load over the same network, differing only in rate or number of users. */
function turningTiers({ tiers }: Run['suite']): readonly Tier[] {
  const unlimited = tiers.filter(({ operations }) => operations === undefined);
  const whole = unlimited.filter((tier) => isSameNetwork(tier, unlimited[0] ?? tier));
  const open = arrivalTiers(whole);
  return open.length > 0 ? open : whole.filter(isStaged);
}

function isTurned({ figures, offeredRps }: CellReading, lowestP90Ms: number | undefined): boolean {
  const achievedRps = figures.achievedRps?.median;
  if (offeredRps !== undefined && achievedRps !== undefined && achievedRps < HELD_SHARE * offeredRps) {
    return true;
  }
  const p90Ms = figures.latencyP90Ms?.median ?? 0;
  return lowestP90Ms !== undefined && p90Ms >= 10 * lowestP90Ms && p90Ms >= 5;
}
