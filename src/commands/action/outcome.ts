import { KnownError, messageOf } from '../../foundation/errors.ts';
import { openGitHub } from '../../github/api/github.ts';
import type { GithubEvent } from '../../github/event.ts';
import type { WorkflowHost } from '../../github/host/workflow-host.ts';
import { printLine } from '../../host/terminal/output.ts';
import { type Finding, isRegression, type Uncompared } from '../../judge/verdict/finding.ts';
import type { JudgedRun } from '../../judge/verdict/judge.ts';
import { countsSoFar } from '../../measure/instructions/lines.ts';
import { SATURATION } from '../../model/metric.ts';
import type { RunInRounds } from '../../model/run/run.ts';
import { reportFailure } from '../program/failure.ts';
import { putCheck } from '../pull-request/check.ts';
import { access, commentOn, commentPending } from '../pull-request/comment.ts';
import {
  annotationsIn,
  type ComparisonEnd,
  sharedHead,
  summaryOf,
  type Verdict,
  verdictOf,
} from '../pull-request/verdict.ts';
import type { StepInputs } from './inputs.ts';
import { commentFlags, commentId } from './job.ts';

/** A step that is about a comparison. */
interface StepBasis {
  readonly event: GithubEvent;
  readonly inputs: StepInputs;
}

/** A step whose comparison has ended; it was ended from outside if nothing was judged and nothing thrown. */
export interface EndedStep extends StepBasis, ComparisonEnd {
  /** Page of the artifact. */
  readonly reportUrl: string | undefined;
  /** A superseded result must not take the place of an earlier verdict. */
  readonly isCancelled?: boolean;
}

type PullRequest = Extract<GithubEvent, { kind: 'pull-request' }>;

function isCompared(event: GithubEvent): event is PullRequest | Extract<GithubEvent, { kind: 'merge-group' }> {
  return event.kind === 'pull-request' || event.kind === 'merge-group';
}

/**
 * Reports the result of a comparison: outputs, annotations, the summary, the comment and the check run are views of one verdict. Without a
 * comment, that of an earlier commit would be taken for this one's. Returns the exit code.
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
  // The job that merges the shards reports their results, once.
  for (const annotation of inputs.shard === undefined ? annotationsIn(verdict, inputs.policy) : []) {
    host.annotate(annotation);
  }
  await host.summary(summaryOf(verdict, reportUrl));
  if (isCancelled) {
    return exitCode;
  }
  await reportInComment(host, step, verdict);
  if (inputs['check-run'] === true && inputs.shard === undefined && (judged ?? head) !== undefined) {
    await trying(host, 'check run', async () => await writeCheck(host, step, verdict));
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
  const flags = { ...flagsOf(host, { event, inputs }), reportUrl };
  await trying(host, 'comment', async () => await commentOn(verdict, flags));
}

/** True if the pull request is closed or has another head: a push cancels a measurement, but not the job that judges it. */
async function hasMovedOn({ owner, repository: repo }: WorkflowHost, event: PullRequest): Promise<boolean> {
  try {
    const github = openGitHub({ ...access(), owner, repo, log: printLine });
    const { isOpen, headSha } = await github.pullRequest(event.number);
    return !isOpen || headSha !== event.headSha;
  } catch (thrown) {
    if (!(thrown instanceof KnownError)) {
      throw thrown;
    }
    return false;
  }
}

/**
 * Numbers of the open pull requests with the head of a step that judges one. GitHub may refuse the list, which is a warning; a shard has
 * no verdict.
 */
async function pullRequestsOf(
  { owner, repository: repo, annotate }: WorkflowHost,
  { event, inputs, judged }: EndedStep,
): Promise<readonly number[]> {
  if (event.kind !== 'pull-request' || judged === undefined || !inputs.token || inputs.shard !== undefined) {
    return [];
  }
  const { number, headSha } = event;
  try {
    const open = await openGitHub({ ...access(), owner, repo, log: printLine }).openPullRequests(headSha);
    return [...new Set([number, ...open.map((one) => one.number)])];
  } catch (thrown) {
    if (!(thrown instanceof KnownError)) {
      throw thrown;
    }
    const message = `It is unknown whether another pull request has this head: ${thrown.message}`;
    annotate({ level: 'warning', title: 'Wiregauge', message });
    return [];
  }
}

