import type { Compared, Uncompared } from './finding.ts';
import type { Lost } from './input.ts';

/** With more holes than this share of the rounds, a comparison is not made. */
const MOST_HOLES = 0.2;

/** What is left of the comparisons of one cell, and what of them could not be made. */
export interface Filled {
  readonly compared: readonly Compared[];
  readonly lost: readonly Lost[];
}

/**
 * The comparisons of one cell whose values all have a logarithm. A round in which one of them lacks a value is dropped
 * for all of them, so that all speak of the same rounds; one that lacks it in over 20 % of the rounds is lost instead.
 * Which rounds are dropped does not depend on which version is which, so the test stays exact.
 */
export function withoutHoles(candidates: readonly Compared[]): Filled {
  const holed = candidates.map((candidate) => ({ candidate, holes: holesOf(candidate) }));
  const isLost = ({ holes }: (typeof holed)[number]) => !holes.some((hole) => hole === undefined) || tooMany(holes);
  const whole = holed.filter((one) => !isLost(one));
  const isDropped = (_: unknown, round: number) => whole.some(({ holes }) => holes[round] !== undefined);
  return {
    compared: whole.map(({ candidate }) => {
      const dropped = candidate.base.map(isDropped);
      const keep = (value: number | undefined, round: number) => (dropped[round] ? undefined : value);
      return { ...candidate, base: candidate.base.map(keep), head: candidate.head.map(keep) };
    }),
    lost: holed.filter(isLost).map(({ candidate, holes }) => lossOf(candidate, holes)),
  };
}

type Hole = Extract<Uncompared['reason'], 'missing' | 'not-positive'>;

function holesOf({ base, head }: Compared): readonly (Hole | undefined)[] {
  return base.map((before, round) => {
    const now = head[round];
    if (before === undefined || now === undefined) {
      return 'missing';
    }
    return hasLogarithm(before) && hasLogarithm(now) ? undefined : 'not-positive';
  });
}

function hasLogarithm(value: number): boolean {
  return value > 0 && value < Number.POSITIVE_INFINITY;
}

function tooMany(holes: readonly (Hole | undefined)[]): boolean {
  return holes.filter((hole) => hole !== undefined).length > MOST_HOLES * holes.length;
}

function lossOf({ cell, metric, gate }: Compared, holes: readonly (Hole | undefined)[]): Lost {
  const count = (reason: Hole) => holes.filter((hole) => hole === reason).length;
  const [missing, notPositive] = [count('missing'), count('not-positive')];
  const of = `of ${holes.length} rounds`;
  return notPositive > missing
    ? { cell, metric, gate, reason: 'not-positive', detail: `not above 0 in ${notPositive} ${of}` }
    : { cell, metric, gate, reason: 'missing', detail: `missing in ${missing + notPositive} ${of}` };
}
