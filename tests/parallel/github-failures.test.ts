import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { GitHubRefusal } from '../../src/github/api/errors.ts';
import { stickyComment } from '../../src/github/comment.ts';
import { freePort } from '../../src/host/machine/ports.ts';
import { commentMarker } from '../../src/report/comment/state.ts';
import { BOT, WORKFLOW_TOKEN } from '../github-api/state.ts';
import { caught } from './fake-tools.ts';
import { githubPerTest, PULL, required, stored } from './github-bench.ts';

const bench = githubPerTest();

/** For an API that may hang. */
const HASTY = { requestMs: 1000 };

describe('a request that GitHub fails', () => {
  it.each([
    ['read-only', { kind: 'read-only' }, /HTTP 403, Resource not accessible by integration/],
    ['unauthorized', { kind: 'unauthorized' }, /HTTP 401, Bad credentials/],
    ['not-found', { kind: 'not-found' }, /HTTP 404, Not Found/],
    ['invalid', { kind: 'invalid' }, /HTTP 422, Validation Failed/],
    ['rate-limited', { kind: 'too-many', retryAfterSeconds: 3600 }, /HTTP 429/],
    ['rate-limited', { kind: 'secondary-limit', retryAfterSeconds: 3600 }, /secondary rate limit/],
    ['rate-limited', { kind: 'exhausted', resetSeconds: 3600 }, /rate limit exceeded/],
  ] as const)('is refused as %s at once', async (kind, fault, words) => {
    bench.api.fail('issues/create-comment', fault);

    const thrown = await caught(stickyComment(bench.comments(), required('text')));

    expect(thrown).toBeInstanceOf(GitHubRefusal);
    expect(thrown).toMatchObject({ kind, message: expect.stringMatching(words) });
    expect(bench.api.requested).toEqual(['graphql', 'issues/list-comments', 'issues/create-comment']);
  });

  it('says in lines of YAML which permission is missing', async () => {
    bench.api.state.accounts.set('fork', { ...BOT, access: 'read' });

    const thrown = await caught(stickyComment(bench.comments({ token: 'fork' }), required('text')));

    expect(thrown).toMatchObject({
      kind: 'read-only',
      message:
        'GitHub did not create a comment on pull request #7 of owner/repository: HTTP 403, Resource not accessible by integration',
      next: expect.stringContaining('`permissions: { contents: read, pull-requests: write }`'),
    });
  });

  it('refuses a comment that is too long', async () => {
    const thrown = await caught(stickyComment(bench.comments(), required('x'.repeat(65_536))));

    expect(thrown).toMatchObject({ kind: 'invalid' });
    expect(bench.api.state.comments).toEqual([]);
  });

  it.each([
    ['secondary-limit', { kind: 'secondary-limit', retryAfterSeconds: 1 }],
    ['too many requests', { kind: 'too-many', retryAfterSeconds: 1 }],
    ['an exhausted limit', { kind: 'exhausted', resetSeconds: 1 }],
  ] as const)('waits for the end of %s where it is short', async (_name, fault) => {
    bench.api.fail('issues/create-comment', fault);

    const end = await stickyComment(bench.comments(), required('text'));

    expect(end.did).toBe('created');
    expect(bench.lines).toEqual([expect.stringMatching(/POST .*: HTTP 4(03|29); retrying in [123]\.\d s$/)]);
    expect(bench.bodies()).toEqual(['text']);
  });

  it('waits no longer for limits than it may in all', async () => {
    bench.api.fail('issues/list-comments', { kind: 'too-many', retryAfterSeconds: 2 }, 3);

    const thrown = await caught(stickyComment(bench.comments(), required('text')));

    expect(thrown).toMatchObject({ kind: 'rate-limited' });
    expect(bench.lines).toHaveLength(2);
  });

  it.each([
    ['a bad gateway', { kind: 'bad-gateway' }],
    ['a time-out', { kind: 'hang' }],
    ['a reset', { kind: 'reset' }],
    ['an answer that breaks off', { kind: 'cut' }],
  ] as const)('is repeated after %s', async (_name, fault) => {
    bench.api.state.comments.push(stored(1, `${commentMarker('job')}\nold`));
    bench.api.fail('issues/list-comments', fault, 2);
    bench.api.fail('issues/update-comment', fault, 2);

    const end = await stickyComment(bench.comments(HASTY), required('new'));

    expect(end.did).toBe('updated');
    expect(bench.bodies()).toEqual(['new\nafter old']);
    expect(bench.lines.length).toBeGreaterThanOrEqual(4);
  });

  it('is given up after the third repeat', async () => {
    bench.api.fail('issues/list-comments', { kind: 'bad-gateway' }, 4);

    const thrown = await caught(stickyComment(bench.comments(), required('text')));

    expect(thrown).toMatchObject({ kind: 'unavailable', message: expect.stringContaining('HTTP 502') });
    expect(bench.api.state.comments).toEqual([]);
  });

  it.each([
    ['a time-out', { kind: 'hang', isDone: true }],
    ['a reset', { kind: 'reset', isDone: true }],
  ] as const)('does not make a second comment where the first one arrived before %s', async (_name, fault) => {
    bench.api.fail('issues/create-comment', fault);

    const end = await stickyComment(bench.comments(HASTY), {
      ...required(''),
      body: () => `${commentMarker('job')}\ntext`,
    });

    expect(end.did).toBe('unchanged');
    expect(bench.api.requested.filter((operation) => operation === 'issues/create-comment')).toHaveLength(1);
    expect(bench.bodies()).toEqual(['text']);
  });

  it('makes the comment at the second try where the first one did not arrive', async () => {
    bench.api.fail('issues/create-comment', { kind: 'bad-gateway' });

    const end = await stickyComment(bench.comments(), required('text'));

    expect(end.did).toBe('created');
    expect(bench.bodies()).toEqual(['text']);
  });

  it('is reported if the port is closed', async () => {
    const nobody = bench.github({ apiUrl: `http://127.0.0.1:${await freePort()}` });

    const thrown = await caught(nobody.pullRequest(PULL));

    expect(thrown).toMatchObject({ kind: 'unavailable', message: expect.stringContaining('ECONNREFUSED') });
  });

  it.each(['read-only', 'unauthorized', 'not-found', 'invalid', 'bad-gateway', 'hang', 'reset', 'cut'] as const)(
    'does not reveal the token after %s',
    async (kind) => {
      bench.api.fail('any', { kind }, 4);

      const thrown = await caught(bench.comments(HASTY).all());

      expect(thrown).toBeInstanceOf(GitHubRefusal);
      const reported = [inspect(thrown, { depth: 9, showHidden: true }), ...bench.lines].join('\n');
      expect(reported).not.toContain(WORKFLOW_TOKEN);
    },
  );
});
