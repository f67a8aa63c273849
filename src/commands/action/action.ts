import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ifPossible } from '../../foundation/errors.ts';
import { type GithubEvent, githubEvent } from '../../github/event.ts';
import type { WorkflowHost } from '../../github/host/workflow-host.ts';
import { writeInto } from '../../host/files/output.ts';
import { readText } from '../../host/files/reader.ts';
import { INTERRUPTED } from '../../host/signals.ts';
import { printLine } from '../../host/terminal/output.ts';
import { keepToken } from '../../host/workflow.ts';
import type { ComparisonResult } from '../../judge/verdict/finding.ts';
import { type JudgedRun, judgedRun } from '../../judge/verdict/judge.ts';
import { isInRounds } from '../../model/run/comparison.ts';
import { CAUSE_FILE, formatCause } from '../../report/comment/unjudged.ts';
import { markdownLink } from '../../report/render/markdown.ts';
import { anchorFor, NO_ANCHOR } from '../measure/anchored.ts';
import { calibrate, plantSlowdown } from '../measure/calibrate.ts';
import { compare } from '../measure/compare.ts';
import { run } from '../measure/run.ts';
import { reportFailure } from '../program/failure.ts';
import { runCommentCommand } from '../pull-request/command.ts';
import { GIVE_TOKEN } from '../pull-request/comment.ts';
import { forkComment } from '../pull-request/fork-comment.ts';
import { downloadMeasured } from '../pull-request/measured.ts';
import { unjudgedBy } from '../pull-request/verdict.ts';
import { merge } from '../runs/merge.ts';
import { PLAN_FILE, plan, SHARDS_FILE } from '../runs/plan.ts';
import type { CommandEnd } from '../runs/report.ts';
import { readVersions } from '../runs/run-files.ts';
import { rememberResults, uploadFolder } from './artifact.ts';
import { heldInputs } from './base-inputs.ts';
import { installCounter } from './counter.ts';
import { directoryIn, readInputs, stepInputs } from './inputs.ts';
import { type ActionJob, jobOf, type StepContext } from './job.ts';
import { reportComparison, reportPending } from './outcome.ts';
import { publishResults } from './publish.ts';

/**
 * Runs a step of a workflow: selects the command by the event and the inputs, and reports the outcome in the log, the summary, the outputs and the
 * pull request. Returns the exit code of the step.
 */
export async function action(host: WorkflowHost): Promise<number> {
  const event = githubEvent(host.eventName, host.payload);
  const out = join(host.temporaryFolder, 'wiregauge', host.step);
  // Results of an earlier attempt must not be taken for this one's.
  await Promise.all([out, `${out}-measured`].map((folder) => rm(folder, { recursive: true, force: true })));
  using _token = useToken(host, event);
  // Anyone who knows the address of a webhook can write to it.
  const address = host.inputs.get('alert-webhook');
  if (address !== undefined) {
    host.conceal(address);
  }
  const readable = readInputs(host.inputs);
  for (const [former, current] of readable.changes) {
    host.annotate({ level: 'warning', title: 'Wiregauge', message: `\`${former}\` is now \`${current}\`` });
  }
  let step: Step;
  try {
    const { inputs, inputChanges } = await heldInputs(stepInputs(host.inputs), { event, host });
    step = { event, inputs, job: jobOf({ event, inputs, inputChanges, host, out }), out };
    // Everything from here on is done in this folder.
    if (inputs.directory !== undefined) {
      process.chdir(directoryIn(process.cwd(), inputs.directory));
    }
  } catch (thrown) {
    // Unreadable inputs are reported like any other reason for which the commit is not judged.
    const exitCode = reportFailure(thrown);
    host.output('exit-code', String(exitCode));
    await reportComparison(host, { event, inputs: readable.inputs, thrown, reportUrl: undefined });
    return exitCode;
  }
  try {
    return await take(host, step);
  } catch (thrown) {
    // A build may have written an outcome of its own into the file of the outputs, and the last one counts.
    host.output('outcome', 'incomplete');
    throw thrown;
  }
}

interface Step extends Pick<StepContext, 'event' | 'inputs' | 'out'> {
  readonly job: ActionJob;
}

async function take(host: WorkflowHost, step: Step): Promise<number> {
  const { event, inputs, job, out } = step;
  if (job.mode === 'anchor' && (await anchorFor(process.cwd(), job.flags.head)) === undefined) {
    return collecting(host);
  }
  const isUploaded = inputs.upload !== false && UPLOADS.has(job.mode);
  if (isUploaded) {
    rememberResults(host, out);
  }
  if (job.mode === 'compare') {
    await reportPending(host, { event, inputs });
  }
  const installed = inputs.valgrind === 'never' ? undefined : await installCounter(job);
  if (installed !== undefined) {
    printLine(installed);
  }
  const measured = await perform(host, step);
  if (measured.thrown !== undefined && isUploaded && COMPARING.has(job.mode)) {
    await writeInto(out, CAUSE_FILE, formatCause(unjudgedBy(measured.thrown, undefined)));
  }
  for (const [name, file] of Object.entries(LEFT)) {
    if (existsSync(join(out, file))) {
      host.output(name, join(out, file));
    }
  }
  // Before the outcome, which links to it.
  const reportUrl = isUploaded ? await uploadFolder(host, out) : undefined;
  const reported = await reportOutcome(host, { ...step, measured, reportUrl });
  const ended = { ...measured, exitCode: measured.exitCode || reported };
  host.output('exit-code', String(ended.exitCode));
  return await publishResults(host, { ...step, measured: ended, reportUrl });
}

