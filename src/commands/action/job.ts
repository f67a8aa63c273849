import { join, resolve } from 'node:path';
import { ConfigError } from '../../foundation/errors.ts';
import { seedOf } from '../../foundation/random.ts';
import { documentAddress } from '../../foundation/text.ts';
import type { GithubEvent } from '../../github/event.ts';
import type { WorkflowHost } from '../../github/host/workflow-host.ts';
import type { SelfComparison } from '../../measure/session/one-build.ts';
import { RUN_FILE } from '../../measure/trial/keep.ts';
import type { PlantFlags } from '../measure/calibrate.ts';
import type { CompareFlags } from '../measure/compare.ts';
import type { RunFlags } from '../measure/run.ts';
import { COMPARE_PROFILE, OPTIONS, USUAL_ARTIFACT } from '../program/options.ts';
import type { CommandFlags } from '../pull-request/command.ts';
import { type CommentFlags, USUAL_WORKFLOW } from '../pull-request/comment.ts';
import type { PublishForkCommentFlags } from '../pull-request/fork-comment.ts';
import type { MergeFlags } from '../runs/merge.ts';
import type { PlanFlags } from '../runs/plan.ts';
import type { ActionMode, StepInputs } from './inputs.ts';

export type ActionJob =
  | { readonly mode: 'compare'; readonly flags: CompareFlags }
  | { readonly mode: 'run'; readonly flags: RunFlags }
  | { readonly mode: 'anchor'; readonly flags: CompareFlags }
  | { readonly mode: 'calibrate'; readonly flags: SelfComparison }
  | { readonly mode: 'plant'; readonly flags: PlantFlags }
  | { readonly mode: 'plan'; readonly flags: PlanFlags }
  | { readonly mode: 'merge'; readonly flags: MergeFlags }
  | { readonly mode: 'comment'; readonly flags: PublishForkCommentFlags }
  | { readonly mode: 'command'; readonly flags: CommandFlags };

/** True for an event whose two versions are compared by default. */
export function isCompared(
  event: GithubEvent,
): event is Extract<GithubEvent, { kind: 'pull-request' | 'merge-group' }> {
  return event.kind === 'pull-request' || event.kind === 'merge-group';
}

export interface StepContext {
  readonly event: GithubEvent;
  readonly inputs: StepInputs;
  /** Changes of a pull request to the inputs of its base. */
  readonly inputChanges?: CompareFlags['inputChanges'];
  readonly host: Pick<
    WorkflowHost,
    'owner' | 'repository' | 'runId' | 'attempt' | 'job' | 'step' | 'runUrl' | 'workflow'
  >;
  /** Folder for run.json and the reports. */
  readonly out: string;
}

/** Rounds of a run for the history: with fewer it depends on a single start, and raises no alarm. */
const ROUNDS_OF_HISTORY = 3;

/**
 * Job for an event and the inputs of a step: a pull request or a merge group is compared with its merge base, a result of another workflow gets a
 * comment, anything else is a run. Throws ConfigError for an event without a job.
 */
export function jobOf(step: StepContext): ActionJob {
  const mode = modeOf(step);
  switch (mode) {
    case 'compare':
      return { mode, flags: compareFlags(step) };
    case 'run':
      return { mode, flags: runFlags(step) };
    case 'anchor':
      return {
        mode,
        flags: { ...comparingFlags(step), anchor: true, head: 'HEAD', failOn: step.inputs['fail-on'] },
      };
    case 'calibrate': {
      const { plant } = step.inputs;
      const flags = { ...measuringFlags(step), rounds: step.inputs.rounds };
      return plant === undefined ? { mode, flags } : { mode: 'plant', flags: { ...flags, plant } };
    }
    case 'plan':
      return { mode, flags: planFlags(step) };
    case 'merge':
      return { mode, flags: mergeFlags(step) };
    case 'comment':
      return { mode, flags: forkCommentFlags(step) };
    case 'command':
      return { mode, flags: commandFlags(step) };
  }
}

/** Mode of a step. Throws ConfigError for an event without a mode, and for one that must not run code. */
function modeOf({ event, inputs }: Pick<StepContext, 'event' | 'inputs'>): ActionMode {
  const { mode = 'auto' } = inputs;
  if (mode === 'comment') {
    return event.kind === 'workflow-run' || event.kind === 'remark' ? AUTOMATIC[event.kind] : 'merge';
  }
  if (mode !== 'auto') {
    refuseWithToken(mode, event);
    return mode;
  }
  if (event.kind === 'other') {
    throw new ConfigError(`the event "${event.name}" does not define what to measure`, {
      code: 'WG-504',
      next: 'Use `on: pull_request`, `merge_group`, `push`, `schedule` or `workflow_dispatch`, or set the mode: `with: { mode: run }`.',
    });
  }
  return AUTOMATIC[event.kind];
}

