import { once } from '../../foundation/once.ts';
import { median } from '../../foundation/statistics.ts';
import { independenceOf, midRanksOf, midRanksWithin } from './rank-sum.ts';

/** Fewer values do not show the level of a stratum. */
const FEWEST_OF_STRATUM = 5;

/**
 * Replacement for 0 in series other than error rates, as 0 has no logarithm. It is below every measured figure, so that ranks are unchanged
 * and a step from or to 0 is larger than any other.
 */
export const ZERO = 1e-12;

/** Values of a stretch of a series, scaled to one level across strata. */
export interface Levels {
  readonly values: Float64Array;
  readonly logs: Float64Array;
  readonly ranks: Float64Array;
  /** Factor for the evidence of changes among them, see `independenceOf`. */
  readonly independence: () => number;
  /** Index of each in the series, in ascending order. */
  readonly places: readonly number[];
  /** Smallest reported change, in logarithms. */
  readonly smallest: number;
}

/**
 * Values of a series between two indexes, with centered strata if there are several. Values that include 0 are not scaled: what can be 0
 * hardly depends on the machine.
 */
export function levelsBetween(series: LogSeries, from: number, to: number): Levels {
  const strata = series.strata.slice(from, to);
  const { smallest } = series;
  const values = series.values.subarray(from, to);
  return strata.every((stratum) => stratum === strata[0]) || values.some((value) => value <= ZERO)
    ? leveled({
        values,
        logs: series.logs.subarray(from, to),
        ...(series.ranks !== undefined && { ranks: midRanksWithin(series.ranks, from, to) }),
        places: strata.map((_, offset) => from + offset),
        smallest,
      })
    : leveled({ ...centered(series, from, strata), smallest });
}

type Stretch = Pick<Levels, 'values' | 'logs' | 'places' | 'smallest'> & Partial<Pick<Levels, 'ranks'>>;

function leveled(stretch: Stretch): Levels {
  const { logs, ranks = midRanksOf(logs) } = stretch;
  // Computed once, on demand: most stretches never need it, the others need it for every split.
  return { ...stretch, ranks, independence: once(() => independenceOf(logs)) };
}

function centered({ values, logs }: LogSeries, from: number, strata: readonly number[]): Omit<Stretch, 'smallest'> {
  const factors = factorsOf(values.subarray(from, from + strata.length), strata);
  const kept = strata.flatMap((stratum, offset) => {
    const factor = factors.get(stratum);
    return factor === undefined ? [] : [{ place: from + offset, factor }];
  });
  return {
    values: Float64Array.from(kept, ({ place, factor }) => (values[place] ?? 0) / factor),
    // Without rounding errors, so that equal figures of two strata tie.
    logs: Float64Array.from(
      kept,
      ({ place, factor }) => Math.round(((logs[place] ?? 0) - Math.log(factor)) * 1e12) / 1e12,
    ),
    places: kept.map(({ place }) => place),
  };
}

/** Ratio of the median of each stratum to that of all; strata with too few values are left out. */
function factorsOf(values: Float64Array, strata: readonly number[]): ReadonlyMap<number, number> {
  const kept = [...new Set(strata)]
    .map((name) => ({ name, members: values.filter((_, offset) => strata[offset] === name) }))
    .filter(({ members }) => members.length >= FEWEST_OF_STRATUM);
  const level = median(kept.flatMap(({ members }) => [...members])) ?? 1;
  return new Map(kept.map(({ name, members }) => [name, (median(members) ?? level) / level]));
}

/** Values of a series that have a logarithm, in order of time. */
export interface LogSeries {
  readonly values: Float64Array;
  readonly logs: Float64Array;
  /** Mid-ranks of all values, which saves sorting each of many stretches. */
  readonly ranks?: Float64Array;
  /** Index of each in the series as given. */
  readonly indexes: readonly number[];
  /** Number of the stratum of each. */
  readonly strata: readonly number[];
  /** Smallest reported change, in logarithms. */
  readonly smallest: number;
}

/** Smallest reported change of a series of times: 5% up, or the same factor down. */
export const SMALLEST_CHANGE = 0.05;

/**
 * Series without values that have no logarithm. Logarithms are only computed for the last `looked` values; the others are 0. `smallest` is
 * the smallest relative change. Throws RangeError if values and strata differ in length.
 */
export function logSeries(
  values: readonly (number | null)[],
  strata?: readonly string[],
  {
    smallest = SMALLEST_CHANGE,
    looked = values.length,
  }: { readonly smallest?: number | undefined; readonly looked?: number } = {},
): LogSeries {
  if (strata !== undefined && strata.length !== values.length) {
    throw new RangeError(`${strata.length} strata for ${values.length} values`);
  }
  const kept = new Float64Array(values.length);
  const indexes: number[] = [];
  for (const [index, value] of values.entries()) {
    if (value !== null && value > 0 && Number.isFinite(value)) {
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

/** Maps names to numbers, which are faster to compare for each stretch. */
function numbered(indexes: readonly number[], strata: readonly string[] | undefined): readonly number[] {
  const numbers = new Map<string, number>();
  const numberOf = (name: string): number => {
    const known = numbers.get(name) ?? numbers.size;
    numbers.set(name, known);
    return known;
  };
  return indexes.map(strata === undefined ? () => 0 : (index) => numberOf(strata[index] ?? ''));
}
