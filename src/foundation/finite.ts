/** The values as given; a RangeError where one is NaN or infinite, which whoever took the logarithm should have dropped. */
export function finite<Values extends Iterable<number | undefined>>(values: Values, what: string): Values {
  for (const value of values) {
    if (value !== undefined && !Number.isFinite(value)) {
      throw new RangeError(`${what}: ${value} is not a finite number`);
    }
  }
  return values;
}
