import { normalQuantile } from './distributions.ts';

/** Result of comparing a commit with the good one: log ratio and its standard error. */
export interface Sighting {
  readonly worse: number;
  readonly error: number;
}

/** Search for the first worse commit among those after a good one, the last of which is worse. */
export interface Bisection {
  /** Number of commits after the good one; places count from 1, and the last is the bad one. */
  readonly commits: number;
  readonly effect: Sighting;
  /** Comparisons of the other commits so far, by place. */
  readonly sightings: readonly (Sighting & { readonly place: number })[];
  /** Places of commits that cannot be measured. */
  readonly skipped: ReadonlySet<number>;
}

/** Commits among which the cause cannot be narrowed down: all but the last are not measurable. */
export interface Suspects {
  readonly from: number;
  readonly to: number;
  /** Probability that the first worse commit is among them. */
  readonly probability: number;
}

/** Limit on the odds of one comparison: one of many rounds may be disturbed in a way that its interval does not show. */
const MAX_ODDS = Math.log(99);

/** Smallest error: builds of one commit differ this much. */
const LEAST_ERROR = 0.002;

/** Sighting from the ends of the 95% interval of a change for the worse. */
export function sightingOf(worse: number, low: number, high: number): Sighting {
  const width = Math.abs(Math.log1p(high) - Math.log1p(low));
  return { worse: Math.log1p(worse), error: Math.max(LEAST_ERROR, width / (2 * normalQuantile(0.975))) };
}

/** Quantiles of the possible change, in terms of the bad commit's result. */
const EFFECTS = Array.from({ length: 9 }, (_, index) => normalQuantile((index + 0.5) / 9));

/**
 * Probability that each measurable commit, or an unmeasurable one just before it, is the first worse one; by place. Every commit is equally likely at
 * first (Bayes). Comparisons of commits before the first worse one scatter around no change, those of later ones around the change of the bad commit,
 * which is as uncertain as its own comparison.
 */
export function suspectsOf(bisection: Bisection): readonly Suspects[] {
  const { commits, skipped } = bisection;
  const weights = weightsOf(bisection);
  const whole = weights.reduce((sum, weight) => sum + weight, 0);
  const groups: Suspects[] = [];
  let from = 1;
  for (let place = 1; place <= commits; place += 1) {
    if (!skipped.has(place)) {
      const own = weights.slice(from - 1, place).reduce((sum, weight) => sum + weight, 0);
      groups.push({ from, to: place, probability: own / whole });
      from = place + 1;
    }
  }
  return groups;
}

function weightsOf({ commits, effect, sightings }: Bisection): readonly number[] {
  const logs = EFFECTS.map((quantile) => {
    const worse = effect.worse + quantile * effect.error;
    const odds = sightings.map((one) => ({ place: one.place, log: oddsOfWorse(one, worse) }));
    return Array.from({ length: commits }, (_, index) =>
      odds.filter(({ place }) => place > index).reduce((sum, { log }) => sum + log, 0),
    );
  });
  const most = Math.max(...logs.flat());
  return Array.from({ length: commits }, (_, index) =>
    logs.reduce((sum, one) => sum + Math.exp((one[index] ?? 0) - most), 0),
  );
}

/** Log odds that a comparison is of a commit that is worse by a given size: its distance from the middle, in units of its error. */
function oddsOfWorse({ worse, error }: Sighting, effect: number): number {
  const odds = (effect * (worse - effect / 2)) / error ** 2;
  return Math.min(MAX_ODDS, Math.max(-MAX_ODDS, odds));
}

/** 95% interval of a sighting, as changes for the worse. */
export function intervalOf({ worse, error }: Sighting): { readonly low: number; readonly high: number } {
  const half = normalQuantile(0.975) * error;
  return { low: Math.expm1(worse - half), high: Math.expm1(worse + half) };
}

/** Several comparisons of one commit combined, weighted by their errors. */
export function unitedSighting(sightings: readonly Sighting[]): Sighting {
  const whole = sightings.reduce((sum, { error }) => sum + error ** -2, 0);
  const worse = sightings.reduce((sum, one) => sum + one.worse / one.error ** 2, 0) / whole;
  return { worse, error: whole ** -0.5 };
}

/** Commit whose comparison best halves the suspects; undefined if only the bad one is measurable. */
export function nextPlace(bisection: Bisection): number | undefined {
  let below = 0;
  let best: { readonly place: number; readonly distance: number } | undefined;
  for (const { to, probability } of suspectsOf(bisection).slice(0, -1)) {
    below += probability;
    const distance = Math.abs(below - 0.5);
    best = best === undefined || distance < best.distance ? { place: to, distance } : best;
  }
  return best?.place;
}

export function likeliest(bisection: Bisection): Suspects {
  return suspectsOf(bisection).reduce((left, right) => (right.probability > left.probability ? right : left));
}
