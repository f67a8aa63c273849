import { describe, expect, test } from 'vitest';
import { accessLogRequest } from '../../../../../src/commands/init/traffic/formats/access-log.ts';
import { jsonLogRequest } from '../../../../../src/commands/init/traffic/formats/json-log.ts';

const LINES: readonly (readonly [string, string, object])[] = [
  [
    'common',
    '127.0.0.1 - frank [10/Oct/2026:13:55:36 -0700] "GET /a?b=1 HTTP/1.0" 200 2326',
    { method: 'GET', target: '/a?b=1', status: 200, minute: '10/Oct/2026:13:55' },
  ],
  [
    'combined',
    '127.0.0.1 - - [10/Oct/2026:13:55:36 -0700] "POST /a HTTP/2.0" 201 5 "http://x/y\\" 9" "Mozilla/5.0 \\"[x]\\""',
    { method: 'POST', target: '/a', status: 201 },
  ],
  [
    'of a virtual host',
    'shop.test:80 10.0.0.1 - - [10/Oct/2026:13:55:36 -0700] "GET / HTTP/1.1" 304 -',
    { target: '/', status: 304 },
  ],
  ['with a quote', '10.0.0.1 - - [10/Oct/2026:13:55:36 +0000] "GET /a\\" b HTTP/1.1" 200 1', { target: '/a\\" b' }],
  [
    'with bytes',
    '10.0.0.1 - - [10/Oct/2026:13:55:36 +0000] "GET /caf\\xC3\\xA9 HTTP/1.1" 200 1',
    { target: '/caf%C3%A9' },
  ],
  ['of a scanner', '10.0.0.1 - - [10/Oct/2026:13:55:36 +0000] "\\x16\\x03\\x01" 400 1', { method: '', status: 400 }],
  [
    'of Traefik',
    '10.0.0.1 - - [10/Oct/2026:13:55:36 +0000] "GET /a HTTP/1.1" 200 2 "-" "curl" 1 "shop@docker" "http://10.0.0.2:80" 3ms',
    { target: '/a', status: 200 },
  ],
  [
    'of Envoy',
    '[2026-10-10T13:55:36.012Z] "GET /a HTTP/2" 200 - 0 226 3 2 "10.0.0.1" "curl" "cc21d9b0" "shop.test" "10.0.0.2:80"',
    { target: '/a', status: 200, minute: '2026-10-10T13:55' },
  ],
  [
    'of ALB',
    'https 2026-10-10T13:55:36.186641Z app/lb/50dc6c495c0c9188 10.0.0.1:2817 10.0.0.2:80 0.086 0.048 0.037 200 200 0 57 "GET https://shop.test:443/a HTTP/1.1" "curl" ECDHE TLSv1.2',
    { target: 'https://shop.test:443/a', status: 200, minute: '2026-10-10T13:55' },
  ],
];

const JSON_LINES: readonly (readonly [string, object, object])[] = [
  [
    'nginx',
    { time_iso8601: '2026-10-10T13:55:36+00:00', request: 'GET /a HTTP/1.1', status: '200', host: 'shop.test' },
    { method: 'GET', target: '/a', status: 200, host: 'shop.test', minute: '2026-10-10T13:55' },
  ],
  [
    'Caddy',
    { ts: 1_760_104_536.5, request: { method: 'GET', host: 'shop.test', uri: '/a' }, status: 200 },
    { method: 'GET', target: '/a', host: 'shop.test', minute: '29335075' },
  ],
  [
    'Traefik',
    {
      RequestMethod: 'PUT',
      RequestPath: '/a',
      RequestHost: 'shop.test',
      DownstreamStatus: 204,
      StartUTC: '2026-10-10T13:55:36Z',
    },
    { method: 'PUT', target: '/a', status: 204 },
  ],
  [
    'Envoy',
    { start_time: '2026-10-10T13:55:36Z', method: 'GET', path: '/a', authority: 'shop.test', response_code: 200 },
    { target: '/a', host: 'shop.test', status: 200 },
  ],
  [
    'pino',
    { time: 1_760_104_536_000, req: { method: 'GET', url: '/a' }, res: { statusCode: 200 } },
    { target: '/a', status: 200, minute: '29335075' },
  ],
];

describe('a line of an access log', () => {
  test.each(LINES)('%s', (_, line, expected) => {
    expect(accessLogRequest(line)).toMatchObject(expected);
  });

  test.each(JSON_LINES)('of %s in JSON', (_, line, expected) => {
    expect(jsonLogRequest(JSON.stringify(line))).toMatchObject(expected);
  });

  test.each(['', 'hello', '2026-10-10 started', '{"a":1}', '{', 'https 2026 a', '[x] "'])('%j is none', (line) => {
    expect(accessLogRequest(line) ?? jsonLogRequest(line)).toBeUndefined();
  });

  test('is read in a time that grows with it: a square of this one would take minutes', () => {
    for (const piece of ['[', '] "', '\\" ', 'https 2026-10-10T13 ', '"', ' HTTP/', '{"a":[']) {
      const line = piece.repeat(500_000 / piece.length);
      accessLogRequest(line);
      jsonLogRequest(line);
    }
  });
});
