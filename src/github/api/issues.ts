import * as z from 'zod';
import { GitHubRefusal, ifRefused } from './errors.ts';
import type { GithubRepository } from './repository.ts';

const ISSUES = '/repos/{owner}/{repo}/issues';

const issueSchema = z
  .object({
    number: z.number().int().positive(),
    title: z.string(),
    body: z.string().nullish(),
    state: z.string(),
    closed_at: z.string().nullish(),
    html_url: z.string(),
    // null if the account was deleted.
    user: z.object({ login: z.string() }).nullish(),
    // Pull requests are issues, too.
    pull_request: z.unknown().optional(),
  })
  .transform(({ state, closed_at: closedAt, html_url: url, body, user, pull_request: pull, ...issue }) => ({
    ...issue,
    body: body ?? '',
    isOpen: state === 'open',
    /** ISO 8601, in UTC; undefined for an open one. */
    ...(closedAt && { closedAt }),
    /** Address of its page. */
    url,
    /** Account that opened it; undefined if it was deleted, or for a pull request. */
    by: pull === undefined ? user?.login : undefined,
  }));

/** Issue that was opened by the account of the token. */
export type OwnIssue = Readonly<Omit<z.infer<typeof issueSchema>, 'by'>>;

/** Issues of one repository that were opened by the account of the token. Rejects with KnownError if GitHub refuses. */
export type Issues = Readonly<ReturnType<typeof issuesOf>>;

const NEXT =
  'Give the job `permissions: { contents: write, issues: write }`, and enable Issues in the settings of the repository; or set `alert-issue: false`.';

/** Replaces the next step for missing permissions and disabled issues. */
const orNextStep = ifRefused(['read-only', 'not-found'], ({ message, kind }): never => {
  throw new GitHubRefusal(message, { kind, next: NEXT });
});

/**
 * Issues of a repository that were opened by the account of the token. A marker alone proves nothing, since anyone can open an issue, so
 * the author is compared with the login that GitHub returns for the token.
 */
export function issuesOf({ ask, list, login, name }: GithubRepository) {
  const errand = (what: string) => ({ what, permissions: 'issues: write' });
  return {
    /** Open and closed issues, the newest first. */
    all: async (): Promise<readonly OwnIssue[]> => {
      const creator = await login();
      const listed = list(
        errand(`list the issues of ${name}`),
        `GET ${ISSUES}`,
        { creator, state: 'all' },
        issueSchema,
      );
      const own = (await listed.catch(orNextStep)).filter(({ by }) => by === creator);
      return own.toSorted((left, right) => right.number - left.number);
    },

    create: async (title: string, body: string): Promise<OwnIssue> =>
      await ask(errand(`open an issue in ${name}`), `POST ${ISSUES}`, { title, body }, issueSchema).catch(orNextStep),

    /** Changes fields of an issue, or closes it for a reason. */
    update: async (
      number: number,
      { closed, ...words }: { title?: string; body?: string; closed?: 'completed' | 'not_planned' },
    ): Promise<void> => {
      const state = closed !== undefined && { state: 'closed', state_reason: closed };
      const fields = { issue_number: number, ...words, ...state };
      const what = `update issue #${number} of ${name}`;
      await ask(errand(what), `PATCH ${ISSUES}/{issue_number}`, fields, z.unknown()).catch(orNextStep);
    },

    /** Writes a comment. */
    remark: async (number: number, body: string): Promise<void> => {
      const what = `comment on issue #${number} of ${name}`;
      const fields = { issue_number: number, body };
      await ask(errand(what), `POST ${ISSUES}/{issue_number}/comments`, fields, z.unknown()).catch(orNextStep);
    },
  };
}
