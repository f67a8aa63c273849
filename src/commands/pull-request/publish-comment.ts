import { ConfigError } from '../../foundation/errors.ts';
import { openGitHub } from '../../github/api/github.ts';
import type { Comments } from '../../github/ports.ts';
import { type CommentMode, stickyComment } from '../../github/sticky.ts';
import type { ComparisonResult } from '../../judge/verdict/finding.ts';
import { judgeRun } from '../../judge/verdict/judge.ts';
import type { RunInRounds } from '../../model/run/kept-cells.ts';
import { comparisonComment } from '../../report/comment/comment.ts';
import { resultsIn } from '../../report/comment/comment-state.ts';
import { trendPage } from '../history/trend-page.ts';
import { remarkLog, type Telling, tellResult } from '../program/result.ts';
import { readVersions } from '../runs/read.ts';
import { pullRequestNamed } from './pull-request.ts';

/** How a comment is written. */
export interface CommentFlags {
  readonly comment: CommentMode;
  readonly commentId: string;
  /** Page of the workflow's run. */
  readonly runUrl?: string;
  /** Page of the artifact that holds the reports. */
  readonly reportUrl?: string;
  readonly json?: boolean;
}

export interface PublishCommentFlags extends CommentFlags {
  /** "owner/name#12". */
  readonly pullRequest: string;
}

/**
 * `wiregauge publish-comment`: puts the verdict of a `run.json` into the pull request's own comment, or updates it. The token is that
 * of the variable GITHUB_TOKEN. Exit code 0; throws GitHubRefusal where GitHub does not take it.
 */
export async function publishComment(file: string, flags: PublishCommentFlags): Promise<number> {
  const { owner, repository, number } = pullRequestNamed(flags.pullRequest);
  const run = readVersions(file);
  const github = openGitHub({ ...access(), owner, repo: repository, log: remarkLog(flags) });
  const trendUrl = await trendPage(github, `${owner}/${repository}`);
  const plan = { ...flags, command: 'publish-comment', trendUrl };
  await putComment(github.comments(number), plan, { run, result: judgeRun(run) });
  return 0;
}

/** What a comment is about. */
export interface CommentedComparison {
  readonly run: RunInRounds;
  readonly result: ComparisonResult;
}

/** How a comment is written and told of, and the page of the history that it leads to. */
export interface CommentPlan extends CommentFlags, Pick<Telling, 'command'> {
  readonly trendUrl: string | undefined;
}

/** Writes the comment of a comparison, and says where it is. */
export async function putComment(
  comments: Comments,
  plan: CommentPlan,
  comparison: CommentedComparison,
): Promise<void> {
  const { run, result } = comparison;
  const { comment: mode, commentId: id, runUrl, reportUrl, trendUrl } = plan;
  const done = await stickyComment(comments, {
    id,
    mode,
    result,
    body: (earlier) =>
      comparisonComment(run, result, {
        id,
        head: run.rounds.head.commit ?? '',
        finishedAt: run.startedAt,
        links: { run: runUrl, report: reportUrl, trend: trendUrl },
        earlier: earlier === undefined ? [] : resultsIn(earlier),
      }),
  });
  tellResult(plan, {
    text: () =>
      done.did === 'skipped' ? 'comment: none, since there is nothing to say\n' : `comment ${done.did}: ${done.url}\n`,
    data: () => ({ comment: done.did, outcome: result.outcome, ...('url' in done && { url: done.url }) }),
  });
}

/** The lines of a workflow that give the action a token. */
export const MEND_TOKEN =
  'give the step `with: { token: "${{ github.token }}" }` (what it has by default), and the job `permissions: { contents: read, pull-requests: write }`; `with: { comment: never }` does without.';

/** Where GitHub answers, and as whom. Throws ConfigError without a token. */
export function access(environment: NodeJS.ProcessEnv = process.env): { apiUrl: string; token: string } {
  const token = environment['GITHUB_TOKEN'] ?? '';
  if (token === '') {
    throw new ConfigError('there is no token for GitHub', {
      next: `Set GITHUB_TOKEN; in a workflow, ${MEND_TOKEN}`,
    });
  }
  return { apiUrl: environment['GITHUB_API_URL'] || 'https://api.github.com', token };
}
