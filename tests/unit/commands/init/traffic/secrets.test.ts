import { describe, expect, test } from 'vitest';
import { proposeServices } from '../../../../../src/commands/init/services/propose.ts';
import { trafficProposal } from '../../../../../src/commands/init/traffic/proposed.ts';
import type { ObservedRequest } from '../../../../../src/commands/init/traffic/request.ts';
import { hasSecret, withoutSecrets } from '../../../../../src/commands/init/traffic/secrets.ts';
import { TrafficCollector } from '../../../../../src/commands/init/traffic/traffic.ts';
import { projectText } from '../../../../../src/commands/init/write/project-text.ts';
import { parseProject } from '../../../../../src/config/parse.ts';

/** Text of a wiregauge.yml and the bodies beside it. */
function writtenFor(requests: readonly ObservedRequest[], isSet = true) {
  const collector = new TrafficCollector([]);
  for (const request of requests) {
    collector.add(request);
  }
  const found = proposeServices({ name: 'shop', files: [] });
  const made = trafficProposal(found[0], collector.end(), { writes: true, isSet: () => isSet });
  const text = projectText({ services: [made.proposal], tiers: made.tiers });
  return { ...made, text, all: [text, JSON.stringify(made.bodies), JSON.stringify(made.proposal.leftOut)].join('\n') };
}

const get = (target: string, headers: ObservedRequest['headers'] = []): ObservedRequest => ({
  method: 'GET',
  target,
  headers,
});
const post = (body: string, type = 'application/json'): ObservedRequest => ({
  method: 'POST',
  target: '/things',
  body,
  headers: [['Content-Type', type]],
});

const S = 'Qx7' + 'hunter2secret';
const JWT = ['eyJhbGciOiJIUzI1NiJ9', 'eyJzdWIiOiIxMjM0NTY3ODkwIn0', 'dozjgNryP4J3jVmNHl0w5N'].join('.');
const RANDOM = 'aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY';

/** What must not be written, and the request that has it. */
const FORMS: readonly (readonly [string, ObservedRequest])[] = [
  [S, get('/a', [['Authorization', `Bearer ${S}`]])],
  [S, get('/a', [['authorization', `Basic ${S}`]])],
  [S, get('/a', [['Authorization', S]])],
  [S, get('/a', [['Cookie', `sid=${S}; theme=dark`]])],
  [S, get('/a', [['X-Api-Key', S]])],
  [S, get('/a', [['X-Auth-Token', S]])],
  [S, get('/a', [['X-CSRF-Token', S]])],
  [S, get('/a', [['Proxy-Authorization', `Basic ${S}`]])],
  [S, get('/a', [['X-Amz-Security-Token', S]])],
  [RANDOM, get('/a', [['X-Tenant', RANDOM]])],
  ['ada@example.com', get('/a', [['X-User', 'ada@example.com']])],
  [S, get(`/a?token=${S}`)],
  [S, get(`/a?access_token=${S}`)],
  [S, get(`/a?apiKey=${S}`)],
  [S, get(`/a?key=${S}&page=1`)],
  [S, get(`/a?X-Amz-Signature=${S}`)],
  [S, get(`/a?sig=${S}`)],
  [S, get(`/a?session_id=${S}`)],
  [S, get(`/a?user%5Bpassword%5D=${S}`)],
  ['ada@example.com', get('/a?q=ada@example.com')],
  ['ada%40example.com', get('/a?q=ada%40example.com')],
  [JWT, get(`/a?next=${JWT}`)],
  [RANDOM, get(`/a?next=${RANDOM}`)],
  [JWT, get(`/reset/${JWT}`)],
  [RANDOM, get(`/reset/${RANDOM}`)],
  ['ghp_0123456789abcdefABCDEF', get('/a/ghp_0123456789abcdefABCDEF')],
  ['ada@example.com', get('/users/ada@example.com')],
  ['ada%40example.com', get('/users/ada%40example.com/orders')],
  [S, get(`https://ada:${S}@shop.test/a`)],
  [S, post(JSON.stringify({ password: S }))],
  [S, post(JSON.stringify({ user: { newPassword: S, name: 'Ada' } }))],
  [S, post(JSON.stringify([{ client_secret: S }]))],
  [S, post(JSON.stringify({ note: `the password: ${S}` }))],
  ['ada@example.com', post(JSON.stringify({ name: 'Ada <ada@example.com>' }))],
  ['ada@example.com', post(JSON.stringify({ 'ada@example.com': true, name: 'Ada' }))],
  ['4111111111111111', post(JSON.stringify({ number: 4111111111111111 }))],
  ['4111 1111 1111 1111', post(JSON.stringify({ number: '4111 1111 1111 1111' }))],
  ['123', post(JSON.stringify({ cvv: '123', name: 'Ada' }))],
  [S, post(`user=ada&password=${S}`, 'application/x-www-form-urlencoded')],
  ['7391', post('pin=7391&user=ada', 'application/x-www-form-urlencoded')],
  [S, post(`<login><password>${S}</password></login>`, 'application/xml')],
  [
    '-----BEGIN PRIVATE KEY-----',
    post(JSON.stringify({ pem: `-----BEGIN PRIVATE KEY-----\n${S}\n-----END PRIVATE KEY-----` })),
  ],
  ['xoxb-123456789012-abcdef', post(JSON.stringify({ hook: 'xoxb-123456789012-abcdef' }))],
  ['AKIAIOSFODNN7EXAMPLE', post('id AKIAIOSFODNN7EXAMPLE', 'text/plain')],
  [S, post(JSON.stringify({ query: `mutation { login(password: "${S}") { id } }` }))],
  [
    S,
    post(
      JSON.stringify({ query: 'query A($password: String!) { a(password: $password) }', variables: { password: S } }),
    ),
  ],
];

