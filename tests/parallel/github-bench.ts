import { afterEach, beforeEach } from 'vitest';
import { type GitHub, openGitHub } from '../../src/github/api/github.ts';
import type { CommentRequest, Comments } from '../../src/github/comment.ts';
import { commentMarker } from '../../src/report/comment/state.ts';
import { type GitHubApi, startGitHubApi } from '../github-api/server.ts';
import { BOT, type StoredComment, WORKFLOW_TOKEN } from '../github-api/state.ts';

/** The number of the pull request of these tests. */
export const PULL = 7;

interface Changed {
  readonly token?: string;
  readonly apiUrl?: string;
  /** Short only if the API is told to hang: a machine that is busy answers late, too. */
  readonly requestMs?: number;
}

/** An empty API for each test of a file, and what was logged. */
export function githubPerTest() {
  const bench: { api?: GitHubApi } = {};
  const lines: string[] = [];
  beforeEach(async () => {
    bench.api = await startGitHubApi();
    lines.length = 0;
  });
  afterEach(async () => {
    await bench.api?.[Symbol.asyncDispose]();
  });
  const api = (): GitHubApi => {
    if (bench.api === undefined) {
      throw new Error('an API is there within tests only');
    }
    return bench.api;
  };
  const github = (changed: Changed = {}): GitHub => {
    const { token = WORKFLOW_TOKEN, apiUrl = api().url, requestMs = 10_000 } = changed;
    const patience = { requestMs, firstWaitMs: 5, limitMs: 5000 };
    const log = (line: string) => lines.push(line);
    return openGitHub({ apiUrl, token, owner: 'owner', repo: 'repository', log, patience });
  };
  return {
    lines,
    github,
    get api() {
      return api();
    },
    comments: (changed: Changed = {}): Comments => github(changed).comments(PULL),
    /** The comments that the pull request has, without their markers. */
    bodies: (): readonly string[] => api().state.comments.map(({ body }) => body.split('\n').slice(1).join('\n')),
  };
}

/** A comment with that text, and with that of the one it takes the place of. */
export function required(text: string, id = 'job'): CommentRequest {
  const body = (earlier: string | undefined) =>
    `${commentMarker(id)}\n${text}${earlier === undefined ? '' : `\nafter ${earlier.split('\n')[1]}`}`;
  return { id, mode: 'always', result: { outcome: 'passed', answers: [] }, body };
}

export function stored(id: number, body: string, author: StoredComment['author'] = BOT): StoredComment {
  return { id, issue: PULL, author, createdAt: '2026-11-01T00:00:00Z', body };
}
