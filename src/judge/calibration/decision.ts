import { type FamilyRule, type Paired, testFamily } from '../inference/family-test.ts';
import { hodgesLehmann, signedRankInterval } from '../inference/location.ts';

/** A comparison that may fail a pull request, and the relative slowdown from which it does. */
export interface Gated extends Paired {
  readonly threshold: number;
}

/** How a comparison of two versions comes out, and after how many rounds. */
export interface Decision {
  readonly kind: 'regressed' | 'unchanged' | 'undecided';
  readonly rounds: number;
  /** Indices of the regressions that were found; empty unless it regressed. */
  readonly regressed: readonly number[];
}

/**
 * Plays a comparison of two versions over rounds that have all been measured: it ends at the first look at which a
 * comparison is a regression (significant, and its estimate reaches the threshold) or none can be one (every interval
 * ends below its threshold). The same decisions as `judge` and `isDecided`, without what only a reader needs, so that a
 * thousand of them take seconds.
 */
export function decide(family: readonly Gated[], rule: FamilyRule): Decision {
  // Most slowdowns are found at the first look, which costs a small part of all of them and hangs on none of them.
  const first = decideAt(family, { ...rule, looks: rule.looks.slice(0, 1) });
  return first.kind === 'undecided' ? decideAt(family, rule) : first;
}

function decideAt(family: readonly Gated[], rule: FamilyRule): Decision {
  const { significantAt } = testFamily(family, rule);
  for (const { rounds } of rule.looks) {
    const regressed = family.flatMap((comparison, index) =>
      (significantAt[index] ?? Number.POSITIVE_INFINITY) <= rounds && reaches(comparison, rounds) ? [index] : [],
    );
    if (regressed.length > 0) {
      return { kind: 'regressed', rounds, regressed };
    }
    if (family.every((comparison) => staysBelow(comparison, rounds))) {
      return { kind: 'unchanged', rounds, regressed: [] };
    }
  }
  return { kind: 'undecided', rounds: rule.looks.at(-1)?.rounds ?? 0, regressed: [] };
}

function reaches(comparison: Gated, rounds: number): boolean {
  return hodgesLehmann(logRatios(comparison, rounds)) >= Math.log1p(comparison.threshold);
}

function staysBelow(comparison: Gated, rounds: number): boolean {
  const interval = signedRankInterval(logRatios(comparison, rounds));
  return interval !== undefined && interval.high < Math.log1p(comparison.threshold);
}

/** log(head / base) of the first so many rounds, without those that lack a version. */
export function logRatios({ base, head }: Paired, rounds: number): readonly number[] {
  return base.slice(0, rounds).flatMap((before, round) => {
    const now = head[round];
    return before === undefined || now === undefined ? [] : [now - before];
  });
}
