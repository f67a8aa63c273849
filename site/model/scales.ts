import type { AxisChoice } from './state.ts';

/** Figures with a wider span are easier to read on a logarithmic axis. */
const DECADE = 10;

/** Lowest and highest of the positive figures; undefined without one. */
export function positiveSpan(lines: readonly ArrayLike<number>[]): readonly [number, number] | undefined {
  let [low, high] = [Number.POSITIVE_INFINITY, 0];
  for (const line of lines) {
    for (let place = 0; place < line.length; place += 1) {
      const value = line[place] ?? 0;
      if (value > 0) {
        low = Math.min(low, value);
        high = Math.max(high, value);
      }
    }
  }
  return high === 0 ? undefined : [low, high];
}

/** True if the axis is logarithmic; false if no figure is above zero. */
export function isLogarithmic(choice: AxisChoice, span: readonly [number, number] | undefined): boolean {
  if (span === undefined || choice === 'linear') {
    return false;
  }
  return choice === 'logarithmic' || span[1] / span[0] > DECADE;
}

/** Range of positions in a chart, from the first to the last one. */
export type Stretch = readonly [number, number];

/** Range widened by a factor around a position, which does not move, within the chart; never narrower than four runs. */
export function zoomed([from, to]: Stretch, factor: number, around: number, last: number): Stretch {
  const share = to === from ? 0.5 : (around - from) / (to - from);
  return gripped([from, to], { factor, was: share, is: share }, last);
}

/** Two-finger gesture: the range is widened by a factor, and the position at one share of the width moves to another. */
export interface Grip {
  readonly factor: number;
  readonly was: number;
  readonly is: number;
}

/** Range for a gesture, within the chart; never narrower than four runs. */
export function gripped([from, to]: Stretch, { factor, was, is }: Grip, last: number): Stretch {
  const width = Math.min(last, Math.max(Math.min(4, last), (to - from) * factor));
  const place = from + was * (to - from);
  return within([place - is * width, place + (1 - is) * width], last);
}

/** Range moved by a number of positions, within the chart. */
export function panned([from, to]: Stretch, by: number, last: number): Stretch {
  return within([from + by, to + by], last);
}

function within([from, to]: Stretch, last: number): Stretch {
  const width = Math.min(last, to - from);
  const start = Math.max(0, Math.min(last - width, from));
  return [start, start + width];
}
