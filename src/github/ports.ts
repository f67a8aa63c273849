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
 * with our hidden marker. Rejects with a KnownError where the service refuses.
 */
export interface Comments {
  /** All of them, oldest first. */
  all(): Promise<readonly PullRequestComment[]>;
  create(body: string): Promise<Creation>;
  update(id: number, body: string): Promise<{ readonly url: string }>;
  /** Also succeeds where the comment is gone already. */
  remove(id: number): Promise<void>;
}
