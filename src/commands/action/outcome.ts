import { KnownError, messageOf, withFallback } from '../../foundation/errors.ts';
import type { GithubEvent } from '../../github/event.ts';
import type { WorkflowHost } from '../../github/host/workflow-host.ts';
import { printLine } from '../../host/terminal/output.ts';
import { evidenceIn } from '../../judge/verdict/finding.ts';
import type { JudgedRun } from '../../judge/verdict/judge.ts';
import { countsSoFar } from '../../measure/instructions/lines.ts';
import { SATURATION } from '../../model/metric.ts';
import type { RunInRounds } from '../../model/run/run.ts';
import { reportFailure } from '../program/failure.ts';
import { putCheck } from '../pull-request/check.ts';
import { commentOn, commentPending, gitHubOf } from '../pull-request/comment.ts';
import { type ComparisonEnd, sharedHead, type Verdict, verdictOf, verdictPage } from '../pull-request/verdict.ts';
import type { StepInputs } from './inputs.ts';
import { commentFlags, commentId, isCompared, type StepContext } from './job.ts';

/** Step whose comparison has ended; canceled if it has neither a judgment nor an error. */
interface EndedStep extends Pick<StepContext, 'event' | 'inputs'>, ComparisonEnd {
  /** Page of the artifact. */
  readonly reportUrl: string | undefined;
  /** True if the result must not replace an earlier verdict. */
  readonly isCancelled?: boolean;
}

type PullRequest = Extract<GithubEvent, { kind: 'pull-request' }>;

/**
 * Reports the result of a comparison: outputs, annotations, the summary, the comment and the check run show one verdict. Without a comment, that of
 * an earlier commit would seem to apply. Returns the exit code.
 */
export async function reportComparison(host: WorkflowHost, step: EndedStep): Promise<number> {
  const { event, inputs, judged, thrown, reportUrl, isCancelled = false } = step;
  if (judged === undefined && thrown === undefined) {
    host.output('outcome', 'incomplete');
    host.annotate({ level: 'error', title: 'Wiregauge', message: 'Nothing was measured; see the log for the reason.' });
    return 2;
  }
  const head = isCompared(event) ? event.headSha : undefined;
  const ended = { judged, thrown: thrown ?? sharedHead(await pullRequestsOf(host, step)) };
  const verdict = verdictOf(ended, { head, failOn: inputs['fail-on'] });
  const { outcome, exitCode } = verdict;
  const outputs = verdict.judged === undefined ? { outcome } : comparisonOutputs(verdict.judged);
  for (const [name, value] of Object.entries(outputs)) {
    host.output(name, value);
  }
  const { policy, shard } = inputs;
  const page = verdictPage(verdict, { reportUrl, policy });
  // A shard writes none: the job that merges the shards reports them once.
  for (const annotation of shard === undefined ? page.annotations : []) {
    host.annotate(annotation);
  }
  await host.summary(page.summary);
  if (isCancelled) {
    return exitCode;
  }
  await reportInComment(host, step, verdict);
  if (inputs['check-run'] === true && shard === undefined && (judged ?? head) !== undefined) {
    const flags = {
      repository: `${host.owner}/${host.repository}`,
      name: `Wiregauge: ${commentId({ inputs, host })}`,
      // The commit of the event, even if another one was measured.
      headSha: head ?? host.sha,
      runUrl: host.runUrl(host.runId),
    };
    await trying(host, 'check run', async () => await putCheck(verdict, flags, page));
  }
  return exitCode;
}

async function reportInComment(
  host: WorkflowHost,
  { event, inputs, reportUrl }: EndedStep,
  verdict: Verdict,
): Promise<void> {
  if (event.kind !== 'pull-request' || !isCommenting(inputs)) {
    return;
  }
  if (verdict.judged === undefined && (await hasMovedOn(host, event))) {
    printLine(`no comment: pull request #${event.number} is closed, or has another head now`);
    return;
  }
  const flags = { ...commentFlags({ event, inputs, host }), reportUrl };
  await trying(host, 'comment', async () => await commentOn(verdict, pullRequestOf(host, event), flags));
}