/**
 * Says on the comment of an earlier commit, before anything is measured, that it is not about this one. Once instructions are counted, the
 * comment says what they are, and is created if they regressed.
 */
export async function reportPending(
  host: WorkflowHost,
  { event, inputs }: StepBasis,
  run?: RunInRounds,
): Promise<void> {
  if (event.kind !== 'pull-request' || !isCommenting(inputs)) {
    return;
  }
  try {
    if (run === undefined || !(await hasMovedOn(host, event))) {
      await commentPending(event.headSha, flagsOf(host, { event, inputs }), run && countsSoFar(run));
    }
  } catch (thrown) {
    // No note ends a comparison that runs.
    if (run === undefined && !(thrown instanceof KnownError)) {
      throw thrown;
    }
    // The comment at the end is refused for the same reason, and warns of it.
    printLine(`the comment of an earlier commit was not updated: ${messageOf(thrown)}`);
  }
}

function isCommenting({ token, comment, shard }: StepInputs): boolean {
  const isRequested = comment === 'always' || comment === 'on-change';
  return token !== undefined && comment !== 'never' && (shard === undefined || isRequested);
}

function flagsOf(host: WorkflowHost, { event, inputs }: { event: PullRequest; inputs: StepInputs }) {
  const pullRequest = `${host.owner}/${host.repository}#${event.number}`;
  return { ...commentFlags({ event, inputs, host, out: '' }), pullRequest };
}

/** On the commit of the event and no other, whatever was measured. */
async function writeCheck(
  host: WorkflowHost,
  { event, inputs, reportUrl }: EndedStep,
  verdict: Verdict,
): Promise<void> {
  const { owner, repository, runId, runUrl, sha } = host;
  await putCheck(verdict, {
    repository: `${owner}/${repository}`,
    name: `Wiregauge: ${commentId({ inputs, host })}`,
    headSha: isCompared(event) ? event.headSha : sha,
    runUrl: runUrl(runId),
    reportUrl,
    policy: inputs.policy,
  });
}

/** A failed write is reported and changes nothing: the verdict is in the log and the summary. */
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

/** Outputs for later steps of a workflow: those of action.yml that come from a comparison. */
export function comparisonOutputs({ run, result }: JudgedRun): Readonly<Record<string, string>> {
  return {
    outcome: result.outcome,
    regressions: JSON.stringify(result.findings.filter(isFailing).map(regressionOf)),
    detectable: result.uncompared.some(isOfLostShard) ? '' : detectableText(result.findings),
    identical: JSON.stringify(result.identical ?? []),
    minutes: (run.spent.totalSeconds / 60).toFixed(1),
  };
}

function isOfLostShard({ reason }: Uncompared): boolean {
  return reason === 'shard-lost';
}

function isFailing(finding: Finding): boolean {
  return finding.family === 'gate' && isRegression(finding);
}

function regressionOf({ cell, metric, change }: Finding) {
  const { service, operation, tier } = cell;
  return { service, operation, tier, metric, change: change.estimate, low: change.low, high: change.high };
}

/** Smallest change found in the noisiest service, in percent, so that it applies to all. */
function detectableText(findings: readonly Finding[]): string {
  const seen = findings
    .filter(({ metric, cell }) => metric === 'cpuMicrosPerRequest' && cell.tier === SATURATION)
    .map(({ detectable }) => detectable);
  const isKnown = seen.length > 0 && seen.every((share) => share !== undefined);
  return isKnown ? (100 * Math.max(...seen)).toFixed(1) : '';
}
