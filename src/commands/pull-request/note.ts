import { ConfigError } from '../../foundation/errors.ts';
import { judgedRun } from '../../judge/verdict/judge.ts';
import { readVersions } from '../runs/run-files.ts';
import { type CommentFlags, putComment } from './comment.ts';
import type { MergeRequestPlace } from './gitlab-notes.ts';
import { verdictOf } from './verdict.ts';

interface PublishNoteFlags extends CommentFlags {
  /** "group/project!12". */
  readonly mergeRequest?: string | undefined;
}

/**
 * `wiregauge publish --to note`: writes the verdict of a `run.json` into the note on the merge request, or updates it, with the token in
 * GITLAB_TOKEN; the server, the merge request and the page of the job default to those of the pipeline. Exit code 0; throws ConfigError without a
 * token or a merge request, EnvironmentError if GitLab refuses.
 */
export async function publishNote(file: string, flags: PublishNoteFlags): Promise<number> {
  const verdict = verdictOf({ judged: judgedRun(readVersions(file)) });
  // Loads a client that no other command needs.
  const { mergeRequestNotes } = await import('./gitlab-notes.ts');
  const notes = mergeRequestNotes(mergeRequestPlace(flags.mergeRequest, process.env));
  const job = process.env['CI_JOB_URL'];
  await putComment(
    notes,
    {
      command: 'publish',
      ...flags,
      runUrl: flags.runUrl ?? job,
      reportUrl: flags.reportUrl ?? (job === undefined ? undefined : `${job}/artifacts/browse`),
      trendUrl: undefined,
      accept: 'file',
    },
    verdict,
  );
  return 0;
}

/** Merge request for a note: the given one, else that of the pipeline. Throws ConfigError if there is none, or no token. */
export function mergeRequestPlace(named: string | undefined, environment: NodeJS.ProcessEnv): MergeRequestPlace {
  const { CI_SERVER_URL, GITLAB_TOKEN, CI_PROJECT_PATH, CI_MERGE_REQUEST_IID } = environment;
  const name = named ?? (CI_MERGE_REQUEST_IID ? `${CI_PROJECT_PATH}!${CI_MERGE_REQUEST_IID}` : '');
  const [, project, number] = /^((?:[\w.-]+\/)+[\w.-]+)!([1-9]\d{0,8})$/.exec(name) ?? [];
  if (project === undefined) {
    throw new ConfigError(
      name === '' ? 'there is no merge request' : `"${name.slice(0, 200)}" is not a merge request`,
      {
        code: 'WG-509',
        next: 'Set it with `--merge-request group/project!12`, or run this in a merge request pipeline: `rules: [{ if: $CI_PIPELINE_SOURCE == "merge_request_event" }]`.',
      },
    );
  }
  if (!GITLAB_TOKEN) {
    throw new ConfigError('there is no token for GitLab', {
      code: 'WG-502',
      next: 'Set GITLAB_TOKEN, as a masked variable of the project, to a project access token with the role Reporter and the scope `api`.',
    });
  }
  return { host: CI_SERVER_URL || 'https://gitlab.com', token: GITLAB_TOKEN, project, number: Number(number) };
}
