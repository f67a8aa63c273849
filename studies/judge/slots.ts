import { type CellReading, type CellTable, type Figure, figureOf, hasMark } from '../../src/judge/reading/cells.ts';
import { millisecondsOf } from '../../src/judge/reading/own.ts';
import type { Times } from '../../src/judge/study/versus.ts';
import { ALL_OPERATIONS, type MetricName } from '../../src/model/metric.ts';
import type { RatioTest } from '../../src/model/run/study.ts';
import type { Mark } from '../../src/model/sample/mark.ts';

/** Ratio of two values from slots, and its caveat. */
export interface SlotRatio {
  /** Undefined if a cell is missing or does not measure its service; 0 and Infinity are unbounded sides. */
  readonly ratio: Times | undefined;
  readonly reasons: readonly SlotReason[];
}

/** Reason that a value from a slot is less conclusive than it seems. */
export interface SlotReason {
  readonly why:
    | 'unmeasured'
    | 'unreported'
    | 'too-few'
    | 'generator-limited'
    | 'failing'
    | 'users-no-faster'
    | 'disturbed';
  readonly service: string;
  readonly tier: string;
  /** Program metric that no program reported. */
  readonly own?: string | undefined;
  /** Responses per second. */
  readonly rps?: number | undefined;
}

/**
 * Possible error of a ratio compared with more starts, in each direction; from the spread of single measurements of the same code in
 * docs/statistics.md ("A study's findings"). It is not a 95% interval.
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
 * Value of one service as a multiple of another's, or of its own at another tier, from medians over the rounds of the slots. The interval is the
 * margin of single starts, which a disturbed cell widens, or the widest that the rounds allow if that is wider. A rate is a lower bound if the users
 * came no faster or the load tool was at its own limit: the upper bound is the room in the service's core, and if less than half of the core was in
 * use, there is none. A value without a reference is plain, likewise; the mean latency also as a multiple of the service's own report for the same
 * requests.
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

/** Mean latency of the load tool, as a multiple of the mean time that one of the programs reported. */
function ownRatio({ service, tier, againstOwn: own }: OwnTest, margin: number, cells: CellTable): SlotRatio {
  const samples = cells.at({ service, tier, operation: ALL_OPERATIONS })?.samples ?? [];
  const times = figureOf(samples.map((sample) => timesOwn(sample, own)));
  return times === undefined
    ? { ratio: undefined, reasons: [{ why: 'unreported', service, tier, own }] }
    : { ratio: alone(times, margin), reasons: [] };
}

function timesOwn({ own }: CellReading['samples'][number], name: string): number | undefined {
  const found = own?.programs.flatMap(({ figures }) => figures).find((figure) => figure.name === name);
  const ownMs = (found?.mean ?? 0) * (millisecondsOf(name) ?? 0);
  return own?.meanMs === undefined || ownMs <= 0 ? undefined : own.meanMs / ownMs;
}

/**
 * Figure of one service for combination with those of others. Its range is such that two combined figures have the margin of their ratio. Undefined
 * if the cell is missing or does not measure its service; Infinity is an unbounded side.
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

/** If a rate was not sustained, the load differs, and CPU time per request depends on the load. */
function isOverloaded({ service, tier, operation = ALL_OPERATIONS }: RatioTest, cells: CellTable): boolean {
  return hasMark(cells.at({ service, tier, operation }), 'saturated');
}

interface Side {
  readonly figure: Figure | undefined;
  /** Possible error of a figure. */
  readonly margin: number;
  /** Multiple of the figure that the service may reach: 1 if it is its maximum, Infinity if unknown. */
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

/** Marks under which a rate is a lower bound. */
const LEASTS = [
  { mark: 'generator-limited', why: 'generator-limited' },
  { mark: 'not-saturated', why: 'users-no-faster' },
] as const;

const NOTHING = { margin: 0, headroom: 1 };
/** A service that uses less of its core may have a different CPU time per request under more load. */
const LEAST_CORE_SHARE = 0.5;

/** Factor by which a service could do more until its core is full. */
function headroomOf({ figures }: CellReading): number {
  const share = figures.serviceCpuShare?.median ?? 0;
  return share < LEAST_CORE_SHARE ? Number.POSITIVE_INFINITY : Math.max(1, 1 / share);
}

/** Marks under which most figures are meaningless. Requests beyond the time limit (`dropped`) do not spoil the rate of the others. */
const SPOILERS = ['generator-limited', 'failing'] as const satisfies readonly Mark[];

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

/** Bytes are the same at any load, a rate under a tool at its limit is a lower bound, and failures have happened. */
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
  // A core that waits for the next request wakes up late, and works slower at first: by how much differs between starts.
  if (offeredRps !== undefined && metric === 'cpuMicrosPerRequest') {
    return MARGINS.tail;
  }
  const isP50AtRate = offeredRps !== undefined && metric === 'latencyP50Ms';
  return isP50AtRate ? Math.max(MARGINS.usual, WAKE_UP_MS / median) : MARGINS.usual;
}

/** The bytes of a response are the same at every load. */
function isExact(metric: MetricName): boolean {
  return metric === 'wireBytesPerRequest' || metric === 'connectionBytesPerRequest';
}
