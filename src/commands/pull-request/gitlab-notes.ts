import { Gitlab } from '@gitbeaker/rest';
import * as z from 'zod';
import { ConfigError, EnvironmentError } from '../../foundation/errors.ts';
import { cleanText } from '../../foundation/text.ts';
import type { Comments, Creation, PullRequestComment } from '../../github/comment.ts';

interface MergeRequestPlace {
  /** Address of the server, without the path of its API: `https://gitlab.com`. */
  readonly host: string;
  readonly token: string;
  /** Path or number of its project: `group/project`. */
  readonly project: string;
  readonly number: number;
}

/** Merge request for a note: the given one, or that of the pipeline. Throws ConfigError without one, or without a token. */
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

const noteSchema = z.object({
  id: z.number().int(),
  body: z.string(),
  system: z.boolean(),
  author: z.object({ id: z.number().int() }),
});

const REQUEST_MS = 10_000;

/** Notes that the owner of the token wrote on a merge request. Rejects with EnvironmentError if GitLab refuses, or answers unexpectedly. */
export function mergeRequestNotes({ host, token, project, number }: MergeRequestPlace): Comments {
  const api = new Gitlab({ host, token, queryTimeout: REQUEST_MS });
  const page = `${host}/${project}/-/merge_requests/${number}`;
  const errand = async <Result>(what: string, work: () => Promise<Result>): Promise<Result> => {
    try {
      return await work();
    } catch (thrown) {
      throw gitlabRefusal(thrown, `${what} merge request !${number} of ${project}`);
    }
  };
  const noteFrom = (received: unknown): PullRequestComment => {
    const { id, body } = noteSchema.parse(received);
    return { id, body, url: `${page}#note_${id}` };
  };
  return {
    all: () =>
      errand('list the notes of', async () => {
        const own = z.object({ id: z.number() }).parse(await api.Users.showCurrentUser());
        const listed = await api.MergeRequestNotes.all(project, number, { perPage: 100, sort: 'asc' });
        const notes = z.array(noteSchema).parse(listed);
        const ours = notes.filter(({ author, system }) => author.id === own.id && !system).map(noteFrom);
        return ours.toSorted((a, b) => a.id - b.id);
      }),
    create: async (body): Promise<Creation> => {
      try {
        const comment = await errand('write a note on', async () =>
          noteFrom(await api.MergeRequestNotes.create(project, number, body)),
        );
        return { kind: 'created', comment };
      } catch (thrown) {
        if (thrown instanceof GitLabRefusal && thrown.status === undefined) {
          return { kind: 'unanswered', cause: thrown };
        }
        throw thrown;
      }
    },
    update: (id, body) =>
      errand(`change note ${id} of`, async () => ({
        url: noteFrom(await api.MergeRequestNotes.edit(project, number, id, { body })).url,
      })),
    remove: (id) =>
      errand(`remove note ${id} of`, async () => {
        await api.MergeRequestNotes.remove(project, number, id).catch((thrown: unknown) => {
          if (statusOf(thrown) !== 404) {
            throw thrown;
          }
        });
      }),
  };
}

/** Refusal by GitLab. Has neither the request nor the cause, since those contain the token. */
class GitLabRefusal extends EnvironmentError {
  static override readonly code = 'WG-503';
  /** HTTP status; undefined without an answer. */
  readonly status: number | undefined;

  constructor(message: string, { status, next }: { readonly status: number | undefined; readonly next: string }) {
    super(message, { next });
    this.status = status;
  }
}

const failed = z.object({ cause: z.object({ response: z.object({ status: z.number() }), description: z.unknown() }) });

function statusOf(thrown: unknown): number | undefined {
  return failed.safeParse(thrown).data?.cause.response.status;
}

const TOKEN_NEXT =
  'Set GITLAB_TOKEN to a project access token with the role Reporter and the scope `api`; a job token (CI_JOB_TOKEN) cannot write notes.';

const NEXT: ReadonlyMap<number | undefined, string> = new Map([
  [401, TOKEN_NEXT],
  [403, TOKEN_NEXT],
  [404, `Check that it exists. GitLab also reports this if the token has no access. ${TOKEN_NEXT}`],
]);

function gitlabRefusal(thrown: unknown, what: string): Error {
  if (thrown instanceof z.ZodError) {
    const [first] = thrown.issues;
    const reason = `unexpected response at ${first?.path.join('.') || 'the top'}`;
    return new GitLabRefusal(`GitLab did not ${what}: ${reason}`, {
      status: 200,
      next: 'Check that this is a GitLab server.',
    });
  }
  const status = statusOf(thrown);
  const said = thrown instanceof Error ? thrown.message : 'no answer';
  const words = status === undefined ? cleanText(said, 300) : `HTTP ${status}`;
  return new GitLabRefusal(`GitLab did not ${what}: ${words}`, {
    status,
    next: NEXT.get(status) ?? 'Run the job again later.',
  });
}
