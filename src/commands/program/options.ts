import { type Command, InvalidArgumentError, Option } from 'commander';
import { meantKey } from '../../config/index.ts';
import type { ComparisonResult } from '../../judge/index.ts';
import { parseDuration, RUNTIME_CHOICES, USUAL_WAIT } from '../../measure/index.ts';
import {
  COMPARE_PROFILE_NAMES,
  type CompareProfileName,
  changedPolicy,
  MOST_SHARDS,
  type Mode,
  type Policy,
  PROFILE_NAMES,
  profileAdvice,
  type ShardName,
  usualBudgetSeconds,
} from '../../model/index.ts';

/** Names with commas between them. */
export function commaSeparated(text: string): string[] {
  const names = text.split(',').filter((name) => name !== '');
  if (names.length === 0) {
    throw new InvalidArgumentError('Use names separated by commas.');
  }
  if (new Set(names).size < names.length) {
    throw new InvalidArgumentError('A name is given twice.');
  }
  return names;
}

/** Modes of `wiregauge run`, with commas between them. */
export function modesOf(text: string): Mode[] {
  return commaSeparated(text).map((mode) => {
    if (mode !== 'open' && mode !== 'saturate') {
      throw new InvalidArgumentError('Use open, saturate, or both.');
    }
    return mode;
  });
}

/** A whole number from 1 that fits into 31 bits. */
export function wholeNumber(text: string): number {
  const number = Number(text);
  if (!/^\d+$/.test(text) || number < 1 || number >= 2 ** 31) {
    throw new InvalidArgumentError('Use a whole number of at least 1.');
  }
  return number;
}

/** The id of a workflow's run: larger than most numbers. */
export function runIdOf(text: string): number {
  const id = Number(text);
  if (!/^[1-9]\d*$/.test(text) || !Number.isSafeInteger(id)) {
    throw new InvalidArgumentError('Use the ID of a workflow run, a whole number.');
  }
  return id;
}

/** Seconds of a length of time like "90s" or "10m". */
export function durationOf(text: string): number {
  const seconds = parseDuration(text);
  if (seconds === undefined) {
    throw new InvalidArgumentError('Use a duration like 90s, 10m or 1h.');
  }
  return seconds;
}

/** Milliseconds of a latency like "50ms" or "1.5s". */
export function latencyOf(text: string): number {
  const [, number, unit] = /^(\d+(?:\.\d+)?)(ms|s)$/.exec(text) ?? [];
  const milliseconds = Number(number) * (unit === 's' ? 1000 : 1);
  if (!(milliseconds > 0)) {
    throw new InvalidArgumentError('Use a latency like 50ms or 1.5s.');
  }
  return milliseconds;
}

/** Requests per second of a rate like "3000" or "3000/s". */
export function rateOf(text: string): number {
  const rate = Number(/^(\d+(?:\.\d+)?)(?:\/s)?$/.exec(text)?.[1]);
  if (!(rate > 0)) {
    throw new InvalidArgumentError('Use a rate like 3000 or 3000/s.');
  }
  return rate;
}

/** A shard like "1/2". */
export function shardOf(text: string): ShardName {
  const [, index, of] = /^([1-9]\d{0,2})\/([1-9]\d{0,2})$/.exec(text) ?? [];
  const shard = { index: Number(index), of: Number(of) };
  if (!(shard.index <= shard.of && shard.of <= MOST_SHARDS)) {
    throw new InvalidArgumentError(`Use a shard like 1/2, of at most ${MOST_SHARDS}.`);
  }
  return shard;
}

/** How many shards: a number, or "auto" for one of each service. */
export function shardCountOf(text: string): number | 'auto' {
  const count = text === 'auto' ? text : wholeNumber(text);
  if (count !== 'auto' && count > MOST_SHARDS) {
    throw new InvalidArgumentError(`Use a whole number from 1 to ${MOST_SHARDS}, or auto.`);
  }
  return count;
}

/** What a command does if no flag says anything else. */
export const USUAL = {
  profile: 'standard',
  runtime: 'auto',
  interleave: 'blocks',
  onSuspicion: 'warn',
  shards: 'auto',
  artifact: 'wiregauge',
} as const;

/** The flag `--budget`: what a command does without it stands in its description. */
export function budgetOption(description: string): Option {
  return new Option('--budget <time>', description).argParser(durationOf);
}

/** What the profiles say of a budget that nobody gave, for the description of the flag. */
export const BUDGET_BY_PROFILE = 'default: 10m, with --profile thorough 30m';

