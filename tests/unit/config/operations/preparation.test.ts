import { describe, expect, test } from 'vitest';
import { parseProject } from '../../../../src/config/parse.ts';
import { refuseUncaptured } from '../../../../src/config/secret-uses.ts';

const project = (prepare: string, use = 'rest: GET /') => {
  const text = `services:
  shop:
    protocol: rest
    port: 80
    image: nginx:1.27
    headers: { Authorization: "Bearer \${prepare.token}" }
    prepare:
      - ${prepare}
operations:
  - name: A
    ${use}
`;
  const source = { file: 'wiregauge.yml', text };
  const { services } = parseProject(source);
  refuseUncaptured(source, [...services.values()]);
  return services.get('shop')?.prepare;
};

const LOGIN = 'rest: { method: POST, path: /login, body: { a: 1 } }, capture: { token: $.token }';

describe('the key `prepare`', () => {
  test('has requests with the names of values in their answers', () => {
    expect(project(`{ ${LOGIN} }`, 'rest: { path: "/a?t=${prepare.token}" }')).toEqual([
      {
        place: expect.stringMatching(/^wiregauge\.yml:8:9: services\.shop\.prepare/),
        binding: expect.objectContaining({ method: 'POST', path: '/login' }),
        capture: { token: '$.token' },
      },
    ]);
  });

  test.each([
    ['without a request of the protocol', '{ grpc: a.B/C }', undefined, 'prepare.0.rest: is missing'],
    ['with another path', '{ rest: POST /login, capture: { token: token } }', undefined, 'must be a path like $.id'],
    [
      'with another name',
      '{ rest: POST /login, capture: { a-b: $.token } }',
      undefined,
      'letters, digits and underscores',
    ],
    [
      'without the value of a header',
      '{ rest: POST /login }',
      undefined,
      'wiregauge.yml:6:16: services.shop.headers.Authorization: no request in `prepare` of shop captures token',
    ],
    [
      'without a value',
      `{ ${LOGIN} }`,
      'rest: GET /${prepare.tokn}',
      'wiregauge.yml:11:5: operations.0.rest: no request in `prepare` of shop captures tokn',
    ],
    [
      'for another key',
      `{ ${LOGIN} }`,
      'rest: GET /\ntitle: "${prepare.token}"',
      'title: ${prepare.token} is not filled in here',
    ],
  ])('is refused %s', (_, prepare, use, message) => {
    expect(() => project(prepare, use)).toThrow(message);
  });
});
