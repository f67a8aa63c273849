import type { OwnFigure, OwnSample } from '../../model/sample/own-figures.ts';

/**
 * Agreement of the loaded program's own metrics with those of the load tool for the same requests. `fewer`, `more`: it counted others. `longer`: it
 * reports a longer time than its clients waited, which is impossible.
 */
export type OwnCheck = 'agrees' | 'fewer' | 'more' | 'longer';

/** Tolerance for counts: a request may be in flight while a page is read, and requests of others count, too. */
const COUNT_TOLERANCE = 0.01;
const FEWEST_OTHERS = 5;

/** Both times are rounded. */
const TIME_TOLERANCE = 0.02;

/** Compares a histogram or a summary of requests with the load tool's; undefined for other metrics. */
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
 * Checks of all metrics of the loaded program. If a time agrees, another one that is more or longer measures something other than its requests, such
 * as its own calls, and is not reported.
 */
export function ownChecks(own: OwnSample, figures: readonly OwnFigure[]): readonly (OwnCheck | undefined)[] {
  const checks = figures.map((figure) => ownCheck(own, figure));
  const isReported = figures.some(
    ({ name }, index) => millisecondsOf(name) !== undefined && checks[index] === 'agrees',
  );
  return checks.map((check) => (isReported && (check === 'more' || check === 'longer') ? undefined : check));
}

/** Milliseconds per unit of a metric, by its name; undefined if it is not a time. */
export function millisecondsOf(name: string): number | undefined {
  const [, unit = ''] = /_(seconds|milliseconds|ms|microseconds|us)$/.exec(name) ?? [];
  return unit === '' ? undefined : UNITS[unit];
}

const UNITS: Readonly<Record<string, number>> = { seconds: 1000, milliseconds: 1, ms: 1, microseconds: 1e-3, us: 1e-3 };