/** Seconds that a comparison may take: what somebody said, else what its profile says. */
export function budgetSecondsOf({
  budget,
  profile,
}: {
  readonly budget?: number | undefined;
  readonly profile: string;
}): number {
  return budget ?? usualBudgetSeconds(profile);
}

/** The flag `--profile` of commands that measure, or plan that. */
export function profileOption(description: string): Option {
  return new Option('--profile <name>', description)
    .choices(PROFILE_NAMES)
    .argParser((text) => nameOf(PROFILE_NAMES, text))
    .default(USUAL.profile);
}

/** The flag `--profile` of what compares two versions, or plans that. */
export function compareProfileOption(description: string): Option {
  return new Option('--profile <name>', description)
    .choices(COMPARE_PROFILE_NAMES)
    .argParser(compareProfileOf)
    .default(USUAL.profile);
}

/** The name of a profile of comparisons. */
export function compareProfileOf(text: string): CompareProfileName {
  return nameOf(COMPARE_PROFILE_NAMES, text);
}

function nameOf<Name extends string>(names: readonly Name[], text: string): Name {
  const found = names.find((name) => name === text);
  if (found === undefined) {
    throw new InvalidArgumentError(profileAdvice(text, names));
  }
  return found;
}

/** The flag `--wait` of commands that measure. */
export function waitOption(): Option {
  return new Option('--wait <time>', 'how long to wait for another measurement on this machine; 0s: do not wait')
    .argParser((text) => (text === '0s' ? 0 : durationOf(text)))
    .default(USUAL_WAIT.seconds, USUAL_WAIT.text);
}

/** The flag of every command that has a result, and what it says of itself. */
export const JSON_OPTION = [
  '--json',
  'print the result as one JSON document; progress goes to standard error',
] as const;

/** The flag of commands that measure two versions, or services, and what it says of itself. */
export const VERBOSE_OPTION = ['--verbose', 'print all tables at the end, not only the outcome'] as const;

/** What `--profile` says of itself if rounds are played. */
export const PROFILE_HELP = 'how much is measured: the length of the blocks of a round, and the tiers that are loaded';

/** What `--suite` says of itself. */
export const SUITE_HELP =
  'what to measure: suites/<name>.yml (default: wiregauge.yml, else the only suite, else "users")';

/**
 * A hook before the action that refuses a command line without these options, given as `--base`. commander's own required options
 * are checked before unknown ones: for `--bas` it would say that `--base` is missing, instead of asking whether it was meant.
 */
export function requires(...flags: readonly string[]): (command: Command) => void {
  return (command) => {
    const missing = command.options.find(
      (option) => flags.includes(option.long ?? '') && command.getOptionValue(option.attributeName()) === undefined,
    );
    if (missing !== undefined) {
      command.error(`error: required option '${missing.flags}' not specified`);
    }
  };
}

/** What makes a comparison fail: see FAIL_ON. */
export type FailOn = (typeof FAIL_ON)[number];

/** What the policy calls a regression; what is inconclusive, too; or nothing that was measured. */
export const FAIL_ON = ['regression', 'inconclusive', 'never'] as const;

/** The policy with what `--fail-on` changes of it. */
export function failingOn(policy: Policy, failOn: FailOn | undefined): Policy {
  return failOn === 'inconclusive' ? changedPolicy(policy, { inconclusive: 'fail' }) : policy;
}

/** The exit code of a comparison; 2, if nothing could be judged, stays what it is. */
export function exitCodeFor({ exitCode }: Pick<ComparisonResult, 'exitCode'>, failOn: FailOn | undefined): number {
  return failOn === 'never' && exitCode === 1 ? 0 : exitCode;
}

/** The flag `--operations` of commands that measure. */
export function operationsOption(): Option {
  return new Option(
    '--operations <names>',
    'only these operations: the others are neither verified nor loaded',
  ).argParser(commaSeparated);
}

/** The flag `--runtime` of commands that start services, with what a command takes besides. */
export function runtimeOption(further: readonly 'both'[] = []): Option {
  const names: readonly string[] = [...RUNTIME_CHOICES, ...further];
  return new Option('--runtime <name>', 'where services run')
    .choices(names)
    .argParser((text) => {
      if (!names.includes(text)) {
        throw new InvalidArgumentError(`Allowed choices are ${names.join(', ')}.${meantHint(text, names)}`);
      }
      return text;
    })
    .default(USUAL.runtime);
}

/** A sentence with the choice that a misspelled word probably means, to follow others; empty if no choice is near. */
export function meantHint(text: string, choices: readonly string[]): string {
  const meant = meantKey(text, choices);
  return meant === undefined ? '' : ` Did you mean ${meant}?`;
}
