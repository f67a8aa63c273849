import { median } from '../../foundation/statistics.ts';
import { SATURATION } from '../../model/metric.ts';
import { isGate, isIfSeen, type Policy, thresholdOf } from '../../model/policy.ts';
import type { Look } from '../../model/rounds.ts';
import {
  type Detectable,
  isHidden,
  type LooksAhead,
  noiseOf,
  roundsToDecide,
  smallestDetectable,
} from '../inference/detectable.ts';
import { logRatios, type Paired, testFamily } from '../inference/family-test.ts';
import { intervalOverLooks } from '../inference/interval-over-looks.ts';
import { FEWEST_ROUNDS, hodgesLehmann } from '../inference/location.ts';
import type { Rounds, Statistic } from '../inference/scores.ts';
import { type Change, type Compared, type Finding, noiseFrom } from './finding.ts';

interface Rule {
  readonly policy: Policy;
  readonly looks: readonly Look[];
  readonly seed: number;
  readonly ahead: LooksAhead;
}

/**
 * Finding for every comparison, in their order. Those that may fail a pull request are one family, the others a second; improvements are the same
 * tests with worse and better exchanged, with a separate alpha.
 */
export function findingsOf(compared: readonly Compared[], rule: Rule): readonly Finding[] {
  const families = Map.groupBy(compared, (one) => (isGate(rule.policy, one, one.gate) ? 'gate' : 'watch'));
  const found = new Map([...families].flatMap(([family, own]) => judgeFamily(family, own, rule)));
  return compared.flatMap((one) => found.get(one) ?? []);
}

/** Enough if nothing can fail a pull request: each look still spends at least some twenty swaps. */
const FEWER_SWAPS = 5000;

interface Tested {
  readonly family: Finding['family'];
  readonly familySize: number;
  readonly isWorse: boolean;
  readonly isBetter: boolean;
  readonly adjustedP: number;
}

function judgeFamily(family: Finding['family'], compared: readonly Compared[], rule: Rule) {
  const series = compared.map(logComparison);
  const paired = series.map((one) => pairedOf(one, rule.looks.at(-1)?.rounds ?? 0));
  const { looks, seed, policy } = rule;
  const test = { floor: policy.floor, alpha: policy.alpha, looks, seed };
  const worse = testFamily(paired, family === 'gate' ? test : { ...test, swaps: FEWER_SWAPS });
  const better = testFamily(paired.map(mirrored), { ...test, swaps: FEWER_SWAPS });
  return series.map((one, index) => {
    const tested: Tested = {
      family,
      familySize: series.length,
      isWorse: worse.significantAt[index] !== undefined,
      isBetter: better.significantAt[index] !== undefined,
      adjustedP: worse.adjustedP[index] ?? 1,
    };
    return [one.compared, findingOf(one, tested, rule)] as const;
  });
}

function findingOf(series: LogComparison, tested: Tested, rule: Rule): Finding {
  const { policy, looks } = rule;
  const { compared, differences } = series;
  const { cell, metric, better, unit } = compared;
  const threshold = thresholdOf(policy, compared);
  const rounds = differences.length;
  const shift: Change = { estimate: hodgesLehmann(differences), ...intervalOverLooks(series, looks) };
  const verdict = verdictOf(tested, shift, rounds, Math.log1p(threshold), policy.proof);
  const { alpha, floor } = policy;
  const detectable = { differences, alpha, familySize: tested.familySize, floor, threshold };
  const doubt = verdict === 'inconclusive' ? doubtIn(compared, detectable, { ...rule, ...tested }) : undefined;
  return {
    cell,
    metric,
    better,
    ...(unit !== undefined && { unit }),
    // It was tested with the family, so that the test does not depend on the noise: only rows without a finding leave the family.
    family: doubt?.reason === 'not-seen' ? 'watch' : tested.family,
    verdict,
    ...doubt,
    ...mediansOf(compared),
    change: changeIn(compared, shift),
    threshold,
    noise: noiseFrom(noiseOf(differences)),
    detectable:
      statisticOf(compared) === 'differences' || rounds >= FEWEST_RANKED ? smallestDetectable(detectable) : undefined,
    rounds,
    adjustedP: tested.adjustedP,
  };
}

/** With fewer rounds, ranks of over a tenth of the families hide a change of any size (`npm run bench:detectable`). */
const FEWEST_RANKED = 10;

