import { describe, expect, it } from 'vitest';
import { WORKFLOW_TOKEN } from '../github-api/state.ts';
import { githubPerTest } from './github-bench.ts';

const bench = githubPerTest();
const COMMENTS = '/repos/owner/repository/issues/7/comments';

describe('the API that tests stand on', () => {
  it.each([
    ['a comment without a body', `POST ${COMMENTS}`, { text: 'text' }, 422],
    ['a body that is no text', `POST ${COMMENTS}`, { body: 7 }, 422],
    ['a number that is none', 'GET /repos/owner/repository/issues/seven/comments', {}, 422],
    ['a conclusion that there is not', 'POST /repos/owner/repository/check-runs', { conclusion: 'good' }, 422],
    ['a comment that there is not', 'PATCH /repos/owner/repository/issues/comments/9', { body: 'text' }, 404],
    ['what Wiregauge never calls', 'GET /repos/owner/repository/branches', {}, 404],
    ['what GitHub describes', `POST ${COMMENTS}`, { body: 'text' }, 201],
  ])('answers %s as GitHub does', async (...[, request, body, status]) => {
    const answer = await ask(request, body);

    expect(answer.status).toBe(status);
  });

  it('refuses requests without a token, and unknown tokens', async () => {
    expect((await ask(`GET ${COMMENTS}`, {}, '')).status).toBe(401);
    expect((await ask(`GET ${COMMENTS}`, {}, 'unknown')).status).toBe(401);
  });

  it('answers with what GitHub describes and Wiregauge reads', async () => {
    await ask(`POST ${COMMENTS}`, { body: 'text' });

    const [comment] = JSON.parse(await (await ask(`GET ${COMMENTS}`)).text());
    expect(comment).toMatchObject({ body: 'text', user: { login: 'github-actions[bot]', type: 'Bot' } });
    expect(Object.keys(comment)).toEqual(expect.arrayContaining(['issue_url', 'author_association']));
  });

  it('gives lists page by page', async () => {
    const { comments } = bench.api.state;
    const author = { login: 'somebody', type: 'User' } as const;
    for (let id = 1; id <= 5; id += 1) {
      comments.push({ id, issue: 7, author, createdAt: '2026-11-01T00:00:00Z', body: String(id) });
    }

    const answer = await ask(`GET ${COMMENTS}?per_page=2&page=2`);

    expect(answer.headers.get('link')).toBe(`<${bench.api.url}${COMMENTS}?per_page=2&page=3>; rel="next"`);
    expect(JSON.parse(await answer.text()).map(({ body }: { readonly body: string }) => body)).toEqual(['3', '4']);
  });
});

/** `request`: "GET /path"; the body goes with everything else. */
async function ask(request: string, body: object = {}, token = WORKFLOW_TOKEN): Promise<Response> {
  const [method = '', path = ''] = request.split(' ');
  return await fetch(`${bench.api.url}${path}`, {
    method,
    headers: { 'content-type': 'application/json', ...(token === '' ? {} : { authorization: `token ${token}` }) },
    ...(method === 'GET' ? {} : { body: JSON.stringify(body) }),
  });
}
