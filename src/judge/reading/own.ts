import type { OwnFigure, OwnSample } from '../../model/sample/own-figures.ts';

/**
 * How the figures of the program that is loaded stand to what the load tool saw of the same requests. `fewer`, `more`: it counted others.
 * `longer`: it says that it took longer than its clients waited, which cannot be.
 */
export type OwnCheck = 'agrees' | 'fewer' | 'more' | 'longer';

/** How far a count may differ: a request may be under way as a page is read, and requests of others count, too. */
const COUNT_TOLERANCE = 0.01;
const FEWEST_OTHERS = 5;

/** Both are rounded. */
const TIME_TOLERANCE = 0.02;

/** Holds a histogram or a summary of requests against the load tool's; undefined of anything else. */
export function ownCheck({ requests, meanMs, quantiles }: OwnSample, figure: OwnFigure): OwnCheck | undefined {
  const { kind, count, mean } = figure;
  if (count === undefined || (kind !== 'histogram' && kind !== 'summary')) {
    return undefined;
  }
  if (Math.abs(count - requests) > Math.max(FEWEST_OTHERS, COUNT_TOLERANCE * requests)) {
    return count < requests ? 'fewer' : 'more';
  }
  const factor = millisecondsOf(figure.name);
  if (factor === undefined) {
    return 'agrees';
  }
  const isLonger = (own: number | undefined, seenMs: number | undefined) =>
    own !== undefined && seenMs !== undefined && own * factor > seenMs * (1 + TIME_TOLERANCE);
  const isAnyLonger = (figure.quantiles ?? []).some(({ share, from }) =>
    isLonger(from, quantiles.find((one) => one.share === share)?.ms),
  );
  return isLonger(mean, meanMs) || isAnyLonger ? 'longer' : 'agrees';
}

/**
 * The checks of all that the program that is loaded says. If a time agrees, another figure that is more or longer is of something else than
 * its requests, such as of its calls to others, and nothing is said of it.
 */
export function ownChecks(own: OwnSample, figures: readonly OwnFigure[]): readonly (OwnCheck | undefined)[] {
  const checks = figures.map((figure) => ownCheck(own, figure));
  const isReported = figures.some(
    ({ name }, index) => millisecondsOf(name) !== undefined && checks[index] === 'agrees',
  );
  return checks.map((check) => (isReported && (check === 'more' || check === 'longer') ? undefined : check));
}

/** How many milliseconds one unit of a metric is, by its name; undefined if it is no time. */
export function millisecondsOf(name: string): number | undefined {
  const [, unit = ''] = /_(seconds|milliseconds|ms|microseconds|us)$/.exec(name) ?? [];
  return unit === '' ? undefined : UNITS[unit];
}

const UNITS: Readonly<Record<string, number>> = { seconds: 1000, milliseconds: 1, ms: 1, microseconds: 1e-3, us: 1e-3 };
