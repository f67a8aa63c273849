import { type Command, InvalidArgumentError, Option } from 'commander';
import { meantKey } from '../../config/yaml/keys.ts';
import { COMMENT_MODES } from '../../github/comment.ts';
import { BENCHMARK_TOOLS } from '../../history/adapters/adapters.ts';
import type { ComparisonResult } from '../../judge/verdict/finding.ts';
import type { RuntimeChoice } from '../../measure/session/runtime.ts';
import type { Mode } from '../../model/plan.ts';
import { changedPolicy, type Policy } from '../../model/policy.ts';
import {
  COMPARE_PROFILE_NAMES,
  type CompareProfileName,
  PROFILE_NAMES,
  profileAdvice,
  USUAL_WAIT,
  usualBudgetSeconds,
} from '../../model/profiles.ts';
import { type PlantRecord, plantSchema } from '../../model/run/plant.ts';
import { MAX_SHARDS, type ShardName } from '../../model/run/rounds.ts';

/** Value of an option; throws the advice if there is none. */
export function valid<Value>(value: Value | undefined, advice: string): Value {
  if (value === undefined) {
    throw new InvalidArgumentError(advice);
  }
  return value;
}

/** Number if it is in a range; undefined otherwise, and for NaN. */
function within(number: number, least: number, most = Number.POSITIVE_INFINITY): number | undefined {
  return number >= least && number <= most ? number : undefined;
}

export function commaSeparated(text: string): string[] {
  const names = text.split(',').filter((name) => name !== '');
  valid(names[0], 'Use names separated by commas.');
  return valid(new Set(names).size === names.length ? names : undefined, 'A name is given twice.');
}

export function modesOf(text: string): Mode[] {
  const modes = ['open', 'saturate'] as const;
  return commaSeparated(text).map((mode) =>
    valid(
      modes.find((one) => one === mode),
      'Use open, saturate, or both.',
    ),
  );
}

/** Whole number from 1 that fits into 31 bits. */
export function wholeNumber(text: string): number {
  const number = /^\d+$/.test(text) ? within(Number(text), 1, 2 ** 31 - 1) : undefined;
  return valid(number, 'Use a whole number of at least 1.');
}

/** ID of a workflow run, which may exceed 31 bits. */
export function runIdOf(text: string): number {
  const id = /^[1-9]\d*$/.test(text) ? within(Number(text), 1, Number.MAX_SAFE_INTEGER) : undefined;
  return valid(id, 'Use the ID of a workflow run, a whole number.');
}

/** Number with one of these units, in the unit that counts 1; NaN for other text. */
function measured(text: string, units: Readonly<Record<string, number>>): number {
  const [, number, unit = ''] = /^(\d+(?:\.\d+)?)([a-z]+)$/.exec(text) ?? [];
  return Number(number) * (units[unit] ?? Number.NaN);
}

/** Seconds of a duration like "90s" or "10m". */
export function durationOf(text: string): number {
  const seconds = measured(text, { s: 1, m: 60, h: 3600 });
  return valid(within(seconds, Number.MIN_VALUE), 'Use a duration like 90s, 10m or 1h.');
}

/** Milliseconds of a latency like "50ms" or "1.5s". */
export function latencyOf(text: string): number {
  return valid(within(measured(text, { ms: 1, s: 1000 }), Number.MIN_VALUE), 'Use a latency like 50ms or 1.5s.');
}

/** Days of an age like "180d", "26w" or "1y". */
export function ageOf(text: string): number {
  const days = /^\d{1,5}\D$/.test(text) ? within(measured(text, { d: 1, w: 7, y: 365 }), 1) : undefined;
  return valid(days, 'Use an age like 180d, 26w or 1y.');
}

/** Requests per second of a rate like "3000" or "3000/s". */
export function rateOf(text: string): number {
  const rate = Number(/^(\d+(?:\.\d+)?)(?:\/s)?$/.exec(text)?.[1]);
  return valid(within(rate, Number.MIN_VALUE), 'Use a rate like 3000 or 3000/s.');
}

/** Share like "80%", as a number from 0 to 1. */
export function shareOf(text: string): number {
  return valid(within(Number(/^(\d{1,3}(?:\.\d+)?)%$/.exec(text)?.[1]) / 100, 0, 1), 'Use a share like 80%.');
}

/** Plant that searches for the smallest share of CPU time that is detected. */
export const SMALLEST = 'smallest';

const PLANTS: Readonly<Record<string, (size: number) => PlantRecord | undefined>> = {
  // More would exceed its fair share of a core that the service keeps busy.
  '%': (size) => (size > 50 ? undefined : { cpu: size / 100 }),
  ms: (size) => ({ startMs: size }),
  s: (size) => ({ startMs: size * 1000 }),
  MB: (size) => ({ memoryMB: size }),
  'leak=B': (size) => ({ leakBytes: size }),
};

