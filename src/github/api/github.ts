import * as z from 'zod';
import { ConfigError } from '../../foundation/errors.ts';
import type { Comments, Creation } from '../comment.ts';
import { artifactsOf, artifactZipOf } from './artifacts.ts';
import { type CheckRun, putCheckRun } from './checks.ts';
import { openClient } from './client.ts';
import { type Errand, GitHubRefusal, onErrand, onErrandOr } from './errors.ts';
import { PATIENCE, type Patience } from './patience.ts';
import {
  type BranchFile,
  type GithubRepository,
  hasFileOn,
  labelEventOf,
  loginOf,
  makeLabel,
  openPullRequestsOf,
  PAGE,
  pullRequestLabels,
  pullRequestOf,
  type RunsOf,
  rerunWorkflow,
  workflowRunsOf,
} from './repository.ts';

/** Repository on GitHub, through its REST API. Every method rejects with GitHubRefusal if GitHub refuses or does not respond. */
export type GitHub = ReturnType<typeof openGitHub>;

interface GitHubOptions {
  /** "https://api.github.com", or "https://HOST/api/v3" for GitHub Enterprise: GITHUB_API_URL in a workflow. */
  readonly apiUrl: string;
  readonly token: string;
  readonly owner: string;
  readonly repo: string;
  readonly log: (line: string) => void;
  readonly patience?: Partial<Patience>;
}

/** Opens a repository on GitHub without sending a request. Throws ConfigError for an invalid address, name or token. */
export function openGitHub({ apiUrl, token, owner, repo, log, patience: changed }: GitHubOptions) {
  const patience = { ...PATIENCE, ...changed };
  const client = openClient(checkedUrl(apiUrl), checkedToken(token), patience, log);
  const repository: GithubRepository = { client, of: checkedNames({ owner, repo }), name: `${owner}/${repo}`, log };
  return {
    comments: (number: number) => commentsOf(repository, number),
    issues: () => issuesOf(repository),
    labels: (number: number) => pullRequestLabels(repository, number),
    labelEvent: (number: number, label: string) => labelEventOf(repository, number, label),
    /** Comments of all users with an account, oldest first, with the time of their last edit. Code that acts on one must check the author. */
    remarks: async (number: number) => {
      const found = await allComments(repository, number);
      return found.flatMap(({ by, ...remark }) => (by === undefined ? [] : [{ ...remark, by }]));
    },
    mayWrite: (login: string) => mayWrite(repository, login),
    react: (commentId: number, content: 'rocket' | 'eyes') => reactTo(repository, commentId, content),
    workflowRuns: (runs: RunsOf) => workflowRunsOf(repository, runs),
    rerun: (runId: number, jobs: 'all' | 'failed') => rerunWorkflow(repository, runId, jobs),
    makeLabel: (label: Parameters<typeof makeLabel>[1]) => makeLabel(repository, label),
    checkRun: (check: CheckRun) => putCheckRun(repository, check),
    openPullRequests: (headSha: string) => openPullRequestsOf(repository, headSha),
    pullRequest: (number: number) => pullRequestOf(repository, number),
    artifacts: (runId: number, name?: string) => artifactsOf(repository, runId, name),
    artifactZip: (id: number, mostBytes: number) => artifactZipOf(repository, { id, mostBytes, patience }),
    hasFile: (file: BranchFile) => hasFileOn(repository, file),
  };
}

const LOOPBACK = new Set(['127.0.0.1', '[::1]', 'localhost']);

function checkedUrl(apiUrl: string): string {
  const url = URL.canParse(apiUrl) ? new URL(apiUrl) : undefined;
  // Anything else would send the token unencrypted.
  if (url === undefined || !(url.protocol === 'https:' || (url.protocol === 'http:' && LOOPBACK.has(url.hostname)))) {
    throw new ConfigError(`the address of GitHub's API is ${JSON.stringify(apiUrl)}, and must start with https://`, {
      next: 'Set GITHUB_API_URL to https://api.github.com, or to https://HOST/api/v3 of your GitHub Enterprise server.',
    });
  }
  return url.href.replace(/(?<!\/)\/+$/, '');
}

