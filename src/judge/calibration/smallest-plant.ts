interface TriedPlant {
  /** 0.05 is 5%. */
  readonly cpu: number;
  readonly found: number;
  readonly comparisons: number;
}

export interface PlantSearch {
  /** Smallest share that 9 of 10 comparisons find; undefined if the largest is missed. */
  readonly smallest: number | undefined;
  readonly tried: readonly TriedPlant[];
}

const COMPARISONS = 10;
const NEEDED = 9;

/** Factor between two sizes until one of each kind is known, and at the end. */
const STEP = 1.5;
const PRECISION = 1.2;

const RANGE = { least: 0.005, most: 0.5 };

/**
 * Bisects to the smallest planted share that 9 of 10 comparisons find, to within a factor of 1.2, from `first` on. A share is given up after
 * the second miss. `isFound` makes one comparison.
 */
export async function smallestPlant(first: number, isFound: (cpu: number) => Promise<boolean>): Promise<PlantSearch> {
  const tried: TriedPlant[] = [];
  const passes = async (cpu: number): Promise<boolean> => {
    let [found, comparisons] = [0, 0];
    while (found < NEEDED && comparisons - found <= COMPARISONS - NEEDED) {
      found += (await isFound(cpu)) ? 1 : 0;
      comparisons += 1;
    }
    tried.push({ cpu, found, comparisons });
    return found >= NEEDED;
  };
  let [missed, smallest]: [number | undefined, number | undefined] = [undefined, undefined];
  let next: number | undefined = first;
  while (next !== undefined) {
    if (await passes(next)) {
      smallest = next;
    } else {
      missed = next;
    }
    next = nextSize(missed, smallest);
  }
  return { smallest, tried };
}

function nextSize(missed: number | undefined, found: number | undefined): number | undefined {
  if (found === undefined) {
    return missed === undefined || missed >= RANGE.most ? undefined : Math.min(RANGE.most, missed * STEP);
  }
  if (missed === undefined) {
    return found <= RANGE.least ? undefined : Math.max(RANGE.least, found / STEP);
  }
  return found / missed <= PRECISION ? undefined : Math.sqrt(found * missed);
}