/** Plant: a share of CPU time "5%", a delay of the start "200ms" or "2s", memory "20MB", memory for each request "leak=400B"; or "smallest". */
export function parsePlant(text: string): PlantRecord | typeof SMALLEST {
  const [, leak = '', digits = '', unit = ''] = /^(leak=)?(\d{1,5}(?:\.\d{1,3})?)(%|ms|s|MB|B)$/.exec(text) ?? [];
  const plant = plantSchema.safeParse(PLANTS[leak + unit]?.(Number(digits))).data;
  return valid(
    text === SMALLEST ? text : plant,
    'Use a share of CPU time up to 50%, like 5%, a delay like 200ms, memory like 20MB, leak=400B for each request, or smallest.',
  );
}

/** Files of an option that may be repeated. */
export function repeated(file: string, others: readonly string[] = []): readonly string[] {
  return [...others, file];
}

function shardOf(text: string): ShardName {
  const [, index, of] = /^([1-9]\d{0,2})\/([1-9]\d{0,2})$/.exec(text) ?? [];
  const shard = { index: Number(index), of: Number(of) };
  const isShard = shard.index <= shard.of && shard.of <= MAX_SHARDS;
  return valid(isShard ? shard : undefined, `Use a shard like 1/2, of at most ${MAX_SHARDS}.`);
}

/** Number of shards, or "auto" for one per service. */
function shardCountOf(text: string): number | 'auto' {
  const advice = `Use a whole number from 1 to ${MAX_SHARDS}, or auto.`;
  return text === 'auto' ? text : valid(within(wholeNumber(text), 1, MAX_SHARDS), advice);
}

/** Default name of the artifact of a step, and ID of its comment. */
export const USUAL_ARTIFACT = 'wiregauge';

/** Folder that `wiregauge baseline update` writes to. */
export const BASELINES = 'baselines';

export const EXPORT_FORMATS = ['csv', 'json', 'github-action-benchmark'] as const;

export const IMPORT_FORMATS = [
  ...(['github-action-benchmark', 'custom-smaller', 'custom-bigger', 'csv', 'json'] as const),
  ...BENCHMARK_TOOLS,
];

/** Time limit of a comparison in seconds: the given one, else that of its profile. */
export function budgetSecondsOf({ budget, profile }: { budget?: number | undefined; profile: string }): number {
  return budget ?? usualBudgetSeconds(profile);
}

/** Values of `--profile` for a comparison. */
export const COMPARE_PROFILE = {
  choices: COMPARE_PROFILE_NAMES,
  parse: (text: string): CompareProfileName => nameOf(COMPARE_PROFILE_NAMES, text),
  usual: 'quick',
} as const;

function nameOf<Name extends string>(names: readonly Name[], text: string): Name {
  return valid(
    names.find((name) => name === text),
    profileAdvice(text, names),
  );
}

/**
 * Hook that refuses a command line without these options, given as `--base`. commander checks its own required options before unknown ones: for
 * `--bas` it would report a missing `--base` instead of a likely typo.
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

export type FailOn = (typeof FAIL_ON)[number];

/** Conditions for failure: regressions by the policy, inconclusive results as well, or none. */
const FAIL_ON = ['regression', 'inconclusive', 'never'] as const;

export function failingOn(policy: Policy, failOn: FailOn | undefined): Policy {
  return failOn === 'inconclusive' ? changedPolicy(policy, { inconclusive: 'fail' }) : policy;
}

/** Exit code of a comparison; 2 stays, since nothing could be judged. */
export function exitCodeFor({ exitCode }: Pick<ComparisonResult, 'exitCode'>, failOn: FailOn | undefined): number {
  return failOn === 'never' && exitCode === 1 ? 0 : exitCode;
}

interface OptionRow {
  readonly flags: string;
  readonly help: string;
  readonly parse?: (text: string) => unknown;
  readonly choices?: readonly string[];
  readonly usual?: unknown;
  /** Default in words. */
  readonly usualText?: string;
}

