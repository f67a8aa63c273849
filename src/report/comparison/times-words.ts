import { NO_FIGURE } from '../../foundation/reading-numbers.ts';
import type { Times } from '../../judge/study/versus.ts';

/** A multiple with its interval: "1.72 [1.66, 1.79]"; a dash where there is none. */
export function ratioText(ratio: Times | undefined): string {
  if (ratio === undefined) {
    return NO_FIGURE;
  }
  const { times, low, high } = ratio;
  const interval = low === undefined || high === undefined ? '' : ` [${timesText(low)}, ${timesText(high)}]`;
  return `${timesText(times)}${interval}`;
}

/** Three digits: "1.72", "0.583", "12.3". */
export function timesText(times: number): string {
  return times >= 999.5 ? times.toFixed(0) : times.toPrecision(3);
}

/** A multiple that somebody wrote, without digits that they did not: "1.5". */
export function limitText(times: number): string {
  return String(Number(times.toPrecision(6)));
}
