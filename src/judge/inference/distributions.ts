const DENSITY_AT_0 = 1 / Math.sqrt(2 * Math.PI);

/** Below this, the series for the center keeps all digits; above it, the continued fraction for the tail does. */
const TAIL_FROM = 3;

/** Probability that a standard normal value is greater, with a relative error below 1e-12. */
export function normalTail(value: number): number {
  if (value < 0) {
    return 1 - normalTail(-value);
  }
  const density = DENSITY_AT_0 * Math.exp((-value * value) / 2);
  return value < TAIL_FROM ? 0.5 - density * center(value) : density / tailFraction(value);
}

/** Marsaglia, "Evaluating the Normal Distribution" (2004): z + z^3/3 + z^5/(3*5) + ... */
function center(value: number): number {
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

/** Quantile of the standard normal distribution for a probability strictly between 0 and 1. */
export function normalQuantile(probability: number): number {
  if (!(probability > 0 && probability < 1)) {
    throw new RangeError(`the normal distribution has no quantile at ${probability}`);
  }
  return probability < 0.5 ? -upperNormalQuantile(probability) : upperNormalQuantile(1 - probability);
}

/**
 * Value that is exceeded with a probability of at most 1/2: Newton's method for the logarithm of the tail, from the bound that the tail is at most
 * exp(-z^2 / 2) / 2. From there the steps converge without overshooting.
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

/** Probability that a value of Student's t distribution with these degrees of freedom is greater. */
export function studentTail(value: number, degrees: number): number {
  if (!(degrees > 0) || Number.isNaN(value)) {
    throw new RangeError(`Student's t distribution has no tail at ${value} with ${degrees} degrees of freedom`);
  }
  if (value < 0) {
    return 1 - studentTail(-value, degrees);
  }
  return incompleteBeta(degrees / (degrees + value * value), degrees / 2, 0.5) / 2;
}

/** Quantiles by probability and degrees: the comparisons of a run use the same few, and each takes ten thousand divisions. */
const KNOWN_QUANTILES = new Map<string, number>();

/** More than a run uses. */
const MAX_KNOWN = 10_000;

/** Quantile of Student's t for a probability strictly between 0 and 1. */
export function studentQuantile(probability: number, degrees: number): number {
  if (!(probability > 0 && probability < 1)) {
    throw new RangeError(`Student's t distribution has no quantile at ${probability}`);
  }
  return probability < 0.5
    ? -upperStudentQuantile(probability, degrees)
    : upperStudentQuantile(1 - probability, degrees);
}

/** Value that is exceeded with a probability of at most 1/2. */
function upperStudentQuantile(tail: number, degrees: number): number {
  const name = `${tail} ${degrees}`;
  const known = KNOWN_QUANTILES.get(name);
  if (known !== undefined) {
    return known;
  }
  const found = halvedToQuantile(tail, degrees);
  if (KNOWN_QUANTILES.size >= MAX_KNOWN) {
    KNOWN_QUANTILES.clear();
  }
  KNOWN_QUANTILES.set(name, found);
  return found;
}

/** By bisection: the tail decreases steadily, and faster methods diverge with one degree of freedom. */
function halvedToQuantile(tail: number, degrees: number): number {
  let high = 1;
  while (studentTail(high, degrees) > tail) {
    high *= 2;
  }
  let low = high === 1 ? 0 : high / 2;
  for (let middle = (low + high) / 2; middle > low && middle < high; middle = (low + high) / 2) {
    if (studentTail(middle, degrees) > tail) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return high;
}

/** Regularized incomplete beta function (DLMF 8.17). */
function incompleteBeta(x: number, a: number, b: number): number {
  if (x <= 0 || x >= 1) {
    return x <= 0 ? 0 : 1;
  }
  // The fraction converges quickly only on this side of the mean; the other side follows by symmetry.
  if (x > (a + 1) / (a + b + 2)) {
    return 1 - incompleteBeta(1 - x, b, a);
  }
  const logFront = a * Math.log(x) + b * Math.log1p(-x) + logGamma(a + b) - logGamma(a) - logGamma(b);
  return (Math.exp(logFront) / a) * betaFraction(x, a, b);
}

/** Continued fraction DLMF 8.17.22, evaluated from its depth upward. */
function betaFraction(x: number, a: number, b: number): number {
  let fraction = 1;
  for (let depth = 200; depth >= 1; depth -= 1) {
    const m = depth >> 1;
    const numerator =
      depth % 2 === 0
        ? (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m))
        : (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    fraction = 1 + numerator / fraction;
  }
  return 1 / fraction;
}

/** Stirling's series (DLMF 5.11.1), after shifting to where five terms give all digits. */
function logGamma(value: number): number {
  let moved = value;
  let log = 0;
  while (moved < 15) {
    log -= Math.log(moved);
    moved += 1;
  }
  const square = moved * moved;
  const series = 1 / 12 - (1 / 360 - (1 / 1260 - (1 / 1680 - 1 / (1188 * square)) / square) / square) / square;
  return log + (moved - 0.5) * Math.log(moved) - moved + Math.log(2 * Math.PI) / 2 + series / moved;
}
