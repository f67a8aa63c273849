import { NO_FIGURE } from '../../foundation/numbers.ts';
import type { Times } from '../../judge/study/versus.ts';

/** A multiple with its interval: "1.72 [1.66, 1.79]"; a dash if there is none. */
export function ratioText(ratio: Times | undefined): string {
  if (ratio === undefined) {
    return NO_FIGURE;
  }
  const { times, low, high } = ratio;
  const interval = low === undefined || high === undefined ? '' : endsText({ low, high }, ', ');
  return interval === '' ? timesText(times) : `${timesText(times)} [${interval}]`;
}

/** The ends of an interval: "1.18, 1.24"; an end that nothing bounds is left out: "1.24 or less". */
export function endsText({ low, high }: { readonly low: number; readonly high: number }, between: string): string {
  const isOpenAbove = !Number.isFinite(high);
  if (low <= 0) {
    return isOpenAbove ? '' : `${timesText(high)} or less`;
  }
  return isOpenAbove ? `${timesText(low)} or more` : `${timesText(low)}${between}${timesText(high)}`;
}

/** Three digits: "1.72", "0.583", "12.3". */
export function timesText(times: number): string {
  return times >= 999.5 ? times.toFixed(0) : times.toPrecision(3);
}

/** A configured multiple, without extra digits: "1.5". */
export function limitText(times: number): string {
  return String(Number(times.toPrecision(6)));
}
