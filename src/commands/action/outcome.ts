import { KnownError, messageOf } from '../../foundation/index.ts';
import type { WorkflowHost } from '../../github/host/index.ts';
import type { GithubEvent } from '../../github/index.ts';
import {
  type ComparisonResult,
  type Finding,
  isRegression,
  type JudgedRun,
  type Uncompared,
} from '../../judge/index.ts';
import { type RunInRounds, SATURATION } from '../../model/index.ts';
import { configPlaces } from '../../project/index.ts';
import { annotationsOf, comparisonSummary } from '../../report/index.ts';
import { tellFailure } from '../program/failure.ts';
import { checkRunOf } from '../pull-request/check.ts';
import { commentOn } from '../pull-request/comment.ts';
import type { StepInputs } from './inputs.ts';
import { commentFlags, commentId } from './job.ts';

/** A step whose comparison was judged. */
export interface JudgedStep {
  readonly event: GithubEvent;
  readonly inputs: StepInputs;
  /** run.json. */
  readonly file: string;
  readonly judged: JudgedRun;
  /** Page of the artifact. */
  readonly reportUrl: string | undefined;
  readonly isCancelled: boolean;
}

/** Tells what a comparison came to: outputs, annotations, the summary, the comment and the check run are views of one judgement. */
export async function tellComparison(host: WorkflowHost, step: JudgedStep): Promise<void> {
  const { inputs, judged, reportUrl, isCancelled } = step;
  const { run, result } = judged;
  for (const [name, value] of Object.entries(comparisonOutputs(run, result))) {
    host.output(name, value);
  }
  // What one shard found is the merging job's to tell, once and for all shards.
  const isShard = run.rounds.shards?.kind === 'shard';
  for (const annotation of isShard ? [] : annotationsOf(run, result, configPlaces(process.cwd(), run, inputs.policy))) {
    host.annotate(annotation);
  }
  await host.summary(comparisonSummary(run, result, reportUrl));
  if (!isCancelled) {
    await tellPullRequest(host, step, isShard);
  }
}

async function tellPullRequest(host: WorkflowHost, step: JudgedStep, isShard: boolean): Promise<void> {
  const { comment } = step.inputs;
  if (!isShard || comment === 'always' || comment === 'on-change') {
    await writeComment(host, step);
  }
  if (step.inputs['check-run'] === true && !isShard) {
    await writeCheckRun(host, step);
  }
}

/** A comment that cannot be written is told and fails nothing: the verdict stands in the log and the summary. */
async function writeComment(host: WorkflowHost, { event, inputs, judged, reportUrl }: JudgedStep): Promise<void> {
  if (event.kind !== 'pull-request' || inputs.comment === 'never' || inputs.token === undefined) {
    return;
  }
  try {
    const pullRequest = `${host.owner}/${host.repository}#${event.number}`;
    await commentOn(judged, { ...commentFlags({ event, inputs, host, out: '' }), pullRequest, reportUrl });
  } catch (thrown) {
    tellFailure(thrown);
    const message = 'The comment could not be written; see the log for the reason, and the summary for the report.';
    host.annotate({ level: 'warning', title: 'Wiregauge', message });
  }
}

/** A check run that cannot be written is told and fails nothing. */
export async function writeCheckRun(
  host: WorkflowHost,
  { inputs, judged, file, reportUrl }: Pick<JudgedStep, 'inputs' | 'judged' | 'file' | 'reportUrl'>,
): Promise<void> {
  const { owner, repository, runId, runUrl } = host;
  try {
    await checkRunOf(judged, file, {
      repository: `${owner}/${repository}`,
      name: `Wiregauge: ${commentId({ inputs, host })}`,
      runUrl: runUrl(runId),
      reportUrl,
      failOn: inputs['fail-on'],
      policy: inputs.policy,
    });
  } catch (thrown) {
    const next = (thrown instanceof KnownError ? thrown.next : undefined) ?? '';
    const message = `The check run could not be written: ${messageOf(thrown)} ${next}`.trim();
    host.annotate({ level: 'warning', title: 'Wiregauge', message });
  }
}

/** What later steps of a workflow can build on: the outputs of action.yml that come from a comparison. */
export function comparisonOutputs(run: RunInRounds, result: ComparisonResult): Readonly<Record<string, string>> {
  return {
    outcome: result.outcome,
    regressions: JSON.stringify(result.findings.filter(isFailing).map(regressionOf)),
    detectable: result.uncompared.some(isOfLostShard) ? '' : detectableText(result.findings),
    minutes: (run.spent.totalSeconds / 60).toFixed(1),
  };
}

/** What it would have shown is not known. */
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

/** Of the least quiet service, so that it holds for all; in per cent. */
function detectableText(findings: readonly Finding[]): string {
  const seen = findings
    .filter(({ metric, cell }) => metric === 'cpuMicrosPerRequest' && cell.tier === SATURATION)
    .map(({ detectable }) => detectable);
  const isKnown = seen.length > 0 && seen.every((share) => share !== undefined);
  return isKnown ? (100 * Math.max(...seen)).toFixed(1) : '';
}
