import { KnownError, messageOf, withCode } from '../../foundation/index.ts';
import { type Comments, changeComment, openGitHub, stickyComment } from '../../github/index.ts';
import { remarkLog } from '../../host/index.ts';
import { resultsIn, type Unjudged, unjudgedComment, withPending } from '../../report/index.ts';
import { tellResult } from '../program/result.ts';
import { access, type CommentFlags, type PublishCommentFlags, pullRequestNamed } from './comment.ts';

/** Why a commit was not judged, by what was thrown instead; what should not happen is told in the log alone. */
export function unjudgedBy(thrown: unknown, head: string | undefined): Unjudged {
  if (!(thrown instanceof KnownError)) {
    const next = 'Please report the lines in the log of the workflow run.';
    return { head, cause: 'an internal error ended the job', next };
  }
  const { brief, code, printed, next } = thrown;
  return { head, cause: withCode(brief || messageOf(thrown), code), printed, next };
}

/** How the comment is written; `isOnlyKept` writes none if there is none. */
export interface UnjudgedPlan extends CommentFlags {
  readonly command: string;
  readonly isOnlyKept?: boolean;
}

/** Puts into the pull request's comment that its commit was not judged, in the place of what an earlier commit was told. */
export async function putUnjudged(comments: Comments, plan: UnjudgedPlan, unjudged: Unjudged): Promise<void> {
  const { comment, commentId: id, runUrl, reportUrl, isOnlyKept = false } = plan;
  const finishedAt = new Date().toISOString();
  const bodyOf = (earlier: string | undefined) =>
    unjudgedComment(unjudged, {
      ...{ id, head: unjudged.head ?? '', finishedAt, links: { run: runUrl, report: reportUrl } },
      earlier: earlier === undefined ? [] : resultsIn(earlier),
    });
  if (comment === 'never') {
    return;
  }
  if (isOnlyKept) {
    await changeComment(comments, id, bodyOf);
    return;
  }
  const result = { outcome: 'incomplete' as const, findings: [], uncompared: [] };
  const done = await stickyComment(comments, { id, mode: comment, result, body: bodyOf });
  tellResult(plan, {
    text: () => (done.did === 'skipped' ? 'comment: none\n' : `comment ${done.did}: ${done.url}\n`),
    data: () => ({ comment: done.did, outcome: result.outcome, ...('url' in done && { url: done.url }) }),
  });
}

/** Does so on a pull request by its name. */
export async function commentUnjudged(unjudged: Unjudged, flags: PublishCommentFlags): Promise<void> {
  await putUnjudged(commentsOn(flags), { ...flags, command: 'publish-comment' }, unjudged);
}

/** Says on top of the comment, if there is one, that it is not about the commit that is about to be measured. */
export async function commentPending(head: string, flags: PublishCommentFlags): Promise<void> {
  const { runUrl } = flags;
  await changeComment(commentsOn(flags), flags.commentId, (body) =>
    withPending(body, { head, ...(runUrl !== undefined && { runUrl }) }),
  );
}

function commentsOn(flags: PublishCommentFlags): Comments {
  const { owner, repository, number } = pullRequestNamed(flags.pullRequest);
  return openGitHub({ ...access(), owner, repo: repository, log: remarkLog(flags) }).comments(number);
}
