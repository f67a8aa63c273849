import { z } from 'zod';
import { onErrand } from './errors.ts';
import { type GithubRepository, PAGE } from './repository.ts';

/** A run of a workflow. */
export interface WorkflowRun {
  readonly id: number;
  readonly hasEnded: boolean;
  /** Its page. */
  readonly url: string;
}

const runsSchema = z.array(z.object({ id: z.number().int(), status: z.string().nullish(), html_url: z.string() }));

/** Which runs of a workflow. */
export interface RunsOf {
  /** The name of its file. */
  readonly workflow: string;
  readonly headSha: string;
  readonly event: string;
}

/** The runs of a workflow for a commit, newest first. Rejects with GitHubRefusal. */
export async function workflowRunsOf(
  { client, of, name }: GithubRepository,
  { workflow, headSha, event }: RunsOf,
): Promise<readonly WorkflowRun[]> {
  const errand = { what: `list the runs of ${workflow} of ${name}`, permissions: 'actions: write' };
  return await onErrand(errand, async () => {
    const about = { ...of, workflow_id: workflow, head_sha: headSha, event, per_page: PAGE };
    const found = runsSchema.parse(await client.paginate(client.rest.actions.listWorkflowRuns, about));
    return found
      .toSorted((left, right) => right.id - left.id)
      .map(({ id, status, html_url: url }) => ({ id, hasEnded: status === 'completed', url }));
  });
}

/** Starts all jobs of a workflow run again, with the event and the permissions that they had. Rejects with GitHubRefusal. */
export async function rerunWorkflow({ client, of, name }: GithubRepository, id: number): Promise<void> {
  const errand = { what: `start workflow run ${id} of ${name} again`, permissions: 'actions: write' };
  await onErrand(errand, async () => await client.rest.actions.reRunWorkflow({ ...of, run_id: id }));
}