/** Options of several commands, or of a command and the action, from which help and completion are made. */
export const OPTIONS = {
  json: { flags: '--json', help: 'print the result as one JSON document; progress goes to standard error' },
  verbose: { flags: '--verbose', help: 'print all tables at the end, not only the outcome' },
  suite: {
    flags: '--suite <name>',
    help: 'what to measure: suites/<name>.yml (default: wiregauge.yml, else the only suite, else "users")',
  },
  services: { flags: '--services <names>', help: "some of the suite's services", parse: commaSeparated },
  operations: {
    flags: '--operations <names>',
    help: 'only these operations: the others are neither verified nor loaded',
    parse: commaSeparated,
  },
  profile: {
    flags: '--profile <name>',
    help: 'preset for precision vs. time: the length of blocks, and the tiers that are loaded',
    choices: PROFILE_NAMES,
    parse: (text: string) => nameOf(PROFILE_NAMES, text),
    usual: 'standard',
  },
  budget: {
    flags: '--budget <time>',
    help: 'time limit; no round starts that cannot finish in time; default: 10m, with --profile thorough 30m',
    parse: durationOf,
  },
  runtime: {
    flags: '--runtime <name>',
    help: 'where services run',
    choices: ['auto', 'docker', 'process', 'kubernetes'] as const satisfies readonly RuntimeChoice[],
    usual: 'auto',
  },
  wait: {
    flags: '--wait <time>',
    help: 'how long to wait for another measurement on this machine; 0s: do not wait',
    parse: (text: string) => (text === '0s' ? 0 : durationOf(text)),
    usual: USUAL_WAIT.seconds,
    usualText: USUAL_WAIT.text,
  },
  rounds: { flags: '--rounds <n>', help: 'number of rounds; default: those of the profile', parse: wholeNumber },
  seed: { flags: '--seed <n>', help: 'the random seed; default: random', parse: wholeNumber },
  shard: {
    flags: '--shard <i/n>',
    help: 'measure only shard i of n; `wiregauge shards merge` combines them',
    parse: shardOf,
  },
  shards: {
    flags: '--shards <n>',
    help: 'how many jobs; auto: one for each service',
    parse: shardCountOf,
    usual: 'auto',
  },
  base: {
    flags: '--base <ref>',
    help: 'the version to compare with: a branch, a tag or a commit; default: the merge base with the default branch',
  },
  interleave: {
    flags: '--interleave <way>',
    help: 'blocks: both versions run side by side; slots: one after the other, for services that cannot',
    choices: ['blocks', 'slots'],
    usual: 'blocks',
  },
  profiler: {
    flags: '--profiler <when>',
    help: 'auto: profile services that take more CPU time; off: never',
    choices: ['auto', 'off'],
    usual: 'auto',
  },
  policy: {
    flags: '--policy <file>',
    help: 'a policy file (thresholds, budgets) over the policy of the base, which judges by default',
  },
  'fail-on': {
    flags: '--fail-on <what>',
    help: 'what makes the exit code 1; default: set by the policy',
    choices: FAIL_ON,
  },
  'pull-request': {
    flags: '--pull-request <name>',
    help: 'owner/name#12: its label "wiregauge: accepted" accepts what its comment showed (GITHUB_TOKEN)',
  },
  comment: {
    flags: '--comment <when>',
    help: 'auto: only if there is something to report; updated afterwards',
    choices: COMMENT_MODES,
    usual: 'auto',
  },
  'comment-id': {
    flags: '--comment-id <name>',
    help: 'distinguishes the comments of several jobs',
    usual: USUAL_ARTIFACT,
  },
  'run-url': { flags: '--run-url <address>', help: 'the page of the run, for a link' },
  'report-url': { flags: '--report-url <address>', help: 'the page with the reports of the run, for a link' },
  repository: { flags: '--repository <name>', help: 'owner/name' },
  against: {
    flags: '--against <where>',
    help: 'stored runs: the published ones (history), those in a folder (history:<folder>), or none; default: history:baselines, if that folder exists',
  },
  remote: { flags: '--remote <name>', help: 'the remote that has the branch', usual: 'origin' },
  branch: { flags: '--branch <name>', help: 'the branch that has the history', usual: 'gh-pages' },
  'branch-folder': {
    flags: '--branch-folder <name>',
    help: 'the folder of the history on that branch',
    usual: 'performance',
  },
  'create-branch': { flags: '--create-branch', help: 'create the branch if it is missing' },
  'alert-webhook': {
    flags: '--alert-webhook <format>',
    help: 'history: report what got worse to a webhook (ALERT_WEBHOOK)',
    choices: ['json', 'slack', 'teams'],
  },
  'dry-run': { flags: '--dry-run', help: 'print what would be written, even with --yes' },
  out: { flags: '--out <folder>', help: 'where run.json, report.md and report.html go', usual: 'out' },
} as const satisfies Readonly<Record<string, OptionRow>>;

/** Adds options of the table to a command: those in `names`, and `others` with their changes; a text is the help. */
export function withOptions(
  command: Command,
  names: string,
  others: { readonly [Name in keyof typeof OPTIONS]?: string | Partial<OptionRow> } = {},
): Command {
  const all: Readonly<Record<string, OptionRow>> = OPTIONS;
  for (const [name, other] of [...names.split(' ').map((one) => [one, {}] as const), ...Object.entries(others)]) {
    const row = { ...all[name], ...(typeof other === 'string' ? { help: other } : other) };
    const option = new Option(row.flags ?? '', row.help);
    if (row.choices !== undefined) {
      option.choices(row.choices);
    }
    const parse = row.parse ?? (row.choices && oneOf(row.choices, 'Allowed choices are '));
    if (parse !== undefined) {
      option.argParser(parse);
    }
    command.addOption(row.usual === undefined ? option : option.default(row.usual, row.usualText));
  }
  return command;
}

/** Reader that accepts one of these words. */
export function oneOf<Choice extends string>(choices: readonly Choice[], begin = 'Use one of: ') {
  return (text: string): Choice => {
    const found = choices.find((choice) => choice === text);
    const meant = found === undefined ? meantKey(text, choices) : undefined;
    const hint = meant === undefined ? '' : ` Did you mean ${meant}?`;
    return valid(found, `${begin}${choices.join(', ')}.${hint}`);
  };
}