/** Checked here, since fetch's message about an invalid header contains the token. */
function checkedToken(token: string): string {
  const trimmed = token.trim();
  if (!/^[\x21-\x7e]+$/.test(trimmed)) {
    throw new ConfigError(
      trimmed === '' ? 'there is no token for GitHub' : 'the token for GitHub contains invalid characters',
      {
        code: 'WG-502',
        next: 'Pass one: `with: { token: "${{ github.token }}" }`, in a job with `permissions: { contents: read, pull-requests: write }`.',
      },
    );
  }
  return trimmed;
}

function checkedNames<Names extends { readonly owner: string; readonly repo: string }>(names: Names): Names {
  const wrong = Object.entries(names).find(([, name]) => !/^[\w.-]{1,100}$/.test(name) || /^\.+$/.test(name));
  if (wrong !== undefined) {
    throw new ConfigError(`${JSON.stringify(wrong[1])} cannot be the ${wrong[0]} of a repository on GitHub`, {
      next: 'Set GITHUB_REPOSITORY to "owner/repository".',
    });
  }
  return names;
}

const commentSchema = z
  .object({
    id: z.number().int(),
    body: z.string().nullish(),
    html_url: z.string(),
    // null if the account was deleted.
    user: z.object({ login: z.string() }).nullable(),
    updated_at: z.string(),
    author_association: z.string().nullish(),
  })
  .transform(({ id, body, html_url: url, user, updated_at: at, author_association: association }) => ({
    ...{ id, body: body ?? '', url, at },
    by: user?.login,
    /** Association with the repository, which does not imply write access. */
    isAssociated: ['OWNER', 'MEMBER', 'COLLABORATOR'].includes(association ?? ''),
  }));

/** Comments of all users on a pull request. Texts are untrusted. Rejects with GitHubRefusal. */
async function allComments({ client, of, name }: GithubRepository, number: number) {
  const what = `list the comments on pull request #${number} of ${name}`;
  return await onErrand({ what, permissions: 'pull-requests: read' }, async () => {
    const about = { ...of, issue_number: number, per_page: PAGE };
    return z.array(commentSchema).parse(await client.paginate(client.rest.issues.listComments, about));
  });
}

/**
 * Comments on a pull request by the account of the token. Authors are compared with the login that GitHub returns for the token: a marker
 * alone proves nothing, since anyone can post it, and a token may be allowed to edit comments of others. Accounts that share a login, such
 * as all jobs with the token of a workflow, distinguish their comments by id.
 */
function commentsOf(repository: GithubRepository, number: number): Comments {
  const { client, of, name } = repository;
  const errand = (verb: string): Errand => ({
    what: `${verb} pull request #${number} of ${name}`,
    permissions: 'pull-requests: write',
  });
  let login: string | undefined;
  return {
    async all() {
      login ??= await loginOf(repository);
      const own = (await allComments(repository, number)).filter(({ by }) => by === login);
      return own.toSorted((left, right) => left.id - right.id);
    },

    create: (body) =>
      onErrandOr<Creation>(
        errand('create a comment on'),
        async () => {
          const { data } = await client.rest.issues.createComment({ ...of, issue_number: number, body });
          return { kind: 'created', comment: commentSchema.parse(data) };
        },
        ['unavailable'],
        (cause) => ({ kind: 'unanswered', cause }),
      ),

    update: (id, body) =>
      onErrand(errand(`update comment ${id} on`), async () => {
        const { data } = await client.rest.issues.updateComment({ ...of, comment_id: id, body });
        return { url: commentSchema.parse(data).url };
      }),

    remove: (id) =>
      onErrandOr(
        errand(`remove comment ${id} on`),
        async () => void (await client.rest.issues.deleteComment({ ...of, comment_id: id })),
        ['not-found'],
        () => undefined,
      ),
  };
}

/** Adds a reaction to a comment. Rejects with GitHubRefusal. */
async function reactTo({ client, of, name }: GithubRepository, id: number, content: 'rocket' | 'eyes'): Promise<void> {
  const errand = { what: `add a reaction to comment ${id} of ${name}`, permissions: 'pull-requests: write' };
  await onErrand(
    errand,
    async () => await client.rest.reactions.createForIssueComment({ ...of, comment_id: id, content }),
  );
}

/** GitHub reports `maintain` as `write` here, and `triage`, which may set labels, as `read`. */
const WRITING: ReadonlySet<string> = new Set(['admin', 'maintain', 'write']);

