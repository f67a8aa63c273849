import * as z from 'zod';
import { ConfigError } from '../foundation/errors.ts';

const sha = z.string().regex(/^[0-9a-f]{40}([0-9a-f]{24})?$/);
const name = z.string().min(1).max(300);
const number = z.number().int().positive();

/** Schemas of payloads, by the name of the event. Names are untrusted text. */
const SCHEMAS = {
  pull_request: z
    .object({
      action: z.string().optional(),
      label: z.object({ name }).optional(),
      sender: z.object({ login: name }).optional(),
      pull_request: z.object({
        number,
        base: z.object({ sha, ref: name, repo: z.object({ full_name: name }) }),
        head: z.object({ sha, repo: z.object({ full_name: name }).nullable() }),
      }),
    })
    .transform(({ action, label, sender, pull_request: { number: of, base, head } }) => ({
      kind: 'pull-request' as const,
      number: of,
      baseSha: base.sha,
      baseRef: base.ref,
      headSha: head.sha,
      /** Its token is read-only, and secrets are not available. */
      isFork: head.repo?.full_name !== base.repo.full_name,
      /** Label that was just added, and the user who added it. */
      ...(action === 'labeled' && label && sender && { labeled: { name: label.name, by: sender.login } }),
    })),
  /** Merge queue: the base branch with the group merged. Its code was approved, and its token is that of a push. */
  merge_group: z
    .object({ merge_group: z.object({ base_sha: sha, base_ref: name, head_sha: sha, head_ref: name }) })
    .transform(({ merge_group: { base_sha, base_ref, head_sha, head_ref } }) => {
      // Its branch is named `gh-readonly-queue/main/pr-12-<sha>`.
      const [, pullRequest] = /\/pr-([1-9]\d{0,8})-[0-9a-f]{40,64}$/.exec(head_ref) ?? [];
      return {
        kind: 'merge-group' as const,
        /** Pull request that was added last; undefined if the name of the branch does not contain it. */
        number: pullRequest === undefined ? undefined : Number(pullRequest),
        baseSha: base_sha,
        baseRef: base_ref.replace(/^refs\/heads\//, ''),
        headSha: head_sha,
      };
    }),
  push: z.object({ ref: name, repository: z.object({ default_branch: name }) }).transform(({ ref, repository }) => ({
    kind: 'push' as const,
    isDefaultBranch: ref === `refs/heads/${repository.default_branch}`,
  })),
  workflow_dispatch: z.unknown().transform(() => ({ kind: 'by-hand' as const })),
  schedule: z.unknown().transform(() => ({ kind: 'by-schedule' as const })),
  workflow_run: z
    .object({
      workflow_run: z.object({ id: number, event: name, path: name, head_sha: sha, conclusion: name.nullish() }),
    })
    .transform(({ workflow_run: { id, event, path, head_sha, conclusion } }) => ({
      kind: 'workflow-run' as const,
      runId: id,
      /** Event that started the other workflow, and its file. */
      ...{ event, path },
      headSha: head_sha,
      /** Conclusion, such as "failure". */
      ...(conclusion && { conclusion }),
    })),
  /** Comment on a pull request, which anyone can write. */
  issue_comment: z
    .object({
      issue: z.object({ number, pull_request: z.unknown() }),
      comment: z.object({ id: number, body: z.string().nullish(), user: z.object({ login: name }).nullable() }),
    })
    .transform(({ issue, comment: { id, body, user } }) =>
      // Comments on issues that are not pull requests are ignored.
      !issue.pull_request || user === null
        ? { kind: 'other' as const, name: 'issue_comment' }
        : { kind: 'remark' as const, number: issue.number, commentId: id, by: user.login, body: body ?? '' },
    ),
};

/** Event that started a workflow. */
export type GithubEvent = Readonly<
  z.infer<(typeof SCHEMAS)[keyof typeof SCHEMAS]> | { readonly kind: 'other'; readonly name: string }
>;

/** Reads an event by its name and payload. Throws ConfigError if the payload is not in the format of GitHub. */
export function githubEvent(eventName: string, payload: unknown): GithubEvent {
  const schemas: Readonly<Record<string, z.ZodType<GithubEvent>>> = SCHEMAS;
  const schema = Object.hasOwn(schemas, eventName) ? schemas[eventName] : undefined;
  const found = schema?.safeParse(payload) ?? {
    success: true as const,
    data: { kind: 'other' as const, name: eventName },
  };
  if (!found.success) {
    const issue = found.error.issues[0];
    throw new ConfigError(
      `the event ${eventName} is not in the format of GitHub: ${issue?.path.join('.')}: ${issue?.message}`,
      {
        code: 'WG-504',
        next: 'If you run the workflow outside GitHub, put the full event into the event file.',
      },
    );
  }
  return found.data;
}
