import { KnownError, messageOf } from '../../foundation/index.ts';
import type { WorkflowHost } from '../../github/host/index.ts';
import { type GithubEvent, openGitHub } from '../../github/index.ts';
import { printLine } from '../../host/index.ts';
import { type Unjudged, unjudgedSummary } from '../../report/index.ts';
import { tellFailure } from '../program/failure.ts';
import { checkUnjudged } from '../pull-request/check.ts';
import { access } from '../pull-request/comment.ts';
import { commentPending, commentUnjudged, unjudgedBy } from '../pull-request/unjudged.ts';
import type { StepInputs } from './inputs.ts';
import { commentFlags, commentId } from './job.ts';

/** A step that is about a comparison. */
interface StepBasis {
  readonly event: GithubEvent;
  readonly inputs: StepInputs;
}

/** A step whose comparison has no result that can be judged. */
export interface UnjudgedStep extends StepBasis {
  /** Undefined if it was ended from outside. */
  readonly thrown: unknown;
  /** Page of the artifact. */
  readonly reportUrl: string | undefined;
}

type PullRequest = Extract<GithubEvent, { kind: 'pull-request' }>;

/** Events with a base, the check runs of which may be required. */
type ComparedEvent = PullRequest | Extract<GithubEvent, { kind: 'merge-group' }>;

function isCompared(event: GithubEvent): event is ComparedEvent {
  return event.kind === 'pull-request' || event.kind === 'merge-group';
}

/**
 * Tells that nothing was judged, and why: in the output, the summary, the comment and the check run. Without it, the comment of an earlier
 * commit would be taken for this one's. The log and its annotation have the cause already, as a terminal does.
 */
export async function tellUnjudged(host: WorkflowHost, step: UnjudgedStep): Promise<void> {
  const { event, inputs, thrown } = step;
  host.output('outcome', 'incomplete');
  if (thrown === undefined) {
    host.annotate({ level: 'error', title: 'Wiregauge', message: 'Nothing was measured; see the log for the reason.' });
    return;
  }
  const unjudged = unjudgedBy(thrown, isCompared(event) ? event.headSha : undefined);
  await host.summary(unjudgedSummary(unjudged));
  if (!isCompared(event)) {
    return;
  }
  if (event.kind === 'pull-request') {
    await trying(host, 'comment', async () => await writeComment(host, { ...step, event, unjudged }));
  }
  if (inputs['check-run'] === true && inputs.shard === undefined) {
    await trying(host, 'check run', async () => await writeCheck(host, { ...step, event, unjudged }));
  }
}

/** Says on the comment of an earlier commit, before anything is measured, that it is not about this one. */
export async function tellPending(host: WorkflowHost, { event, inputs }: StepBasis): Promise<void> {
  if (event.kind !== 'pull-request' || !isCommenting(inputs)) {
    return;
  }
  try {
    await commentPending(event.headSha, flagsOf(host, { event, inputs }));
  } catch (thrown) {
    if (!(thrown instanceof KnownError)) {
      throw thrown;
    }
    // The comment at the end is refused for the same reason, and warns of it.
    printLine(`the comment of an earlier commit was not updated: ${thrown.message}`);
  }
}

interface Telling<Event> extends UnjudgedStep {
  readonly event: Event & GithubEvent;
  readonly unjudged: Unjudged;
}

async function writeComment(
  host: WorkflowHost,
  { event, inputs, unjudged, reportUrl }: Telling<PullRequest>,
): Promise<void> {
  if (isCommenting(inputs)) {
    await commentUnjudged(unjudged, { ...flagsOf(host, { event, inputs }), reportUrl });
  }
}

/** What one shard cannot tell is told by the job that merges the shards. */
function isCommenting({ token, comment, shard }: StepInputs): boolean {
  const isAsked = comment === 'always' || comment === 'on-change';
  return token !== undefined && comment !== 'never' && (shard === undefined || isAsked);
}

function flagsOf(host: WorkflowHost, { event, inputs }: { event: PullRequest; inputs: StepInputs }) {
  const pullRequest = `${host.owner}/${host.repository}#${event.number}`;
  return { ...commentFlags({ event, inputs, host, out: '' }), pullRequest };
}

async function writeCheck(
  host: WorkflowHost,
  { event, inputs, unjudged, reportUrl }: Telling<ComparedEvent>,
): Promise<void> {
  const { owner, repository, runId, runUrl } = host;
  await checkUnjudged(openGitHub({ ...access(), owner, repo: repository, log: printLine }), unjudged, {
    name: `Wiregauge: ${commentId({ inputs, host })}`,
    headSha: event.headSha,
    detailsUrl: reportUrl ?? runUrl(runId),
  });
}

/** What cannot be written is told and changes nothing: the job fails in any case. */
async function trying(host: WorkflowHost, what: string, write: () => Promise<void>): Promise<void> {
  try {
    await write();
  } catch (thrown) {
    tellFailure(thrown);
    const message = `The ${what} could not be written: ${messageOf(thrown)}`;
    host.annotate({ level: 'warning', title: 'Wiregauge', message });
  }
}
