import * as z from 'zod';
import type { GithubClient } from './client.ts';
import { type Errand, onErrand } from './errors.ts';

/** Parameters of a request besides the repository, in the path, the query or the body. */
type Parameters = Readonly<Record<string, unknown>>;

/** Maximum page size of GitHub. */
const PAGE = 100;

const viewerSchema = z.object({ viewer: z.object({ login: z.string().min(1) }) });

/** Repository on GitHub, with the client to access it. */
export type GithubRepository = ReturnType<typeof githubRepository>;

export function githubRepository(client: GithubClient, of: { readonly owner: string; readonly repo: string }) {
  let login: string | undefined;
  const request = async (route: string, parameters: Parameters) =>
    await client.request(route, { ...of, ...parameters });
  return {
    /** "owner/repository", for messages. */
    name: `${of.owner}/${of.repo}`,
    log: client.log.warn,
    request,

    /** Sends a request and returns the checked response. Rejects with GitHubRefusal. */
    ask: async <Data>(errand: Errand, route: string, parameters: Parameters, schema: z.ZodType<Data>) =>
      await onErrand(errand, async () => schema.parse((await request(route, parameters)).data)),

    /** All pages of a list, checked. Rejects with GitHubRefusal. */
    list: async <Data>(errand: Errand, route: string, parameters: Parameters, schema: z.ZodType<Data>) =>
      await onErrand(errand, async () => {
        const pages = await client.paginate(route, { ...of, ...parameters, per_page: PAGE });
        return z.array(schema).parse(pages);
      }),

    /**
     * Login of the account of the token: a person's, "github-actions[bot]" for the token of a workflow, or that of another app. Uses GraphQL,
     * since the REST API does not return it for apps. Rejects with GitHubRefusal.
     */
    login: async () => {
      const errand = { what: 'report which account the token belongs to', permissions: 'pull-requests: write' };
      login ??= await onErrand(errand, async () => {
        const { viewer } = viewerSchema.parse(await client.graphql('query { viewer { login } }'));
        return viewer.login;
      });
      return login;
    },
  };
}
