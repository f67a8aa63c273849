import * as z from 'zod';
import { isGithubRefusal, onErrand } from './errors.ts';
import { type GithubRepository, PAGE } from './repository.ts';

/** Comment on a pull request by any user. The text is untrusted; code that acts on it must check the author. */
export interface Remark {
  readonly id: number;
  readonly by: string;
  /** True if the account is associated with the repository, which does not imply write access. */
  readonly isAssociated: boolean;
  /** Time of the last edit, in ISO 8601. */
  readonly at: string;
  readonly body: string;
}

const remarksSchema = z.array(
  z.object({
    id: z.number().int(),
    body: z.string().nullish(),
    updated_at: z.string(),
    author_association: z.string().nullish(),
    // null if the account was deleted.
    user: z.object({ login: z.string() }).nullable(),
  }),
);

/** Comments of all users on a pull request, oldest first. Rejects with GitHubRefusal. */
export async function remarksOn({ client, of, name }: GithubRepository, number: number): Promise<readonly Remark[]> {
  const errand = {
    what: `list the comments on pull request #${number} of ${name}`,
    permissions: 'pull-requests: read',
  };
  return await onErrand(errand, async () => {
    const about = { ...of, issue_number: number, per_page: PAGE };
    const found = remarksSchema.parse(await client.paginate(client.rest.issues.listComments, about));
    return found.flatMap(({ id, body, updated_at: at, user, author_association: association }) => {
      const isAssociated = ASSOCIATED.has(association ?? '');
      return user === null ? [] : [{ id, by: user.login, isAssociated, at, body: body ?? '' }];
    });
  });
}

const ASSOCIATED: ReadonlySet<string> = new Set(['OWNER', 'MEMBER', 'COLLABORATOR']);

/** Adds a reaction to a comment. Rejects with GitHubRefusal. */
export async function reactTo(
  { client, of, name }: GithubRepository,
  id: number,
  content: 'rocket' | 'eyes',
): Promise<void> {
  const errand = { what: `add a reaction to comment ${id} of ${name}`, permissions: 'pull-requests: write' };
  await onErrand(
    errand,
    async () => await client.rest.reactions.createForIssueComment({ ...of, comment_id: id, content }),
  );
}

/** GitHub reports `maintain` as `write` here, and `triage`, which may set labels, as `read`. */
const WRITING: ReadonlySet<string> = new Set(['admin', 'maintain', 'write']);

const permissionSchema = z.object({ permission: z.string() });

/**
 * True if an account has write access to the repository. The association in comments does not imply it: members of an organization may have
 * no access. Rejects with GitHubRefusal.
 */
export async function mayWrite({ client, of, name }: GithubRepository, login: string): Promise<boolean> {
  const errand = { what: `report the permissions of @${login} in ${name}`, permissions: 'pull-requests: read' };
  try {
    return await onErrand(errand, async () => {
      const { data } = await client.rest.repos.getCollaboratorPermissionLevel({ ...of, username: login });
      return WRITING.has(permissionSchema.parse(data).permission);
    });
  } catch (thrown) {
    // An app, or a deleted account.
    if (isGithubRefusal(thrown, 'not-found')) {
      return false;
    }
    throw thrown;
  }
}
