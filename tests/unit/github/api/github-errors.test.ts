import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { GitHubRefusal, onErrand } from '../../../../src/github/api/errors.ts';
import { NoAnswer } from '../../../../src/github/api/patience.ts';

const ERRAND = { what: 'list the labels of pull request #7 of owner/repository', permissions: 'pull-requests: read' };

async function refusal(thrown: unknown): Promise<unknown> {
  return await onErrand(ERRAND, async () => {
    throw thrown;
  }).catch((refused: unknown) => refused);
}

function answer(status: number, words: string, headers: Readonly<Record<string, string>> = {}): Error {
  return Object.assign(new Error(words), {
    status,
    response: { headers },
    request: { headers: { authorization: 'x' } },
  });
}

describe('what GitHub refuses', () => {
  it.each([
    [400, 'invalid'],
    [401, 'unauthorized'],
    [403, 'read-only'],
    [404, 'not-found'],
    [410, 'not-found'],
    [422, 'invalid'],
    [429, 'rate-limited'],
    [500, 'unavailable'],
    [503, 'unavailable'],
  ])('with HTTP %i is %s', async (status, kind) => {
    expect(await refusal(answer(status, 'words'))).toMatchObject({ kind });
  });

  it('is reported in one sentence, without the page of the documentation', async () => {
    const thrown = answer(404, 'Not Found - https://docs.github.com/rest/issues/labels#list-labels');

    expect(await refusal(thrown)).toMatchObject({
      message: 'GitHub did not list the labels of pull request #7 of owner/repository: HTTP 404, Not Found',
      next: expect.stringContaining('`permissions: { contents: read, pull-requests: read }`'),
    });
  });

  it('is reported on one line of bounded length, for any response', async () => {
    const refused = await refusal(answer(422, `first\n::error::second\u202e\u001b[31m${'x'.repeat(5000)}`));

    const { message } = refused instanceof Error ? refused : new Error('not refused');
    expect(message).toMatch(/HTTP 422, first ::error::second \[31mx+…$/);
    expect(message.length).toBeLessThan(400);
  });

  it('holds neither the request nor the error that it came from', async () => {
    const refused = await refusal(answer(403, 'Resource not accessible by integration'));

    expect(refused).toBeInstanceOf(GitHubRefusal);
    expect(refused).not.toHaveProperty('cause');
    expect(refused).not.toHaveProperty('request');
  });
});

describe('an answer that is none', () => {
  it('is unavailable where nothing came back', async () => {
    const thrown = Object.assign(new Error('fetch failed', { cause: new NoAnswer('no answer within 10 s', true) }), {
      status: 500,
    });

    expect(await refusal(thrown)).toMatchObject({
      kind: 'unavailable',
      message: expect.stringContaining('no answer within 10 s'),
    });
  });

  it('is unavailable where it cannot be read, with the place', async () => {
    const { error } = z.array(z.object({ name: z.string() })).safeParse([{ name: 1 }]);

    expect(await refusal(error)).toMatchObject({
      kind: 'unavailable',
      message: expect.stringContaining('unexpected response at 0.name'),
    });
  });
});

describe('a GraphQL response with errors', () => {
  it.each([
    ['Something went wrong while executing your query. Include `A1:B2` when reporting this issue.', 'unavailable'],
    ["Field 'login' doesn't exist on type 'Viewer'", 'invalid'],
  ])('is a refusal: %s', async (message, kind) => {
    const thrown = Object.assign(new Error(message), { name: 'GraphqlResponseError' });

    expect(await refusal(thrown)).toMatchObject({ kind, message: expect.stringContaining(message.slice(0, 20)) });
  });
});

describe('a mistake of our own', () => {
  it('stays what it is', async () => {
    const mistake = new TypeError('undefined is not a function');

    expect(await refusal(mistake)).toBe(mistake);
  });
});
