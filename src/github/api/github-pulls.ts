import { z } from 'zod';
import { onErrand } from './github-errors.ts';
import { type GithubRepository, PAGE } from './github-repository.ts';

/** A pull request, as far as it matters here. Names are as GitHub gives them: text from outside. */
export interface PullRequest {
  readonly number: number;
  readonly isOpen: boolean;
  readonly headSha: string;
  /** "owner/repository" of the head; undefined where the fork is gone. */
  readonly headRepository: string | undefined;
  readonly baseSha: string;
  readonly baseRef: string;
}

const pullSchema = z
  .object({
    number: z.number().int().positive(),
    state: z.string(),
    head: z.object({ sha: z.string(), repo: z.object({ full_name: z.string() }).nullable() }),
    base: z.object({ sha: z.string(), ref: z.string() }),
  })
  .transform(
    ({ number, state, head, base }): PullRequest => ({
      number,
      isOpen: state === 'open',
      headSha: head.sha,
      headRepository: head.repo?.full_name,
      baseSha: base.sha,
      baseRef: base.ref,
    }),
  );

const PERMISSIONS = 'pull-requests: read';

/**
 * The open pull requests whose head is that branch, given as "owner:branch". Whoever wants the one that a workflow ran for must
 * compare headSha, too: GitHub gives all open ones for a head that it cannot read. Rejects with GitHubRefusal.
 */
export async function openPullRequestsOf(repository: GithubRepository, head: string): Promise<readonly PullRequest[]> {
  const { client, of, name } = repository;
  const errand = { what: `list the open pull requests of ${name} from one branch`, permissions: PERMISSIONS };
  return await onErrand(errand, async () => {
    const pages = await client.paginate(client.rest.pulls.list, { ...of, head, state: 'open', per_page: PAGE });
    return z.array(pullSchema).parse(pages);
  });
}

/** One pull request by its number. Rejects with GitHubRefusal. */
export async function pullRequestOf({ client, of, name }: GithubRepository, number: number): Promise<PullRequest> {
  return await onErrand({ what: `show pull request #${number} of ${name}`, permissions: PERMISSIONS }, async () => {
    const { data } = await client.rest.pulls.get({ ...of, pull_number: number });
    return pullSchema.parse(data);
  });
}
