import * as z from 'zod';
import type { Comments, Creation, PullRequestComment } from '../comment.ts';
import { type Errand, isGithubRefusal, onErrand } from './errors.ts';
import { type GithubRepository, loginOf, PAGE } from './repository.ts';

const commentSchema = z.object({
  id: z.number().int(),
  body: z.string().nullish(),
  created_at: z.string(),
  html_url: z.string(),
  // null if the account was deleted.
  user: z.object({ login: z.string() }).nullable(),
});

type Received = z.infer<typeof commentSchema>;

/**
 * Comments on a pull request by the account of the token. Authors are compared with the login that GitHub returns for the token: a marker
 * alone proves nothing, since anyone can post it, and a token may be allowed to edit comments of others. Accounts that share a login, such
 * as all jobs with the token of a workflow, distinguish their comments by id.
 */
export function commentsOf(repository: GithubRepository, number: number): Comments {
  const { client, of, name } = repository;
  const about = { ...of, issue_number: number };
  const errand = (verb: string, access: 'read' | 'write'): Errand => ({
    what: `${verb} pull request #${number} of ${name}`,
    permissions: `pull-requests: ${access}`,
  });
  let login: string | undefined;
  return {
    async all() {
      login ??= await loginOf(repository);
      const listed = await onErrand(errand('list the comments on', 'read'), async () => {
        const pages = await client.paginate(client.rest.issues.listComments, { ...about, per_page: PAGE });
        return z.array(commentSchema).parse(pages);
      });
      const own = listed.filter(({ user }) => user?.login === login).map(commentFrom);
      return own.toSorted((left, right) => left.id - right.id);
    },

    create: (body) =>
      created(errand('create a comment on', 'write'), async () => {
        const { data } = await client.rest.issues.createComment({ ...about, body });
        return commentFrom(commentSchema.parse(data));
      }),

    update: (id, body) =>
      onErrand(errand(`update comment ${id} on`, 'write'), async () => {
        const { data } = await client.rest.issues.updateComment({ ...of, comment_id: id, body });
        return { url: commentSchema.parse(data).html_url };
      }),

    remove: (id) =>
      removed(errand(`remove comment ${id} on`, 'write'), async () => {
        await client.rest.issues.deleteComment({ ...of, comment_id: id });
      }),
  };
}

async function created(errand: Errand, work: () => Promise<PullRequestComment>): Promise<Creation> {
  try {
    return { kind: 'created', comment: await onErrand(errand, work) };
  } catch (thrown) {
    if (isGithubRefusal(thrown, 'unavailable')) {
      return { kind: 'unanswered', cause: thrown };
    }
    throw thrown;
  }
}

/** Succeeds if the comment was removed already. */
async function removed(errand: Errand, work: () => Promise<void>): Promise<void> {
  try {
    await onErrand(errand, work);
  } catch (thrown) {
    if (!isGithubRefusal(thrown, 'not-found')) {
      throw thrown;
    }
  }
}

function commentFrom({ id, body, created_at, html_url }: Received): PullRequestComment {
  return { id, body: body ?? '', createdAt: created_at, url: html_url };
}
