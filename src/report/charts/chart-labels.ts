/** Text of a chart is so high, in the chart's own units. */
const LINE = 13;

/** A letter takes so much of a line, roughly, where letters are largest: on a phone. */
const LETTER = 7;

/** Where labels beside a chart may stand, from top to bottom. */
interface Span {
  readonly from: number;
  readonly to: number;
}

/**
 * Places for labels that belong at these heights: in the same order, none over another, and as near as that allows. Where they do not
 * all fit into the span they go on below it.
 */
export function labelPlaces(heights: readonly number[], { from, to }: Span): readonly number[] {
  const order = heights.map((_, index) => index).sort((left, right) => (heights[left] ?? 0) - (heights[right] ?? 0));
  const places = new Map<number, number>();
  let least = from;
  for (const [rank, index] of order.entries()) {
    // Enough room is left for those below.
    const most = Math.max(least, to - (order.length - 1 - rank) * LINE);
    const place = Math.min(most, Math.max(least, heights[index] ?? 0));
    places.set(index, place);
    least = place + LINE;
  }
  return heights.map((_, index) => places.get(index) ?? 0);
}

/** The labels without the beginning that all of them share, which ends in a dash: "json", "grpc" for "payload-json", "payload-grpc". */
export function shortLabels(labels: readonly string[]): readonly string[] {
  const [first = ''] = labels;
  const dashes = [...first.matchAll(/-/g)].map(({ index }) => index + 1);
  const shared = dashes.findLast((length) =>
    labels.every((label) => label.length > length && label.startsWith(first.slice(0, length))),
  );
  return labels.length < 2 ? labels : labels.map((label) => label.slice(shared ?? 0));
}

/** The width that a text takes in a chart, in the chart's own units. */
export function labelWidth(text: string): number {
  return [...text].length * LETTER;
}
