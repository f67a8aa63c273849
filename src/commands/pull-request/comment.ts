import { posix } from 'node:path';
import { ConfigError, withFallback } from '../../foundation/errors.ts';
import { type GitHub, openGitHub } from '../../github/api/github.ts';
import { type CommentMode, type Comments, changeComment, stickyComment } from '../../github/comment.ts';
import { type OutputOptions, remarkLog } from '../../host/terminal/output.ts';
import { githubToken } from '../../host/workflow.ts';
import type { ComparisonResult } from '../../judge/verdict/finding.ts';
import { judgedRun } from '../../judge/verdict/judge.ts';
import { ACCEPTED_LABEL } from '../../judge/verdict/label.ts';
import { comparisonComment } from '../../report/comment/comment.ts';
import type { AcceptWay } from '../../report/comment/sections.ts';
import { commentMarker, resultsIn } from '../../report/comment/state.ts';
import { unjudgedComment, withPending } from '../../report/comment/unjudged.ts';
import { trendPage } from '../history/place.ts';
import { printResult } from '../program/result.ts';
import { readVersions } from '../runs/run-files.ts';
import { type Verdict, verdictOf } from './verdict.ts';

export interface CommentFlags {
  readonly comment: CommentMode;
  readonly commentId: string;
  readonly runUrl?: string | undefined;
  readonly reportUrl?: string | undefined;
  /** Page of the artifact of an untrusted job. */
  readonly foreignReportUrl?: string | undefined;
  /** File of the measuring workflow, whose commands the comment may offer. */
  readonly workflow?: string | undefined;
  readonly json?: boolean | undefined;
  /** Name of the command, as it was called. */
  readonly command?: string;
  /** True to change an existing comment only. */
  readonly isOnlyKept?: boolean;
}

interface PublishCommentFlags extends CommentFlags {
  /** "owner/name#12". */
  readonly pullRequest: string;
}

/**
 * `wiregauge publish --to comment`: writes the verdict of a `run.json` into the comment on the pull request, or updates it, with the token in
 * GITHUB_TOKEN. Throws GitHubRefusal if GitHub refuses.
 */
export async function publishComment(file: string, flags: PublishCommentFlags): Promise<void> {
  await commentOn(verdictOf({ judged: judgedRun(readVersions(file)) }), pullRequestNamed(flags.pullRequest), flags);
}

interface PublishNoteFlags extends CommentFlags {
  /** "group/project!12". */
  readonly mergeRequest?: string | undefined;
}

/**
 * `wiregauge publish --to note`: writes the verdict of a `run.json` into the note on the merge request, or updates it, with the token in
 * GITLAB_TOKEN; the server, the merge request and the page of the job default to those of the pipeline. Throws ConfigError without a
 * token or a merge request, EnvironmentError if GitLab refuses.
 */
export async function publishNote(file: string, flags: PublishNoteFlags): Promise<void> {
  const verdict = verdictOf({ judged: judgedRun(readVersions(file)) });
  // Loads a client that no other command needs.
  const { mergeRequestNotes, mergeRequestPlace } = await import('./gitlab-notes.ts');
  const notes = mergeRequestNotes(mergeRequestPlace(flags.mergeRequest, process.env));
  const job = process.env['CI_JOB_URL'];
  const { runUrl = job, reportUrl = job && `${job}/artifacts/browse` } = flags;
  const plan = { command: 'publish', ...flags, runUrl, reportUrl, trendUrl: undefined, accept: 'file' } as const;
  await putComment(notes, plan, verdict);
}

export async function commentOn(
  verdict: Verdict,
  { repository, number }: NamedPullRequest,
  flags: CommentFlags,
): Promise<void> {
  const github = gitHubOf(repository, remarkLog(flags));
  const trendUrl = verdict.judged && (await trendPage(github, repository));
  const accept = verdict.judged && (await acceptWay(github, verdict.judged.result, flags.workflow));
  await putComment(github.comments(number), { command: 'publish', ...flags, trendUrl, accept }, verdict);
}

/** Default file of the workflow that measures. */
export const USUAL_WORKFLOW = '.github/workflows/performance.yml';

/** File of the workflow that runs commands for a measuring one: `performance-command.yml` next to `performance.yml`. */
export function commandWorkflowOf(workflow: string): string {
  const { dir, name, ext } = posix.parse(workflow);
  return posix.join(dir, `${name.replace(/^[^-]+/, '$&-command')}${ext}`);
}

/**
 * Way to accept a regression in a repository: commands only if its default branch has the workflow that runs them. Creates the label if it is
 * missing and the token may. Never rejects for a refusal by GitHub.
 */
