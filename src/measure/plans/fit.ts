import { SATURATION } from '../../model/metric.ts';
import type { Policy } from '../../model/policy.ts';
import { budgetFor, type RoundProfile, secondsToFirstLook } from '../../model/rounds.ts';
import type { RoundRecord } from '../../model/run/rounds.ts';

export interface TimedRound {
  readonly record: RoundRecord;
  readonly loadSeconds: Readonly<Record<string, number>>;
  /** How many times as long as usual it was measured at saturation. */
  readonly times: number;
}

export interface Timed {
  readonly profile: RoundProfile;
  readonly services: readonly string[];
  readonly tiers: readonly string[];
  readonly required: readonly string[];
  readonly rounds: readonly TimedRound[];
  readonly spentSeconds: number;
  readonly budgetSeconds: number;
}

export interface Misfit {
  readonly seconds: number;
  readonly enough: string;
  /** Tiers without which it fits; all that may be left out if it does not fit even so. */
  readonly leftOut: readonly string[];
}

/** Tiers to leave out, the longest first, if rounds up to the first look exceed the budget. By no result, so the test stays exact. */
export function misfitOf(timed: Timed): Misfit | undefined {
  const { rounds, budgetSeconds, tiers, required } = timed;
  const secondsWith = (loaded: readonly string[]): number => forecast({ ...timed, tiers: loaded }, 1);
  const seconds = secondsWith(tiers);
  if (seconds <= budgetSeconds) {
    return undefined;
  }
  const all = rounds.map(({ loadSeconds }) => loadSeconds);
  const length = (tier: string): number => all.reduce((sum, one) => sum + secondsOf(one, [tier]), 0);
  const optional = tiers.filter((tier) => !required.includes(tier));
  const longestFirst = optional.toSorted((left, right) => length(right) - length(left));
  const left = (place: number) => [...required, ...longestFirst.slice(place + 1)];
  const count = longestFirst.findIndex((_, place) => secondsWith(left(place)) <= budgetSeconds);
  return { seconds, enough: budgetFor(seconds), leftOut: count < 0 ? longestFirst : longestFirst.slice(0, count + 1) };
}

/** Tiers that a policy has a budget for, or lets fail a pull request by more than what noise permits: leaving one out would loosen it. */
export function requiredTiers({ budgets, thresholds }: Policy, tiers: readonly string[]): readonly string[] {
  const lines = [...budgets, ...thresholds.filter(({ gate }) => gate === true)];
  return tiers.filter((tier) => lines.some((line) => line.tier === undefined || line.tier === tier));
}

const MOST_TIMES = 3;

export function timesLonger(timed: Timed): number {
  const times = Array.from({ length: MOST_TIMES }, (_, place) => MOST_TIMES - place);
  return times.find((one) => forecast(timed, one) <= timed.budgetSeconds) ?? 1;
}

/** Seconds up to the first look if rounds load these tiers, and saturation this many times as long as usual; 0 after it. */
function forecast({ profile, services, tiers, rounds, spentSeconds }: Timed, times: number): number {
  const alike = rounds.map(({ record, loadSeconds, times: own }) => {
    const others = Object.keys(loadSeconds).filter((name) => name !== SATURATION && !tiers.includes(name));
    const longer = (secondsOf(loadSeconds, [SATURATION]) * (times - own)) / own;
    const total = (record.seconds?.total ?? 0) - secondsOf(loadSeconds, others) + longer;
    return { ...record, seconds: record.seconds && { total } };
  });
  return secondsToFirstLook(profile, { services, rounds: alike, spentSeconds }) ?? 0;
}

export function secondsOf(loadSeconds: TimedRound['loadSeconds'], names: readonly string[]): number {
  return names.reduce((sum, name) => sum + (loadSeconds[name] ?? 0), 0);
}
