import { join } from 'node:path';
import { ConfigError, nearName } from '../../foundation/index.ts';
import type { GithubEvent } from '../../github/index.ts';
import { RUN_FILE } from '../../measure/index.ts';

/** What a step of a workflow does. */
export type ActionMode = 'compare' | 'run' | 'calibrate' | 'plan' | 'merge' | 'comment';

/** Inputs that go on as the flag of the same name, by the mode that takes them. */
const FLAGS: Readonly<Record<ActionMode, readonly string[]>> = {
  compare: ['suite', 'services', 'profile', 'budget', 'policy', 'runtime', 'fail-on', 'shard'],
  run: ['suite', 'services', 'runtime', 'rounds'],
  calibrate: ['suite', 'services', 'profile', 'runtime', 'rounds'],
  plan: ['suite', 'services', 'profile', 'budget', 'shards'],
  merge: ['runs', 'fail-on'],
  comment: ['policy', 'artifact'],
};

/** Inputs that are no flags of what measures. */
const OTHER_INPUTS = ['mode', 'base', 'token', 'comment', 'comment-id', 'workflow', 'upload', 'check-run', 'publish'];

const MODES = ['auto', ...Object.keys(FLAGS)];

/** Every input that action.yml has. */
export const INPUTS: readonly string[] = [...new Set([...Object.values(FLAGS).flat(), ...OTHER_INPUTS])];

/** A command line, and what it is. */
export interface ActionCommand {
  readonly mode: ActionMode;
  readonly argv: readonly string[];
}

/** What a command line is made from. */
export interface ActionJob {
  readonly event: GithubEvent;
  readonly inputs: ReadonlyMap<string, string>;
  /** "owner/name". */
  readonly repository: string;
  /** Where run.json and the reports go. */
  readonly out: string;
}

/**
 * The command line that an event and the inputs of a step stand for: a pull request is compared with where it parted from its base,
 * what another workflow measured is commented on, anything else is a run. Throws ConfigError for an input that is not known and
 * for an event that there is nothing to do for.
 */
export function commandFor(job: ActionJob): ActionCommand {
  const { event, inputs, out } = job;
  const unknown = [...inputs.keys()].filter((name) => !INPUTS.includes(name));
  if (unknown.length > 0) {
    throw new ConfigError(`there is no input \`${unknown.join('`, `')}\``, {
      next: `${didYouMean(unknown)}Inputs: ${INPUTS.join(', ')}.`,
    });
  }
  const mode = modeOf(event, inputs.get('mode') ?? 'auto');
  const flags = FLAGS[mode].flatMap((name) => {
    const value = inputs.get(name);
    return value === undefined ? [] : [`--${name}=${value}`];
  });
  if (mode === 'comment') {
    return { mode, argv: ['publish-fork-comment', ...measuredFlags(job), ...flags] };
  }
  if (mode === 'merge') {
    return { mode, argv: ['merge', ...flags, '--allow-lost', '--judge', `--out=${join(out, RUN_FILE)}`] };
  }
  return { mode, argv: [mode, ...ownFlags(mode, job), ...flags, `--out=${out}`] };
}

/** With fewer rounds a run hangs on a single start, and a history would not alarm for it. */
const ROUNDS_OF_HISTORY = 3;

/** What no input says. */
function ownFlags(mode: ActionMode, { event, inputs }: ActionJob): readonly string[] {
  if (mode === 'compare') {
    return [...versionFlags(event, inputs.get('base')), ...shardFlags(inputs)];
  }
  return mode === 'run' && event.kind === 'push' && !inputs.has('rounds') ? [`--rounds=${ROUNDS_OF_HISTORY}`] : [];
}

function didYouMean(unknown: readonly string[]): string {
  const near = unknown.flatMap((name) => nearName(name, INPUTS) ?? []);
  return near.length === 0
    ? 'Remove it under `with:` of the step. '
    : `Did you mean \`with: { ${near.map((name) => `${name}: …`).join(', ')} }\`? `;
}

function modeOf(event: GithubEvent, asked: string): ActionMode {
  if (!MODES.includes(asked)) {
    throw new ConfigError(`the input \`mode\` is "${asked}"`, { next: `Write one of: ${MODES.join(', ')}.` });
  }
  if (asked !== 'auto') {
    return asked as ActionMode;
  }
  if (event.kind === 'other') {
    throw new ConfigError(`there is nothing to measure by itself for the event "${event.name}"`, {
      next: 'Use `on: pull_request`, `push`, `schedule` or `workflow_dispatch`, or say what to do: `with: { mode: run }`.',
    });
  }
  return AUTOMATIC[event.kind];
}

const AUTOMATIC = {
  'pull-request': 'compare',
  push: 'run',
  'by-hand': 'run',
  'by-schedule': 'run',
  'workflow-run': 'comment',
} as const;

/** The job that merges the shards has the verdict; a shard fails for its own only where that is asked for. */
function shardFlags(inputs: ReadonlyMap<string, string>): readonly string[] {
  return inputs.has('shard') && !inputs.has('fail-on') ? ['--fail-on=never'] : [];
}

function versionFlags(event: GithubEvent, base: string | undefined): readonly string[] {
  if (event.kind === 'pull-request') {
    const head = `--head=${event.headSha}`;
    return base === undefined ? [`--base=${event.baseSha}`, '--merge-base', head] : [`--base=${base}`, head];
  }
  if (base === undefined) {
    throw new ConfigError('nothing says what to compare with', {
      next: 'Only a pull request has a base of its own: add `with: { base: <branch, tag or commit> }`.',
    });
  }
  return [`--base=${base}`];
}

const USUAL_WORKFLOW = '.github/workflows/performance.yml';

/** Names of workflows are anybody's, and so are artifacts: only the file that measures counts, and only for a pull request. */
function measuredFlags({ event, inputs, repository }: ActionJob): readonly string[] {
  if (event.kind !== 'workflow-run' || event.event !== 'pull_request') {
    throw new ConfigError('there is no comment to write: no workflow has measured a pull request', {
      next: 'Use `mode: comment` under `on: workflow_run`, for runs whose event is `pull_request`.',
    });
  }
  const wanted = inputs.get('workflow') ?? USUAL_WORKFLOW;
  const [path] = event.path.split('@');
  if (path !== wanted) {
    throw new ConfigError(`the workflow that ended is ${path}, and ${wanted} is the one that measures`, {
      next: 'Name the file of the workflow that measures: `with: { workflow: .github/workflows/<file> }`.',
    });
  }
  if (event.head === undefined) {
    throw new ConfigError('the fork that the workflow ran for is gone', {
      next: 'There is nothing left to comment on.',
    });
  }
  return [
    `--repository=${repository}`,
    `--workflow-run=${event.runId}`,
    `--head-sha=${event.headSha}`,
    `--head=${event.head}`,
  ];
}
