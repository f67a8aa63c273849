import { join } from 'node:path';
import type { GithubEvent } from '../../github/event.ts';
import type { WorkflowHost } from '../../github/host/workflow-host.ts';
import { checkoutRoot } from '../../host/git/repository.ts';
import { RUN_FILE } from '../../measure/trial/keep.ts';
import { pagesUrl, USUAL_PLACE } from '../history/place.ts';
import { publishMeasured } from '../history/publish.ts';
import { reportFailure } from '../program/failure.ts';
import type { CommandEnd } from '../runs/report.ts';
import type { StepInputs } from './inputs.ts';
import type { ActionJob, StepContext } from './job.ts';

interface MeasuredStep extends Pick<StepContext, 'event' | 'inputs' | 'out'> {
  readonly job: Pick<ActionJob, 'mode'>;
  readonly measured: CommandEnd;
  /** Page of the artifact. */
  readonly reportUrl: string | undefined;
}

/**
 * True if the result of an event enters the history: by default only a push to the default branch, and a plant on a schedule, which runs there;
 * never a pull request or a fork.
 */
export function isPublished(
  event: GithubEvent,
  setting: NonNullable<StepInputs['publish']>,
  mode: ActionJob['mode'] = 'run',
): boolean {
  if (setting === 'never') {
    return false;
  }
  if (event.kind === 'push') {
    return setting === 'always' || event.isDefaultBranch;
  }
  const isUsual = mode === 'plant' && event.kind === 'by-schedule';
  return isUsual || (setting === 'always' && (event.kind === 'by-hand' || event.kind === 'by-schedule'));
}

/**
 * Publishes the run of a step, and creates the branch if it is missing. A read-only token is a warning unless publishing was requested. Returns the
 * exit code of the step.
 */
export async function publishResults(host: WorkflowHost, step: MeasuredStep): Promise<number> {
  const { event, inputs, out, measured, reportUrl } = step;
  const { exitCode, written } = measured;
  const { mode } = step.job;
  const { publish: setting = 'auto', shard, 'alert-webhook': alertAddress, 'alert-format': format } = inputs;
  const isWhole = MEASURING.has(mode) && shard === undefined && exitCode <= 1;
  if (written === undefined || !isWhole || !isPublished(event, setting, mode)) {
    return exitCode;
  }
  if (setting === 'auto' && checkoutRoot(process.cwd()) === undefined) {
    host.annotate({ level: 'warning', title: 'Wiregauge', message: NO_CHECKOUT });
    return exitCode;
  }
  try {
    const { remote, branch, branchFolder: folder } = USUAL_PLACE;
    // A format without an address requests a webhook, too: the missing secret has to be reported.
    const isReported = alertAddress !== undefined || format !== undefined;
    const flags = {
      ...{ remote, branch, folder, createBranch: true, ifAllowed: setting === 'auto' },
      ...(reportUrl !== undefined && { reportUrl }),
      ...{ alertIssue: inputs['alert-issue'], alertAddress, alertWebhook: isReported ? (format ?? 'json') : undefined },
    } as const;
    if ((await publishMeasured({ file: join(out, RUN_FILE), run: written.judgment.run }, flags)) !== 'not-allowed') {
      const { origin } = new URL(host.runUrl(host.runId));
      const url = pagesUrl(`${origin}/${host.owner}/${host.repository}`, folder);
      if (url !== undefined) {
        host.output('history-url', url);
      }
    }
    return exitCode;
  } catch (thrown) {
    return Math.max(exitCode, reportFailure(thrown));
  }
}

/** Warning for a job without a checkout; merging needs none. */
const NO_CHECKOUT =
  'Nothing was published: this job has no checkout, which shows what was measured and where the history is. Add `uses: actions/checkout`, or set `with: { publish: never }`.';

const MEASURING = new Set<ActionJob['mode']>(['run', 'anchor', 'compare', 'merge', 'plant']);
