import * as z from 'zod';
import type { IssueChange, Issues, OwnIssue } from '../issue.ts';
import { GitHubRefusal, onErrand } from './errors.ts';
import { type GithubRepository, loginOf, PAGE } from './repository.ts';

const issueSchema = z.object({
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
});

const PERMISSIONS = 'issues: write';

const MEND =
  'Give the job `permissions: { contents: write, issues: write }`, and enable Issues in the settings of the repository; or set `alert-issue: false`.';

/**
 * Issues of a repository that were opened by the account of the token. A marker alone proves nothing, since anyone can open an issue, so
 * the author is compared with the login that GitHub returns for the token.
 */
export function issuesOf(repository: GithubRepository): Issues {
  const { client, of, name } = repository;
  let login: string | undefined;
  return {
    async all() {
      login ??= await loginOf(repository);
      const creator = login;
      const pages = await doing(`list the issues of ${name}`, async () => {
        const about = { ...of, creator, state: 'all', per_page: PAGE } as const;
        return z.array(issueSchema).parse(await client.paginate(client.rest.issues.listForRepo, about));
      });
      return pages
        .filter(({ user, pull_request: pull }) => user?.login === creator && pull === undefined)
        .map(issueFrom)
        .toSorted((left, right) => right.number - left.number);
    },

    create: (title, body) =>
      doing(`open an issue in ${name}`, async () => {
        const { data } = await client.rest.issues.create({ ...of, title, body });
        return issueFrom(issueSchema.parse(data));
      }),

    update: (number, change) =>
      doing(`update issue #${number} of ${name}`, async () => {
        await client.rest.issues.update({ ...of, issue_number: number, ...fieldsOf(change) });
      }),

    remark: (number, body) =>
      doing(`comment on issue #${number} of ${name}`, async () => {
        await client.rest.issues.createComment({ ...of, issue_number: number, body });
      }),
  };
}

function fieldsOf({ title, body, closed }: IssueChange) {
  return {
    ...(title !== undefined && { title }),
    ...(body !== undefined && { body }),
    ...(closed !== undefined && { state: 'closed' as const, state_reason: closed }),
  };
}

/** Replaces the next step for missing permissions and disabled issues. */
async function doing<Result>(what: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await onErrand({ what, permissions: PERMISSIONS }, work);
  } catch (thrown) {
    if (thrown instanceof GitHubRefusal && (thrown.kind === 'read-only' || thrown.kind === 'not-found')) {
      throw new GitHubRefusal(thrown.message, { kind: thrown.kind, next: MEND });
    }
    throw thrown;
  }
}

function issueFrom({
  number,
  title,
  body,
  state,
  closed_at: closedAt,
  html_url: url,
}: z.infer<typeof issueSchema>): OwnIssue {
  const closed = closedAt === null || closedAt === undefined ? {} : { closedAt };
  return { number, title, body: body ?? '', isOpen: state === 'open', ...closed, url };
}