describe('secrets of traffic', () => {
  test.each(FORMS)('%s is not written: %j', (secret, request) => {
    const { all, text } = writtenFor([request, get('/other')]);

    expect(all).not.toContain(secret);
    expect(all).not.toContain(decodeURIComponent(secret));
    expect(() => parseProject({ file: 'wiregauge.yml', text })).not.toThrow();
  });

  test('none of them is written of all together, and variables replace them', () => {
    const { all, variables } = writtenFor(FORMS.map(([, request]) => request));

    expect(FORMS.length).toBeGreaterThanOrEqual(40);
    expect(FORMS.filter(([secret]) => secret !== '123' && all.includes(secret))).toEqual([]);
    expect(variables).toContain('API_TOKEN');
  });

  test.each([
    ['page', '2'],
    ['author', 'ada'],
    ['status', 'open'],
    ['id', '7b0a2f0e-8d50-4b5e-9a0b-0d3f1c2a4e5f'],
    ['at', '2026-10-10T13:55:36Z'],
    ['q', 'a long sentence of more than thirty-two characters'],
    ['query', 'query A($token: String!) { user(token: $token) { name } }'],
  ])('%s=%s is none', (name, value) => {
    expect(withoutSecrets(name, value)).toBe(value);
  });

  test('are found in a time that grows with the text: a square of this one would take minutes', () => {
    for (const piece of ['a.', 'a@', 'aB3/', '1 ', 'a: ', '<a ', '%40', '"query": "\\n']) {
      hasSecret(piece.repeat(65_536 / piece.length));
      withoutSecrets('body', piece.repeat(65_536 / piece.length));
    }
  });

  test('an operation that needs a variable that is not set is not sent', () => {
    const { proposal, variables } = writtenFor([get(`/a?token=${S}`), get('/b')], false);

    expect(proposal.operations.map(({ weight }) => weight)).toEqual([50, 0]);
    expect(variables).toEqual(['TOKEN']);
  });

  test('what a configuration would fill in is left out', () => {
    const hostile = [get('/a/%24%7Benv.HOME%7D'), get('/b?q=${env.HOME}'), post('{"a":"\\u0024{env.HOME}"}')];
    const { all } = writtenFor([...hostile, get('/c')]);

    expect(all).not.toMatch(/HOME/);
  });
});
