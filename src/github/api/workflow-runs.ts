import * as z from 'zod';
import type { GithubRepository } from './repository.ts';

const runSchema = z.object({
  id: z.number().int(),
  status: z.string().nullish(),
  conclusion: z.string().nullish(),
  html_url: z.string(),
  head_branch: z.string().nullish(),
  head_repository: z.object({ full_name: z.string() }).nullish(),
});

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

/** Runs of a workflow for a commit, newest first, each with the address of its page. Rejects with GitHubRefusal. */
export async function workflowRunsOf(
  { list, name }: GithubRepository,
  { workflow, headSha, headRef, headRepository, event }: RunsOf,
) {
  const errand = { what: `list the runs of ${workflow} of ${name}`, permissions: 'actions: write' };
  const about = { workflow_id: workflow, head_sha: headSha, event };
  const found = await list(errand, 'GET /repos/{owner}/{repo}/actions/workflows/{workflow_id}/runs', about, runSchema);
  return found
    .filter(
      (run) =>
        run.head_branch === headRef && run.head_repository?.full_name.toLowerCase() === headRepository?.toLowerCase(),
    )
    .toSorted((left, right) => right.id - left.id)
    .map(({ id, status, conclusion, html_url: url }) => {
      return { id, hasEnded: status === 'completed', hasPassed: conclusion === 'success', url };
    });
}

/** Re-runs jobs of a workflow run, all or those that failed, with the same event and permissions. Rejects with GitHubRefusal. */
export async function rerunWorkflow(
  { ask, name }: GithubRepository,
  id: number,
  jobs: 'all' | 'failed',
): Promise<void> {
  const errand = { what: `start workflow run ${id} of ${name} again`, permissions: 'actions: write' };
  const again = jobs === 'all' ? 'rerun' : 'rerun-failed-jobs';
  await ask(errand, `POST /repos/{owner}/{repo}/actions/runs/{run_id}/${again}`, { run_id: id }, z.unknown());
}
