import { finite } from '../../foundation/finite.ts';
import { quantile, sorted } from '../../foundation/statistics.ts';

/**
 * The slope of y over x: the median slope of all pairs of points that differ in x (Sen, "Estimates of the Regression
 * Coefficient Based on Kendall's Tau", 1968). Undefined where no two points differ in x; throws a RangeError where x and
 * y are not of one length or not finite.
 */
export function theilSen(x: readonly number[], y: readonly number[]): number | undefined {
  if (x.length !== y.length) {
    throw new RangeError(`${x.length} values of x for ${y.length} of y`);
  }
  const points = finite(x, 'x').map((across, index) => ({ across, up: y[index] ?? 0 }));
  finite(y, 'y');
  const slopes = points.flatMap((one, index) =>
    points
      .slice(index + 1)
      .filter((other) => other.across !== one.across)
      .map((other) => (other.up - one.up) / (other.across - one.across)),
  );
  return quantile(sorted(slopes), 0.5);
}
