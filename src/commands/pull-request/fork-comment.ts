import { ConfigError } from '../../foundation/errors.ts';
import type { GitHub } from '../../github/api/github.ts';
import { remarkLog } from '../../host/terminal/output.ts';
import type { ComparisonResult } from '../../judge/verdict/finding.ts';
import { foreignRun } from '../../judge/verdict/foreign-run.ts';
import { judgedRun } from '../../judge/verdict/judge.ts';
import { RUN_FILE } from '../../measure/trial/keep.ts';
import { parseRun, type RunInRounds } from '../../model/run/run.ts';
import { OWN_ROOT } from '../../project/own-root.ts';
import { policyFor } from '../../project/policy.ts';
import { withOperations } from '../../project/selected.ts';
import { readSuite, suiteRoot } from '../../project/suite.ts';
import type { CompareFlags } from '../measure/compare.ts';
import { reportFailure } from '../program/failure.ts';
import { printResult } from '../program/result.ts';
import { NOWHERE, storedTrendOf, withBaseline } from '../runs/against.ts';
import { putCheck } from './check.ts';
import { type CommentFlags, commentOn, gitHubOf } from './comment.ts';
import { labeled } from './label.ts';
import { measuredFiles, NothingMeasured, nothingMeasured } from './measured.ts';
import { type ComparisonEnd, sharedHead, verdictOf } from './verdict.ts';

/** Flags of the comment, and of the comparison that the job made. */
export interface PublishForkCommentFlags
  extends CommentFlags,
    Pick<CompareFlags, 'suite' | 'services' | 'operations' | 'policy' | 'against' | 'baseline' | 'failOn'> {
  /** "owner/name" of the repository that the pull request is for. */
  readonly repository: string;
  /** Workflow run that measured, and its commit, both as GitHub reports them. */
  readonly workflowRun: number;
  readonly headSha: string;
  readonly artifact: string;
  /** Name of the check run on the head; undefined writes none. */
  readonly check?: string | undefined;
  /** Files of the workflow that ran, and of the required one: any user can choose the names of workflows and artifacts. */
  readonly ran?: { readonly ended: string; readonly required: string } | undefined;
  /** Conclusion of that workflow run, if known: "failure". */
  readonly conclusion?: string | undefined;
}

const NOTE =
  "The pull request's own job, which can run any code, measured the figures; they were judged here, by the rules of the default branch.";

/**
 * `wiregauge github fork-comment`: the second stage of a pull request from a fork. Judges the `run.json` that the first stage uploaded, by the
 * policy of this checkout, and writes the comment. Nothing in the artifact is trusted or executed. Returns the outcome and its exit code; no
 * outcome, and 0, if the pull request has a newer head.
 */
export async function forkComment(
  flags: PublishForkCommentFlags,
): Promise<{ readonly exitCode: number; readonly outcome?: ComparisonResult['outcome'] }> {
  const { repository, headSha, failOn, check } = flags;
  const options = { command: 'github fork-comment', json: flags.json };
  const github = gitHubOf(repository, remarkLog(options));
  const numbers = (await github.openPullRequests(headSha)).map(({ number }) => number);
  if (numbers.length === 0) {
    const why = 'no open pull request has this commit as its head: there is nothing to comment on';
    printResult(options, { comment: 'skipped', why }, `${why}\n`);
    return { exitCode: 0 };
  }
  const end = await endOf(github, numbers, flags);
  const { thrown, artifactId } = end;
  const verdict = verdictOf(end, { head: headSha, failOn });
  const isOnlyKept = thrown instanceof NothingMeasured && MEASURING_NOTHING.has(flags.conclusion ?? 'success');
  const links = artifactId && flags.runUrl && { foreignReportUrl: `${flags.runUrl}/artifacts/${artifactId}` };
  const plan = { ...flags, ...links, command: options.command, isOnlyKept };
  const written = [];
  for (const number of numbers) {
    written.push(await tolerating(() => commentOn(verdict, { repository, number }, plan)));
  }
  if (check !== undefined && !isOnlyKept) {
    written.push(await tolerating(() => putCheck(verdict, { ...flags, name: check })));
  }
  if (thrown !== undefined && verdict.unjudged !== undefined && !isOnlyKept) {
    throw thrown;
  }
  return { exitCode: Math.max(isOnlyKept ? 0 : verdict.exitCode, ...written), outcome: verdict.outcome };
}

