const DENSITY_AT_0 = 1 / Math.sqrt(2 * Math.PI);

/** Below it the series for the centre keeps all digits, above it the continued fraction for the tail does. */
const TAIL_FROM = 3;

/** The probability that a standard normal value is greater, with a relative error below 1e-12. */
export function normalTail(value: number): number {
  if (value < 0) {
    return 1 - normalTail(-value);
  }
  const density = DENSITY_AT_0 * Math.exp((-value * value) / 2);
  return value < TAIL_FROM ? 0.5 - density * centre(value) : density / tailFraction(value);
}

/** Marsaglia, "Evaluating the Normal Distribution" (2004): z + z^3/3 + z^5/(3*5) + ... */
function centre(value: number): number {
  let term = value;
  let sum = value;
  for (let odd = 3; term > sum * Number.EPSILON; odd += 2) {
    term *= (value * value) / odd;
    sum += term;
  }
  return sum;
}

/** Laplace's continued fraction z + 1/(z + 2/(z + 3/(z + ...))). */
function tailFraction(value: number): number {
  let fraction = value;
  for (let depth = 120; depth >= 1; depth -= 1) {
    fraction = value + depth / fraction;
  }
  return fraction;
}

/** The value below which a standard normal value lies with the given probability, between 0 and 1, both excluded. */
export function normalQuantile(probability: number): number {
  if (!(probability > 0 && probability < 1)) {
    throw new RangeError(`the normal distribution has no quantile at ${probability}`);
  }
  return probability < 0.5 ? -upperNormalQuantile(probability) : upperNormalQuantile(1 - probability);
}

/**
 * The value that is exceeded with a probability of at most 1/2: Newton's steps for the logarithm of the tail, from the
 * bound that the tail is at most exp(-z^2 / 2) / 2. From there they come closer without ever passing.
 */
function upperNormalQuantile(tail: number): number {
  let value = Math.sqrt(-2 * Math.log(2 * tail));
  for (let step = 0; step < 20; step += 1) {
    const reached = normalTail(value);
    const density = DENSITY_AT_0 * Math.exp((-value * value) / 2);
    const change = (Math.log(reached / tail) * reached) / density;
    value += change;
    if (Math.abs(change) < 1e-14 * Math.max(1, value)) {
      break;
    }
  }
  return value;
}
