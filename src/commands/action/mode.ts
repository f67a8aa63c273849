import { ConfigError } from '../../foundation/errors.ts';
import { documentAddress } from '../../foundation/text.ts';
import type { GithubEvent } from '../../github/event.ts';
import type { ActionMode, StepInputs } from './inputs.ts';

/** Mode of a step. Throws ConfigError for an event without a mode, and for one that must not run code. */
export function modeOf({ event, inputs }: { readonly event: GithubEvent; readonly inputs: StepInputs }): ActionMode {
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
