/**
 * The positions of the keys in ascending order of their key; equal keys keep their order.
 * A bottom-up merge sort: records arrive almost in order, and a pair of runs that already is in order costs one
 * comparison. A typed array's own sort with a comparison function takes several times as long.
 */
export function ascendingOrder(keys: Float64Array): Uint32Array {
  let order = new Uint32Array(keys.length);
  for (let index = 0; index < order.length; index += 1) {
    order[index] = index;
  }
  let spare = new Uint32Array(keys.length);
  for (let width = 1; width < keys.length; width *= 2) {
    for (let from = 0; from < keys.length; from += 2 * width) {
      mergeRuns({ keys, order, into: spare }, from, width);
    }
    [order, spare] = [spare, order];
  }
  return order;
}

interface Merge {
  readonly keys: Float64Array;
  readonly order: Uint32Array;
  readonly into: Uint32Array;
}

function mergeRuns(merge: Merge, from: number, width: number): void {
  const { keys, order, into } = merge;
  const middle = Math.min(from + width, keys.length);
  const to = Math.min(middle + width, keys.length);
  if (middle === to || keyAt(keys, order, middle - 1) <= keyAt(keys, order, middle)) {
    into.set(order.subarray(from, to), from);
    return;
  }
  interleave(merge, { from, middle, to });
}

function interleave({ keys, order, into }: Merge, runs: { from: number; middle: number; to: number }): void {
  let left = runs.from;
  let right = runs.middle;
  let index = runs.from;
  while (left < runs.middle && right < runs.to) {
    const takeLeft = keyAt(keys, order, left) <= keyAt(keys, order, right);
    into[index] = order[takeLeft ? left : right] ?? 0;
    left += takeLeft ? 1 : 0;
    right += takeLeft ? 0 : 1;
    index += 1;
  }
  into.set(left < runs.middle ? order.subarray(left, runs.middle) : order.subarray(right, runs.to), index);
}

function keyAt(keys: Float64Array, order: Uint32Array, index: number): number {
  return keys[order[index] ?? 0] ?? 0;
}
