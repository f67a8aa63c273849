import * as z from 'zod';
import { ConfigError } from '../foundation/errors.ts';

const sha = z.string().regex(/^[0-9a-f]{40}([0-9a-f]{24})?$/);
const name = z.string().min(1).max(300);
const number = z.number().int().positive();

const repository = z.object({ full_name: name, default_branch: name });

const pullRequestSchema = z.object({
  action: z.string().optional(),
  label: z.object({ name }).optional(),
  sender: z.object({ login: name }).optional(),
  pull_request: z.object({
    number,
    base: z.object({ sha, ref: name, repo: z.object({ full_name: name }) }),
    head: z.object({ sha, repo: z.object({ full_name: name }).nullable() }),
  }),
});

const mergeGroupSchema = z.object({
  merge_group: z.object({ base_sha: sha, base_ref: name, head_sha: sha, head_ref: name }),
});

const pushSchema = z.object({ ref: name, after: sha, repository });

const remarkSchema = z.object({
  issue: z.object({ number, pull_request: z.unknown() }),
  comment: z.object({ id: number, body: z.string().nullish(), user: z.object({ login: name }).nullable() }),
});

const workflowRunSchema = z.object({
  workflow_run: z.object({
    id: number,
    run_attempt: number,
    event: name,
    path: name,
    head_sha: sha,
    conclusion: name.nullish(),
  }),
  repository,
});

/** Event that started a workflow. Names are untrusted text. */
export type GithubEvent =
  | {
      readonly kind: 'pull-request';
      readonly number: number;
      readonly baseSha: string;
      readonly baseRef: string;
      readonly headSha: string;
      /** Its token is read-only, and secrets are not available. */
      readonly isFork: boolean;
      /** Label that was just added, and the user who added it. */
      readonly labeled?: { readonly name: string; readonly by: string };
    }
  | {
      /** Merge queue: the base branch with the group merged. Its code was approved, and its token is that of a push. */
      readonly kind: 'merge-group';
      /** Pull request that was added last; undefined if the name of the branch does not contain it. */
      readonly number: number | undefined;
      readonly baseSha: string;
      readonly baseRef: string;
      readonly headSha: string;
    }
  | { readonly kind: 'push'; readonly branch: string; readonly sha: string; readonly isDefaultBranch: boolean }
  | { readonly kind: 'by-hand' | 'by-schedule' }
  | {
      readonly kind: 'workflow-run';
      readonly runId: number;
      readonly attempt: number;
      /** Event that started the other workflow, and its file. */
      readonly event: string;
      readonly path: string;
      readonly headSha: string;
      /** Conclusion, such as "failure". */
      readonly conclusion?: string | undefined;
    }
  | {
      /** Comment on a pull request, which anyone can write. */
      readonly kind: 'remark';
      readonly number: number;
      readonly commentId: number;
      readonly by: string;
      readonly body: string;
    }
  | { readonly kind: 'other'; readonly name: string };

const READERS: ReadonlyMap<string, (payload: unknown) => GithubEvent> = new Map([
  ['pull_request', pullRequestEvent],
  ['merge_group', mergeGroupEvent],
  ['push', pushEvent],
  ['workflow_dispatch', (): GithubEvent => ({ kind: 'by-hand' })],
  ['schedule', (): GithubEvent => ({ kind: 'by-schedule' })],
  ['workflow_run', workflowRunEvent],
  ['issue_comment', remarkEvent],
]);

/** Reads an event by its name and payload. Throws ConfigError if the payload is not in the format of GitHub. */
export function githubEvent(eventName: string, payload: unknown): GithubEvent {
  return READERS.get(eventName)?.(payload) ?? { kind: 'other', name: eventName };
}

function pullRequestEvent(payload: unknown): GithubEvent {
  const { action, label, sender, pull_request: pull } = read('pull_request', pullRequestSchema, payload);
  const { number: of, base, head } = pull;
  return {
    kind: 'pull-request',
    number: of,
    baseSha: base.sha,
    baseRef: base.ref,
    headSha: head.sha,
    isFork: head.repo?.full_name !== base.repo.full_name,
    ...(action === 'labeled' && label && sender && { labeled: { name: label.name, by: sender.login } }),
  };
}

/** Its branch is named `gh-readonly-queue/main/pr-12-<sha>`. */
function mergeGroupEvent(payload: unknown): GithubEvent {
  const { base_sha, base_ref, head_sha, head_ref } = read('merge_group', mergeGroupSchema, payload).merge_group;
  const [, pullRequest] = /\/pr-([1-9]\d{0,8})-[0-9a-f]{40,64}$/.exec(head_ref) ?? [];
  return {
    kind: 'merge-group',
    number: pullRequest === undefined ? undefined : Number(pullRequest),
    baseSha: base_sha,
    baseRef: branchOf(base_ref),
    headSha: head_sha,
  };
}

function branchOf(ref: string): string {
  return ref.replace(/^refs\/heads\//, '');
}

function pushEvent(payload: unknown): GithubEvent {
  const { ref, after, repository: pushed } = read('push', pushSchema, payload);
  const branch = branchOf(ref);
  return { kind: 'push', branch, sha: after, isDefaultBranch: ref === `refs/heads/${pushed.default_branch}` };
}

/** Ignores comments on issues that are not pull requests. */
function remarkEvent(payload: unknown): GithubEvent {
  const { issue, comment } = read('issue_comment', remarkSchema, payload);
  if (!issue.pull_request || comment.user === null) {
    return { kind: 'other', name: 'issue_comment' };
  }
  const { id, body, user } = comment;
  return { kind: 'remark', number: issue.number, commentId: id, by: user.login, body: body ?? '' };
}

function workflowRunEvent(payload: unknown): GithubEvent {
  const run = read('workflow_run', workflowRunSchema, payload).workflow_run;
  return {
    kind: 'workflow-run',
    runId: run.id,
    attempt: run.run_attempt,
    event: run.event,
    path: run.path,
    headSha: run.head_sha,
    ...(run.conclusion && { conclusion: run.conclusion }),
  };
}

function read<Payload>(event: string, schema: z.ZodType<Payload>, payload: unknown): Payload {
  const found = schema.safeParse(payload);
  if (!found.success) {
    const issue = found.error.issues[0];
    throw new ConfigError(
      `the event ${event} is not in the format of GitHub: ${issue?.path.join('.')}: ${issue?.message}`,
      {
        code: 'WG-504',
        next: 'If you run the workflow outside GitHub, put the full event into the event file.',
      },
    );
  }
  return found.data;
}
