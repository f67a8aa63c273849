import { counted, formatDuration } from '../../foundation/numbers.ts';
import { wordList } from '../../foundation/text.ts';
import type { Plan } from '../../model/plan.ts';
import { countingSeconds, countsAlone, headCountingSeconds, secondsToCount } from '../../model/profiles.ts';
import {
  comparedServices,
  fewestRounds,
  mainJobSeconds,
  mostRounds,
  pairedSeconds,
  type RoundProfile,
  roundSeconds,
  tiersOf,
} from '../../model/rounds.ts';
import { type RoundsRecord, shardText } from '../../model/run/rounds.ts';
import type { Place } from '../../model/service.ts';
import { isStaged, type Suite } from '../../model/suite/suite.ts';
import type { RoundBench } from '../trial/versions.ts';

/** Line for the log: what is measured, and how long it takes in that place. */
export type PlanLine = (place: Place) => string;

/** Rounds of a plan, which the budget may end. */
interface PlannedRounds extends Pick<RoundBench, 'suite' | 'profile'> {
  readonly budgetSeconds: number | undefined;
  readonly canCount: boolean;
}

export function searchPlan(services: readonly string[], seconds: number, budgetSeconds: number): PlanLine {
  return () =>
    `plan: the highest rate of ${services.join(', ')}; about ${formatDuration(seconds)} once everything is set up, ${formatDuration(budgetSeconds)} at most`;
}

export const runPlan =
  ({
    plan,
    rounds,
    budgetSeconds,
    canCount,
  }: Omit<PlannedRounds, 'suite' | 'profile'> & {
    readonly plan: Plan;
    readonly rounds: RoundProfile | undefined;
  }): PlanLine =>
  (place) => {
    const { suite, profile, seed, trials } = plan;
    const [reference = ''] = suite.services;
    const against = place.runtime === 'both' ? 'each against itself as plain processes' : `against ${reference}`;
    const compared = comparedServices(suite, place).join(', ');
    const pairs = rounds && `, then ${mostRounds(rounds)} rounds of ${compared} ${against}`;
    const counts = canCount ? headCountingSeconds(suite) : 0;
    const seconds = mainJobSeconds(plan, rounds, place) + counts;
    const counting = canCount ? `, then instructions per request, about ${formatDuration(counts)}` : '';
    return (
      `plan: ${suite.services.join(', ')}; ${counted(suite.tiers.length, 'tier')}; ${counted(trials.length, 'fresh start')}${pairs ?? ''}${counting}; ` +
      `${lengthWords(seconds, budgetSeconds)} once everything is set up (profile ${profile.name}, seed ${seed})`
    );
  };

export function lengthWords(seconds: number, budgetSeconds: number | undefined): string {
  return budgetSeconds !== undefined && seconds > budgetSeconds
    ? `about ${formatDuration(seconds)}, which the budget cuts to ${formatDuration(budgetSeconds)}`
    : `about ${formatDuration(seconds)}`;
}

export const selfPlan =
  ({ ref, suite, profile, budgetSeconds }: Omit<PlannedRounds, 'canCount'> & { readonly ref: string }): PlanLine =>
  (place) => {
    const seconds = mostRounds(profile) * roundSeconds(profile, suite, place);
    const allowed = budgetSeconds === undefined ? '' : ` within the budget of ${formatDuration(budgetSeconds)}`;
    return `plan: ${ref} against itself, ${mostRounds(profile)} rounds, about ${formatDuration(seconds)}${allowed} (profile ${profile.name})`;
  };

export const comparisonPlan =
  (
    planned: PlannedRounds &
      Pick<RoundBench, 'budgetSeconds' | 'interleave'> &
      Pick<RoundsRecord, 'shards'> & { readonly base: string; readonly head: string },
  ): PlanLine =>
  (place) => {
    const { base, head, suite, shards, profile, budgetSeconds, interleave } = planned;
    const share = shards?.kind === 'shard' ? `shard ${shardText(shards)}: ` : '';
    const services = suite.services.join(', ') || 'no common services';
    const isCounted = planned.canCount && secondsToCount(profile, { ...planned, place }) > 0;
    const counting = isCounted ? countingSeconds(suite) : 0;
    if (countsAlone(profile)) {
      return `plan: ${base} against ${head}; ${share}instructions per request of ${services}, about ${formatDuration(countingSeconds(suite))}`;
    }
    const seconds = roundSeconds(profile, suite, place);
    const [fewest, most] = [fewestRounds(profile), mostRounds(profile)];
    const rounds = fewest === most ? counted(most, 'round') : `${fewest} to ${most} rounds`;
    const affordable = Math.min(most, Math.floor((budgetSeconds - counting) / seconds));
    const inTurns =
      interleave === 'slots' ? '; one version after the other, which needs about seven times the rounds' : '';
    const first = isCounted ? `instructions first, about ${formatDuration(counting)}; ` : '';
    return (
      `plan: ${base} against ${head}; ${share}${services}; ${first}saturation and ${counted(tiersOf(profile, suite).length, 'tier')}${stagesWords(suite)}; ` +
      `${rounds} of about ${formatDuration(seconds)}, at least ${formatDuration(counting + fewest * seconds)} ` +
      `(limit: ${formatDuration(budgetSeconds)}, enough for ${affordable}; profile ${profile.name}${inTurns})`
    );
  };

/** Blocks are too short for ramped users. */
function stagesWords({ tiers }: Suite): string {
  const names = tiers.filter(isStaged).map(({ name }) => name);
  return names.length === 0 ? '' : ` (not ${wordList(names)}: \`wiregauge run\` runs stages, a comparison does not)`;
}

export const servicesPlan =
  (planned: PlannedRounds): PlanLine =>
  (place) => {
    const { suite, profile, budgetSeconds = Number.POSITIVE_INFINITY, canCount } = planned;
    const [reference = '', ...others] = suite.services;
    const isCounted =
      canCount && secondsToCount(profile, { suite: { ...suite, services: others }, place, budgetSeconds }) > 0;
    const counting = isCounted ? countingSeconds({ services: others }) : 0;
    const length = lengthWords(counting + pairedSeconds(profile, suite, place), planned.budgetSeconds);
    const first = isCounted ? `instructions first, about ${formatDuration(counting)}, ` : '';
    return `plan: ${others.join(', ')} against ${reference}, ${first}${mostRounds(profile)} rounds, ${length} (profile ${profile.name})`;
  };