/** True if the pull request is closed or has a newer head: a push cancels a measurement, but not the job that judges it. */
async function hasMovedOn({ owner, repository }: WorkflowHost, event: PullRequest): Promise<boolean> {
  const hasMoved = async () => {
    const { isOpen, headSha } = await gitHubOf(`${owner}/${repository}`, printLine).pullRequest(event.number);
    return !isOpen || headSha !== event.headSha;
  };
  return await withFallback(hasMoved, () => false);
}

/** Numbers of the open pull requests with the judged head; none for a shard. A refusal by GitHub is only a warning. */
async function pullRequestsOf(
  { owner, repository, annotate }: WorkflowHost,
  { event, inputs, judged }: EndedStep,
): Promise<readonly number[]> {
  if (event.kind !== 'pull-request' || judged === undefined || !inputs.token || inputs.shard !== undefined) {
    return [];
  }
  const { number, headSha } = event;
  const numbers = async (): Promise<readonly number[]> => {
    const open = await gitHubOf(`${owner}/${repository}`, printLine).openPullRequests(headSha);
    return [...new Set([number, ...open.map((one) => one.number)])];
  };
  return await withFallback(numbers, ({ message: why }) => {
    const message = `It is unknown whether another pull request has this head: ${why}`;
    annotate({ level: 'warning', title: 'Wiregauge', message });
    return [];
  });
}

/**
 * Marks the comment of an earlier commit as outdated before measuring. Once instructions are counted, the comment shows them, and is created if
 * they regressed.
 */
export async function reportPending(
  host: WorkflowHost,
  { event, inputs }: Pick<StepContext, 'event' | 'inputs'>,
  run?: RunInRounds,
): Promise<void> {
  if (event.kind !== 'pull-request' || !isCommenting(inputs)) {
    return;
  }
  try {
    if (run === undefined || !(await hasMovedOn(host, event))) {
      const flags = commentFlags({ event, inputs, host });
      await commentPending(event.headSha, pullRequestOf(host, event), flags, run && countsSoFar(run));
    }
  } catch (thrown) {
    // A failed note does not end the comparison.
    if (run === undefined && !(thrown instanceof KnownError)) {
      throw thrown;
    }
    // The comment at the end will fail for the same reason, and warns of it.
    printLine(`the comment of an earlier commit was not updated: ${messageOf(thrown)}`);
  }
}

function isCommenting({ token, comment, shard }: StepInputs): boolean {
  const isRequested = comment === 'always' || comment === 'on-change';
  return token !== undefined && comment !== 'never' && (shard === undefined || isRequested);
}

function pullRequestOf({ owner, repository }: WorkflowHost, { number }: PullRequest) {
  return { repository: `${owner}/${repository}`, number };
}

/** Reports a failed write, which changes nothing else: the verdict is in the log and the summary. */
async function trying(host: WorkflowHost, what: string, write: () => Promise<void>): Promise<void> {
  try {
    await write();
  } catch (thrown) {
    reportFailure(thrown);
    const next = (thrown instanceof KnownError ? thrown.next : undefined) ?? '';
    const message = `The ${what} could not be written: ${messageOf(thrown)} ${next}`.trim();
    host.annotate({ level: 'warning', title: 'Wiregauge', message });
  }
}

/** Outputs of a comparison for later steps of a workflow, as in action.yml. */
export function comparisonOutputs({ run, result }: JudgedRun): Readonly<Record<string, string>> {
  const { answers, outcome, identical = [] } = result;
  const regressions = answers.flatMap((answer) => {
    if (answer.by !== 'change' || !answer.fails) {
      return [];
    }
    const { cell, metric, change } = answer.of;
    const { service, operation, tier } = cell;
    return [{ service, operation, tier, metric, change: change.estimate, low: change.low, high: change.high }];
  });
  const detectable = evidenceIn(result, 'change')
    .filter(({ metric, cell }) => metric === 'cpuMicrosPerRequest' && cell.tier === SATURATION)
    .map((finding) => finding.detectable ?? Number.NaN);
  // Value of the noisiest service, which all services meet.
  const most = evidenceIn(result, 'loss').some(({ reason }) => reason === 'shard-lost')
    ? Number.NaN
    : Math.max(...detectable);
  return {
    outcome,
    regressions: JSON.stringify(regressions),
    detectable: Number.isFinite(most) ? (100 * most).toFixed(1) : '',
    identical: JSON.stringify(identical),
    minutes: (run.spent.totalSeconds / 60).toFixed(1),
  };
}
