import * as z from 'zod';
import { ConfigError } from '../../foundation/errors.ts';
import type { Comments, Creation, PullRequestComment } from '../comment.ts';
import type { IssueChange, Issues, OwnIssue } from '../issue.ts';
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

/** Options of `openGitHub`. */
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
    remarks: (number: number) => remarksOn(repository, number),
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

const commentSchema = z.object({
  id: z.number().int(),
  body: z.string().nullish(),
  html_url: z.string(),
  // null if the account was deleted.
  user: z.object({ login: z.string() }).nullable(),
});

/**
 * Comments on a pull request by the account of the token. Authors are compared with the login that GitHub returns for the token: a marker
 * alone proves nothing, since anyone can post it, and a token may be allowed to edit comments of others. Accounts that share a login, such
 * as all jobs with the token of a workflow, distinguish their comments by id.
 */
function commentsOf(repository: GithubRepository, number: number): Comments {
  const { client, of, name } = repository;
  const about = { ...of, issue_number: number };
  const errand = (verb: string, access: 'read' | 'write'): Errand => ({
    what: `${verb} pull request #${number} of ${name}`,
    permissions: `pull-requests: ${access}`,
  });
  let login: string | undefined;
  return {
    async all() {
      login ??= await loginOf(repository);
      const listed = await onErrand(errand('list the comments on', 'read'), async () => {
        const pages = await client.paginate(client.rest.issues.listComments, { ...about, per_page: PAGE });
        return z.array(commentSchema).parse(pages);
      });
      const own = listed.filter(({ user }) => user?.login === login).map(commentFrom);
      return own.toSorted((left, right) => left.id - right.id);
    },

    create: (body) =>
      onErrandOr<Creation>(
        errand('create a comment on', 'write'),
        async () => {
          const { data } = await client.rest.issues.createComment({ ...about, body });
          return { kind: 'created', comment: commentFrom(commentSchema.parse(data)) };
        },
        ['unavailable'],
        (cause) => ({ kind: 'unanswered', cause }),
      ),

    update: (id, body) =>
      onErrand(errand(`update comment ${id} on`, 'write'), async () => {
        const { data } = await client.rest.issues.updateComment({ ...of, comment_id: id, body });
        return { url: commentSchema.parse(data).html_url };
      }),

    remove: (id) =>
      onErrandOr(
        errand(`remove comment ${id} on`, 'write'),
        async () => void (await client.rest.issues.deleteComment({ ...of, comment_id: id })),
        ['not-found'],
        () => undefined,
      ),
  };
}

function commentFrom({ id, body, html_url }: z.infer<typeof commentSchema>): PullRequestComment {
  return { id, body: body ?? '', url: html_url };
}

const remarksSchema = z.array(
  z.object({
    id: z.number().int(),
    body: z.string().nullish(),
    updated_at: z.string(),
    author_association: z.string().nullish(),
    // null if the account was deleted.
    user: z.object({ login: z.string() }).nullable(),
  }),
);

/**
 * Comments of all users on a pull request, oldest first, with the time of their last edit. Texts are untrusted; code that acts on one must
 * check the author. Rejects with GitHubRefusal.
 */
async function remarksOn({ client, of, name }: GithubRepository, number: number) {
  const errand = {
    what: `list the comments on pull request #${number} of ${name}`,
    permissions: 'pull-requests: read',
  };
  return await onErrand(errand, async () => {
    const about = { ...of, issue_number: number, per_page: PAGE };
    const found = remarksSchema.parse(await client.paginate(client.rest.issues.listComments, about));
    return found.flatMap(({ id, body, updated_at: at, user, author_association: association }) => {
      const isAssociated = ASSOCIATED.has(association ?? '');
      return user === null ? [] : [{ id, by: user.login, isAssociated, at, body: body ?? '' }];
    });
  });
}

/** Association with the repository, which does not imply write access. */
const ASSOCIATED: ReadonlySet<string> = new Set(['OWNER', 'MEMBER', 'COLLABORATOR']);

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

const issueSchema = z.object({
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
});

const PERMISSIONS = 'issues: write';

const MEND =
  'Give the job `permissions: { contents: write, issues: write }`, and enable Issues in the settings of the repository; or set `alert-issue: false`.';

/**
 * Issues of a repository that were opened by the account of the token. A marker alone proves nothing, since anyone can open an issue, so
 * the author is compared with the login that GitHub returns for the token.
 */
function issuesOf(repository: GithubRepository): Issues {
  const { client, of, name } = repository;
  let login: string | undefined;
  return {
    async all() {
      login ??= await loginOf(repository);
      const creator = login;
      const pages = await doing(`list the issues of ${name}`, async () => {
        const about = { ...of, creator, state: 'all', per_page: PAGE } as const;
        return z.array(issueSchema).parse(await client.paginate(client.rest.issues.listForRepo, about));
      });
      return pages
        .filter(({ user, pull_request: pull }) => user?.login === creator && pull === undefined)
        .map(issueFrom)
        .toSorted((left, right) => right.number - left.number);
    },

    create: (title, body) =>
      doing(`open an issue in ${name}`, async () => {
        const { data } = await client.rest.issues.create({ ...of, title, body });
        return issueFrom(issueSchema.parse(data));
      }),

    update: (number, change) =>
      doing(`update issue #${number} of ${name}`, async () => {
        await client.rest.issues.update({ ...of, issue_number: number, ...fieldsOf(change) });
      }),

    remark: (number, body) =>
      doing(`comment on issue #${number} of ${name}`, async () => {
        await client.rest.issues.createComment({ ...of, issue_number: number, body });
      }),
  };
}

function fieldsOf({ title, body, closed }: IssueChange) {
  return {
    ...(title !== undefined && { title }),
    ...(body !== undefined && { body }),
    ...(closed !== undefined && { state: 'closed' as const, state_reason: closed }),
  };
}

/** Replaces the next step for missing permissions and disabled issues. */
async function doing<Result>(what: string, work: () => Promise<Result>): Promise<Result> {
  return await onErrandOr({ what, permissions: PERMISSIONS }, work, ['read-only', 'not-found'], ({ message, kind }) => {
    throw new GitHubRefusal(message, { kind, next: MEND });
  });
}

function issueFrom({
  number,
  title,
  body,
  state,
  closed_at: closedAt,
  html_url: url,
}: z.infer<typeof issueSchema>): OwnIssue {
  const closed = closedAt === null || closedAt === undefined ? {} : { closedAt };
  return { number, title, body: body ?? '', isOpen: state === 'open', ...closed, url };
}