/** Ends a step that has no anchor yet, which is not an error. */
function collecting(host: WorkflowHost): number {
  const message = `Nothing was compared: there is no release tag before this commit, and no pinned commit. ${NO_ANCHOR} The job needs the tags of the repository: set \`fetch-depth: 0\` for actions/checkout.`;
  host.annotate({ level: 'notice', title: 'Wiregauge', message });
  host.output('outcome', '');
  host.output('exit-code', '0');
  return 0;
}

const COMPARING = new Set<ActionJob['mode']>(['compare', 'anchor', 'merge']);

const UPLOADS = new Set<ActionJob['mode']>(['compare', 'run', 'anchor', 'merge', 'calibrate', 'plant']);

interface JobEnd extends CommandEnd {
  readonly thrown?: unknown;
  /** Outcome of a comparison that another workflow measured. */
  readonly outcome?: ComparisonResult['outcome'] | undefined;
}

/** Runs the job. An error is printed as in a terminal and becomes the exit code. */
async function perform(host: WorkflowHost, { event, inputs, job, out }: Step): Promise<JobEnd> {
  try {
    switch (job.mode) {
      case 'compare':
        return await compare({ ...job.flags, onCounts: (run) => reportPending(host, { event, inputs }, run) });
      case 'anchor':
        return await compare(job.flags);
      case 'run':
        return await run(job.flags);
      case 'merge':
        return await merge([], {
          ...job.flags,
          runs: job.flags.runs ?? (await downloadMeasured(host, { artifact: inputs.artifact, to: `${out}-measured` })),
        });
      case 'calibrate':
        return { exitCode: await calibrate(job.flags) };
      case 'plant':
        return await plantSlowdown(job.flags);
      case 'plan':
        await plan(job.flags);
        return { exitCode: 0 };
      case 'comment':
        return await forkComment(job.flags);
      case 'command':
        await runCommentCommand(job.flags, printLine);
        return { exitCode: 0 };
    }
  } catch (thrown) {
    return { exitCode: reportFailure(thrown), thrown };
  }
}

/** Outputs that are paths. */
const LEFT = { run: 'run.json', report: 'report.md', html: 'report.html' };

/** Exit code of the verdict, if there is one; `reportUrl` is the page of the artifact. */
async function reportOutcome(
  host: WorkflowHost,
  step: Step & { readonly measured: JobEnd; readonly reportUrl: string | undefined },
): Promise<number> {
  const { event, inputs, job, out, measured, reportUrl } = step;
  switch (job.mode) {
    case 'compare':
    case 'anchor':
    case 'merge': {
      const { thrown, exitCode } = measured;
      const judged = judgedIn(measured, join(out, LEFT.run));
      const page = existsSync(join(out, LEFT.html)) ? reportUrl : undefined;
      const isCancelled = exitCode === INTERRUPTED;
      return await reportComparison(host, { event, inputs, judged, thrown, reportUrl: page, isCancelled });
    }
    case 'comment':
      host.output('outcome', measured.outcome ?? 'incomplete');
      return 0;
    default:
      // Empty, or an outcome that a build has written into the file of the outputs would count.
      host.output('outcome', '');
      // For `strategy: matrix:` of a later job, and for the one that merges.
      for (const [name, file] of Object.entries({ matrix: PLAN_FILE, plan: SHARDS_FILE })) {
        if (existsSync(join(out, file))) {
          host.output(name, readText(join(out, file), '').trim());
        }
      }
      await summarize(host, join(out, LEFT.report), reportUrl);
      return 0;
  }
}

/** Verdict of the command; if it failed halfway, that of the results so far. */
function judgedIn({ written }: CommandEnd, file: string): JudgedRun | undefined {
  if (written !== undefined) {
    const { run, compared } = written.judgment;
    return compared !== undefined && isInRounds(run) ? { run, result: compared } : undefined;
  }
  return ifPossible(() => judgedRun(readVersions(file)));
}

async function summarize(host: WorkflowHost, report: string, reportUrl: string | undefined): Promise<void> {
  if (existsSync(report)) {
    const link = markdownLink('the artifact', reportUrl);
    const page = link === undefined ? '' : `The page with charts is in ${link}.\n\n`;
    await host.summary(`${readText(report, '')}${page}`);
  }
}

/** Makes the token available to commands, but not to the programs they start. Warns at once if a pull request has none: there will be no comment. */
function useToken({ inputs, conceal, annotate }: WorkflowHost, event: GithubEvent): Disposable {
  const token = inputs.get('token');
  if (token !== undefined) {
    conceal(token);
  } else if (event.kind === 'pull-request' && inputs.get('comment') !== 'never') {
    const message = `There is no token for GitHub, so no comment will be written: ${GIVE_TOKEN}`;
    annotate({ level: 'warning', title: 'Wiregauge', message });
  }
  return keepToken(token);
}
