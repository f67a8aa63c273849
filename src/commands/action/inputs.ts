import { ConfigError, messageOf } from '../../foundation/errors.ts';
import { nearName } from '../../foundation/names.ts';
import { isArtifactName } from '../../github/host/upload.ts';
import { ALERT_FORMATS } from '../../report/comment/alert-messages.ts';
import { COMPARE_PROFILE, OPTIONS, oneOf } from '../program/options.ts';

/** What a step of a workflow can do. */
export const ACTION_MODES = [
  'compare',
  'run',
  'anchor',
  'calibrate',
  'plant',
  'plan',
  'merge',
  'comment',
  'command',
] as const;

/** What a step of a workflow does. */
export type ActionMode = (typeof ACTION_MODES)[number];

/**
 * Every input of the action: what reads its text, which throws an Error that says what to write instead, its default, and what action.yml,
 * which is made from this, says of it.
 */
export const INPUTS = {
  mode: {
    read: oneOf(['auto', ...ACTION_MODES]),
    usual: 'auto',
    help: '`compare`, `run`, `anchor` (compares with the latest release tag or the pinned commit, for the trend), `calibrate`, `plant` (shows that a planted slowdown of 5% is found), `plan` (shards), `merge` (judges results of other jobs), `comment` (on results of another workflow), `command` (runs a command from a comment), or `auto`: compares a pull request or a merge group, comments under `workflow_run`, runs a command under `issue_comment`, else measures a run.',
  },
  directory: {
    read: asGiven,
    help: 'The folder of `wiregauge.yml` in a monorepo: `apps/api`. Paths of other inputs are from there, too, except `runs`. Default: the root of the checkout.',
  },
  suite: {
    read: asGiven,
    help: 'The suite: `suites/<name>.yml`. Default: `wiregauge.yml`, else the only suite, else `users`.',
  },
  services: { read: OPTIONS.services.parse, help: 'Some of the services, with commas between them.' },
  operations: {
    read: OPTIONS.operations.parse,
    help: 'For `compare`, and for the `comment` on it: some of the operations, with commas between them.',
  },
  shard: {
    read: OPTIONS.shard.parse,
    help: 'For `compare`: the share of the services to measure, like `1/2`. The job that merges the shards judges; a shard does not comment or fail on regressions unless `comment` or `fail-on` is set.',
  },
  shards: { read: OPTIONS.shards.parse, help: 'For `plan`: the number of jobs. Default: one for each service.' },
  plan: {
    read: asGiven,
    help: 'For `merge`: the output `plan` of the job that planned. It fixes the shards and the policy.',
  },
  runs: {
    read: asGiven,
    help: 'For `merge`: the folder with the artifacts of the shards. A missing one makes the outcome `incomplete`. Default: those of this workflow run named `<artifact>-measured`, or that and a dash; needs `actions: read`.',
  },
  profile: {
    read: COMPARE_PROFILE.parse,
    help: 'Preset for precision vs. time: `smoke`, `quick`, `standard` or `thorough`; for a comparison also `instructions`, which only counts them. Default: `standard`.',
  },
  rounds: {
    read: OPTIONS.rounds.parse,
    help: 'Repetitions of a run or a calibration. Default: 3 for a run on a push, which a history needs to judge it.',
  },
  budget: {
    read: OPTIONS.budget.parse,
    help: 'Time limit, like `10m`. Default: `10m` for a comparison, `30m` with the profile `thorough`; the plan for a calibration; a run has one only with `mode: run`.',
  },
  always: {
    read: onOrOff,
    usual: 'false',
    help: '`true` measures services that run the same files in base and head, too; otherwise they pass without a measurement.',
  },
  base: {
    read: asGiven,
    help: 'A branch, tag or commit to compare with, instead of the merge base of the pull request.',
  },
  policy: { read: asGiven, help: 'A file that replaces the policy of the suite.' },
  against: {
    read: oneOf(['history', 'baseline', 'none']),
    usual: 'history',
    help: 'Stored results for a comparison: `history` (gh-pages) for the drift since the anchor and for instructions of the base; `baseline` for the same, with a line on the runs in `baselines/` of the checkout; or `none`.',
  },
  runtime: { read: oneOf(OPTIONS.runtime.choices), help: 'Where services run: `docker`, `process`, or `auto`.' },
  'fail-on': {
    read: oneOf(OPTIONS['fail-on'].choices),
    help: 'Failure of the job: `regression`, `inconclusive` (or a regression) or `never`. Default: the policy.',
  },
  comment: {
    read: oneOf(OPTIONS.comment.choices),
    usual: 'auto',
    help: 'When to comment: `auto` (if anything improved, regressed or was inconclusive, then always), `always`, `on-change` (as `auto`, also for a shard) or `never`.',
  },
  'comment-id': { read: asGiven, help: 'Distinguishes the comments of several jobs. Default: the name of the job.' },
  workflow: {
    read: asGiven,
    help: 'For `comment` and `command`: the workflow that measures. Default: `.github/workflows/performance.yml`.',
  },
  artifact: {
    read: artifactName,
    help: 'The name of the uploaded artifact, a different one for each job; for `comment`, the artifact with run.json. Default: `wiregauge`.',
  },
  upload: {
    read: onOrOff,
    usual: 'true',
    help: '`true` uploads run.json, reports and charts as an artifact, also if the job fails or is cancelled.',
  },
  'check-run': {
    read: onOrOff,
    usual: 'false',
    help: '`true` writes the verdict as a check run, too. Needs `checks: write`.',
  },
  publish: {
    read: oneOf(['auto', 'always', 'never']),
    usual: 'auto',
    help: 'Runs that enter the history on gh-pages: `auto` (pushes to the default branch; needs `contents: write`), `always` (any push, schedule or run by hand, or it fails) or `never`. Results of pull requests never do.',
  },
  'alert-issue': {
    read: onOrOff,
    usual: 'false',
    help: '`true` keeps one issue for each suite about lasting regressions on the default branch. Needs `issues: write`.',
  },
  'alert-webhook': {
    read: asGiven,
    help: 'The address of a webhook to notify, a secret of the repository: `secrets.ALERT_WEBHOOK`.',
  },
  'alert-format': {
    read: oneOf(ALERT_FORMATS),
    help: 'Format of the webhook: `json`, `slack` or `teams`. Default: `json`.',
  },
  valgrind: {
    read: oneOf(['auto', 'never']),
    usual: 'auto',
    help: '`auto` installs Valgrind on a runner that GitHub hosts, to count instructions: `sudo apt-get install valgrind`, some 15 s. `never` does not; other runners need it in their image.',
  },
  profiler: {
    read: oneOf(['auto', 'always', 'never']),
    usual: 'auto',
    help: 'When to profile services that take more CPU time, in rounds of their own: `auto` (not for a pull request from a fork), `always` or `never`. Uses `sudo` on a runner that GitHub hosts; `py-spy` for Python and `perf` for compiled programs must be installed.',
  },
  token: {
    read: asGiven,
    usual: '${{ github.token }}',
    help: 'For the comment and the label `wiregauge: accepted`. Needs `pull-requests: write`.',
  },
} as const;

