/** A source of numbers from 0 (inclusive) to 1 (exclusive): always the same ones for the same seed. */
export type Random = () => number;

/** Mulberry32 (Tommy Ettinger, public domain): enough for orders of slots, not for cryptography. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** The same items in random order (Fisher and Yates). */
export function shuffled<Item>(items: readonly Item[], random: Random): Item[] {
  const rest = [...items];
  return items.map(() => {
    const [taken] = rest.splice(Math.floor(random() * rest.length), 1);
    return taken as Item;
  });
}
