import { describe, expect, test } from 'vitest';
import { observedOperations } from '../../../../../src/commands/init/traffic/operations.ts';
import type { ObservedRequest } from '../../../../../src/commands/init/traffic/request.ts';
import { TrafficCollector } from '../../../../../src/commands/init/traffic/traffic.ts';

function trafficOf(requests: readonly (string | ObservedRequest)[], known: readonly string[] = []) {
  const collector = new TrafficCollector(known);
  for (const one of requests) {
    const [method = '', target = '', status = '200'] = typeof one === 'string' ? one.split(' ') : [];
    collector.add(typeof one === 'string' ? { method, target, status: Number(status) } : one);
  }
  const traffic = collector.end();
  return { ...traffic, operations: observedOperations(traffic.routes.root).operations };
}

const routesOf = (...parameters: Parameters<typeof trafficOf>) =>
  trafficOf(...parameters).operations.map(({ route, count }) => `${route} ${count}`);

const times = (count: number, of: (place: number) => string) => Array.from({ length: count }, (_, place) => of(place));

describe('requests become operations', () => {
  test.each([
    ['numbers', ['GET /users/7', 'GET /users/8'], ['GET /users/{id} 2']],
    ['UUIDs', ['GET /users/7b0a2f0e-8d50-4b5e-9a0b-0d3f1c2a4e5f/orders'], ['GET /users/{id}/orders 1']],
    ['two values', ['GET /users/7/orders/8'], ['GET /users/{id}/orders/{orderId} 1']],
    ['names beside values', ['GET /users/7', 'GET /users/me'], ['GET /users/{id} 1', 'GET /users/me 1']],
    ['many slugs', times(12, (place) => `GET /posts/a-post-${place}/x`), ['GET /posts/{id}/x 12']],
    [
      'many words',
      times(60, (place) => `GET /tags/${'abcdefgh'.charAt(place % 8)}${'ijklmnop'.charAt(place / 8)}`),
      ['GET /tags/{id} 60'],
    ],
    ['few words', ['GET /a', 'GET /b', 'GET /'], ['GET /a 1', 'GET /b 1', 'GET / 1']],
    ['a slash at the end', ['GET /users/', 'GET /users/'], ['GET /users/ 2']],
    ['methods', ['GET /a', 'PUT /a'], ['GET /a 1', 'PUT /a 1']],
  ])('%s', (_, requests, expected) => {
    expect(routesOf(requests).toSorted()).toEqual(expected.toSorted());
  });

  test('with names that distinguish those that end alike', () => {
    const { operations } = trafficOf([
      ...['GET /api/v1/items/7', 'GET /api/v1/items/8', 'GET /api/v2/items/9'],
      ...['GET /items', 'GET /items', 'GET /items?page=1&sort=a', 'GET /items?page=2&sort=a', 'POST /items'],
    ]);

    expect(operations.map(({ name }) => name).toSorted()).toEqual([
      'ApiV2ItemsById',
      'Items',
      'ItemsById',
      'ItemsByPageSort',
      'PostItems',
    ]);
  });

  test('with text of multipart, under a boundary that looks like no secret', () => {
    const boundary = '----WebKitFormBoundary7MA4YWxkTrZu0gW8xYzAbCd';
    const sent = (field: string) => ({
      ...{ method: 'POST', target: '/files' },
      headers: [['Content-Type', `multipart/form-data; boundary=${boundary}`]] as const,
      body: `--${boundary}\r\nContent-Disposition: form-data; name="${field}"\r\n\r\nsummer\r\n--${boundary}--\r\n`,
    });
    const [plain] = trafficOf([sent('title')]).operations;
    const [secret] = trafficOf([sent('password')]).operations;

    expect(plain?.example).toEqual({
      body: '--boundary\r\nContent-Disposition: form-data; name="title"\r\n\r\nsummer\r\n--boundary--\r\n',
    });
    expect(plain?.binding).toMatchObject({
      rest: { headers: { 'Content-Type': 'multipart/form-data; boundary=boundary' }, body: { text: '{body}' } },
    });
    expect(secret?.example).toEqual({ body: '${env.BODY_SECRET}' });
    expect([...trafficOf([{ ...sent('a'), body: 'a=b' }, 'GET /']).leftOut]).toEqual([
      ['bodies that are binary, in other files, above 64 KiB, or multipart without a text', 1],
    ]);
  });

  test('by the routes of the contract', () => {
    const known = ['/users/{name}', '/users/all'];

    expect(routesOf(['GET /users/ada', 'GET /users/bob', 'GET /users/all'], known)).toEqual([
      'GET /users/{name} 2',
      'GET /users/all 1',
    ]);
  });

  test('with the values as arguments, the most frequent first, at most 50', () => {
    const [first] = trafficOf([...times(300, (place) => `GET /users/${place}`), 'GET /users/299']).operations;
    const [other] = trafficOf(['GET /users/x%20y%2Fz?a=1%262']).operations;

    expect(first?.example).toEqual({ id: 299 });
    expect(first?.further).toHaveLength(49);
    expect(other).toMatchObject({ example: { id: 'x y/z' }, binding: { rest: 'GET /users/{id}?a=1%262' } });
  });

  test('with the names of the query, of which those that vary are arguments, and those that track are gone', () => {
    const { operations } = trafficOf([
      'GET /search?q=a&limit=20&utm_source=x',
      'GET /search?q=b&limit=20',
      'GET /search?q=b&limit=20&_=17',
      'GET /search',
    ]);

    expect(operations.map(({ count, binding, further = [] }) => [count, binding, further.length])).toEqual([
      [3, { rest: 'GET /search?q={q}&limit=20' }, 1],
      [1, { rest: 'GET /search' }, 0],
    ]);
  });

  test('by the name of a query of GraphQL, of which queries change nothing', () => {
    const body = (query: string) => JSON.stringify({ query, variables: { n: 1 } });
    const { operations } = trafficOf(
      ['query Users($n: Int) { users(first: $n) { name } }', 'mutation Add { add }', '{ users { id } }'].map(
        (query) => ({
          method: 'POST',
          target: '/graphql',
          body: body(query),
        }),
      ),
    );

    expect(operations.map(({ name, mayWrite }) => [name, mayWrite])).toEqual([
      ['Users', false],
      ['Add', true],
      ['PostGraphql', false],
    ]);
  });

  test('without what is not a load of the service, each with its number', () => {
    const { leftOut, count } = trafficOf([
      'GET https://shop.test/a',
      'GET https://shop.test/b',
      'GET https://cdn.test/c',
      'GET /app.js',
      'GET /health',
      'OPTIONS /a',
      'GET /wp-login.php 404',
      'GET /a 500',
      '\\x16\\x03 - 400',
      'GET /d',
    ]);

    expect(count).toBe(3);
    expect(Object.fromEntries(leftOut)).toEqual({
      'other hosts': 1,
      'static files': 1,
      'health checks': 1,
      OPTIONS: 1,
      'unknown paths (404)': 1,
      'failed (4xx, 5xx)': 1,
      'not HTTP requests, or too long': 1,
    });
  });

  test('of the host with known routes, even if another has more requests', () => {
    const requests = [...times(9, () => 'GET https://metrics.test/collect'), 'GET https://shop.test/items'];

    expect(routesOf(requests, ['/items'])).toEqual(['GET /items 1']);
  });

  test('in bounded memory, for any input', () => {
    const word = (place: number) => `w${(place * 7919).toString(36).replace(/\d/g, 'x')}`;
    const { routes, operations } = trafficOf(
      times(60_000, (place) => `GET /${word(place)}/${word(place + 1)}?${word(place)}=1`),
    );

    expect(JSON.stringify(operations).length).toBeLessThan(100_000);
    expect(routes.root.literals.size).toBeLessThan(50);
  });

  test('with a value that becomes frequent when those before it have filled the memory', () => {
    const long = 'x'.repeat(900);
    const { operations } = trafficOf([
      ...times(60_000, (place) => `GET /items/${place}${long}`),
      ...times(20_000, (place) => `GET /items/${place % 2 === 0 ? 7 : `9${place}${long}`}`),
    ]);

    expect(operations[0]?.example).toEqual({ id: 7 });
  });

  test('with requests per second by minute', () => {
    const { rate } = trafficOf(
      times(7 * 600, (place) => String(place)).map((_, place) => ({
        method: 'GET',
        target: '/a',
        minute: String(Math.floor(place / 600) % 6),
      })),
    );

    expect(rate).toEqual({ median: 10, peak: 20 });
  });
});
