import { SATURATION } from '../../model/metric.ts';
import type { Policy } from '../../model/policy.ts';
import { budgetFor, type RoundProfile, secondsToFirstLook } from '../../model/rounds.ts';
import type { RoundRecord } from '../../model/run/rounds.ts';

export interface TimedRound {
  readonly record: RoundRecord;
  readonly loadSeconds: Readonly<Record<string, number>>;
  /** Multiple of the usual measuring time at saturation. */
  readonly times: number;
  /** Requests then of the version with fewer; undefined for rounds that cannot be longer. */
  readonly requests?: number;
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

interface Misfit {
  readonly seconds: number;
  readonly enough: string;
  /** Tiers without which it fits; all optional ones if it does not fit even then. */
  readonly leftOut: readonly string[];
}

/** Tiers to leave out, the longest first, if rounds up to the first look exceed the budget. It depends on no result, so the test stays exact. */
export function misfitOf(timed: Timed): Misfit | undefined {
  const { rounds, budgetSeconds, tiers, required } = timed;
  const optional = tiers.filter((tier) => !required.includes(tier));
  // Without tiers to leave out, what fits is a shorter measurement.
  const times = optional.length === 0 ? 1 : leastTimes(timed);
  const secondsWith = (loaded: readonly string[]): number => forecast({ ...timed, tiers: loaded }, times);
  const seconds = secondsWith(tiers);
  if (seconds <= budgetSeconds) {
    return undefined;
  }
  const all = rounds.map(({ loadSeconds }) => loadSeconds);
  const length = (tier: string): number => all.reduce((sum, one) => sum + secondsOf(one, [tier]), 0);
  const longestFirst = optional.toSorted((left, right) => length(right) - length(left));
  const left = (place: number) => [...required, ...longestFirst.slice(place + 1)];
  const count = longestFirst.findIndex((_, place) => secondsWith(left(place)) <= budgetSeconds);
  return { seconds, enough: budgetFor(seconds), leftOut: count < 0 ? longestFirst : longestFirst.slice(0, count + 1) };
}

/** Tiers for which a policy has a budget, or a gate of its own: leaving one out would loosen the policy. */
export function requiredTiers({ budgets, thresholds }: Policy, tiers: readonly string[]): readonly string[] {
  const lines = [...budgets, ...thresholds.filter(({ gate }) => gate === true)];
  return tiers.filter((tier) => lines.some((line) => line.tier === undefined || line.tier === tier));
}

const MAX_TIMES = 3;

/** Requests of each version at saturation, below which a round is mostly noise: tiers are left out for them. */
const LEAST_REQUESTS = 1000;

/** Largest multiple of the usual measuring time, for services that serve few requests. */
const MAX_LEAST_TIMES = 8;

/** Share of a round that is measured at least, before it is worth measuring longer. */
const LEAST_MEASURED_SHARE = 0.3;

/** True if rounds of a service are mostly start and readings, by its first one, which has the usual length. */
export function isMostlyBesides(rounds: readonly TimedRound[], service: string): boolean {
  const first = rounds.find(({ record }) => record.service === service)?.record.seconds;
  return first !== undefined && first.measured < LEAST_MEASURED_SHARE * first.total;
}

/** Multiple of the usual time at saturation that yields enough requests. */
function leastTimes({ rounds, services }: Pick<Timed, 'rounds' | 'services'>): number {
  const requests = services
    .filter((service) => isMostlyBesides(rounds, service))
    .map((service) => rounds.find(({ record }) => record.service === service)?.requests ?? LEAST_REQUESTS);
  return Math.min(MAX_LEAST_TIMES, Math.max(1, Math.ceil(LEAST_REQUESTS / Math.max(1, Math.min(...requests)))));
}

/** Share of the budget that longer rounds leave for those that may be discarded. */
const LEFT_SHARE = 0.1;

export function timesLonger(timed: Timed): number {
  const most = Math.max(MAX_TIMES, leastTimes(timed));
  const times = Array.from({ length: most }, (_, place) => most - place);
  return times.find((one) => forecast(timed, one) <= (1 - LEFT_SHARE) * timed.budgetSeconds) ?? 1;
}

/** Seconds up to the first look if rounds load these tiers, and saturation this multiple of the usual time; 0 after it. */
export function forecast({ profile, services, tiers, rounds, spentSeconds }: Timed, times: number): number {
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
