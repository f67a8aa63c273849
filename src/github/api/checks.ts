import * as z from 'zod';
import type { Annotation } from '../../project/places.ts';
import { type Errand, isGithubRefusal, onErrand } from './errors.ts';
import { type GithubRepository, PAGE } from './repository.ts';

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

const checkSchema = z.object({
  id: z.number().int(),
  html_url: z.string().nullish(),
  external_id: z.string().nullish(),
  output: z.object({ annotations_count: z.number() }).nullish(),
});

type Fields = ReturnType<typeof fieldsOf>;

/**
 * Creates the check run, or updates the one with its name on that commit. Returns its address if it has one. Rejects with GitHubRefusal;
 * only apps can create check runs, including the token of a workflow.
 */
export async function putCheckRun(
  repository: GithubRepository,
  check: CheckRun,
): Promise<{ readonly url: string | undefined }> {
  const { name, headSha } = check;
  const what = `write the check run "${name}" on commit ${headSha} of ${repository.name}`;
  const errand = { what, permissions: 'checks: write' };
  const fields = fieldsOf(check);
  const found = await onErrand(errand, () => ownOn(repository, name, headSha));
  if (found !== undefined) {
    return await updated(repository, errand, fields, found);
  }
  return await created(repository, errand, { ...fields, head_sha: headSha });
}

function fieldsOf({ name, conclusion, title, summary, detailsUrl, annotations = [] }: CheckRun) {
  return {
    name,
    status: 'completed' as const,
    conclusion,
    external_id: EXTERNAL_ID,
    ...(detailsUrl !== undefined && { details_url: detailsUrl }),
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

interface Found {
  readonly id: number;
  readonly isAnnotated: boolean;
}

async function ownOn({ client, of }: GithubRepository, name: string, ref: string): Promise<Found | undefined> {
  // With `latest`, ours could be hidden by that of a job with the same name.
  const about = { ...of, ref, check_name: name, filter: 'all', per_page: PAGE } as const;
  const checks = z.array(checkSchema).parse(await client.paginate(client.rest.checks.listForRef, about));
  const own = checks.find(({ external_id: id }) => id === EXTERNAL_ID);
  return own && { id: own.id, isAnnotated: (own.output?.annotations_count ?? 0) > 0 };
}

async function updated({ client, of }: GithubRepository, errand: Errand, fields: Fields, found: Found) {
  const { annotations, ...words } = fields.output;
  // GitHub appends annotations, and cannot remove any.
  const output = found.isAnnotated ? words : { ...words, annotations };
  return await onErrand(errand, async () => {
    const { data } = await client.rest.checks.update({ ...of, check_run_id: found.id, ...fields, output });
    return { url: checkSchema.parse(data).html_url ?? undefined };
  });
}

/** A creation without a response may have succeeded, so the check run is searched before it is created again. */
async function created(repository: GithubRepository, errand: Errand, fields: Fields & { readonly head_sha: string }) {
  const create = () =>
    onErrand(errand, async () => {
      const { data } = await repository.client.rest.checks.create({ ...repository.of, ...fields });
      return { url: checkSchema.parse(data).html_url ?? undefined };
    });
  try {
    return await create();
  } catch (thrown) {
    if (!isGithubRefusal(thrown, 'unavailable')) {
      throw thrown;
    }
    const found = await onErrand(errand, () => ownOn(repository, fields.name, fields.head_sha));
    const { head_sha: _headSha, ...rest } = fields;
    return found === undefined ? await create() : await updated(repository, errand, rest, found);
  }
}
