import { seededRandom } from '../../foundation/random.ts';
import { PROFILES } from '../../model/profiles.ts';
import type { Look } from '../../model/rounds.ts';
import { logRatios, looksFor } from './family-test.ts';
import { type Interval, intervalWithout, signedRankShares, TAIL, tailOf } from './location.ts';
import type { Rounds } from './scores.ts';

/**
 * 95% interval of a comparison with several looks that may end at any of them, for any reason: with a probability of at least 95% the true value is
 * within the intervals of all its looks (repeated confidence intervals: Jennison and Turnbull, "Interim Analyses: The Repeated Confidence Interval
 * Approach", 1989). Each side spends its 2.5% over the looks as the test spends alpha. Rounds after the last look count as a separate look, which
 * spends the rest. With a single look that spends all it is the signed-rank interval. Undefined if there are too few rounds for the share spent so
 * far.
 */
export function intervalOverLooks({ base, head }: Rounds, looks: readonly Look[]): Interval | undefined {
  const complete = (rounds: number) => logRatios({ base, head }, rounds);
  const own = looksUpTo(base.length, looks).map(({ rounds, spent }) => ({ rounds: complete(rounds).length, spent }));
  return intervalWithout(droppedAtLast(own), complete(base.length));
}

function looksUpTo(rounds: number, looks: readonly Look[]): readonly Look[] {
  return looks.at(-1)?.rounds === rounds
    ? looks
    : [...looks.filter((look) => look.rounds < rounds), { rounds, spent: 1 }];
}

/** Looks at which a comparison with the default plan may end: after 9, 10, ... 30 rounds, or at a look that decided. */
export const USUAL_ENDS: readonly (readonly Look[])[] = usualEnds(PROFILES.standard.rounds.looks);

function usualEnds(planned: readonly Look[]): readonly (readonly Look[])[] {
  const [first, ...others] = planned;
  const most = planned.at(-1)?.rounds ?? 0;
  const ended = Array.from({ length: most }, (_, index) => looksFor(planned, index + 1, true));
  const decided = others.map(({ rounds }) => looksFor(planned, rounds, false));
  return [...ended.slice(first?.rounds ?? 0), ...decided.slice(0, -1)];
}

/**
 * Results of `countedDropped` for each of them, in order, if every round is complete. Nearly all comparisons end so, and the walks would cost each
 * program that judges one a fifth of a second. A unit test recomputes these.
 */
const USUAL_DROPPED: readonly number[] = [
  6, 8, 10, 12, 15, 18, 21, 24, 28, 32, 36, 41, 46, 50, 56, 61, 67, 74, 81, 89, 95, 104, 6, 10, 18, 38,
];

const KNOWN = new Map(USUAL_DROPPED.map((dropped, index) => [nameOf(USUAL_ENDS[index] ?? []), dropped]));

function nameOf(looks: readonly Look[]): string {
  return looks.map(({ rounds, spent }) => `${rounds}:${spent}`).join(' ');
}

/**
 * Number of signed-rank sums 0, 1, 2, ... that are excluded at the last of these looks: so few that the sum is among those of any look with a
 * probability of at most 2.5%. Exact at the first look, by seeded draws at those up to 40 rounds. The probability is the same for all differences
 * that are symmetric around their center, however heavy their tails.
 */
export function droppedAtLast(looks: readonly Look[]): number {
  const name = nameOf(looks);
  const dropped = KNOWN.get(name) ?? countedDropped(looks);
  KNOWN.set(name, dropped);
  return dropped;
}

/** `droppedAtLast` by search, without the table of known values. */
export function countedDropped(looks: readonly Look[]): number {
  const fallen = new Uint8Array(looks.length > 1 ? WALKS : 0);
  let used = 0;
  let dropped = 0;
  for (const [index, { rounds, spent }] of looks.entries()) {
    const isExact = index === 0 || rounds > LONGEST_WALK;
    const tail = tailOf(isExact ? signedRankShares(rounds) : sharesOfRemaining(rounds, fallen), TAIL * spent - used);
    used += tail.share;
    dropped = tail.sums;
    if (rounds <= LONGEST_WALK) {
      markFallen(fallen, rounds, dropped);
    }
  }
  return dropped;
}

/** Probability that a walk has been dropped at no look so far, and now has the sum 0, 1, 2, ... */
function sharesOfRemaining(rounds: number, fallen: Uint8Array): Float64Array {
  const shares = new Float64Array((rounds * (rounds + 1)) / 2 + 1);
  sumsAfter(rounds).forEach((sum, walk) => {
    shares[sum] = (shares[sum] ?? 0) + (fallen[walk] === 0 ? 1 / WALKS : 0);
  });
  return shares;
}

function markFallen(fallen: Uint8Array, rounds: number, dropped: number): void {
  const sums = fallen.length === 0 ? fallen : sumsAfter(rounds);
  for (let walk = 0; walk < fallen.length; walk += 1) {
    if ((sums[walk] ?? 0) < dropped) {
      fallen[walk] = 1;
    }
  }
}

/** Random walks of the signed-rank sums of values around 0; the second half has the same values with opposite signs. */
const WALKS = 100_000;

/** More rounds than any plan has. Beyond it, earlier looks are unknown and treated as if no walk had been dropped: wider than needed, never too narrow. */
const LONGEST_WALK = 40;

/** Values and sums after each round, extended round by round, so that a longer plan changes nothing for a shorter one. */
const DRAWN: { readonly values: Float64Array; readonly sums: Uint16Array }[] = [];
const RANDOM = seededRandom(1);

/** The signed-rank sum is the number of pair means above 0, including each value paired with itself. */
function sumsAfter(rounds: number): Uint16Array {
  while (DRAWN.length < rounds) {
    const values = Float64Array.from({ length: WALKS / 2 }, () => RANDOM() - 0.5);
    const sums = Uint16Array.from(DRAWN.at(-1)?.sums ?? new Uint16Array(WALKS));
    for (const earlier of [...DRAWN.map((one) => one.values), values]) {
      countAbove(sums, earlier, values);
    }
    DRAWN.push({ values, sums });
    const means = (DRAWN.length * (DRAWN.length + 1)) / 2;
    values.forEach((_, walk) => {
      sums[walk + values.length] = means - (sums[walk] ?? 0);
    });
  }
  return DRAWN[rounds - 1]?.sums ?? new Uint16Array(WALKS);
}

function countAbove(sums: Uint16Array, earlier: Float64Array, values: Float64Array): void {
  for (let walk = 0; walk < values.length; walk += 1) {
    sums[walk] = (sums[walk] ?? 0) + Number((earlier[walk] ?? 0) + (values[walk] ?? 0) > 0);
  }
}
