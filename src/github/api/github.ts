import { ConfigError } from '../../foundation/errors.ts';
import { artifactsOf, artifactZipOf } from './artifacts.ts';
import { type CheckRun, putCheckRun } from './checks.ts';
import { openClient } from './client.ts';
import { commentsOf, reactTo, remarksOn } from './comments.ts';
import { issuesOf } from './issues.ts';
import { PATIENCE, type Patience } from './patience.ts';
import { hasFileOn, labelEventOf, makeLabel, mayWrite, openPullRequestsOf, pullRequestOf } from './pulls.ts';
import { githubRepository } from './repository.ts';
import { type RunsOf, rerunWorkflow, workflowRunsOf } from './workflow-runs.ts';

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
  const repository = githubRepository(client, checkedNames({ owner, repo }));
  return {
    comments: (number: number) => commentsOf(repository, number),
    issues: () => issuesOf(repository),
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
    artifactZip: (id: number, mostBytes: number) => artifactZipOf(repository, id, mostBytes, patience),
    hasFile: (file: Parameters<typeof hasFileOn>[1]) => hasFileOn(repository, file),
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
