import type { MetricName, RatioTest } from '../../model/index.ts';
import { ALL_OPERATIONS, type Mark } from '../../model/index.ts';
import type { CellReading, CellTable, Figure } from '../reading/cells.ts';
import type { Times } from './versus.ts';

/** A ratio of two figures that were measured in slots, and what has to be said of it. */
export interface SlotRatio {
  /** undefined if a cell is missing or says nothing; 0 and Infinity are sides to which nothing bounds it. */
  readonly ratio: Times | undefined;
  readonly reasons: readonly SlotReason[];
}

/** Why a figure of a slot tells less than it seems to, or nothing. */
export interface SlotReason {
  readonly why: 'unmeasured' | 'too-few' | 'generator-limited' | 'failing' | 'users-no-faster';
  readonly service: string;
  readonly tier: string;
  /** What was answered per second. */
  readonly rps?: number | undefined;
}

/**
 * How far a ratio may be from what more starts would give, each way; by the scatter of single measurements of the same code in
 * docs/statistics.md ("A study's findings"). It is no interval of 95 %.
 */
const MARGINS = { usual: 0.1, tail: 0.3, exact: 0.01 };

const TAILS: readonly MetricName[] = [
  'latencyMeanMs',
  'latencyP90Ms',
  'latencyP95Ms',
  'latencyP99Ms',
  'latencyP999Ms',
  'latencyMinMs',
  'latencyMaxMs',
  'latencySdMs',
  'recordedP99Ms',
  'lagP99Ms',
  'lagMaxMs',
  'errorRate',
  'startUpMs',
];

/**
 * One service's figure as a multiple of another's, or of its own at another tier, of medians over the rounds of the slots. The interval
 * is the margin of single starts, or the widest that the rounds allow if that is wider. A rate of users who came no faster is the
 * least that the service can do, and so leaves one side open. A figure that is held against none is given as it is, likewise.
 */
export function slotRatio(test: RatioTest, cells: CellTable): SlotRatio {
  const { service, against, tier, againstTier = tier, metric } = test;
  const own = sideOf(test, { service, tier }, cells);
  if (against === undefined) {
    return { reasons: own.reasons, ratio: own.figure && alone(own.figure, marginOf(metric)) };
  }
  const other = sideOf(test, { service: against, tier: againstTier }, cells);
  const reasons = [...own.reasons, ...other.reasons].filter(isFirst);
  const ratio = own.figure && other.figure && quotient(own.figure, other.figure, marginOf(metric));
  return {
    reasons,
    ratio: ratio && {
      times: ratio.times,
      low: isLeast(other) ? 0 : ratio.low,
      high: isLeast(own) ? Number.POSITIVE_INFINITY : ratio.high,
    },
  };
}

interface Side {
  readonly figure: Figure | undefined;
  readonly reasons: readonly SlotReason[];
}

function sideOf({ operation, metric }: RatioTest, place: Pick<SlotReason, 'service' | 'tier'>, cells: CellTable): Side {
  const cell = cells.at({ ...place, operation: operation ?? ALL_OPERATIONS });
  const figure = cell?.figures[metric];
  if (cell === undefined || figure === undefined) {
    return { figure: undefined, reasons: [{ why: cell === undefined ? 'unmeasured' : 'too-few', ...place }] };
  }
  const spoiled = SPOILERS.filter((mark) => hasMark(cell, mark) && !saysAllTheSame(mark, metric));
  if (spoiled.length > 0) {
    return { figure: undefined, reasons: spoiled.map((why) => ({ why, ...place })) };
  }
  const isSlow = metric === 'achievedRps' && hasMark(cell, 'not-saturated');
  return { figure, reasons: isSlow ? [{ why: 'users-no-faster', ...place, rps: figure.median }] : [] };
}

/** Marks under which a figure says nothing. What did not fit into the time limit (`dropped`) spoils no rate of what did. */
const SPOILERS = ['generator-limited', 'failing'] as const satisfies readonly Mark[];

function hasMark({ marks }: CellReading, mark: Mark): boolean {
  return marks.some((one) => one.mark === mark);
}

function isLeast({ reasons }: Side): boolean {
  return reasons.some(({ why }) => why === 'users-no-faster');
}

/** The same of both figures is said once. */
function isFirst(reason: SlotReason, index: number, all: readonly SlotReason[]): boolean {
  const { why, service, tier } = reason;
  return all.findIndex((one) => one.why === why && one.service === service && one.tier === tier) === index;
}

function quotient(own: Figure, other: Figure, margin: number): Required<Times> | undefined {
  if (!(own.median > 0 && other.median > 0)) {
    return undefined;
  }
  const times = own.median / other.median;
  return {
    times,
    low: Math.min(times / (1 + margin), own.low / other.high),
    high: Math.max(times * (1 + margin), own.high / other.low),
  };
}

/** Bytes are those of any load, and what failed has failed. */
function saysAllTheSame(mark: Mark, metric: MetricName): boolean {
  return mark === 'failing' ? metric === 'errorRate' : isExact(metric);
}

function alone({ median, low, high }: Figure, margin: number): Required<Times> {
  return { times: median, low: Math.min(median / (1 + margin), low), high: Math.max(median * (1 + margin), high) };
}

function marginOf(metric: MetricName): number {
  if (isExact(metric)) {
    return MARGINS.exact;
  }
  return TAILS.includes(metric) ? MARGINS.tail : MARGINS.usual;
}

/** The bytes of an answer are the same at every load. */
function isExact(metric: MetricName): boolean {
  return metric === 'wireBytesPerRequest' || metric === 'connectionBytesPerRequest';
}
