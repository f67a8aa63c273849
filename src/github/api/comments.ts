import * as z from 'zod';
import type { Comments, Creation } from '../comment.ts';
import { ifRefused } from './errors.ts';
import type { GithubRepository } from './repository.ts';

const COMMENTS = '/repos/{owner}/{repo}/issues/{issue_number}/comments';
const COMMENT = '/repos/{owner}/{repo}/issues/comments/{comment_id}';

const commentSchema = z
  .object({
    id: z.number().int(),
    body: z.string().nullish(),
    html_url: z.string(),
    // null if the account was deleted.
    user: z.object({ login: z.string() }).nullable(),
    updated_at: z.string(),
    author_association: z.string().nullish(),
  })
  .transform(({ id, body, html_url: url, user, updated_at: at, author_association: association }) => ({
    ...{ id, body: body ?? '', url, at },
    by: user?.login,
    /** Association with the repository, which does not imply write access. */
    isAssociated: ['OWNER', 'MEMBER', 'COLLABORATOR'].includes(association ?? ''),
  }));

/** Comments of all users on a pull request. Texts are untrusted. */
async function allComments({ list, name }: GithubRepository, number: number) {
  const what = `list the comments on pull request #${number} of ${name}`;
  const errand = { what, permissions: 'pull-requests: read' };
  return await list(errand, `GET ${COMMENTS}`, { issue_number: number }, commentSchema);
}

/** Comments of all users with an account, oldest first, with the time of their last edit. Code that acts on one must check the author. */
export async function remarksOn(repository: GithubRepository, number: number) {
  const found = await allComments(repository, number);
  return found.flatMap(({ by, ...remark }) => (by === undefined ? [] : [{ ...remark, by }]));
}

/**
 * Comments on a pull request by the account of the token. Authors are compared with the login that GitHub returns for the token: a marker
 * alone proves nothing, since anyone can post it, and a token may be allowed to edit comments of others. Accounts that share a login, such
 * as all jobs with the token of a workflow, distinguish their comments by id.
 */
export function commentsOf(repository: GithubRepository, number: number): Comments {
  const { ask, login, name } = repository;
  const errand = (verb: string) => ({
    what: `${verb} pull request #${number} of ${name}`,
    permissions: 'pull-requests: write',
  });
  return {
    all: async () => {
      const author = await login();
      const own = (await allComments(repository, number)).filter(({ by }) => by === author);
      return own.toSorted((left, right) => left.id - right.id);
    },
    create: (body) =>
      ask(errand('create a comment on'), `POST ${COMMENTS}`, { issue_number: number, body }, commentSchema).then(
        (comment): Creation => ({ kind: 'created', comment }),
        ifRefused(['unavailable'], (cause): Creation => ({ kind: 'unanswered', cause })),
      ),
    update: (id, body) =>
      ask(errand(`update comment ${id} on`), `PATCH ${COMMENT}`, { comment_id: id, body }, commentSchema),
    remove: async (id) => {
      const removed = ask(errand(`remove comment ${id} on`), `DELETE ${COMMENT}`, { comment_id: id }, z.unknown());
      await removed.catch(ifRefused(['not-found'], () => undefined));
    },
  };
}

/** Adds a reaction to a comment. Rejects with GitHubRefusal. */
export async function reactTo({ ask, name }: GithubRepository, id: number, content: 'rocket' | 'eyes'): Promise<void> {
  const errand = { what: `add a reaction to comment ${id} of ${name}`, permissions: 'pull-requests: write' };
  await ask(errand, `POST ${COMMENT}/reactions`, { comment_id: id, content }, z.unknown());
}