const permissionSchema = z.object({ permission: z.string() });

/**
 * True if an account has write access to the repository. The association in comments does not imply it: members of an organization may have
 * no access. Rejects with GitHubRefusal.
 */
async function mayWrite({ client, of, name }: GithubRepository, login: string): Promise<boolean> {
  const errand = { what: `report the permissions of @${login} in ${name}`, permissions: 'pull-requests: read' };
  const read = async () => {
    const { data } = await client.rest.repos.getCollaboratorPermissionLevel({ ...of, username: login });
    return WRITING.has(permissionSchema.parse(data).permission);
  };
  // An app, or a deleted account, is not found.
  return await onErrandOr(errand, read, ['not-found'], () => false);
}

const issueSchema = z
  .object({
    number: z.number().int().positive(),
    title: z.string(),
    body: z.string().nullish(),
    state: z.string(),
    closed_at: z.string().nullish(),
    html_url: z.string(),
    // null if the account was deleted.
    user: z.object({ login: z.string() }).nullish(),
    // Pull requests are issues, too.
    pull_request: z.unknown().optional(),
  })
  .transform(({ state, closed_at: closedAt, html_url: url, body, user, pull_request: pull, ...issue }) => ({
    ...issue,
    body: body ?? '',
    isOpen: state === 'open',
    /** ISO 8601, in UTC; undefined for an open one. */
    ...(closedAt && { closedAt }),
    /** Address of its page. */
    url,
    /** Account that opened it; undefined if it was deleted, or for a pull request. */
    by: pull === undefined ? user?.login : undefined,
  }));

/** Issue that was opened by the account of the token. */
export type OwnIssue = Readonly<Omit<z.infer<typeof issueSchema>, 'by'>>;

/** Issues of one repository that were opened by the account of the token. Rejects with KnownError if GitHub refuses. */
export type Issues = Readonly<ReturnType<typeof issuesOf>>;

const PERMISSIONS = 'issues: write';

const MEND =
  'Give the job `permissions: { contents: write, issues: write }`, and enable Issues in the settings of the repository; or set `alert-issue: false`.';

/**
 * Issues of a repository that were opened by the account of the token. A marker alone proves nothing, since anyone can open an issue, so
 * the author is compared with the login that GitHub returns for the token.
 */
function issuesOf(repository: GithubRepository) {
  const { client, of, name } = repository;
  let login: string | undefined;
  return {
    /** Open and closed issues, the newest first. */
    all: async (): Promise<readonly OwnIssue[]> => {
      login ??= await loginOf(repository);
      const creator = login;
      const issues = await doing(`list the issues of ${name}`, async () => {
        const about = { ...of, creator, state: 'all', per_page: PAGE } as const;
        return z.array(issueSchema).parse(await client.paginate(client.rest.issues.listForRepo, about));
      });
      return issues.filter(({ by }) => by === creator).toSorted((left, right) => right.number - left.number);
    },

    create: (title: string, body: string): Promise<OwnIssue> =>
      doing(`open an issue in ${name}`, async () => {
        const { data } = await client.rest.issues.create({ ...of, title, body });
        return issueSchema.parse(data);
      }),

    /** Changes fields of an issue, or closes it for a reason. */
    update: (
      number: number,
      { closed, ...words }: { title?: string; body?: string; closed?: 'completed' | 'not_planned' },
    ): Promise<void> =>
      doing(`update issue #${number} of ${name}`, async () => {
        const state = closed === undefined ? {} : { state: 'closed' as const, state_reason: closed };
        await client.rest.issues.update({ ...of, issue_number: number, ...words, ...state });
      }),

    /** Writes a comment. */
    remark: (number: number, body: string): Promise<void> =>
      doing(`comment on issue #${number} of ${name}`, async () => {
        await client.rest.issues.createComment({ ...of, issue_number: number, body });
      }),
  };
}

/** Replaces the next step for missing permissions and disabled issues. */
async function doing<Result>(what: string, work: () => Promise<Result>): Promise<Result> {
  return await onErrandOr({ what, permissions: PERMISSIONS }, work, ['read-only', 'not-found'], ({ message, kind }) => {
    throw new GitHubRefusal(message, { kind, next: MEND });
  });
}
