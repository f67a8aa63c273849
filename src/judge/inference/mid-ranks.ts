/** Ranks from 1 upwards; equal values share the middle of theirs. */
export interface MidRanks {
  /** In the order of the values. */
  readonly ranks: readonly number[];
  /** How many values each distinct value stands for, in ascending order of value. */
  readonly groups: readonly number[];
}

/** The mid-ranks of finite values; only values that are exactly equal tie. */
export function midRanks(values: readonly number[]): MidRanks {
  const order = values.map((value, index) => ({ value, index })).sort((left, right) => left.value - right.value);
  const ranks = new Array<number>(values.length).fill(0);
  const groups: number[] = [];
  for (let from = 0; from < order.length; ) {
    const group = tiedFrom(order, from);
    for (const { index } of group) {
      ranks[index] = from + (group.length + 1) / 2;
    }
    groups.push(group.length);
    from += group.length;
  }
  return { ranks, groups };
}

function tiedFrom<Placed extends { readonly value: number }>(
  order: readonly Placed[],
  from: number,
): readonly Placed[] {
  let to = from + 1;
  while (to < order.length && order[to]?.value === order[from]?.value) {
    to += 1;
  }
  return order.slice(from, to);
}
