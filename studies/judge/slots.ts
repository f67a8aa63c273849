import { type CellReading, type CellTable, type Figure, figureOf } from '../../src/judge/reading/cells.ts';
import { millisecondsOf } from '../../src/judge/reading/own.ts';
import type { Times } from '../../src/judge/study/versus.ts';
import type { MetricName } from '../../src/model/metric.ts';
import { ALL_OPERATIONS } from '../../src/model/metric.ts';
import type { RatioTest } from '../../src/model/run/study.ts';
import type { Mark } from '../../src/model/sample/mark.ts';

/** A ratio of two values of slots, and its caveat. */
export interface SlotRatio {
  /** undefined if a cell is missing or no measure of its service; 0 and Infinity are sides to which nothing bounds it. */
  readonly ratio: Times | undefined;
  readonly reasons: readonly SlotReason[];
}

/** Reason why a value of a slot shows less than it seems to. */
export interface SlotReason {
  readonly why: 'unmeasured' | 'untold' | 'too-few' | 'generator-limited' | 'failing' | 'users-no-faster' | 'disturbed';
  readonly service: string;
  readonly tier: string;
  /** The metric of its own that no program reported. */
  readonly own?: string | undefined;
  /** Responses per second. */
  readonly rps?: number | undefined;
}

/**
 * How far a ratio may be from what more starts would give, each way; by the scatter of single measurements of the same code in
 * docs/statistics.md ("A study's findings"). It is no interval of 95%.
 */
const MARGINS = { usual: 0.1, tail: 0.3, exact: 0.01 };
/** Error of the p50 of a service that waits for requests, in milliseconds. */
const WAKE_UP_MS = 0.3;

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
  'firstMessageP99Ms',
  'startUpMs',
];

/**
 * One service's value as a multiple of another's, or of its own at another tier, of medians over the rounds of the slots. The interval is the
 * margin of single starts, which a disturbed cell widens, or the widest that the rounds allow if that is wider. A rate is the least that the
 * service can do if its users came no faster or the load tool was at its own limit: at most it can do as much as its core has room for, and if
 * less than half of the core was in use, that side has no bound. A value that is compared with none is plain, likewise; the mean latency also as a
 * multiple of what the service itself reports for the same requests.
 */
export function slotRatio(test: RatioTest, cells: CellTable): SlotRatio {
  const { service, against, tier, againstTier = tier, againstOwn } = test;
  const own = sideOf(test, { service, tier }, cells);
  if (againstOwn !== undefined) {
    return own.figure === undefined
      ? { ratio: undefined, reasons: own.reasons }
      : ownRatio({ ...test, againstOwn }, own.margin, cells);
  }
  if (against === undefined) {
    return { reasons: own.reasons, ratio: own.figure && alone(own.figure, own.margin) };
  }
  const other = sideOf(test, { service: against, tier: againstTier }, cells);
  const reasons = [...own.reasons, ...other.reasons].filter(isFirst);
  const ratio = own.figure && other.figure && quotient(own.figure, other.figure, Math.max(own.margin, other.margin));
  return {
    reasons,
    ratio: ratio && {
      times: ratio.times,
      low: (ratio.low ?? 0) / other.headroom,
      high: (ratio.high ?? Number.POSITIVE_INFINITY) * own.headroom,
    },
  };
}

type OwnTest = RatioTest & { readonly againstOwn: string };

/** The mean latency of the load tool, as a multiple of the mean of a time that one of the programs reported. */
function ownRatio({ service, tier, againstOwn: own }: OwnTest, margin: number, cells: CellTable): SlotRatio {
  const samples = cells.at({ service, tier, operation: ALL_OPERATIONS })?.samples ?? [];
  const times = figureOf(samples.map((sample) => timesOwn(sample, own)));
  return times === undefined
    ? { ratio: undefined, reasons: [{ why: 'untold', service, tier, own }] }
    : { ratio: alone(times, margin), reasons: [] };
}

function timesOwn({ own }: CellReading['samples'][number], name: string): number | undefined {
  const found = own?.programs.flatMap(({ figures }) => figures).find((figure) => figure.name === name);
  const ownMs = (found?.mean ?? 0) * (millisecondsOf(name) ?? 0);
  return own?.meanMs === undefined || ownMs <= 0 ? undefined : own.meanMs / ownMs;
}

/**
 * A figure of one service that is put together with those of others. Its range is such that two of them put together, each with its own, have
 * the margin of their ratio. Undefined if the cell is missing or no measure of its service; Infinity is a side to which nothing bounds it.
 */
export function slotFigure(test: RatioTest, cells: CellTable): Required<Times> | undefined {
  const { service, tier, metric } = test;
  const side = sideOf(test, { service, tier }, cells);
  const { median, low, high } = side.figure ?? { median: 0, low: 0, high: 0 };
  if (!(median > 0) || (metric === 'cpuMicrosPerRequest' && isOverloaded(test, cells))) {
    return undefined;
  }
  const part = (1 + side.margin) ** Math.SQRT1_2;
  return {
    times: median,
    low: Math.min(median / part, low),
    high: Math.max(median * part, high) * side.headroom,
  };
}