export async function acceptWay(
  github: Pick<GitHub, 'hasFile' | 'makeLabel'>,
  { outcome }: Pick<ComparisonResult, 'outcome'>,
  workflow: string = USUAL_WORKFLOW,
): Promise<AcceptWay> {
  if (outcome !== 'regressed') {
    return 'label';
  }
  const description = 'Accepts the regressions that Wiregauge has shown on this pull request';
  await withFallback(() => github.makeLabel({ name: ACCEPTED_LABEL, description }));
  const hasCommands = await withFallback(() => github.hasFile({ path: commandWorkflowOf(workflow) }));
  return hasCommands === true ? 'command' : 'label';
}

/**
 * Marks an existing comment as outdated while a new commit is measured, with the counts so far. Creates a comment for a commit whose instructions
 * regressed, as for any regression.
 */
export async function commentPending(
  head: string,
  { repository, number }: NamedPullRequest,
  flags: CommentFlags,
  counts?: { readonly text: string; readonly hasRegressed: boolean },
): Promise<void> {
  const { runUrl, commentId: id, comment: mode } = flags;
  const comments = gitHubOf(repository, remarkLog(flags)).comments(number);
  const pending = (body: string) => withPending(body, { head, runUrl, counts: counts?.text });
  if (counts?.hasRegressed === true) {
    const result = { outcome: 'regressed', answers: [] } as const;
    const body = (earlier = `${commentMarker(id)}\n`) => pending(earlier) ?? earlier;
    await stickyComment(comments, { id, mode, result, body });
    return;
  }
  await changeComment(comments, id, pending);
}

/** Options of a comment, and the page of the history that it links to. */
interface CommentPlan extends CommentFlags, OutputOptions {
  readonly command: string;
  readonly trendUrl: string | undefined;
  /** Way to accept a regression, if anything was judged. */
  readonly accept: AcceptWay | undefined;
}

/** Writes the comment of a verdict, in place of an earlier one, and prints its address. */
export async function putComment(comments: Comments, plan: CommentPlan, verdict: Verdict): Promise<void> {
  const { comment: mode, commentId: id, isOnlyKept = false } = plan;
  const body = (earlier: string | undefined) => bodyOf(verdict, plan, earlier === undefined ? [] : resultsIn(earlier));
  if (isOnlyKept && mode !== 'never') {
    await changeComment(comments, id, body);
    return;
  }
  const { outcome } = verdict;
  const result = verdict.judged?.result ?? { outcome, answers: [] };
  const done = await stickyComment(comments, { id, mode, result, body });
  printResult(
    plan,
    { comment: done.did, outcome, ...('url' in done && { url: done.url }) },
    done.did === 'skipped'
      ? 'comment: none, because there is nothing to report\n'
      : `comment ${done.did}: ${done.url}\n`,
  );
}

function bodyOf({ judged, unjudged }: Verdict, plan: CommentPlan, earlier: ReturnType<typeof resultsIn>): string {
  const { commentId: id, runUrl, reportUrl, foreignReportUrl, trendUrl, accept } = plan;
  const links = { run: runUrl, report: reportUrl, foreignReport: foreignReportUrl, trend: trendUrl };
  const now = new Date().toISOString();
  if (judged === undefined) {
    return unjudgedComment(unjudged, { id, head: unjudged.head ?? '', finishedAt: now, links, earlier });
  }
  const { run, result } = judged;
  const of = { head: run.rounds.head.commit ?? '', finishedAt: run.startedAt, shownAt: now };
  return comparisonComment(run, result, { id, ...of, links, earlier, ...(accept !== undefined && { accept }) });
}

/** Workflow settings that give the action a token. */
export const GIVE_TOKEN =
  'set `with: { token: "${{ github.token }}" }` for the step (the default) and `permissions: { contents: read, pull-requests: write }` for the job, or turn off the comment: `with: { comment: never }`.';

/** GitHub for a repository, "owner/name". Throws ConfigError without a token, with the settings that give one. */
export function gitHubOf(repository: string, log: (line: string) => void, give = GIVE_TOKEN): GitHub {
  const [owner = '', repo = ''] = repository.split('/');
  const token = githubToken();
  if (token === undefined) {
    throw new ConfigError('there is no token for GitHub', {
      code: 'WG-502',
      next: `Set GITHUB_TOKEN; in a workflow, ${give}`,
    });
  }
  return openGitHub({ apiUrl: process.env['GITHUB_API_URL'] || 'https://api.github.com', token, owner, repo, log });
}

interface NamedPullRequest {
  /** "owner/name". */
  readonly repository: string;
  readonly number: number;
}

/** Repository and number in "owner/name#12". Throws ConfigError for any other text. */
export function pullRequestNamed(text: string): NamedPullRequest {
  const parts = /^([A-Za-z0-9][\w-]{0,38}\/(?!\.{1,2}#)[\w.-]{1,100})#([1-9]\d{0,8})$/.exec(text);
  const [, repository = '', number = ''] = parts ?? [];
  if (parts === null) {
    throw new ConfigError(`"${text.slice(0, 200)}" is not a pull request`, {
      code: 'WG-509',
      next: 'Use the form owner/name#12.',
    });
  }
  return { repository, number: Number(number) };
}
