/** Returns numbers from 0 (inclusive) to 1 (exclusive), the same sequence for the same seed. */
export type Random = () => number;

/** Mulberry32 (Tommy Ettinger, public domain): sufficient for random orders, not for cryptography. */
export function seededRandom(seed: number): Random {
  let place = 0;
  return () => {
    place += 1;
    return randomAt(seed, place - 1);
  };
}

/** Number at an index of a seed's sequence, from 0. */
export function randomAt(seed: number, place: number): number {
  const state = (seed + Math.imul(place + 1, 0x6d2b79f5)) >>> 0;
  let mixed = Math.imul(state ^ (state >>> 15), state | 1);
  mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
}

/** Seed from names: FNV-1a, 32 bits (Fowler, Noll and Vo). Names that differ in one digit give very different seeds. */
export function seedOf(...names: readonly (string | number)[]): number {
  const text = names.join(' ');
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  return hash >>> 0;
}

export function shuffled<Item>(items: readonly Item[], random: Random): Item[] {
  const rest = [...items];
  return items.map(() => {
    const [taken] = rest.splice(Math.floor(random() * rest.length), 1);
    return taken as Item;
  });
}
