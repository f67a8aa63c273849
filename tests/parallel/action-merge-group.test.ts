import { expect, test, vi } from 'vitest';
import { action } from '../../src/commands/action/action.ts';
import { startGitHubApi } from '../github-api/server.ts';
import { WORKFLOW_TOKEN } from '../github-api/state.ts';
import { fakeWorkflowHost } from '../support/fake-workflow-host.ts';
import { artifactsPerTest } from './artifact-bench.ts';

const bench = artifactsPerTest();

test('a group of a merge queue that cannot be judged fails its check run, and no pull request has a comment of it', async () => {
  await using api = await startGitHubApi();
  vi.stubEnv('GITHUB_API_URL', api.url);
  const [base_sha, head_sha] = ['b'.repeat(40), 'c'.repeat(40)];
  const head_ref = `refs/heads/gh-readonly-queue/main/pr-12-${base_sha}`;
  const host = {
    ...fakeWorkflowHost({
      token: WORKFLOW_TOKEN,
      mode: 'comment',
      args: '--runs /nowhere/at-all',
      'check-run': 'true',
    }),
    eventName: 'merge_group',
    payload: { merge_group: { base_sha, base_ref: 'refs/heads/main', head_sha, head_ref } },
    temporaryFolder: bench.folder,
  };

  expect(await action(host)).toBe(2);

  expect(host.outputs.get('outcome')).toBe('incomplete');
  expect(api.state.checks).toMatchObject([{ headSha: head_sha, conclusion: 'failure' }]);
  expect(api.state.comments).toEqual([]);
});
