import { statSync } from 'node:fs';
import { isAbsolute, normalize } from 'node:path';
import { ConfigError, messageOf } from '../../foundation/errors.ts';
import { nearName } from '../../foundation/names.ts';
import { isArtifactName } from '../../github/host/artifacts.ts';
import { insideRepository } from '../../host/files/repository.ts';
import type { PlantRecord } from '../../model/run/plant.ts';
import { COMPARE_PROFILE, OPTIONS, oneOf, parsePlant, SMALLEST, valid } from '../program/options.ts';
import { type Mistake, namedInputs } from './arguments.ts';

/** Jobs of a step: modes, and commands in `args`. */
const JOBS = ['compare', 'run', 'comment', 'anchor', 'calibrate', 'plan', 'command'] as const;

/** Job of a step; `merge` judges the results of other jobs of the same workflow run. */
export type ActionMode = (typeof JOBS)[number] | 'merge';

/** Inputs of the action: reader, which throws an Error with the fix, default, and description in action.yml. */
export const INPUTS = {
  mode: {
    read: (text: string) => JOBS.find((job) => job === text) ?? oneOf(['auto', 'compare', 'run', 'comment'])(text),
    usual: 'auto',
    help: '`auto` (by event), `compare`, `run`, or `comment`: judges and comments on the results of other jobs or of another workflow, without running code of the pull request.',
  },
  args: {
    read: asGiven,
    help: 'Options for the command, such as `--services api --base v1.2`, or a command with its options: `compare --anchor`, `calibrate --plant 5%`, `shards plan`, `github command`.',
  },
  directory: {
    read: asGiven,
    help: 'The folder of `wiregauge.yml` in a monorepo: `apps/api`. Other paths are relative to it, too, except `--runs`. Default: the root of the checkout.',
  },
  suite: {
    read: asGiven,
    help: 'The suite: `suites/<name>.yml`. Default: `wiregauge.yml`, else the only suite, else `users`.',
  },
  profile: {
    read: COMPARE_PROFILE.parse,
    help: 'Preset for precision vs. time: `smoke`, `quick`, `standard` or `thorough`; for a comparison also `instructions`, which only counts them. Default: `quick` for a comparison, else `standard`.',
  },
  budget: {
    read: OPTIONS.budget.parse,
    help: 'Time limit, like `10m`. Default: `10m` for a comparison, `30m` with the profile `thorough`; calibrations follow their plan; runs are limited only with `mode: run`.',
  },
  shard: {
    read: OPTIONS.shard.parse,
    help: 'The share of the services to compare, like `1/2`. A shard does not comment or fail on regressions unless `comment` or `fail-on` is set: a later job with `mode: comment` judges.',
  },
  plan: {
    read: asGiven,
    help: 'For `comment`: the output `plan` of `shards plan`. It fixes the shards and the policy.',
  },
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
    help: 'The workflow that measures, for one that comments or runs commands. Default: `.github/workflows/performance.yml`.',
  },
  artifact: {
    read: artifactName,
    help: 'The name of the uploaded artifact, a different one for each job; for `comment`, that of the other workflow, or the prefix of those of the jobs: `<artifact>-measured` (needs `actions: read`). Default: `wiregauge`.',
  },
  upload: {
    read: onOrOff,
    usual: 'true',
    help: '`true` uploads run.json, reports and charts as an artifact, even if the job fails or is canceled.',
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
  valgrind: {
    read: oneOf(['auto', 'never']),
    usual: 'auto',
    help: '`auto` installs Valgrind on a runner that GitHub hosts, to count instructions: `sudo apt-get install valgrind`, some 15 s. `never` does not; other runners need it in their image.',
  },
  token: {
    read: asGiven,
    usual: '${{ github.token }}',
    help: 'For the comment and the label `wiregauge: accepted`. Needs `pull-requests: write`.',
  },
} as const;

