/** The values of a series that have a logarithm, in order of time. */
export interface LogSeries {
  readonly values: Float64Array;
  readonly logs: Float64Array;
  /** Mid-ranks of all of them, where many stretches are searched: one sort instead of many. */
  readonly ranks?: Float64Array;
  /** The place of each in the series as given. */
  readonly indexes: readonly number[];
  /** What each is comparable with: the same number for the same name. */
  readonly strata: readonly number[];
}

/**
 * The series without what has no logarithm; a RangeError where values and strata are not of one length. Where only its last values
 * are looked at, only so many logarithms are taken: the others are 0.
 */
export function logSeries(
  values: readonly (number | null)[],
  strata?: readonly string[],
  looked = values.length,
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
  return { values: loggable, logs, indexes, strata: numbered(indexes, strata) };
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