/** Conclusions of a workflow run that measured nothing on purpose: it gets no new comment and no check run. */
const MEASURING_NOTHING: ReadonlySet<string> = new Set(['success', 'skipped', 'neutral', 'action_required']);

/** Judged artifact, or the error. If several pull requests have the head, it is unknown which one was measured. */
async function endOf(
  github: GitHub,
  numbers: readonly number[],
  flags: PublishForkCommentFlags,
): Promise<ComparisonEnd & { readonly artifactId?: number }> {
  try {
    const [number = 0] = numbers;
    const { ran } = flags;
    const shared = sharedHead(numbers);
    if (shared !== undefined) {
      throw shared;
    }
    if (ran !== undefined && ran.ended !== ran.required) {
      throw new ConfigError(`the workflow that ended is ${ran.ended}, but ${ran.required} is expected to measure`, {
        code: 'WG-504',
        next: 'Set the file of the measuring workflow: `with: { workflow: .github/workflows/<file> }`.',
      });
    }
    return await judgedArtifact(github, number, flags);
  } catch (thrown) {
    return { thrown };
  }
}

/** Adds stored results of the default branch; those in the artifact are untrusted. */
async function withStored(
  run: RunInRounds,
  { against: stored = NOWHERE, baseline = stored, operations }: PublishForkCommentFlags,
  log: (line: string) => void,
): Promise<RunInRounds> {
  if (operations !== undefined) {
    // Stored results include all of them.
    return run;
  }
  const commit = run.rounds.base.commit ?? '';
  const { stored: drift } = await storedTrendOf({ suite: run.suite.name, commit, stored }, log);
  const rounds = { ...run.rounds, ...(drift !== undefined && { stored: drift }) };
  return (await withBaseline({ ...run, rounds }, baseline, log)).run;
}

/** A failure is reported and sets the exit code. */
async function tolerating(write: () => Promise<void>): Promise<number> {
  try {
    await write();
    return 0;
  } catch (thrown) {
    return reportFailure(thrown);
  }
}

/** Judged run of an artifact. A job that failed halfway has both a run and a cause. */
async function judgedArtifact(github: GitHub, number: number, flags: PublishForkCommentFlags) {
  const { artifactId, run, cause } = await measuredIn(github, flags);
  if (run === undefined) {
    throw nothingMeasured(cause);
  }
  // The checkout, the default branch, has the rules: a suite that only the pull request has cannot be judged here.
  const read = readSuite(suiteRoot(process.cwd(), OWN_ROOT), flags.suite, flags.services);
  const { root, suite } = withOperations(read, flags.operations);
  const own = foreignRun(run, { headSha: flags.headSha, policy: policyFor(root, suite, flags.policy), suite });
  const { result, ...judged } = await labeled(github, { number, commentId: flags.commentId }, judgedRun(own));
  const notes = [NOTE, ...result.notes];
  const known = await withStored(judged.run, flags, remarkLog(flags));
  const thrown = cause && nothingMeasured(cause);
  return { artifactId, judged: { run: known, result: { ...result, notes } }, thrown };
}

/**
 * Run in the newest artifact, and the reason that its job gave for ending early. Throws NothingMeasured if nothing was uploaded:
 * for a version that does not build, the first stage has reported it.
 */
async function measuredIn(github: GitHub, { workflowRun, artifact }: PublishForkCommentFlags) {
  const [newest] = (await github.artifacts(workflowRun, artifact)).filter(({ isExpired }) => !isExpired);
  if (newest === undefined) {
    throw nothingMeasured({
      cause: `its job measured nothing, or did not upload its run.json: the workflow run has no artifact "${artifact}"`,
    });
  }
  const { run: text, cause } = await measuredFiles(github, newest.id);
  const run = text === undefined ? undefined : parseRun(text, `${RUN_FILE} in the artifact "${artifact}"`);
  return { run, artifactId: newest.id, cause };
}
