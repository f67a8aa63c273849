import * as z from 'zod';
import type { Annotation } from '../../project/places.ts';
import { ifRefused } from './errors.ts';
import type { GithubRepository } from './repository.ts';

/** Completed check run. */
export interface CheckRun {
  readonly name: string;
  /** Commit of the check run. */
  readonly headSha: string;
  readonly conclusion: 'success' | 'failure' | 'neutral';
  readonly title: string;
  /** Markdown of at most 65,535 characters. */
  readonly summary: string;
  /** Address of the link "Details". */
  readonly detailsUrl?: string;
  /** Annotations; at most 50 of those with a file are shown at its lines. */
  readonly annotations?: readonly Annotation[];
}

/** Limit of GitHub per request. */
const MAX_ANNOTATIONS = 50;

/** Distinguishes our check runs from those that GitHub creates for jobs, which may have the same name and app. */
const EXTERNAL_ID = 'wiregauge';

const checkSchema = z
  .object({
    id: z.number().int(),
    html_url: z.string().nullish(),
    external_id: z.string().nullish(),
    output: z.object({ annotations_count: z.number() }).nullish(),
  })
  .transform(({ id, html_url: url, external_id, output }) => ({
    id,
    url: url ?? undefined,
    isOwn: external_id === EXTERNAL_ID,
    isAnnotated: (output?.annotations_count ?? 0) > 0,
  }));

type StoredCheck = z.infer<typeof checkSchema>;

const CHECKS = '/repos/{owner}/{repo}/check-runs';

/**
 * Creates the check run, or updates the one with its name on that commit. Returns its address if it has one. Rejects with GitHubRefusal;
 * only apps can create check runs, including the token of a workflow.
 */
export async function putCheckRun(
  { ask, list, name: repository }: GithubRepository,
  check: CheckRun,
): Promise<{ readonly url: string | undefined }> {
  const { name, headSha } = check;
  const what = `write the check run "${name}" on commit ${headSha} of ${repository}`;
  const errand = { what, permissions: 'checks: write' };
  const fields = fieldsOf(check);
  const create = () => ask(errand, `POST ${CHECKS}`, { ...fields, head_sha: headSha }, checkSchema);
  const update = ({ id, isAnnotated }: StoredCheck) => {
    const { annotations, ...words } = fields.output;
    // GitHub appends annotations, and cannot remove any.
    const output = isAnnotated ? words : { ...words, annotations };
    return ask(errand, `PATCH ${CHECKS}/{check_run_id}`, { check_run_id: id, ...fields, output }, checkSchema);
  };
  const updateOr = async (otherwise: () => Promise<StoredCheck>) => {
    // With `latest`, ours could be hidden by that of a job with the same name.
    const about = { ref: headSha, check_name: name, filter: 'all' };
    const checks = await list(errand, 'GET /repos/{owner}/{repo}/commits/{ref}/check-runs', about, checkSchema);
    const own = checks.find(({ isOwn }) => isOwn);
    return await (own === undefined ? otherwise() : update(own));
  };
  // A creation without a response may have succeeded, so the check run is searched before it is created again.
  return await updateOr(() => create().catch(ifRefused(['unavailable'], () => updateOr(create))));
}

function fieldsOf({ name, conclusion, title, summary, detailsUrl, annotations = [] }: CheckRun) {
  return {
    name,
    status: 'completed' as const,
    conclusion,
    external_id: EXTERNAL_ID,
    details_url: detailsUrl,
    output: { title, summary, annotations: annotationsAt(annotations) },
  };
}

const LEVELS = { error: 'failure', warning: 'warning', notice: 'notice' } as const;

function annotationsAt(annotations: readonly Annotation[]) {
  const placed = annotations.flatMap(({ level, title, message, path, line = 1 }) =>
    path === undefined
      ? []
      : [{ path, start_line: line, end_line: line, annotation_level: LEVELS[level], title, message }],
  );
  return placed.slice(0, MAX_ANNOTATIONS);
}
