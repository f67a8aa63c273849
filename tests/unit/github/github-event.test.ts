import { describe, expect, test } from 'vitest';
import { githubEvent } from '../../../src/github/event.ts';

const SHA = 'a'.repeat(40);
const HEAD = 'b'.repeat(40);

function pullRequest(headRepo: { full_name: string } | null) {
  const base = { sha: SHA, ref: 'main', repo: { full_name: 'one/service' } };
  return { pull_request: { number: 12, base, head: { sha: HEAD, repo: headRepo } } };
}

describe('githubEvent', () => {
  test('knows a pull request of the repository from one of a fork, also of a fork that is gone', () => {
    const own = githubEvent('pull_request', pullRequest({ full_name: 'one/service' }));
    expect(own).toEqual({
      kind: 'pull-request',
      number: 12,
      baseSha: SHA,
      baseRef: 'main',
      headSha: HEAD,
      isFork: false,
    });
    expect(githubEvent('pull_request', pullRequest({ full_name: 'two/service' }))).toMatchObject({ isFork: true });
    expect(githubEvent('pull_request', pullRequest(null))).toMatchObject({ isFork: true });
  });

  test('knows a group of a merge queue, with the pull request that its branch is named after', () => {
    const group = (head_ref: string) => ({
      action: 'checks_requested',
      merge_group: { base_sha: SHA, base_ref: 'refs/heads/main', head_sha: HEAD, head_ref },
    });
    const queue = 'refs/heads/gh-readonly-queue/main';

    expect(githubEvent('merge_group', group(`${queue}/pr-12-${SHA}`))).toEqual({
      kind: 'merge-group',
      number: 12,
      baseSha: SHA,
      baseRef: 'main',
      headSha: HEAD,
    });
    expect(githubEvent('merge_group', group(`${queue}/another`))).toMatchObject({ number: undefined });
    expect(() => githubEvent('merge_group', { merge_group: { base_sha: 'main' } })).toThrow(
      /^the event merge_group is not in the format of GitHub: merge_group\.base_sha/,
    );
  });

  test('knows a push to the default branch from one to another branch or a tag of its name', () => {
    const push = (ref: string) => ({
      ref,
      after: SHA,
      repository: { full_name: 'one/service', default_branch: 'main' },
    });
    expect(githubEvent('push', push('refs/heads/main'))).toMatchObject({ isDefaultBranch: true });
    expect(githubEvent('push', push('refs/heads/feature/main'))).toMatchObject({ isDefaultBranch: false });
    expect(githubEvent('push', push('refs/tags/main'))).toMatchObject({ isDefaultBranch: false });
  });

  test('says of a finished workflow whose commit it ran for, also if the fork is gone', () => {
    const run = { id: 7, run_attempt: 2, event: 'pull_request', path: '.github/workflows/performance.yml' };
    const repository = { full_name: 'one/service', default_branch: 'main' };
    const payload = { workflow_run: { ...run, head_sha: HEAD, head_branch: null, head_repository: null }, repository };

    expect(githubEvent('workflow_run', payload)).toMatchObject({
      kind: 'workflow-run',
      runId: 7,
      headSha: HEAD,
    });
  });

  test('leaves other events alone, and refuses a payload that is none', () => {
    expect(githubEvent('issues', {})).toEqual({ kind: 'other', name: 'issues' });
    expect(githubEvent('toString', {})).toEqual({ kind: 'other', name: 'toString' });
    expect(githubEvent('schedule', {})).toEqual({ kind: 'by-schedule' });
    expect(() => githubEvent('pull_request', { pull_request: { number: '12; rm -rf' } })).toThrow(
      /^the event pull_request is not in the format of GitHub: pull_request\.number: /,
    );
    expect(() => githubEvent('push', { ref: 'refs/heads/main', repository: {} })).toThrow(
      /^the event push is not .*: repository\.default_branch: /,
    );
  });
});
