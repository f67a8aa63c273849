import { existsSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { seedOf } from '../../foundation/index.ts';
import type { WorkflowHost } from '../../github/index.ts';
import { type GithubEvent, githubEvent } from '../../github/index.ts';
import { INTERRUPTED } from '../../host/index.ts';
import { judgeRun } from '../../judge/index.ts';
import { configPlaces } from '../../project/index.ts';
import { annotationsOf, comparisonSummary, markdownLink } from '../../report/index.ts';
import { runCommandLine } from '../program/program.ts';
import type { CommentedComparison } from '../pull-request/comment.ts';
import { PLAN_FILE } from '../runs/plan.ts';
import { readVersions } from '../runs/read.ts';
import { rememberResults, uploadFolder } from './artifact.ts';
import { type ActionMode, commandFor } from './command.ts';
import { publishResults, publishSetting } from './publish.ts';
import { actionSettings, comparisonOutputs, useToken, writeCheckRun } from './settings.ts';

/**
 * The step of a workflow: does what its event and inputs stand for by the same commands that a terminal has, and tells the outcome in
 * the log, the summary, the outputs and the pull request. Gives the exit code of the step.
 */
export async function action(host: WorkflowHost): Promise<number> {
  const event = githubEvent(host.eventName, host.payload);
  const out = join(host.temporaryFolder, 'wiregauge', host.step);
  // What an earlier attempt left must not be taken for this one's.
  await rm(out, { recursive: true, force: true });
  const repository = `${host.owner}/${host.repository}`;
  const { mode, argv } = commandFor({ event, inputs: host.inputs, repository, out });
  const { uploads, writesCheckRun } = actionSettings(host.inputs);
  publishSetting(host.inputs);
  const isUploaded = uploads && mode !== 'comment' && mode !== 'plan';
  if (isUploaded) {
    rememberResults(host, out);
  }
  useToken(host, event);
  const exitCode = await runCommandLine([...argv, ...extraFlags(host, event, mode)]);
  host.output('exit-code', String(exitCode));
  for (const [name, file] of Object.entries(LEFT)) {
    if (existsSync(join(out, file))) {
      host.output(name, join(out, file));
    }
  }
  // Before the outcome is told, which leads to it.
  const reportUrl = isUploaded ? await uploadFolder(host, out) : undefined;
  if (mode === 'plan') {
    tellMatrix(host, out);
  }
  if (mode === 'compare' || mode === 'merge') {
    await tell(host, { event, out, reportUrl, writesCheckRun, isCancelled: exitCode === INTERRUPTED });
  }
  if (mode === 'run') {
    await summarize(host, out, reportUrl);
  }
  return await publishResults(host, { event, mode, out, exitCode, reportUrl });
}

/** The report of a run on the page of its workflow run. */
async function summarize(host: WorkflowHost, out: string, reportUrl: string | undefined): Promise<void> {
  const file = join(out, LEFT.report);
  if (existsSync(file)) {
    const link = markdownLink('the artifact', reportUrl);
    const where = link === undefined ? '' : `The page with its charts is in ${link}.\n\n`;
    await host.summary(`${readFileSync(file, 'utf8')}${where}`);
  }
}

/** Outputs that are paths. */
const LEFT = { run: 'run.json', report: 'report.md', html: 'report.html' };

/** What the job knows and no input says. */
function extraFlags(host: WorkflowHost, event: GithubEvent, mode: ActionMode): readonly string[] {
  const { owner, repository, runId, attempt, step } = host;
  const shard = host.inputs.get('shard');
  const head = 'headSha' in event ? event.headSha : '';
  const names = [owner, repository, runId, attempt, host.job, step, head, ...(shard === undefined ? [] : [shard])];
  // Known to anyone, chosen by nobody: a job that is run again draws anew.
  const seed = `--seed=${(seedOf(...names) % (2 ** 31 - 1)) + 1}`;
  if (mode === 'comment') {
    return commentFlags(host, event);
  }
  const judges = mode === 'merge' || (mode === 'compare' && !host.inputs.has('shard'));
  const isPullRequest = judges && event.kind === 'pull-request' && host.inputs.has('token');
  return [
    ...(mode === 'merge' || mode === 'plan' ? [] : [seed]),
    ...(isPullRequest ? [`--pull-request=${owner}/${repository}#${event.number}`] : []),
  ];
}

function commentFlags(host: WorkflowHost, event: GithubEvent): readonly string[] {
  const { inputs, runId, runUrl } = host;
  return [
    `--comment=${inputs.get('comment') ?? 'auto'}`,
    `--comment-id=${idOf(host)}`,
    `--run-url=${runUrl(event.kind === 'workflow-run' ? event.runId : runId)}`,
  ];
}

/** Tells the comments and check runs of several jobs apart. */
function idOf({ inputs, job }: WorkflowHost): string {
  return inputs.get('comment-id') ?? job;
}

/** What there is to tell of. */
interface Told {
  readonly event: GithubEvent;
  readonly out: string;
  /** Of the artifact. */
  readonly reportUrl: string | undefined;
  readonly writesCheckRun: boolean;
  /** What a newer run supersedes must not take the place of an earlier verdict. */
  readonly isCancelled: boolean;
}

/** For `strategy: matrix:` of a later job. */
function tellMatrix(host: WorkflowHost, out: string): void {
  const file = join(out, PLAN_FILE);
  if (existsSync(file)) {
    host.output('matrix', readFileSync(file, 'utf8').trim());
  }
}

async function tell(host: WorkflowHost, told: Told): Promise<void> {
  const { out, reportUrl } = told;
  const compared = comparisonIn(out);
  if (compared === undefined) {
    host.annotate({ level: 'error', title: 'Wiregauge', message: 'Nothing was measured; the log says why.' });
    return;
  }
  const { run, result } = compared;
  for (const [name, value] of Object.entries(comparisonOutputs(run, result))) {
    host.output(name, value);
  }
  // What one shard found is the merging job's to tell, once and for all shards.
  const isShard = run.rounds.shards?.kind === 'shard';
  for (const annotation of isShard
    ? []
    : annotationsOf(run, result, configPlaces(process.cwd(), run, host.inputs.get('policy')))) {
    host.annotate(annotation);
  }
  await host.summary(comparisonSummary(run, result, reportUrl));
  if (!told.isCancelled) {
    await tellPullRequest(host, told, isShard);
  }
}

async function tellPullRequest(host: WorkflowHost, told: Told, isShard: boolean): Promise<void> {
  if (!isShard || ASKED_FOR.has(host.inputs.get('comment') ?? '')) {
    await comment(host, told);
  }
  if (told.writesCheckRun && !isShard) {
    await writeCheckRun(host, { file: join(told.out, LEFT.run), id: idOf(host), reportUrl: told.reportUrl });
  }
}

/** Ways of a comment that are never the usual one. */
const ASKED_FOR: ReadonlySet<string> = new Set(['always', 'on-change']);

/** Undefined where nothing was measured, or where what was written cannot be read. */
function comparisonIn(out: string): CommentedComparison | undefined {
  try {
    const run = readVersions(join(out, LEFT.run));
    return { run, result: judgeRun(run) };
  } catch {
    return undefined;
  }
}

/** A comment that cannot be written is told and fails nothing: the verdict stands in the log and the summary. */
async function comment(host: WorkflowHost, { event, out, reportUrl }: Told): Promise<void> {
  const { owner, repository, inputs } = host;
  if (event.kind !== 'pull-request' || inputs.get('comment') === 'never' || !inputs.has('token')) {
    return;
  }
  const exitCode = await runCommandLine([
    'publish-comment',
    join(out, 'run.json'),
    `--pull-request=${owner}/${repository}#${event.number}`,
    ...commentFlags(host, event),
    ...(reportUrl === undefined ? [] : [`--report-url=${reportUrl}`]),
  ]);
  if (exitCode !== 0) {
    const message = 'The comment could not be written; the log says why, and the summary has the report.';
    host.annotate({ level: 'warning', title: 'Wiregauge', message });
  }
}