/** Where a rate was not sustained, the load is another one, and CPU time for a request depends on the load. */
function isOverloaded({ service, tier, operation = ALL_OPERATIONS }: RatioTest, cells: CellTable): boolean {
  const cell = cells.at({ service, tier, operation });
  return cell !== undefined && hasMark(cell, 'saturated');
}

interface Side {
  readonly figure: Figure | undefined;
  /** How far a figure may be off. */
  readonly margin: number;
  /** How many times the figure the service may reach: 1 if it is what it can do, Infinity if nothing is known. */
  readonly headroom: number;
  readonly reasons: readonly SlotReason[];
}

function sideOf({ operation, metric }: RatioTest, place: Pick<SlotReason, 'service' | 'tier'>, cells: CellTable): Side {
  const cell = cells.at({ ...place, operation: operation ?? ALL_OPERATIONS });
  const figure = cell?.figures[metric];
  if (cell === undefined || figure === undefined) {
    return {
      figure: undefined,
      ...NOTHING,
      reasons: [{ why: cell === undefined ? 'unmeasured' : 'too-few', ...place }],
    };
  }
  const spoiled = SPOILERS.filter((mark) => hasMark(cell, mark) && !saysAllTheSame(mark, metric));
  if (spoiled.length > 0) {
    return { figure: undefined, ...NOTHING, reasons: spoiled.map((why) => ({ why, ...place })) };
  }
  return measuredSide({ cell, metric, figure }, place);
}

function measuredSide(
  { cell, metric, figure }: { readonly cell: CellReading; readonly metric: MetricName; readonly figure: Figure },
  place: Pick<SlotReason, 'service' | 'tier'>,
): Side {
  const isDisturbed = hasMark(cell, 'disturbed') && !isExact(metric);
  const least = metric === 'achievedRps' ? LEASTS.find(({ mark }) => hasMark(cell, mark)) : undefined;
  return {
    figure,
    headroom: least === undefined ? 1 : headroomOf(cell),
    margin: Math.max(isDisturbed ? MARGINS.tail : 0, marginOf(metric, cell, figure)),
    reasons: [
      ...(least === undefined ? [] : [{ why: least.why, ...place, rps: figure.median }]),
      ...(isDisturbed ? [{ why: 'disturbed', ...place } as const] : []),
    ],
  };
}

/** Marks under which a rate is the least that a service can do. */
const LEASTS = [
  { mark: 'generator-limited', why: 'generator-limited' },
  { mark: 'not-saturated', why: 'users-no-faster' },
] as const;

const NOTHING = { margin: 0, headroom: 1 };
/** A service with less of its core in use may take another CPU time for a request under more load. */
const LEAST_TOLD_SHARE = 0.5;

/** Factor by which a service could do more: until its core is full. */
function headroomOf({ figures }: CellReading): number {
  const share = figures.serviceCpuShare?.median ?? 0;
  return share < LEAST_TOLD_SHARE ? Number.POSITIVE_INFINITY : Math.max(1, 1 / share);
}

/** Marks under which most figures say nothing. What did not fit into the time limit (`dropped`) spoils no rate of what did. */
const SPOILERS = ['generator-limited', 'failing'] as const satisfies readonly Mark[];

function hasMark({ marks }: CellReading, mark: Mark): boolean {
  return marks.some((one) => one.mark === mark);
}

/** A caveat of both values is reported once. */
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

/** Bytes are those of any load, a rate under a tool at its limit is the least, and what failed has failed. */
function saysAllTheSame(mark: Mark, metric: MetricName): boolean {
  return mark === 'failing' ? metric === 'errorRate' : isExact(metric) || metric === 'achievedRps';
}

function alone({ median, low, high }: Figure, margin: number): Required<Times> {
  return { times: median, low: Math.min(median / (1 + margin), low), high: Math.max(median * (1 + margin), high) };
}

function marginOf(metric: MetricName, { offeredRps }: CellReading, { median }: Figure): number {
  if (isExact(metric)) {
    return MARGINS.exact;
  }
  if (TAILS.includes(metric)) {
    return MARGINS.tail;
  }
  // A core that waits for the next request wakes up late, and works slower at first: by how much differs from start to start.
  if (offeredRps !== undefined && metric === 'cpuMicrosPerRequest') {
    return MARGINS.tail;
  }
  const isP50AtRate = offeredRps !== undefined && metric === 'latencyP50Ms';
  return isP50AtRate ? Math.max(MARGINS.usual, WAKE_UP_MS / median) : MARGINS.usual;
}

/** The bytes of an answer are the same at every load. */
function isExact(metric: MetricName): boolean {
  return metric === 'wireBytesPerRequest' || metric === 'connectionBytesPerRequest';
}
