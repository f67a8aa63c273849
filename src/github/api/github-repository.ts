import { z } from 'zod';
import type { GithubClient } from './github-client.ts';
import { onErrand } from './github-errors.ts';

/** One repository on GitHub, and how to ask for it. */
export interface GithubRepository {
  readonly client: GithubClient;
  /** What every request says. */
  readonly of: { readonly owner: string; readonly repo: string };
  /** "owner/repository", for messages. */
  readonly name: string;
  /** One line for the log. */
  readonly log: (line: string) => void;
}

/** The most that GitHub gives at once. */
export const PAGE = 100;

const viewerSchema = z.object({ viewer: z.object({ login: z.string().min(1) }) });

/**
 * The login of the account that a token acts as: a person's, "github-actions[bot]" for the token of a workflow, or that of another
 * app. By GraphQL, since the REST API refuses to tell an app who it is. Rejects with GitHubRefusal.
 */
export async function loginOf({ client }: GithubRepository): Promise<string> {
  const errand = { what: 'tell which account the token belongs to', permissions: 'pull-requests: write' };
  return await onErrand(errand, async () => {
    const { viewer } = viewerSchema.parse(await client.graphql('query { viewer { login } }'));
    return viewer.login;
  });
}
