import type { Stretch } from './scales.ts';

/** Line of the chart, with the points that are kept if several runs share a column of pixels. */
export interface Strand {
  /** Value for each run; NaN if it has none. */
  readonly values: Float32Array;
  readonly keeps: 'both' | 'lowest' | 'highest';
}

/** Parts of its lines that a chart draws. */
export interface Detail {
  /** Index of a run for each point. */
  readonly places: number[];
  /** Figures of each line at these; null if it has none. */
  readonly lines: readonly (number | null)[][];
}

/** Conditions that determine the visible part of the lines. */
export interface Sight {
  readonly stretch: Stretch;
  /** Width in pixels. */
  readonly columns: number;
  /** Figures must exceed it: a logarithmic axis cannot show 0. */
  readonly above: number;
}

/**
 * Visible part of lines: if more than two runs share a column of pixels, their lowest and highest figure in their order. That looks like all of them,
 * and a long history costs no more to draw than a short one.
 */
export function detailOf(strands: readonly Strand[], { stretch, columns, above }: Sight): Detail {
  const count = strands[0]?.values.length ?? 0;
  const size = runsInColumn(stretch, columns);
  const [first, last] = endsOf(stretch, { size, count });
  if (size <= 2) {
    const places = Array.from({ length: Math.max(0, last - first) }, (_, index) => first + index);
    return { places, lines: strands.map(({ values }) => figuresOf(values.subarray(first, last), above)) };
  }
  const places: number[] = [];
  for (let start = first; start < last; start += size) {
    places.push(start, Math.min(last, start + size) - 1);
  }
  return { places, lines: strands.map((strand) => extremes(strand, places, above)) };
}

/** Power of two, so that runs in one column stay together while the chart is moved. */
function runsInColumn([from, to]: Stretch, columns: number): number {
  return 2 ** Math.ceil(Math.log2(Math.max(1, (to - from) / Math.max(1, columns))));
}

/** First index, and the one after the last: with an additional column on either side, to which lines continue. */
function endsOf([from, to]: Stretch, { size, count }: { readonly size: number; readonly count: number }) {
  const first = Math.max(0, (Math.floor(from / size) - 1) * size);
  return [first, Math.min(count, Math.max(first, Math.ceil(to) + 1 + size))] as const;
}

function figuresOf(values: Float32Array, above: number): (number | null)[] {
  return Array.from(values, (value) => (value > above ? value : null));
}

/** Two figures for each pair of indexes, which are the first and the last of a column. */
function extremes({ values, keeps }: Strand, places: readonly number[], above: number): (number | null)[] {
  const kept = new Array<number | null>(places.length).fill(null);
  for (let index = 0; index < places.length; index += 2) {
    const { low, high, isRising } = extremesIn(values.subarray(places[index], (places[index + 1] ?? 0) + 1), above);
    if (high > above) {
      const both = isRising ? [low, high] : [high, low];
      [kept[index] = null, kept[index + 1] = null] = { both, lowest: [low, low], highest: [high, high] }[keeps];
    }
  }
  return kept;
}

/** Lowest and highest figure of one column, and whether the highest comes later; `above` if it has none. */
function extremesIn(values: Float32Array, above: number) {
  let [low, high, isRising] = [Number.POSITIVE_INFINITY, above, false];
  for (const value of values) {
    if (value > above && value < low) {
      low = value;
      isRising = false;
    }
    if (value > high) {
      high = value;
      isRising = true;
    }
  }
  return { low, high, isRising };
}