type InputName = keyof typeof INPUTS;

/** The inputs of a step by their names in action.yml, without those that are not given. */
export type StepInputs = { readonly [Name in InputName]?: ReturnType<(typeof INPUTS)[Name]['read']> };

/** The names of all inputs. */
const NAMES: readonly string[] = Object.keys(INPUTS);

/** Reads all inputs. Throws one ConfigError that names every mistake: an unknown input, or a value that an input does not take. */
export function stepInputs(given: ReadonlyMap<string, string>): StepInputs {
  const mistakes = [...unknownInputs([...given.keys()])];
  const read: Record<string, unknown> = {};
  for (const [name, text] of given) {
    try {
      read[name] = INPUTS[name as InputName]?.read(text);
    } catch (thrown) {
      mistakes.push({ says: `the input \`${name}\` is ${JSON.stringify(text)}`, next: messageOf(thrown) });
    }
  }
  if (mistakes.length > 0) {
    throw new ConfigError(mistakes.map(({ says }) => says).join('; '), {
      code: 'WG-501',
      next: mistakes.map(({ next }) => next).join(' '),
    });
  }
  return read;
}

/** The inputs that can be read, without the others: to tell of a mistake if the step is to tell of anything. */
export function readableInputs(given: ReadonlyMap<string, string>): StepInputs {
  const readable = [...given].filter((input) => isReadable(input));
  return stepInputs(new Map(readable));
}

function isReadable(input: readonly [string, string]): boolean {
  try {
    stepInputs(new Map([input]));
    return true;
  } catch (thrown) {
    if (thrown instanceof ConfigError) {
      return false;
    }
    throw thrown;
  }
}

interface Mistake {
  readonly says: string;
  readonly next: string;
}

function unknownInputs(names: readonly string[]): readonly Mistake[] {
  const unknown = names.filter((name) => !NAMES.includes(name));
  if (unknown.length === 0) {
    return [];
  }
  const near = unknown.flatMap((name) => nearName(name, NAMES) ?? []);
  const advice =
    near.length === 0
      ? 'Remove it under `with:` of the step.'
      : `Did you mean \`with: { ${near.map((name) => `${name}: …`).join(', ')} }\`?`;
  return [{ says: `there is no input \`${unknown.join('`, `')}\``, next: `${advice} Inputs: ${NAMES.join(', ')}.` }];
}

function asGiven(text: string): string {
  return text;
}

function onOrOff(text: string): boolean {
  return oneOf(['true', 'false'])(text) === 'true';
}

function artifactName(text: string): string {
  if (!isArtifactName(text)) {
    throw new Error('Use at most 200 characters, without " : < > | * ? \\ /.');
  }
  return text;
}
