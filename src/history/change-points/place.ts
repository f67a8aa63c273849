/** The first place in ascending numbers of one that is at least so large; their count where none is. */
export function firstAtLeast(order: ArrayLike<number>, value: number): number {
  let low = 0;
  let high = order.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((order[middle] ?? 0) < value) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}
