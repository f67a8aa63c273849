import * as z from 'zod';
import type { LabelEvent } from '../../judge/verdict/label.ts';
import type { GithubClient } from './client.ts';
import { onErrand, onErrandOr } from './errors.ts';

/** Repository on GitHub, with the client to access it. */
export interface GithubRepository {
  readonly client: GithubClient;
  /** Common parameters of requests. */
  readonly of: { readonly owner: string; readonly repo: string };
  /** "owner/repository", for messages. */
  readonly name: string;
  readonly log: (line: string) => void;
}

/** Maximum page size of GitHub. */
export const PAGE = 100;

const viewerSchema = z.object({ viewer: z.object({ login: z.string().min(1) }) });

/**
 * Login of the account of a token: a person's, "github-actions[bot]" for the token of a workflow, or that of another app. Uses GraphQL,
 * since the REST API does not return it for apps. Rejects with GitHubRefusal.
 */
export async function loginOf({ client }: GithubRepository): Promise<string> {
  const errand = { what: 'report which account the token belongs to', permissions: 'pull-requests: write' };
  return await onErrand(errand, async () => {
    const { viewer } = viewerSchema.parse(await client.graphql('query { viewer { login } }'));
    return viewer.login;
  });
}

/** File on a branch. */
export interface BranchFile {
  /** Default branch if undefined. */
  readonly branch?: string;
  readonly path: string;
}

/** True if a branch has a file that the token may read. Rejects with GitHubRefusal if GitHub does not respond. */
export async function hasFileOn(
  { client, of, name }: GithubRepository,
  { branch, path }: BranchFile,
): Promise<boolean> {
  const errand = {
    what: `look for ${path} on ${branch ?? 'the default branch'} of ${name}`,
    permissions: 'contents: read',
  };
  const where = { ...of, path, ...(branch !== undefined && { ref: branch }) };
  const look = async () => {
    await client.rest.repos.getContent(where);
    return true;
  };
  return await onErrandOr(errand, look, ['not-found', 'read-only'], () => false);
}

const labelsSchema = z.array(z.object({ name: z.string() }));

/** Only label events have a label; the actor is null if the account was deleted. */
const eventsSchema = z.array(
  z.object({
    event: z.string().optional(),
    created_at: z.string().optional(),
    actor: z.object({ login: z.string() }).nullish(),
    label: z.object({ name: z.string().nullish() }).nullish(),
  }),
);

const PERMISSIONS = 'pull-requests: read';

/** Names of the labels of a pull request. Rejects with GitHubRefusal. */
export async function pullRequestLabels(
  { client, of, name }: GithubRepository,
  number: number,
): Promise<readonly string[]> {
  const errand = { what: `list the labels of pull request #${number} of ${name}`, permissions: PERMISSIONS };
  return await onErrand(errand, async () => {
    const about = { ...of, issue_number: number, per_page: PAGE };
    const pages = await client.paginate(client.rest.issues.listLabelsOnIssue, about);
    return labelsSchema.parse(pages).map((label) => label.name);
  });
}

/**
 * User who last added a label to a pull request, and when; undefined if it is not set, 'of nobody' if no event names the user. Case-insensitive,
 * as on GitHub. Rejects with GitHubRefusal.
 */
export async function labelEventOf(
  repository: GithubRepository,
  number: number,
  label: string,
): Promise<LabelEvent | 'of nobody' | undefined> {
  const isIt = (name: string) => name.toLowerCase() === label.toLowerCase();
  if (!(await pullRequestLabels(repository, number)).some(isIt)) {
    return undefined;
  }
  const { client, of, name } = repository;
  const errand = { what: `list the events of pull request #${number} of ${name}`, permissions: PERMISSIONS };
  const events = await onErrand(errand, async () => {
    const about = { ...of, issue_number: number, per_page: PAGE };
    return eventsSchema.parse(await client.paginate(client.rest.issues.listEvents, about));
  });
  const isAdded = (one: (typeof events)[number]) => one.event === 'labeled' && isIt(one.label?.name ?? '');
  const { actor, created_at: at } = events.findLast(isAdded) ?? {};
  return !actor || at === undefined ? 'of nobody' : { by: actor.login, at };
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
  { client, of, name }: GithubRepository,
  headSha: string,
): Promise<readonly PullRequest[]> {
  const errand = { what: `list the open pull requests of ${name}`, permissions: PERMISSIONS };
  return await onErrand(errand, async () => {
    const pages = await client.paginate(client.rest.pulls.list, { ...of, state: 'open', per_page: PAGE });
    return z
      .array(pullSchema)
      .parse(pages)
      .filter((one) => one.isOpen && one.headSha === headSha);
  });
}

