/**
 * The median, to the last bit what `median` of statistics.ts gives, without sorting: of thousands of differences it is asked for
 * again and again. Puts the values into another order; undefined for none.
 */
export function middleOf(values: Float64Array): number | undefined {
  if (values.length === 0) {
    return undefined;
  }
  const place = (values.length - 1) / 2;
  const below = placed(values, Math.floor(place));
  const above = Number.isInteger(place) ? below : smallest(values, Math.ceil(place));
  return below + (above - below) * (place - Math.floor(place));
}

/**
 * The value that a sort would put at a place, by Hoare's FIND (1961) as Wirth wrote it: afterwards no value before the place is
 * larger, and none behind it smaller.
 */
function placed(values: Float64Array, place: number): number {
  let [low, high] = [0, values.length - 1];
  while (low < high) {
    const { lowEnd, highStart } = parted(values, [low, high], values[place] ?? 0);
    low = lowEnd < place ? highStart : low;
    high = place < highStart ? lowEnd : high;
  }
  return values[place] ?? 0;
}

/** Where the values up to a pivot end, and where those from it on begin; between them there may be one that is equal. */
interface Parts {
  readonly lowEnd: number;
  readonly highStart: number;
}

function parted(values: Float64Array, [low, high]: readonly [number, number], pivot: number): Parts {
  let [left, right] = [low, high];
  while (left <= right) {
    while ((values[left] ?? pivot) < pivot) {
      left += 1;
    }
    while ((values[right] ?? pivot) > pivot) {
      right -= 1;
    }
    if (left <= right) {
      exchange(values, left, right);
      left += 1;
      right -= 1;
    }
  }
  return { lowEnd: right, highStart: left };
}

function exchange(values: Float64Array, one: number, other: number): void {
  const taken = values[one] ?? 0;
  values[one] = values[other] ?? 0;
  values[other] = taken;
}

function smallest(values: Float64Array, from: number): number {
  let least = Number.POSITIVE_INFINITY;
  for (let place = from; place < values.length; place += 1) {
    least = Math.min(least, values[place] ?? 0);
  }
  return least;
}
