import { isFirstRun } from '../judge/verdict/coverage.ts';
import { type ComparisonResult, evidenceIn } from '../judge/verdict/finding.ts';
import { hasMarker } from '../report/comment/state.ts';

type Said = Pick<ComparisonResult, 'outcome' | 'answers' | 'rules'>;

/** Conditions for creating a comment; an existing one is updated in every mode but `never`. */
const CREATES = {
  auto: isChange,
  always: () => true,
  /** Like `auto`, also for a shard, which has no comment otherwise. */
  'on-change': isChange,
  never: () => false,
} as const;

/**
 * True if there is anything to report: an outcome other than passed, a first run, a removed operation, a looser policy, an improvement or a
 * regression.
 */
function isChange(result: Said): boolean {
  const { outcome, rules } = result;
  return (
    outcome !== 'passed' ||
    isFirstRun(result) ||
    // A pull request could otherwise silently remove an operation that it makes slower.
    evidenceIn(result, 'loss').some(({ reason }) => reason === 'gone') ||
    (rules !== undefined && rules.pending.length > 0) ||
    evidenceIn(result, 'change').some(({ verdict }) => verdict === 'improved' || verdict === 'regressed')
  );
}

export type CommentMode = keyof typeof CREATES;

export const COMMENT_MODES = Object.keys(CREATES) as readonly CommentMode[];

/** Comment to create or update. */
export interface CommentRequest {
  /** Distinguishes the comments of several jobs. */
  readonly id: string;
  readonly mode: CommentMode;
  readonly result: Said;
  /** Whole body, beginning with the marker of the id, from the body of the earlier comment. */
  readonly body: (earlierBody: string | undefined) => string;
}

/** Action taken, and the address of the comment. */
type StickyEnd =
  | { readonly did: 'created' | 'updated' | 'unchanged'; readonly url: string }
  | { readonly did: 'skipped' };

/**
 * Creates or updates the one comment with this id. If several jobs create one at the same time, the oldest is kept: a job that finds its
 * own to be younger moves its content there and removes it. Rejects with errors of the port.
 */
export async function stickyComment(comments: Comments, request: CommentRequest): Promise<StickyEnd> {
  if (request.mode === 'never') {
    return { did: 'skipped' };
  }
  const [oldest, ...younger] = await own(comments, request);
  if (oldest !== undefined) {
    return await intoOne(comments, request, { oldest, younger });
  }
  return CREATES[request.mode](request.result) ? await createOne(comments, request) : { did: 'skipped' };
}

/** Changes the body of the comment with this id, if there is one; `change` returns undefined to leave it. */
export async function changeComment(
  comments: Comments,
  id: string,
  change: (body: string) => string | undefined,
): Promise<void> {
  const [oldest] = await own(comments, { id });
  const body = oldest && change(oldest.body);
  if (oldest !== undefined && body !== undefined) {
    await comments.update(oldest.id, body);
  }
}

async function own(comments: Comments, { id }: Pick<CommentRequest, 'id'>): Promise<readonly PullRequestComment[]> {
  return (await comments.all()).filter(({ body }) => hasMarker(body, id));
}

/** Edits the oldest, then removes the others, so that the content never disappears. */
async function intoOne(
  comments: Comments,
  request: CommentRequest,
  { oldest, younger }: { readonly oldest: PullRequestComment; readonly younger: readonly PullRequestComment[] },
): Promise<StickyEnd> {
  const body = request.body(oldest.body);
  const isSame = isSameText(body, oldest.body);
  const { url } = isSame ? oldest : await comments.update(oldest.id, body);
  for (const { id } of younger) {
    await comments.remove(id);
  }
  return { did: isSame ? 'unchanged' : 'updated', url };
}

async function createOne(comments: Comments, request: CommentRequest): Promise<StickyEnd> {
  const body = request.body(undefined);
  const first = await comments.create(body);
  if (first.kind === 'created') {
    return await afterCreation(comments, request, first.comment);
  }
  const [oldest, ...others] = await own(comments, request);
  if (oldest !== undefined) {
    // The creation may have succeeded without a response; other comments belong to jobs that will move them.
    return await intoOne(comments, request, { oldest, younger: others.filter((one) => isSameText(one.body, body)) });
  }
  const second = await comments.create(body);
  if (second.kind === 'unanswered') {
    throw second.cause;
  }
  return await afterCreation(comments, request, second.comment);
}

/** Another job may have created a comment in the meantime. The later job sees both, so the first one need not act. */
async function afterCreation(
  comments: Comments,
  request: CommentRequest,
  created: PullRequestComment,
): Promise<StickyEnd> {
  const [oldest] = await own(comments, request);
  return oldest === undefined || oldest.id >= created.id
    ? { did: 'created', url: created.url }
    : await intoOne(comments, request, { oldest, younger: [created] });
}

function isSameText(left: string, right: string): boolean {
  return plain(left) === plain(right);
}

function plain(text: string): string {
  return text.replaceAll('\r\n', '\n').trimEnd();
}

/** Comment on a pull request. */
export interface PullRequestComment {
  readonly id: number;
  readonly body: string;
  /** Address of the comment on the page of the pull request. */
  readonly url: string;
}

/** Result of creating a comment. A request without a response may have succeeded: list the comments before repeating it. */
export type Creation =
  | { readonly kind: 'created'; readonly comment: PullRequestComment }
  | { readonly kind: 'unanswered'; readonly cause: unknown };

/**
 * Comments on one pull request by the account of the token only, because anyone can post a comment that starts with our hidden marker.
 * Rejects with KnownError if the service refuses.
 */
export interface Comments {
  /** Oldest first. */
  all(): Promise<readonly PullRequestComment[]>;
  create(body: string): Promise<Creation>;
  update(id: number, body: string): Promise<{ readonly url: string }>;
  /** Also succeeds if the comment was removed already. */
  remove(id: number): Promise<void>;
}
