import { describe, expect, test } from 'vitest';
import { BOT } from '../github-api/state.ts';
import { githubPerTest } from './github-bench.ts';

const bench = githubPerTest();

describe('the issues of a repository on GitHub', () => {
  test('are those of the own account, without pull requests, and can be opened and closed', async () => {
    const issues = bench.github().issues();
    const open = { state: 'open', closedAt: null, title: 'x', body: 'y' } as const;
    bench.api.state.issues.push(
      { ...open, number: 1, author: { login: 'mallory', type: 'User' } },
      { ...open, number: 2, author: BOT, isPullRequest: true },
      { ...open, number: 3, author: BOT, state: 'closed', closedAt: '2026-11-05T10:00:00Z' },
    );

    const { number } = await issues.create('Slower', 'by 5%');
    await issues.update(number, { body: 'no more', closed: 'completed' });
    await issues.remark(number, 'seen');

    expect(await issues.all()).toMatchObject([
      { number: 4, title: 'Slower', body: 'no more', isOpen: false, closedAt: expect.any(String) },
      { number: 3, isOpen: false, closedAt: '2026-11-05T10:00:00Z' },
    ]);
    expect(bench.api.state.issues[3]).toMatchObject({ reason: 'completed' });
    expect(bench.api.state.comments).toMatchObject([{ issue: 4, body: 'seen' }]);
  });

  test('need a permission, which is named if the token lacks it', async () => {
    bench.api.fail('issues/create', { kind: 'read-only' });

    await expect(bench.github().issues().create('Slower', 'by 5%')).rejects.toMatchObject({
      message: expect.stringMatching(/open an issue in owner\/repository: HTTP 403/),
      next: expect.stringMatching(/permissions: \{ contents: write, issues: write \}/),
    });
  });
});
