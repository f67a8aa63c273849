import { median } from '../../foundation/statistics.ts';
import { independenceOf, midRanksOf, midRanksWithin } from './rank-sum.ts';

/** A stratum with fewer values says too little about its level. */
const FEWEST_OF_STRATUM = 5;

/**
 * What stands for 0 in a series other than of error rates, as 0 has no logarithm: less than any figure that is measured. So ranks are what
 * they are with 0, and a step from or to 0 is larger than any other.
 */
export const ZERO = 1e-12;

/** The values of a stretch of a series on one level, whatever their stratum. */
export interface Levels {
  /** In their unit. */
  readonly values: Float64Array;
  readonly logs: Float64Array;
  /** Their mid-ranks among each other. */
  readonly ranks: Float64Array;
  /** What to multiply the evidence for changes among them by. */
  readonly independence: () => number;
  /** The place of each in the series, in ascending order. */
  readonly places: readonly number[];
  /** The smallest change that is worth a line, in logarithms. */
  readonly smallest: number;
}

/**
 * The values from one place of a series to another, their strata centred if there are several. With 0 among them they stay as they are: no
 * factor makes more of it, and what can be 0 hardly depends on the machine.
 */
export function levelsBetween(series: LogSeries, from: number, to: number): Levels {
  const strata = series.strata.slice(from, to);
  const { smallest } = series;
  const values = series.values.subarray(from, to);
  return strata.every((stratum) => stratum === strata[0]) || values.some((value) => value <= ZERO)
    ? levelled({
        values,
        logs: series.logs.subarray(from, to),
        ...(series.ranks !== undefined && { ranks: midRanksWithin(series.ranks, from, to) }),
        places: strata.map((_, offset) => from + offset),
        smallest,
      })
    : levelled({ ...centred(series, from, strata), smallest });
}

type Stretch = Pick<Levels, 'values' | 'logs' | 'places' | 'smallest'> & Partial<Pick<Levels, 'ranks'>>;

function levelled(stretch: Stretch): Levels {
  const { logs, ranks = midRanksOf(logs) } = stretch;
  let known: number | undefined;
  return {
    ...stretch,
    ranks,
    // Most stretches have nothing that it would be needed for, the others need it for every split.
    independence: () => {
      known ??= independenceOf(logs);
      return known;
    },
  };
}

function centred({ values, logs }: LogSeries, from: number, strata: readonly number[]): Omit<Stretch, 'smallest'> {
  const factors = factorsOf(values.subarray(from, from + strata.length), strata);
  const kept = strata.flatMap((stratum, offset) => {
    const factor = factors.get(stratum);
    return factor === undefined ? [] : [{ place: from + offset, factor }];
  });
  return {
    values: Float64Array.from(kept, ({ place, factor }) => (values[place] ?? 0) / factor),
    logs: Float64Array.from(kept, ({ place, factor }) => rounded((logs[place] ?? 0) - Math.log(factor))),
    places: kept.map(({ place }) => place),
  };
}

/** Equal figures of two strata tie only without the rounding error of their last digits. */
function rounded(log: number): number {
  return Math.round(log * 1e12) / 1e12;
}

/** By stratum, how much higher its median is than that of all; strata with too few values are lacking. */
function factorsOf(values: Float64Array, strata: readonly number[]): ReadonlyMap<number, number> {
  const kept = [...new Set(strata)]
    .map((name) => ({ name, members: values.filter((_, offset) => strata[offset] === name) }))
    .filter(({ members }) => members.length >= FEWEST_OF_STRATUM);
  const level = median(kept.flatMap(({ members }) => [...members])) ?? 1;
  return new Map(kept.map(({ name, members }) => [name, (median(members) ?? level) / level]));
}

/** The values of a series that have a logarithm, in order of time. */
export interface LogSeries {
  readonly values: Float64Array;
  readonly logs: Float64Array;
  /** Mid-ranks of all of them, if many stretches are searched: one sort instead of many. */
  readonly ranks?: Float64Array;
  /** The place of each in the series as given. */
  readonly indexes: readonly number[];
  /** What each is comparable with: the same number for the same name. */
  readonly strata: readonly number[];
  /** The smallest change that is worth a line, in logarithms. */
  readonly smallest: number;
}

/** Smaller changes of a series of times are not worth a line: 5% up, or the same way back. */
export const SMALLEST_CHANGE = 0.05;

/** What of a series is searched. */
interface Searched {
  /** The smallest relative change; undefined for that of times. */
  readonly smallest?: number | undefined;
  /** How many of its last values; undefined for all. */
  readonly looked?: number | undefined;
}

/**
 * The series without what has no logarithm; a RangeError if values and strata are not of one length. If only its last values
 * are looked at, only so many logarithms are taken: the others are 0.
 */
export function logSeries(
  values: readonly (number | null)[],
  strata?: readonly string[],
  { smallest = SMALLEST_CHANGE, looked = values.length }: Searched = {},
): LogSeries {
  if (strata !== undefined && strata.length !== values.length) {
    throw new RangeError(`${strata.length} strata for ${values.length} values`);
  }
  const kept = new Float64Array(values.length);
  const indexes: number[] = [];
  for (const [index, value] of values.entries()) {
    if (isLoggable(value)) {
      kept[indexes.length] = value;
      indexes.push(index);
    }
  }
  const loggable = kept.subarray(0, indexes.length);
  const from = Math.max(0, indexes.length - looked);
  const logs = new Float64Array(indexes.length);
  logs.set(loggable.subarray(from).map(Math.log), from);
  return { values: loggable, logs, indexes, strata: numbered(indexes, strata), smallest: Math.log1p(smallest) };
}

function isLoggable(value: number | null): value is number {
  return value !== null && value > 0 && Number.isFinite(value);
}

/** Numbers are compared again and again, once for each stretch that is searched. */
function numbered(indexes: readonly number[], strata: readonly string[] | undefined): readonly number[] {
  const numbers = new Map<string, number>();
  const numberOf = (name: string): number => {
    const known = numbers.get(name) ?? numbers.size;
    numbers.set(name, known);
    return known;
  };
  return indexes.map(strata === undefined ? () => 0 : (index) => numberOf(strata[index] ?? ''));
}
