import {
  type Bisection,
  intervalOf,
  likeliest,
  nextPlace,
  type Sighting,
  type Suspects,
  sightingOf,
  unitedSighting,
} from '../../judge/inference/bisection.ts';

/** Result of comparing the good commit with another one. */
export type Tried =
  /** A change for the worse, with the ends of its 95% interval. */
  | { readonly kind: 'seen'; readonly worse: number; readonly low: number; readonly high: number }
  /** The commit cannot be built, started or compared. */
  | { readonly kind: 'unmeasurable'; readonly why: string }
  /** Interrupted, or out of time. */
  | { readonly kind: 'ended' };

export interface FirstWorse {
  /** `same`: the bad commit is not worse; `unsure`: comparisons are inconclusive; `ended`: it was interrupted, or its time was over. */
  readonly outcome: 'found' | 'same' | 'unsure' | 'ended';
  /** Effect of the bad commit; undefined if it was not compared. */
  readonly effect: Sighting | undefined;
  readonly suspects: Suspects;
  /** Number of comparisons that showed a change. */
  readonly comparisons: number;
  /** Places that could not be measured, with the reasons. */
  readonly skipped: ReadonlyMap<number, string>;
}

/** Probability from which a commit is the result. */
const SURE = 0.95;

/** The bad commit is compared up to three times, until the standard error is at most a third of its change. */
const BAD = { share: 1 / 3, most: 3 };

/**
 * Finds the first of some commits that is worse than the good commit before them, given that the last one is. A single comparison is noisy: more
 * follow until one commit is 95% probable, or their limit is reached. `compareAt` compares the good commit with the one at a place, from 1; it throws
 * if the bad one cannot be compared.
 */
export async function firstWorse(commits: number, compareAt: (place: number) => Promise<Tried>): Promise<FirstWorse> {
  const sightings = await badSightings(() => compareAt(commits));
  const effect = sightings.length === 0 ? undefined : unitedSighting(sightings);
  if (effect === undefined || intervalOf(effect).low <= 0) {
    const outcome = effect === undefined ? 'ended' : 'same';
    const suspects = { from: 1, to: commits, probability: 1 };
    return { outcome, effect, suspects, comparisons: sightings.length, skipped: new Map() };
  }
  const begun = { commits, effect, sightings: [], skipped: new Set<number>() };
  return await search(begun, sightings.length, compareAt);
}

async function badSightings(compareBad: () => Promise<Tried>): Promise<readonly Sighting[]> {
  const sightings: Sighting[] = [];
  while (sightings.length < BAD.most) {
    const tried = await compareBad();
    if (tried.kind !== 'seen') {
      break;
    }
    sightings.push(sightingOf(tried.worse, tried.low, tried.high));
    const { worse, error } = unitedSighting(sightings);
    if (error <= BAD.share * Math.abs(worse)) {
      break;
    }
  }
  return sightings;
}

/** Search after some comparisons of the bad commit. */
async function search(
  begun: Bisection,
  before: number,
  compareAt: (place: number) => Promise<Tried>,
): Promise<FirstWorse> {
  const most = 4 * Math.ceil(Math.log2(begun.commits + 1)) + 8;
  const skipped = new Map<number, string>();
  let bisection = begun;
  const end = (outcome: FirstWorse['outcome']): FirstWorse => ({
    ...{ outcome, effect: bisection.effect, suspects: likeliest(bisection), skipped },
    comparisons: before + bisection.sightings.length,
  });
  for (let tries = 0; likeliest(bisection).probability < SURE; tries += 1) {
    const place = nextPlace(bisection);
    if (place === undefined || tries >= most) {
      return end('unsure');
    }
    const tried = await compareAt(place);
    if (tried.kind === 'ended') {
      return end('ended');
    }
    if (tried.kind === 'unmeasurable') {
      skipped.set(place, tried.why);
      bisection = { ...bisection, skipped: new Set(skipped.keys()) };
    } else {
      const { worse, low, high } = tried;
      bisection = { ...bisection, sightings: [...bisection.sightings, { place, ...sightingOf(worse, low, high) }] };
    }
  }
  return end('found');
}
