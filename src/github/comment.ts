import type { ComparisonResult } from '../judge/verdict/finding.ts';
import { isFirstRun } from '../judge/verdict/judge.ts';
import { hasMarker } from '../report/comment/state.ts';

/** What is known of a result when it is decided whether to comment. */
type Said = Pick<ComparisonResult, 'outcome' | 'findings' | 'uncompared' | 'rules'>;

/** When a pull request without our comment gets one; a comment that exists is kept up to date in every mode but `never`. */
const CREATES = {
  auto: isChange,
  always: () => true,
  /** The same, also for a shard, which has no comment by itself. */
  'on-change': isChange,
  never: () => false,
} as const;

/** Whether there is anything to report: no pass, a first run, something gone, a looser policy, something improved or regressed, whether it may fail or not. */
function isChange(result: Said): boolean {
  const { outcome, findings, uncompared, rules } = result;
  return (
    outcome !== 'passed' ||
    isFirstRun(result) ||
    // A pull request could otherwise remove an operation that it makes slower, without a word.
    uncompared.some(({ reason }) => reason === 'gone') ||
    (rules !== undefined && rules.pending.length > 0) ||
    findings.some(({ verdict }) => verdict === 'improved' || verdict === 'regressed')
  );
}

/** When a comment is made: see CREATES. */
export type CommentMode = keyof typeof CREATES;

/** All of them. */
export const COMMENT_MODES = Object.keys(CREATES) as readonly CommentMode[];

/** The comment that a pull request is to have. */
export interface WantedComment {
  /** Tells the comments of several jobs apart. */
  readonly id: string;
  readonly mode: CommentMode;
  readonly result: Said;
  /** The whole body, with the marker of the id on top, from that of the comment that it takes the place of. */
  readonly body: (earlierBody: string | undefined) => string;
}

/** What was done, and the address of the comment. */
export type StickyEnd =
  | { readonly did: 'created' | 'updated' | 'unchanged'; readonly url: string }
  | { readonly did: 'skipped' };

/**
 * Leaves a pull request with one comment of that id, edited in place. If several jobs made one each at the same time, the oldest
 * stays: who finds that theirs is younger moves its content there and removes it. Rejects with what the port rejects with.
 */
export async function stickyComment(comments: Comments, wanted: WantedComment): Promise<StickyEnd> {
  if (wanted.mode === 'never') {
    return { did: 'skipped' };
  }
  const [oldest, ...younger] = await own(comments, wanted);
  if (oldest !== undefined) {
    return await intoOne(comments, wanted, { oldest, younger });
  }
  return CREATES[wanted.mode](wanted.result) ? await createOne(comments, wanted) : { did: 'skipped' };
}

/** Changes the body of the comment of that id; does nothing if there is none, or the change is none. */
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

async function own(comments: Comments, { id }: Pick<WantedComment, 'id'>): Promise<readonly PullRequestComment[]> {
  return (await comments.all()).filter(({ body }) => hasMarker(body, id));
}

interface Found {
  readonly oldest: PullRequestComment;
  readonly younger: readonly PullRequestComment[];
}

/** Edits the oldest, then removes the others: in this order, what was said is never gone. */
async function intoOne(comments: Comments, wanted: WantedComment, { oldest, younger }: Found): Promise<StickyEnd> {
  const body = wanted.body(oldest.body);
  const isSame = isSameText(body, oldest.body);
  const { url } = isSame ? oldest : await comments.update(oldest.id, body);
  for (const { id } of younger) {
    await comments.remove(id);
  }
  return { did: isSame ? 'unchanged' : 'updated', url };
}

async function createOne(comments: Comments, wanted: WantedComment): Promise<StickyEnd> {
  const body = wanted.body(undefined);
  const first = await comments.create(body);
  if (first.kind === 'created') {
    return await afterCreation(comments, wanted, first.comment);
  }
  const [oldest, ...others] = await own(comments, wanted);
  if (oldest !== undefined) {
    // One of them may be what went unanswered; the others belong to jobs that will move them by themselves.
    return await intoOne(comments, wanted, { oldest, younger: others.filter((one) => isSameText(one.body, body)) });
  }
  const second = await comments.create(body);
  if (second.kind === 'unanswered') {
    throw second.cause;
  }
  return await afterCreation(comments, wanted, second.comment);
}

/** Another job may have created one since we looked. Whoever comes second sees both, so the first need do nothing. */
async function afterCreation(
  comments: Comments,
  wanted: WantedComment,
  created: PullRequestComment,
): Promise<StickyEnd> {
  const [oldest] = await own(comments, wanted);
  return oldest === undefined || oldest.id >= created.id
    ? { did: 'created', url: created.url }
    : await intoOne(comments, wanted, { oldest, younger: [created] });
}

/** Whether an update would change nothing: the service keeps neither carriage returns nor white space at the end. */
function isSameText(left: string, right: string): boolean {
  return plain(left) === plain(right);
}

function plain(text: string): string {
  return text.replaceAll('\r\n', '\n').trimEnd();
}

/** A comment on a pull request, as its own author sees it. */
export interface PullRequestComment {
  readonly id: number;
  readonly body: string;
  /** ISO 8601. */
  readonly createdAt: string;
  /** Of the comment on the page of the pull request. */
  readonly url: string;
}

/** How the creation of a comment ended. A request that went unanswered may have been carried out: list before asking again. */
export type Creation =
  | { readonly kind: 'created'; readonly comment: PullRequestComment }
  | { readonly kind: 'unanswered'; readonly cause: unknown };

/**
 * The comments of one pull request that the account behind this token wrote, and no others: anybody may post a comment that starts
 * with our hidden marker. Rejects with a KnownError if the service refuses.
 */
export interface Comments {
  /** All of them, oldest first. */
  all(): Promise<readonly PullRequestComment[]>;
  create(body: string): Promise<Creation>;
  update(id: number, body: string): Promise<{ readonly url: string }>;
  /** Also succeeds if the comment is gone already. */
  remove(id: number): Promise<void>;
}
