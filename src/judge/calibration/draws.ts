import { type Random, shuffled } from '../../foundation/random.ts';
import { isGate, isIfSeen, type Policy, thresholdOf } from '../../model/policy.ts';
import type { Look } from '../../model/rounds.ts';
import { isHidden, looksAhead } from '../inference/detectable.ts';
import { type FamilyRule, logRatios, type Paired, testFamily } from '../inference/family-test.ts';
import { intervalOverLooks } from '../inference/interval-over-looks.ts';
import { hodgesLehmann } from '../inference/location.ts';
import type { Compared } from '../verdict/finding.ts';
import { logComparison, statisticOf } from '../verdict/findings.ts';

interface Gated extends Paired {
  readonly threshold: number;
  /** True if it counts only if noise does not hide it. */
  readonly ifSeen?: boolean | undefined;
}

/** Outcome of a comparison of two versions, and the number of rounds that it needed. */
export interface Decision {
  readonly kind: 'regressed' | 'unchanged' | 'undecided';
  readonly rounds: number;
  /** Indices of regressions; empty unless it regressed. */
  readonly regressed: readonly number[];
}

/**
 * Replays a comparison of two versions over recorded rounds: each service separately with an equal part of alpha, as `decide` does. It ends with the
 * first regression, which is then the verdict for all services, else with the service that takes longest; it is unchanged if all of them are.
 */
export function decideServices(recorded: readonly Recorded[], rule: FamilyRule): Decision {
  const services = [...new Set(recorded.map(serviceOf))];
  const share = { ...rule, alpha: rule.alpha / Math.max(1, services.length) };
  const decisions = services.map((service) => {
    const places = recorded.flatMap((one, index) => (serviceOf(one) === service ? [index] : []));
    const { regressed, ...decision } = decide(
      recorded.filter((one) => serviceOf(one) === service),
      share,
    );
    return { ...decision, regressed: regressed.flatMap((index) => places[index] ?? []) };
  });
  const red = decisions.filter(({ kind }) => kind === 'regressed');
  if (red.length > 0) {
    const rounds = Math.min(...red.map((decision) => decision.rounds));
    return {
      kind: 'regressed',
      rounds,
      regressed: red.filter((one) => one.rounds === rounds).flatMap(({ regressed }) => regressed),
    };
  }
  return {
    kind: decisions.some(({ kind }) => kind === 'undecided') ? 'undecided' : 'unchanged',
    rounds: Math.max(0, ...decisions.map(({ rounds }) => rounds)),
    regressed: [],
  };
}

function serviceOf({ compared }: Recorded): string {
  return compared.cell.service;
}

/**
 * Replays the rounds of one service: it ends at the first look at which a comparison is a regression (significant, and its estimate reaches the
 * threshold) or none can be a visible one (its interval ends below its threshold, or noise hides it). The same decisions as `judge` and
 * `isDecided`, without the data for reports, so that a thousand of them take seconds.
 */
export function decide(family: readonly Gated[], rule: FamilyRule): Decision {
  // Most slowdowns are found at the first look, which costs little and is independent of the others.
  const first = decideAt(family, { ...rule, looks: rule.looks.slice(0, 1) }, rule.looks);
  return first.kind === 'undecided' ? decideAt(family, rule, rule.looks) : first;
}

function decideAt(family: readonly Gated[], rule: FamilyRule, planned: readonly Look[]): Decision {
  const { significantAt } = testFamily(family, rule);
  const { alpha, floor } = rule;
  for (const [index, { rounds }] of rule.looks.entries()) {
    const regressed = family.flatMap((comparison, place) =>
      (significantAt[place] ?? Number.POSITIVE_INFINITY) <= rounds && reaches(comparison, rounds) ? [place] : [],
    );
    if (regressed.length > 0) {
      return { kind: 'regressed', rounds, regressed };
    }
    const ahead = looksAhead(planned, rounds);
    const isOver = (comparison: Gated, place: number) => {
      const isOpen = (significantAt[place] ?? Number.POSITIVE_INFINITY) > rounds;
      const judged = { differences: logRatios(comparison, rounds), alpha, familySize: family.length, floor };
      const { threshold, ifSeen = false } = comparison;
      return ifSeen && isOpen && isHidden({ ...judged, threshold }, ahead);
    };
    const looks = rule.looks.slice(0, index + 1);
    if (family.every((comparison, place) => staysBelow(comparison, looks) || isOver(comparison, place))) {
      return { kind: 'unchanged', rounds, regressed: [] };
    }
  }
  return { kind: 'undecided', rounds: rule.looks.at(-1)?.rounds ?? 0, regressed: [] };
}

function reaches(comparison: Gated, rounds: number): boolean {
  return hodgesLehmann(logRatios(comparison, rounds)) >= Math.log1p(comparison.threshold);
}

function staysBelow({ base, head, threshold }: Gated, looks: readonly Look[]): boolean {
  const rounds = looks.at(-1)?.rounds ?? 0;
  const interval = intervalOverLooks({ base: base.slice(0, rounds), head: head.slice(0, rounds) }, looks);
  return interval !== undefined && interval.high < Math.log1p(threshold);
}

/** Comparison of recorded rounds that may fail a pull request. */
export interface Recorded extends Gated {
  readonly compared: Compared;
}

export interface Drawing {
  readonly rounds: number;
  /** "fresh" gives every round new labels by a fair coin, which unchanged code allows. */
  readonly labels: 'fresh' | 'recorded';
  readonly random: Random;
}

/** Gate family of recorded comparisons, as logarithms and with the thresholds of the policy. */
export function recordedOf(compared: readonly Compared[], policy: Policy): readonly Recorded[] {
  return compared
    .filter((one) => isGate(policy, one, one.gate))
    .map((one) => {
      const { base, head } = logComparison(one);
      const ifSeen = isIfSeen(policy, one, one.ifSeen);
      return { compared: one, base, head, statistic: statisticOf(one), threshold: thresholdOf(policy, one), ifSeen };
    });
}

/** Rounds that every comparison has. */
export function roundsOf(recorded: readonly Recorded[]): number {
  return recorded.length === 0 ? 0 : Math.min(...recorded.map(({ base }) => base.length));
}

/**
 * Comparison of two versions as it could have been measured: rounds of each service in random order, without repetition. All comparisons of a service
 * get the same rounds and labels, which keeps their correlation.
 */
export function drawRounds(recorded: readonly Recorded[], drawing: Drawing): readonly Recorded[] {
  const places = new Map<string, readonly Place[]>();
  return recorded.map((one) => {
    const { service } = one.compared.cell;
    const drawn = places.get(service) ?? drawPlaces(one.base.length, drawing);
    places.set(service, drawn);
    return {
      ...one,
      base: drawn.map(({ round, isSwapped }) => (isSwapped ? one.head : one.base)[round]),
      head: drawn.map(({ round, isSwapped }) => (isSwapped ? one.base : one.head)[round]),
    };
  });
}

interface Place {
  readonly round: number;
  readonly isSwapped: boolean;
}

function drawPlaces(recorded: number, { rounds, labels, random }: Drawing): readonly Place[] {
  const all = Array.from({ length: recorded }, (_, round) => round);
  return shuffled(all, random)
    .slice(0, rounds)
    .map((round) => ({ round, isSwapped: labels === 'fresh' && random() < 0.5 }));
}

/** First n rounds in their order and with their labels. */
export function consecutiveRounds(recorded: readonly Recorded[], from: number, rounds: number): readonly Recorded[] {
  return recorded.map((one) => ({
    ...one,
    base: one.base.slice(from, from + rounds),
    head: one.head.slice(from, from + rounds),
  }));
}