const BUILDING: ReadonlySet<ActionMode> = new Set<ActionMode>(['compare', 'run', 'anchor', 'calibrate']);

/**
 * Throws ConfigError for a mode that builds and starts a checkout with the token and secrets of the default branch, if the event lets any user
 * choose the code, by a pull request or a comment on one.
 */
function refuseWithToken(mode: ActionMode, event: GithubEvent): void {
  const name = strangersEvent(event);
  if (BUILDING.has(mode) && name !== undefined) {
    throw new ConfigError(
      `\`${mode}\` builds and starts code, and under \`on: ${name}\` that may be untrusted code with access to a write token`,
      {
        code: 'WG-505',
        next: `Measure under \`on: pull_request\`, and comment in a second workflow: ${documentAddress('docs/how-to/forks.md')}`,
      },
    );
  }
}

/** Events that only accounts with write access cause. Any other event, including future ones, may come from any user. */
const OWN_EVENTS: ReadonlySet<string> = new Set([
  'push',
  'schedule',
  'workflow_dispatch',
  'repository_dispatch',
  'merge_group',
  'release',
  'deployment',
]);

/** Name of the event, if any user can cause it. */
function strangersEvent(event: GithubEvent): string | undefined {
  switch (event.kind) {
    case 'other':
      return OWN_EVENTS.has(event.name) ? undefined : event.name;
    case 'workflow-run':
      // After a push or a schedule it is the repository's own code.
      return OWN_EVENTS.has(event.event) ? undefined : 'workflow_run';
    case 'remark':
      return 'issue_comment';
    // GitHub gives no secrets and only a token that may read to the pull request of a fork.
    case 'pull-request':
    case 'merge-group':
    case 'push':
    case 'by-hand':
    case 'by-schedule':
      return undefined;
  }
}

const AUTOMATIC = {
  'pull-request': 'compare',
  'merge-group': 'compare',
  push: 'run',
  'by-hand': 'run',
  'by-schedule': 'run',
  'workflow-run': 'comment',
  remark: 'command',
} as const;

function compareFlags(step: StepContext): CompareFlags {
  const { inputs } = step;
  const { shard } = inputs;
  return {
    ...comparingFlags(step),
    ...versionsOf(step),
    operations: inputs.operations,
    always: inputs.always,
    inputChanges: step.inputChanges,
    shard,
    // The job that merges the shards has the verdict; a shard fails for its own only on request.
    failOn: inputs['fail-on'] ?? (shard === undefined ? undefined : 'never'),
    pullRequest: shard === undefined ? pullRequestOf(step) : undefined,
    commentId: commentId(step),
    ...storedFlags(step),
    // A profiler gets rights over the processes that it samples, so it never runs for a fork.
    profiler: step.event.kind === 'pull-request' && step.event.isFork ? 'off' : (inputs.profiler ?? 'auto'),
  };
}

/** Place of stored results. Counts of the base never come from the checkout, which a pull request can change. */
function storedFlags({ inputs: { against = 'history' } }: StepContext) {
  return against.startsWith('history:') ? { against: 'history', baseline: against } : { against };
}

function measuringFlags(step: StepContext) {
  const { suite, services, budget, profile = COMPARE_PROFILE.usual, runtime = OPTIONS.runtime.usual } = step.inputs;
  return { suite, services, profile, budget, runtime, seed: seedFor(step), out: step.out };
}

function comparingFlags(step: StepContext) {
  return { ...measuringFlags(step), policy: step.inputs.policy, interleave: OPTIONS.interleave.usual };
}

function versionsOf({ event, inputs: { base } }: StepContext): Pick<CompareFlags, 'base' | 'baseBranch' | 'head'> {
  if (isCompared(event)) {
    const { baseSha, baseRef, headSha: head } = event;
    return base === undefined ? { base: baseSha, baseBranch: baseRef, head } : { base, head };
  }
  if (base === undefined) {
    throw new ConfigError('there is nothing to compare with', {
      code: 'WG-406',
      next: 'Only a pull request and a merge queue have a base; set one: `with: { args: --base <branch, tag or commit> }`.',
    });
  }
  return { base };
}

function runFlags(step: StepContext): RunFlags {
  const { event, inputs } = step;
  return {
    ...measuringFlags(step),
    profile: inputs.profile ?? OPTIONS.profile.usual,
    rounds: inputs.rounds ?? (event.kind === 'push' ? ROUNDS_OF_HISTORY : undefined),
    // In a workflow that also compares pull requests, the budget is for those: runs of the history are cut only on request.
    budget: inputs.mode === 'run' ? inputs.budget : undefined,
    onSuspicion: 'warn',
  };
}

