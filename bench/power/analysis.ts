import { MeasurementError } from '../../src/foundation/errors.ts';
import { seededRandom } from '../../src/foundation/random.ts';
import { mean, quantile, sorted } from '../../src/foundation/statistics.ts';
import { type Proportion, proportion } from '../../src/judge/calibration/calibrate.ts';
import {
  type Decision,
  decideServices,
  drawRounds,
  type Recorded,
  recordedOf,
  roundsOf,
} from '../../src/judge/calibration/draws.ts';
import { looksFor } from '../../src/judge/inference/family-test.ts';
import { FEWEST_ROUNDS } from '../../src/judge/inference/location.ts';
import type { Compared } from '../../src/judge/verdict/finding.ts';
import type { Policy } from '../../src/model/policy.ts';
import type { Look } from '../../src/model/rounds.ts';

/** Rounds that were recorded, and what head was in them. */
export interface Recording {
  readonly name: string;
  readonly compared: readonly Compared[];
  readonly policy: Policy;
  /** The planned looks. */
  readonly looks: readonly Look[];
  /** Wall time of one round of all services. */
  readonly secondsPerRound: number;
  /** The service that does more work in head; undefined if both versions are the same build. */
  readonly slowed: string | undefined;
}

/** How compares are drawn from recordings. */
export interface PowerOptions {
  readonly draws: number;
  readonly seed: number;
  /** Random swaps at looks of more than 13 rounds; the product takes 20,000. */
  readonly swaps: number;
  /** Wall time of a compare; without it only the plan ends one. */
  readonly budgetSeconds?: number | undefined;
  /** Relative; instead of every threshold of the policy. */
  readonly threshold?: number | undefined;
}

/** Results of the compares drawn from one recording. */
export interface Power {
  readonly recording: Recording;
  readonly recorded: number;
  /** The most rounds that a drawn compare had. */
  readonly most: number;
  /** Of unchanged code: any regression. Of a slowdown: one of the service that was slowed down. */
  readonly hits: Proportion;
  /** Regressions of other services only. */
  readonly elsewhere: number;
  /** Rounds of every compare, ascending. */
  readonly rounds: ReturnType<typeof sorted>;
  /** By comparison: how many of the compares named it a regression, most first. */
  readonly named: readonly { readonly name: string; readonly count: number }[];
}

/**
 * Results of comparisons drawn from recordings, as a text: rounds in random order, none twice within a compare; labels
 * drawn anew where both versions are the same build, as recorded otherwise; judged by the rule, its looks and early
 * stop included.
 */
export function analyse(recordings: readonly Recording[], options: PowerOptions): string {
  return recordings.map((recording) => powerText(powerOf(recording, options))).join('\n');
}

/** Draws the compares of one recording and judges them. */
export function powerOf(recording: Recording, options: PowerOptions): Power {
  const { draws, seed, swaps } = options;
  const policy = policyOf(recording, options);
  const recorded = recordedOf(recording.compared, policy);
  const most = mostRounds(recorded, recording, options);
  const rule = { floor: policy.floor, alpha: policy.alpha, looks: looksFor(recording.looks, most, true), seed, swaps };
  const random = seededRandom(seed);
  const labels = recording.slowed === undefined ? 'fresh' : 'recorded';
  const decisions = Array.from({ length: draws }, () =>
    decideServices(drawRounds(recorded, { rounds: most, labels, random }), rule),
  );
  const isHit = ({ regressed }: Decision) =>
    regressed.some((index) => recording.slowed === undefined || serviceOf(recorded, index) === recording.slowed);
  const hits = decisions.filter(isHit).length;
  return {
    recording,
    recorded: roundsOf(recorded),
    most,
    hits: proportion(hits, draws),
    elsewhere: decisions.filter(({ kind }) => kind === 'regressed').length - hits,
    rounds: sorted(decisions.map(({ rounds }) => rounds)),
    named: namedBy(decisions, recorded),
  };
}

function policyOf({ policy }: Recording, { threshold }: PowerOptions): Policy {
  return threshold === undefined ? policy : { ...policy, thresholds: [...policy.thresholds, { threshold }] };
}

/** Number of rounds that the plan, the recording and the budget allow. */
function mostRounds(recorded: readonly Recorded[], recording: Recording, { budgetSeconds }: PowerOptions): number {
  const affordable = budgetSeconds === undefined ? Infinity : Math.floor(budgetSeconds / recording.secondsPerRound);
  const most = Math.min(roundsOf(recorded), recording.looks.at(-1)?.rounds ?? 0, affordable);
  if (most < FEWEST_ROUNDS) {
    const reason = `no compare can have more than ${most} rounds, and a verdict needs ${FEWEST_ROUNDS}`;
    throw new MeasurementError(`${recording.name}: ${reason}`, { next: 'Record more rounds, or allow more minutes.' });
  }
  return most;
}

function serviceOf(recorded: readonly Recorded[], index: number): string | undefined {
  return recorded[index]?.compared.cell.service;
}

function namedBy(decisions: readonly Decision[], recorded: readonly Recorded[]): Power['named'] {
  return recorded
    .map(({ compared: { cell, metric } }, index) => ({
      name: `${cell.service}/${cell.operation}/${cell.tier} ${metric}`,
      count: decisions.filter(({ regressed }) => regressed.includes(index)).length,
    }))
    .filter(({ count }) => count > 0)
    .sort((left, right) => right.count - left.count);
}

/** Names of comparisons that are shown. */
const NAMED = 4;

function powerText({ recording, recorded, most, hits, elsewhere, rounds, named }: Power): string {
  const { name, slowed, secondsPerRound } = recording;
  const spent = { mean: mean(rounds) ?? 0, late: quantile(rounds, 0.95) ?? 0 };
  const minutes = (count: number) => ((count * secondsPerRound) / 60).toFixed(1);
  const share = (value: number) => `${(100 * value).toFixed(1)}%`;
  const what = slowed === undefined ? 'alarms on unchanged code' : `finds the slowdown of ${slowed}`;
  return [
    `${name}: ${recorded} recorded rounds, ${hits.of} compares of at most ${most} rounds drawn`,
    `  ${what}: ${hits.count} of ${hits.of}, ${share(hits.count / hits.of)} [${share(hits.low)}, ${share(hits.high)}]`,
    ...(slowed === undefined ? [] : [`  alarms on other services only: ${elsewhere}`]),
    `  rounds: mean ${spent.mean.toFixed(1)}, 95th percentile ${spent.late.toFixed(0)}`,
    `  minutes at ${secondsPerRound.toFixed(1)} s per round: mean ${minutes(spent.mean)}, 95th percentile ${minutes(spent.late)}`,
    ...named.slice(0, NAMED).map(({ name: one, count }) => `  ${String(count).padStart(5)}  ${one}`),
    '',
  ].join('\n');
}
