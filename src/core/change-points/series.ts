/** The values of a series that have a logarithm, in order of time. */
export interface Series {
  readonly values: Float64Array;
  readonly logs: Float64Array;
  /** The place of each in the series as given. */
  readonly indexes: readonly number[];
  /** What each is comparable with. */
  readonly strata: readonly string[];
}

/** The series without what has no logarithm; a RangeError where values and strata are not of one length. */
export function seriesOf(values: readonly (number | null)[], strata?: readonly string[]): Series {
  if (strata !== undefined && strata.length !== values.length) {
    throw new RangeError(`${strata.length} strata for ${values.length} values`);
  }
  const indexes = [...values.keys()].filter((index) => isLoggable(values[index]));
  const kept = Float64Array.from(indexes, (index) => values[index] ?? 0);
  return {
    values: kept,
    logs: kept.map(Math.log),
    indexes,
    strata: indexes.map((index) => strata?.[index] ?? ''),
  };
}

function isLoggable(value: number | null | undefined): boolean {
  return value !== null && value !== undefined && value > 0 && Number.isFinite(value);
}