/** Pull request by its number. Rejects with GitHubRefusal. */
export async function pullRequestOf({ client, of, name }: GithubRepository, number: number): Promise<PullRequest> {
  return await onErrand({ what: `show pull request #${number} of ${name}`, permissions: PERMISSIONS }, async () => {
    const { data } = await client.rest.pulls.get({ ...of, pull_number: number });
    return pullSchema.parse(data);
  });
}

/** Run of a workflow. */
export interface WorkflowRun {
  readonly id: number;
  readonly hasEnded: boolean;
  readonly hasPassed: boolean;
  /** Address of its page. */
  readonly url: string;
}

const runsSchema = z.array(
  z.object({
    id: z.number().int(),
    status: z.string().nullish(),
    conclusion: z.string().nullish(),
    html_url: z.string(),
    head_branch: z.string().nullish(),
    head_repository: z.object({ full_name: z.string() }).nullish(),
  }),
);

/** Selection of runs of a workflow. */
export interface RunsOf {
  /** Name of its file. */
  readonly workflow: string;
  readonly headSha: string;
  /** Needed because another pull request may have the same head on another branch or in another fork. */
  readonly headRef: string;
  readonly headRepository: string | undefined;
  readonly event: string;
}

/** Runs of a workflow for a commit, newest first. Rejects with GitHubRefusal. */
export async function workflowRunsOf(
  { client, of, name }: GithubRepository,
  { workflow, headSha, headRef, headRepository, event }: RunsOf,
): Promise<readonly WorkflowRun[]> {
  const errand = { what: `list the runs of ${workflow} of ${name}`, permissions: 'actions: write' };
  return await onErrand(errand, async () => {
    const about = { ...of, workflow_id: workflow, head_sha: headSha, event, per_page: PAGE };
    const found = runsSchema.parse(await client.paginate(client.rest.actions.listWorkflowRuns, about));
    return found
      .filter(
        (run) =>
          run.head_branch === headRef && run.head_repository?.full_name.toLowerCase() === headRepository?.toLowerCase(),
      )
      .toSorted((left, right) => right.id - left.id)
      .map(({ id, status, conclusion, html_url: url }) => {
        return { id, hasEnded: status === 'completed', hasPassed: conclusion === 'success', url };
      });
  });
}

/** Re-runs jobs of a workflow run, all or those that failed, with the same event and permissions. Rejects with GitHubRefusal. */
export async function rerunWorkflow(
  { client, of, name }: GithubRepository,
  id: number,
  jobs: 'all' | 'failed',
): Promise<void> {
  const errand = { what: `start workflow run ${id} of ${name} again`, permissions: 'actions: write' };
  const { reRunWorkflow, reRunWorkflowFailedJobs } = client.rest.actions;
  const again = jobs === 'all' ? reRunWorkflow : reRunWorkflowFailedJobs;
  await onErrand(errand, async () => await again({ ...of, run_id: id }));
}

/** Creates a label unless it exists. Rejects with GitHubRefusal. */
export async function makeLabel(
  { client, of, name: repository }: GithubRepository,
  { name, description }: { readonly name: string; readonly description: string },
): Promise<void> {
  const errand = { what: `make the label "${name}" in ${repository}`, permissions: 'pull-requests: write' };
  const create = async () => void (await client.rest.issues.createLabel({ ...of, name, description, color: 'ededed' }));
  await onErrandOr(errand, create, ['invalid'], () => undefined);
}
