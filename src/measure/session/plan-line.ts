import {
  countsInstructions,
  fewestRounds,
  mainJobSeconds,
  mostRounds,
  type Plan,
  pairedSeconds,
  type RoundProfile,
  type RoundsRecord,
  roundSeconds,
  type Suite,
  shardText,
  tiersOf,
} from '../../model/index.ts';
import { durationText } from './runtime.ts';

/** What is about to be measured. */
export type Planned =
  | { readonly kind: 'run'; readonly plan: Plan; readonly rounds: RoundProfile | undefined }
  | ({ readonly kind: 'comparison' } & PlannedComparison)
  | { readonly kind: 'services'; readonly suite: Suite; readonly profile: RoundProfile }
  | { readonly kind: 'self'; readonly ref: string; readonly rounds: number; readonly seconds: number }
  | ({ readonly kind: 'search' } & PlannedSearch);

interface PlannedComparison {
  /** The refs of both versions. */
  readonly base: string;
  readonly head: string;
  readonly suite: Suite;
  readonly shards: RoundsRecord['shards'];
  readonly profile: RoundProfile;
  readonly budgetSeconds: number;
  readonly interleave: 'blocks' | 'slots';
}

interface PlannedSearch {
  readonly services: readonly string[];
  readonly seconds: number;
  readonly budgetSeconds: number;
}

/** One line for the log: what is measured, and about how long it takes. */
export function planLine(planned: Planned): string {
  switch (planned.kind) {
    case 'run':
      return `plan: ${runWords(planned.plan, planned.rounds)}`;
    case 'comparison':
      return `plan: ${comparisonWords(planned)}`;
    case 'services':
      return `plan: ${servicesWords(planned.suite, planned.profile)}`;
    case 'self':
      return `plan: ${planned.ref} against itself, ${planned.rounds} rounds, about ${durationText(planned.seconds)}`;
    case 'search':
      return `plan: ${searchWords(planned)}`;
  }
}

function runWords({ suite, profile, seed, slots, ...plan }: Plan, rounds: RoundProfile | undefined): string {
  const [reference, ...others] = suite.services;
  const pairs = rounds && `, then ${mostRounds(rounds)} rounds of ${others.join(', ')} against ${reference}`;
  const seconds = mainJobSeconds({ suite, profile, seed, slots, ...plan }, rounds);
  return (
    `${suite.services.join(', ')}; ${several(suite.tiers.length, 'tier')}; ${several(slots.length, 'fresh start')}${pairs ?? ''}; ` +
    `about ${durationText(seconds)} once everything is set up (profile ${profile.name}, seed ${seed})`
  );
}

function comparisonWords(planned: PlannedComparison): string {
  const { base, head, suite, shards, profile, budgetSeconds, interleave } = planned;
  const share = shards?.kind === 'shard' ? `shard ${shardText(shards)}: ` : '';
  const services = suite.services.join(', ') || 'nothing that both have';
  if (countsInstructions(profile)) {
    return `${base} against ${head}; ${share}instructions per request of ${services}`;
  }
  const seconds = roundSeconds(profile, suite);
  const [fewest, most] = [fewestRounds(profile), mostRounds(profile)];
  const rounds = fewest === most ? several(most, 'round') : `${fewest} to ${most} rounds`;
  const affordable = Math.min(most, Math.floor(budgetSeconds / seconds));
  const slots = interleave === 'slots' ? '; one version after the other, which wants about seven times the rounds' : '';
  return (
    `${base} against ${head}; ${share}${services}; saturation and ${several(tiersOf(profile, suite).length, 'tier')}; ` +
    `${rounds} of about ${durationText(seconds)}, so from ${durationText(fewest * seconds)} on; ` +
    `the budget of ${durationText(budgetSeconds)} allows ${affordable} (profile ${profile.name}${slots})`
  );
}

function several(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}

function servicesWords(suite: Suite, profile: RoundProfile): string {
  const [reference = '', ...others] = suite.services;
  const seconds = pairedSeconds(profile, suite);
  return `${others.join(', ')} against ${reference}, ${mostRounds(profile)} rounds, about ${durationText(seconds)}`;
}

function searchWords({ services, seconds, budgetSeconds }: PlannedSearch): string {
  return `the highest rate of ${services.join(', ')}; about ${durationText(seconds)} once everything is set up, ${durationText(budgetSeconds)} at most`;
}
