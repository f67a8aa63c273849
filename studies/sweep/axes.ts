import { scaleLog } from 'd3-scale';
import { CHART_PLOT, type Tick } from '../../src/report/charts/frame.ts';
import type { Scale } from '../../src/report/charts/scales.ts';
import { atText } from './view.ts';

/** Logarithmic scale for an argument above 0, from left to `right`, with a tick for each value that fits. */
export function argumentScale(values: readonly number[], right: number): Scale {
  const sorted = [...new Set(values)].sort((left, other) => left - other);
  const [first = 1] = sorted;
  const last = sorted.at(-1) ?? first;
  const [from, to] = first < last ? [first, last] : [first / 10, first * 10];
  const scale = scaleLog()
    .domain([from, to])
    .range([CHART_PLOT.left + SIDE, right - SIDE]);
  const ticks = sorted.map((value) => ({ at: scale(value), label: atText(value) }));
  return { at: scale, ticks: withRoom(ticks) };
}

/** Keeps marks off the edges. */
const SIDE = 8;

const TICK_WIDTH = 38;

/** From the right, where the largest value is: labels that would overlap another are left out. */
function withRoom(ticks: readonly Tick[]): readonly Tick[] {
  const kept: Tick[] = [];
  for (const tick of ticks.toReversed()) {
    if (kept.every(({ at }) => at - tick.at >= TICK_WIDTH)) {
      kept.push(tick);
    }
  }
  return kept.toReversed();
}

/** Height of text in a chart, in the chart's own units. */
const LINE = 13;

/** Approximate width of a letter at its largest: on a phone. */
const LETTER = 7;

/**
 * Positions for labels with these heights: in the same order, without overlap, and as close as possible. If they do not all fit into the span they
 * continue below it.
 */
export function labelPlaces(
  heights: readonly number[],
  { from, to }: { readonly from: number; readonly to: number },
): readonly number[] {
  const order = heights.map((_, index) => index).sort((left, right) => (heights[left] ?? 0) - (heights[right] ?? 0));
  const places = new Map<number, number>();
  let least = from;
  for (const [rank, index] of order.entries()) {
    // Leaves enough room for those below.
    const most = Math.max(least, to - (order.length - 1 - rank) * LINE);
    const place = Math.min(most, Math.max(least, heights[index] ?? 0));
    places.set(index, place);
    least = place + LINE;
  }
  return heights.map((_, index) => places.get(index) ?? 0);
}

/** Labels without their common beginning, which ends in a dash: "json", "grpc" for "payload-json", "payload-grpc". */
export function shortLabels(labels: readonly string[]): readonly string[] {
  const [first = ''] = labels;
  const dashes = [...first.matchAll(/-/g)].map(({ index }) => index + 1);
  const shared = dashes.findLast((length) =>
    labels.every((label) => label.length > length && label.startsWith(first.slice(0, length))),
  );
  return labels.length < 2 ? labels : labels.map((label) => label.slice(shared ?? 0));
}

/** Width of a text in a chart, in the chart's own units. */
export function labelWidth(text: string): number {
  return [...text].length * LETTER;
}
