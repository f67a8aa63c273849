import { ConfigError } from '../../foundation/errors.ts';
import type { LabelEvent } from '../../judge/verdict/label.ts';
import type { Comments } from '../comment.ts';
import type { Issues } from '../issue.ts';
import { type Artifact, artifactsOf, artifactZipOf } from './artifacts.ts';
import { type CheckRun, putCheckRun } from './checks.ts';
import { openClient } from './client.ts';
import { commentsOf } from './comments.ts';
import { mayWrite, type Remark, reactTo, remarksOn } from './conversation.ts';
import { issuesOf } from './issues.ts';
import { PATIENCE, type Patience } from './patience.ts';
import type { GithubRepository } from './repository.ts';
import {
  type BranchFile,
  hasFileOn,
  labelEventOf,
  makeLabel,
  openPullRequestsOf,
  type PullRequest,
  pullRequestLabels,
  pullRequestOf,
  type RunsOf,
  rerunWorkflow,
  type WorkflowRun,
  workflowRunsOf,
} from './repository.ts';

/** Repository on GitHub, through its REST API. Every method rejects with GitHubRefusal if GitHub refuses or does not respond. */
export interface GitHub {
  /** Comments on a pull request by the account of the token. */
  comments(number: number): Comments;
  /** Issues that were opened by the account of the token. */
  issues(): Issues;
  /** Names of the labels of a pull request. */
  labels(number: number): Promise<readonly string[]>;
  /** User who last added a label to a pull request, and when; undefined if it is not set, 'of nobody' if no event names the user. */
  labelEvent(number: number, label: string): Promise<LabelEvent | 'of nobody' | undefined>;
  /** Comments of all users on a pull request, oldest first. */
  remarks(number: number): Promise<readonly Remark[]>;
  /** True if an account has write access to the repository. */
  mayWrite(login: string): Promise<boolean>;
  /** Adds a reaction to a comment. */
  react(commentId: number, content: 'rocket' | 'eyes'): Promise<void>;
  /** Runs of a workflow for a commit, newest first. */
  workflowRuns(runs: RunsOf): Promise<readonly WorkflowRun[]>;
  /** Re-runs jobs of a workflow run: all, or those that failed. */
  rerun(runId: number, jobs: 'all' | 'failed'): Promise<void>;
  /** Creates a label unless it exists. */
  makeLabel(label: { readonly name: string; readonly description: string }): Promise<void>;
  /** Creates a check run, or updates the one with this name on the commit. */
  checkRun(check: CheckRun): Promise<{ readonly url: string | undefined }>;
  /** Open pull requests with this head. */
  openPullRequests(headSha: string): Promise<readonly PullRequest[]>;
  pullRequest(number: number): Promise<PullRequest>;
  /** Artifacts of a workflow run, newest first: all, or those with this name. */
  artifacts(runId: number, name?: string): Promise<readonly Artifact[]>;
  /** Zip of an artifact; rejects if it is larger than `mostBytes`. */
  artifactZip(id: number, mostBytes: number): Promise<Uint8Array>;
  /** True if a branch has a file that the token may read. */
  hasFile(file: BranchFile): Promise<boolean>;
}

/** Options of `openGitHub`. */
export interface GitHubOptions {
  /** "https://api.github.com", or "https://HOST/api/v3" for GitHub Enterprise: GITHUB_API_URL in a workflow. */
  readonly apiUrl: string;
  readonly token: string;
  readonly owner: string;
  readonly repo: string;
  readonly log: (line: string) => void;
  readonly patience?: Partial<Patience>;
}

/** Opens a repository on GitHub without sending a request. Throws ConfigError for an invalid address, name or token. */
export function openGitHub({ apiUrl, token, owner, repo, log, patience: changed }: GitHubOptions): GitHub {
  const patience = { ...PATIENCE, ...changed };
  const client = openClient({ apiUrl: checkedUrl(apiUrl), token: checkedToken(token), patience, log });
  const repository: GithubRepository = { client, of: checkedNames({ owner, repo }), name: `${owner}/${repo}`, log };
  return {
    comments: (number) => commentsOf(repository, number),
    issues: () => issuesOf(repository),
    labels: (number) => pullRequestLabels(repository, number),
    labelEvent: (number, label) => labelEventOf(repository, number, label),
    remarks: (number) => remarksOn(repository, number),
    mayWrite: (login) => mayWrite(repository, login),
    react: (commentId, content) => reactTo(repository, commentId, content),
    workflowRuns: (runs) => workflowRunsOf(repository, runs),
    rerun: (runId, jobs) => rerunWorkflow(repository, runId, jobs),
    makeLabel: (label) => makeLabel(repository, label),
    checkRun: (check) => putCheckRun(repository, check),
    openPullRequests: (headSha) => openPullRequestsOf(repository, headSha),
    pullRequest: (number) => pullRequestOf(repository, number),
    artifacts: (runId, name) => artifactsOf(repository, runId, name),
    artifactZip: (id, mostBytes) => artifactZipOf(repository, { id, mostBytes, patience }),
    hasFile: (file) => hasFileOn(repository, file),
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
