import * as z from 'zod';
import type { LabelEvent } from '../../judge/verdict/label.ts';
import { ifRefused } from './errors.ts';
import type { GithubRepository } from './repository.ts';

const PERMISSIONS = 'pull-requests: read';

const labelSchema = z.object({ name: z.string() });

/** Only label events have a label; the actor is null if the account was deleted. */
const eventSchema = z.object({
  event: z.string().optional(),
  created_at: z.string().optional(),
  actor: z.object({ login: z.string() }).nullish(),
  label: z.object({ name: z.string().nullish() }).nullish(),
});

/**
 * User who last added a label to a pull request, and when; undefined if it is not set, 'unknown' if no event names the user. Case-insensitive,
 * as on GitHub. Rejects with GitHubRefusal.
 */
export async function labelEventOf(
  { list, name }: GithubRepository,
  number: number,
  label: string,
): Promise<LabelEvent | 'unknown' | undefined> {
  const listed = async <Data>(what: 'labels' | 'events', schema: z.ZodType<Data>) => {
    const errand = { what: `list the ${what} of pull request #${number} of ${name}`, permissions: PERMISSIONS };
    return await list(
      errand,
      `GET /repos/{owner}/{repo}/issues/{issue_number}/${what}`,
      { issue_number: number },
      schema,
    );
  };
  const isIt = (one: { readonly name?: string | null | undefined } | null | undefined) =>
    one?.name?.toLowerCase() === label.toLowerCase();
  if (!(await listed('labels', labelSchema)).some(isIt)) {
    return undefined;
  }
  const events = await listed('events', eventSchema);
  const { actor, created_at: at } = events.findLast((one) => one.event === 'labeled' && isIt(one.label)) ?? {};
  return !actor || at === undefined ? 'unknown' : { by: actor.login, at };
}

/** Creates a label unless it exists. Rejects with GitHubRefusal. */
export async function makeLabel(
  { ask, name: repository }: GithubRepository,
  label: { readonly name: string; readonly description: string },
): Promise<void> {
  const errand = { what: `create the label "${label.name}" in ${repository}`, permissions: 'pull-requests: write' };
  const made = ask(errand, 'POST /repos/{owner}/{repo}/labels', { ...label, color: 'ededed' }, z.unknown());
  await made.catch(ifRefused(['invalid'], () => undefined));
}

const pullSchema = z
  .object({
    number: z.number().int().positive(),
    state: z.string(),
    head: z.object({ sha: z.string(), ref: z.string(), repo: z.object({ full_name: z.string() }).nullable() }),
  })
  .transform(({ number, state, head }) => ({
    number,
    isOpen: state === 'open',
    headSha: head.sha,
    headRef: head.ref,
    /** "owner/repository" of the head; undefined if the fork was deleted. */
    headRepository: head.repo?.full_name,
  }));

/** Pull request. Names are untrusted text. */
export type PullRequest = Readonly<z.infer<typeof pullSchema>>;

/**
 * Open pull requests with this head, also from a deleted fork. Filters the list of all open ones, because GitHub finds no pull request by a
 * commit that only a fork has. Rejects with GitHubRefusal.
 */
export async function openPullRequestsOf(
  { list, name }: GithubRepository,
  headSha: string,
): Promise<readonly PullRequest[]> {
  const errand = { what: `list the open pull requests of ${name}`, permissions: PERMISSIONS };
  const all = await list(errand, 'GET /repos/{owner}/{repo}/pulls', { state: 'open' }, pullSchema);
  return all.filter((one) => one.isOpen && one.headSha === headSha);
}

/** Pull request by its number. Rejects with GitHubRefusal. */
export async function pullRequestOf({ ask, name }: GithubRepository, number: number): Promise<PullRequest> {
  const errand = { what: `show pull request #${number} of ${name}`, permissions: PERMISSIONS };
  return await ask(errand, 'GET /repos/{owner}/{repo}/pulls/{pull_number}', { pull_number: number }, pullSchema);
}

/** GitHub reports `maintain` as `write` here, and `triage`, which may set labels, as `read`. */
const WRITING: ReadonlySet<string> = new Set(['admin', 'maintain', 'write']);

const permissionSchema = z.object({ permission: z.string() });

/**
 * True if an account has write access to the repository. The association in comments does not imply it: members of an organization may have
 * no access. Rejects with GitHubRefusal.
 */
export async function mayWrite({ ask, name }: GithubRepository, username: string): Promise<boolean> {
  const errand = { what: `report the permissions of @${username} in ${name}`, permissions: PERMISSIONS };
  const route = 'GET /repos/{owner}/{repo}/collaborators/{username}/permission';
  return await ask(errand, route, { username }, permissionSchema).then(
    ({ permission }) => WRITING.has(permission),
    // An app, or a deleted account, is not found.
    ifRefused(['not-found'], () => false),
  );
}

/** True if a branch, by default the default branch, has a file that the token may read. Rejects with GitHubRefusal if GitHub does not respond. */
export async function hasFileOn(
  { ask, name }: GithubRepository,
  { branch, path }: { readonly branch?: string; readonly path: string },
): Promise<boolean> {
  const what = `look for ${path} on ${branch ?? 'the default branch'} of ${name}`;
  const route = 'GET /repos/{owner}/{repo}/contents/{path}';
  return await ask({ what, permissions: 'contents: read' }, route, { path, ref: branch }, z.unknown()).then(
    () => true,
    ifRefused(['not-found', 'read-only'], () => false),
  );
}