/** Options in `args` that are not inputs, by their command-line names. */
export const ARGUMENTS = {
  services: OPTIONS.services.parse,
  operations: OPTIONS.operations.parse,
  shards: OPTIONS.shards.parse,
  runs: asGiven,
  rounds: OPTIONS.rounds.parse,
  always: onOrOff,
  base: asGiven,
  policy: asGiven,
  against: storedPlace,
  runtime: oneOf(OPTIONS.runtime.choices),
  profiler: oneOf(OPTIONS.profiler.choices),
  anchor: onOrOff,
  plant: plantOf,
  'alert-format': oneOf(OPTIONS['alert-webhook'].choices),
} as const;

/** Given inputs of a step by name, with the options in `args`. */
export type StepInputs = { readonly [Name in keyof typeof INPUTS]?: ReturnType<(typeof INPUTS)[Name]['read']> } & {
  readonly [Name in keyof typeof ARGUMENTS]?: ReturnType<(typeof ARGUMENTS)[Name]>;
};

const NAMES: readonly string[] = Object.keys(INPUTS);

const READERS: Readonly<Record<string, (text: string) => unknown>> = {
  ...Object.fromEntries(Object.entries(INPUTS).map(([name, { read }]) => [name, read])),
  ...ARGUMENTS,
};

/** Readable inputs, every mistake (an unknown input, or an invalid value), and former inputs, each with its current form. */
export function readInputs(given: ReadonlyMap<string, string>) {
  const { texts, mistakes: wrong, changes } = namedInputs(given, Object.keys(ARGUMENTS));
  const mistakes = [...unknownInputs([...texts.keys()]), ...wrong];
  const inputs: Record<string, unknown> = {};
  for (const [name, text] of texts) {
    try {
      inputs[name] = READERS[name]?.(text);
    } catch (thrown) {
      // The address of a webhook is left out, since the message enters a public comment.
      const says =
        name === 'alert-format'
          ? '`--alert-webhook` in `args` is not a format; an address belongs in the input `alert-webhook`'
          : `the input \`${name}\` is ${JSON.stringify(text)}`;
      mistakes.push({ says, next: messageOf(thrown) });
    }
  }
  return { inputs: inputs as StepInputs, mistakes, changes };
}

/** Reads all inputs. Throws one ConfigError with every mistake. */
export function stepInputs(given: ReadonlyMap<string, string>): StepInputs {
  const { inputs, mistakes } = readInputs(given);
  if (mistakes.length > 0) {
    throw new ConfigError(mistakes.map(({ says }) => says.replaceAll(ADDRESS, '<address>')).join('; '), {
      code: 'WG-501',
      next: mistakes.map(({ next }) => next).join(' '),
    });
  }
  return inputs;
}

/** Addresses may be secret. */
const ADDRESS = /\b\w{1,20}:\/\/[^\s"']+/g;

function unknownInputs(names: readonly string[]): readonly Mistake[] {
  const unknown = names.filter((name) => READERS[name] === undefined);
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
  return valid(isArtifactName(text) ? text : undefined, 'Use at most 200 characters, without " : < > | * ? \\ /.');
}

function storedPlace(text: string): string {
  return valid(/^(?:none|history(?::.+)?)$/.exec(text)?.[0], 'Use history, history:<folder> or none.');
}

function plantOf(text: string): PlantRecord {
  const plant = parsePlant(text);
  return valid(plant === SMALLEST ? undefined : plant, 'Use a size like 5%.');
}

/**
 * Absolute path of the folder that the input `directory` names. Throws ConfigError if it leads out of the checkout, also by a link, or is not a
 * folder.
 */
export function directoryIn(checkout: string, directory: string): string {
  if (isAbsolute(directory) || /^\.\.(?:\/|$)/.test(normalize(directory))) {
    throw new ConfigError(`${WHAT} leads out of the checkout: ${directory}`, { code: 'WG-108', next: NEXT });
  }
  const found = insideRepository(checkout, directory, WHAT);
  if (!statSync(found).isDirectory()) {
    throw new ConfigError(`${WHAT}: ${directory} is a file`, { code: 'WG-107', next: NEXT });
  }
  return found;
}

const WHAT = 'the input `directory`';

const NEXT = 'Set the folder of wiregauge.yml, relative to the root of the checkout: `with: { directory: apps/api }`.';