function planFlags(step: StepContext): PlanFlags {
  const { event, inputs, out } = step;
  const { suite, services, policy, shards = OPTIONS.shards.usual } = inputs;
  const { profile = COMPARE_PROFILE.usual, budget } = inputs;
  // The working tree is the head.
  const { head: _head, ...base } = inputs.base !== undefined || isCompared(event) ? versionsOf(step) : {};
  return { suite, services, policy, shards, profile, budget, out, inputChanges: step.inputChanges, ...base };
}

function mergeFlags(step: StepContext): MergeFlags {
  const { event, inputs, out } = step;
  return {
    // The artifacts are downloaded to a folder of the workspace, regardless of `directory`.
    runs: inputs.runs === undefined ? undefined : resolve(inputs.runs),
    plan: inputs.plan,
    failOn: inputs['fail-on'],
    allowLost: true,
    judge: true,
    head: isCompared(event) ? event.headSha : undefined,
    pullRequest: pullRequestOf(step),
    commentId: commentId(step),
    ...storedFlags(step),
    out: join(out, RUN_FILE),
  };
}

/** Pull request whose label may accept a regression; reading it needs a token. */
function pullRequestOf({ event, inputs, host }: StepContext): string | undefined {
  const number = isCompared(event) ? event.number : undefined;
  return number === undefined || inputs.token === undefined ? undefined : `${host.owner}/${host.repository}#${number}`;
}

/** Seed of a job: deterministic, not user-controlled, and different if the job is run again. */
function seedFor({ event, inputs: { shard }, host }: StepContext): number {
  const { owner, repository, runId, attempt, job, step } = host;
  const head = 'headSha' in event ? event.headSha : '';
  const share = shard === undefined ? [] : [`${shard.index}/${shard.of}`];
  return (seedOf(...[owner, repository, runId, attempt, job, step, head, ...share]) % (2 ** 31 - 1)) + 1;
}

export function commentFlags({ event, inputs, host }: Omit<StepContext, 'out'>): CommentFlags {
  return {
    comment: inputs.comment ?? 'auto',
    commentId: commentId({ inputs, host }),
    runUrl: host.runUrl(event.kind === 'workflow-run' ? event.runId : host.runId),
    workflow: event.kind === 'workflow-run' ? inputs.workflow : host.workflow,
  };
}

/** ID that distinguishes the comments and check runs of several jobs. */
export function commentId({ inputs, host }: Pick<StepContext, 'inputs' | 'host'>): string {
  return inputs['comment-id'] ?? host.job;
}

function commandFlags({ event, inputs, host }: StepContext): CommandFlags {
  const of = { repository: `${host.owner}/${host.repository}`, workflow: inputs.workflow ?? USUAL_WORKFLOW };
  if (event.kind === 'remark') {
    const { number, by, commentId: id, body } = event;
    return { ...of, number, by, comment: { id, body } };
  }
  if (event.kind === 'pull-request' && event.labeled !== undefined) {
    return { ...of, number: event.number, by: event.labeled.by, label: event.labeled.name };
  }
  throw new ConfigError(
    'this event is neither a comment on a pull request nor a new label, so there is no command to read',
    {
      code: 'WG-504',
      next: 'Use `args: github command` under `on: issue_comment`, or `on: { pull_request: { types: [labeled] } }`.',
    },
  );
}

/** Flags for the comment on a pull request that another workflow measured. */
function forkCommentFlags(step: StepContext): PublishForkCommentFlags {
  const { event, inputs, host } = step;
  if (event.kind !== 'workflow-run' || event.event !== 'pull_request') {
    throw new ConfigError('there is no comment to write: no workflow has measured a pull request', {
      code: 'WG-504',
      next: 'Use `mode: comment` under `on: workflow_run`, for runs whose event is `pull_request`.',
    });
  }
  return {
    ...commentFlags(step),
    ...storedFlags(step),
    repository: `${host.owner}/${host.repository}`,
    workflowRun: event.runId,
    headSha: event.headSha,
    conclusion: event.conclusion,
    ran: { ended: event.path.split('@')[0] ?? '', required: inputs.workflow ?? USUAL_WORKFLOW },
    failOn: inputs['fail-on'],
    ...(inputs['check-run'] === true && { check: `Wiregauge: ${commentId(step)}` }),
    artifact: inputs.artifact ?? USUAL_ARTIFACT,
    policy: inputs.policy,
    suite: inputs.suite,
    services: inputs.services,
    operations: inputs.operations,
  };
}
