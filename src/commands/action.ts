import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { WorkflowHost } from '../app/workflow-host.ts';
import { type GithubEvent, githubEvent } from '../core/github-event.ts';
import { seedOf } from '../core/random.ts';
import { judgeRun } from '../core/verdict/judge.ts';
import { annotationsOf } from '../reports/annotations.ts';
import { REPORTS } from '../reports/index.ts';
import { type ActionMode, commandFor } from './action-command.ts';
import { comparisonOutputs } from './action-outputs.ts';
import { runCommandLine } from './program.ts';
import type { Comparison } from './publish-comment.ts';
import { readComparison } from './read.ts';

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
  useToken(host);
  const exitCode = await runCommandLine([...argv, ...extraFlags(host, event, mode)]);
  host.output('exit-code', String(exitCode));
  for (const [name, file] of Object.entries(LEFT)) {
    if (existsSync(join(out, file))) {
      host.output(name, join(out, file));
    }
  }
  if (mode === 'compare') {
    await tell(host, event, out);
  }
  return exitCode;
}

/** Outputs that are paths. */
const LEFT = { run: 'run.json', report: 'report.md', html: 'report.html' };

/** The commands find it where any other program does. */
function useToken({ inputs, conceal }: WorkflowHost): void {
  const token = inputs.get('token');
  if (token !== undefined) {
    conceal(token);
    process.env['GITHUB_TOKEN'] = token;
  }
}

/** What the job knows and no input says. */
function extraFlags(host: WorkflowHost, event: GithubEvent, mode: ActionMode): readonly string[] {
  const { owner, repository, runId, attempt, step } = host;
  const names = [owner, repository, runId, attempt, host.job, step, 'headSha' in event ? event.headSha : ''];
  // Known to anyone, chosen by nobody: a job that is run again draws anew.
  const seed = `--seed=${(seedOf(...names) % (2 ** 31 - 1)) + 1}`;
  if (mode === 'comment') {
    return commentFlags(host, event);
  }
  const isPullRequest = mode === 'compare' && event.kind === 'pull-request' && host.inputs.has('token');
  return isPullRequest ? [seed, `--pull-request=${owner}/${repository}#${event.number}`] : [seed];
}

function commentFlags({ inputs, job, runId, runUrl }: WorkflowHost, event: GithubEvent): readonly string[] {
  return [
    `--comment=${inputs.get('comment') ?? 'auto'}`,
    `--comment-id=${inputs.get('comment-id') ?? job}`,
    `--run-url=${runUrl(event.kind === 'workflow-run' ? event.runId : runId)}`,
  ];
}

async function tell(host: WorkflowHost, event: GithubEvent, out: string): Promise<void> {
  const compared = comparisonIn(out);
  if (compared === undefined) {
    host.annotate({ level: 'error', title: 'Wiregauge', message: 'Nothing was measured; the log says why.' });
    return;
  }
  const { run, result } = compared;
  for (const [name, value] of Object.entries(comparisonOutputs(run, result))) {
    host.output(name, value);
  }
  for (const annotation of annotationsOf(run, result)) {
    host.annotate(annotation);
  }
  await host.summary(REPORTS.markdown({ run, against: undefined, compared: result }));
  await comment(host, event, out);
}

/** Undefined where nothing was measured, or where what was written cannot be read. */
function comparisonIn(out: string): Comparison | undefined {
  try {
    const run = readComparison(join(out, LEFT.run));
    return { run, result: judgeRun(run) };
  } catch {
    return undefined;
  }
}

/** A comment that cannot be written is told and fails nothing: the verdict stands in the log and the summary. */
async function comment(host: WorkflowHost, event: GithubEvent, out: string): Promise<void> {
  const { owner, repository, inputs } = host;
  if (event.kind !== 'pull-request' || inputs.get('comment') === 'never' || !inputs.has('token')) {
    return;
  }
  const exitCode = await runCommandLine([
    'publish-comment',
    join(out, 'run.json'),
    `--pull-request=${owner}/${repository}#${event.number}`,
    ...commentFlags(host, event),
  ]);
  if (exitCode !== 0) {
    const message = 'The comment could not be written; the log says why, and the summary has the report.';
    host.annotate({ level: 'warning', title: 'Wiregauge', message });
  }
}
