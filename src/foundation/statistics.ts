declare const sortedBrand: unique symbol;

/** Numbers in ascending order; only `sorted` creates them, so that no quantile is read from unsorted data. */
export type Sorted = Float64Array & { readonly [sortedBrand]: true };

export function sorted(values: ArrayLike<number>): Sorted {
  return new Float64Array(values).sort() as Sorted;
}

/** Quantile of type 7 of Hyndman and Fan (1996), the default of R and NumPy; undefined without values. */
export function quantile(values: Sorted, share: number): number | undefined {
  const place = (values.length - 1) * share;
  const below = values[Math.floor(place)];
  const above = values[Math.ceil(place)];
  if (below === undefined || above === undefined) {
    return undefined;
  }
  return below + (above - below) * (place - Math.floor(place));
}

export function median(values: ArrayLike<number>): number | undefined {
  return quantile(sorted(values), 0.5);
}

export function mean(values: ArrayLike<number>): number | undefined {
  return values.length === 0 ? undefined : sumOf(values, (value) => value) / values.length;
}

/** Standard deviation of a sample (divided by n - 1); undefined for fewer than two values. */
export function standardDeviation(values: ArrayLike<number>): number | undefined {
  const center = mean(values);
  if (center === undefined || values.length < 2) {
    return undefined;
  }
  // Two passes: the one-pass formula loses all digits if the mean is large relative to the spread.
  return Math.sqrt(sumOf(values, (value) => (value - center) ** 2) / (values.length - 1));
}

function sumOf(values: ArrayLike<number>, term: (value: number) => number): number {
  let sum = 0;
  for (let index = 0; index < values.length; index += 1) {
    sum += term(values[index] ?? 0);
  }
  return sum;
}

/** Unchanged values; throws RangeError if one is NaN or infinite. */
export function finite<Values extends Iterable<number | undefined>>(values: Values, what: string): Values {
  for (const value of values) {
    if (value !== undefined && !Number.isFinite(value)) {
      throw new RangeError(`${what}: ${value} is not a finite number`);
    }
  }
  return values;
}