function doubtIn(compared: Compared, detectable: Detectable, rule: Rule & Pick<Tested, 'family'>) {
  const { policy, looks, ahead, family } = rule;
  const rounds = detectable.differences.length;
  const reached = looks.at(-1)?.rounds ?? 0;
  // The forecast is for the usual proof; the strict one needs more.
  const hasForecast = policy.proof === 'usual';
  const more = roundsToDecide(detectable) - rounds;
  const moreRounds = Number.isFinite(more) && hasForecast ? more : undefined;
  if (rounds < FEWEST_ROUNDS || reached === 0) {
    return { reason: 'too-few-rounds' as const, moreRounds };
  }
  const mayHide = family === 'gate' && isIfSeen(policy, compared, compared.ifSeen);
  const isJudged = hasForecast || reached >= ahead.last;
  const isNotSeen = mayHide && isJudged && isHidden(detectable, ahead);
  return { reason: isNotSeen ? ('not-seen' as const) : ('too-noisy' as const), moreRounds };
}

/**
 * Significance and relevance are separate: a regression is both, a slowdown within the limit only significant. `shift` and `limit` are logarithms, up
 * is worse.
 */
function verdictOf(
  { isWorse, isBetter }: Tested,
  { estimate, low, high }: Change,
  rounds: number,
  limit: number,
  proof: Policy['proof'],
): Finding['verdict'] {
  if (rounds < FEWEST_ROUNDS) {
    return 'inconclusive';
  }
  if (isWorse && estimate < limit) {
    return 'slower-within-limit';
  }
  if (isWorse && (proof === 'usual' || (low !== undefined && low > limit))) {
    return 'regressed';
  }
  if (isBetter && estimate <= -limit) {
    return 'improved';
  }
  return high !== undefined && high < limit ? 'unchanged' : 'inconclusive';
}

function mediansOf({ base, head }: Compared): Pick<Finding, 'base' | 'head'> {
  const middle = (values: Compared['base']) => median(values.flatMap((value) => value ?? [])) ?? 0;
  return { base: middle(base), head: middle(head) };
}

function changeIn(compared: Compared, { estimate, low, high }: Change): Change {
  const change = changeOfShift(compared, estimate);
  if (low === undefined || high === undefined) {
    return { estimate: change };
  }
  const [least, most] = [changeOfShift(compared, low), changeOfShift(compared, high)];
  return { estimate: change, low: Math.min(least, most), high: Math.max(least, most) };
}

/** Comparison as logarithms; up is worse whichever direction of its metric is better. */
interface LogComparison extends Rounds {
  readonly compared: Compared;
  /** log(head / base) of the rounds that have both. */
  readonly differences: readonly number[];
}

export function logComparison(compared: Compared): LogComparison {
  const sign = compared.better === 'lower' ? 1 : -1;
  const logarithm = (value: number | undefined) => (value === undefined ? undefined : sign * Math.log(value));
  const [base, head] = [compared.base.map(logarithm), compared.head.map(logarithm)];
  return { compared, base, head, differences: logRatios({ base, head }) };
}

/** First n rounds, for the test of a family. */
export function pairedOf({ compared, base, head }: LogComparison, rounds: number): Paired {
  return { base: resized(base, rounds), head: resized(head, rounds), statistic: statisticOf(compared) };
}

/**
 * In the short blocks of saturation both versions run on the same machine state, so the effect of a round cancels out in their difference. The same
 * applies to CPU time per request at any load, but not to latencies at a fixed rate.
 */
export function statisticOf({ cell, metric }: Pick<Compared, 'cell' | 'metric'>): Statistic {
  return cell.tier === SATURATION || metric === 'cpuMicrosPerRequest' ? 'differences' : 'ranks';
}

export function mirrored({ base, head, statistic }: Paired): Paired {
  const turned = (value: number | undefined) => (value === undefined ? undefined : -value);
  return { base: base.map(turned), head: head.map(turned), statistic };
}

function resized(values: readonly (number | undefined)[], length: number): readonly (number | undefined)[] {
  return Array.from({ length }, (_, round) => values[round]);
}

/** Relative change of the metric itself for a shift of the logarithms: for a rate, -0.04 is 4% lower. */
function changeOfShift({ better }: Pick<Compared, 'better'>, shift: number): number {
  // The sum turns -0 into 0.
  return Math.expm1(better === 'lower' ? shift : -shift) + 0;
}
