import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { createServer as createHttp2Server, createSecureServer, type Http2ServerRequest } from 'node:http2';
import type { AddressInfo, Server } from 'node:net';
import { afterAll, describe, expect, it } from 'vitest';
import type { OpenLoad, Target, TargetRequest } from '../../src/model/load.ts';
import type { Connection, Tls } from '../../src/model/service.ts';
import { newIdentity } from '../support/certificates.ts';
import { measured } from './run-tool.ts';

const own = newIdentity('DNS:service.test,IP:127.0.0.1');
const client = newIdentity('DNS:client.test');
const servers: Server[] = [];

afterAll(() => {
  for (const server of servers) {
    server.close();
  }
});

type Kind = 'plain' | 'h2c' | 'secure' | 'mutual';

/** A service that notes what it is asked, each thing once, and answers with 404 below /missing. */
async function serve(kind: Kind): Promise<{ readonly address: string; readonly requested: Set<string> }> {
  const requested = new Set<string>();
  const answer = async (
    request: IncomingMessage | Http2ServerRequest,
    response: { statusCode: number; end(text: string): unknown },
  ): Promise<void> => {
    const body = Buffer.concat(await request.toArray()).toString('base64');
    // Its number, which is different in each request.
    const { 'x-vegeta-seq': _, connection: __, ':path': ___, ...headers } = request.headers;
    const sorted = Object.entries(headers).sort(([left], [right]) => (left < right ? -1 : 1));
    requested.add(JSON.stringify([request.httpVersion, request.method, request.url, sorted, body]));
    response.statusCode = request.url?.startsWith('/missing') ? 404 : 200;
    response.end('{}');
  };
  const secure = { cert: own.certificate, key: own.key, allowHTTP1: true };
  const server = {
    plain: () => createServer(answer),
    h2c: () => createHttp2Server(answer),
    secure: () => createSecureServer(secure, answer),
    mutual: () =>
      createSecureServer({ ...secure, requestCert: true, rejectUnauthorized: true, ca: client.certificate }, answer),
  }[kind]();
  servers.push(server.listen(0, '127.0.0.1'));
  await once(server, 'listening');
  return { address: `127.0.0.1:${(server.address() as AddressInfo).port}`, requested };
}

const REQUESTS: readonly TargetRequest[] = [
  { call: 'GET /a?b=%20', body: undefined },
  {
    call: 'POST /b',
    body: undefined,
    headers: { 'Content-Type': 'text/plain', Authorization: 'Bearer x', 'User-Agent': 'own' },
    content: { text: 'Zoë' },
  },
  { call: 'PUT /c', body: undefined, content: { base64: 'AAH/' } },
  { call: 'DELETE /missing', body: undefined },
];

const BOTH = [
  { from: 200, to: 299 },
  { from: 404, to: 404 },
];

const loadOf = (target: Target): OpenLoad => ({
  kind: 'open',
  target,
  ratePerSecond: 100,
  // Twice as long as the requests below take: a machine that stalls does not send those of the end.
  seconds: 0.6,
  workers: 2,
  timeoutSeconds: 5,
  fresh: true,
});

const TLS: Tls = {
  ca: own.certificate,
  insecure: false,
  serverName: undefined,
  certificate: undefined,
  key: undefined,
};

describe('the driver sends requests as they are', () => {
  it.each<[Kind, Connection | undefined, string]>([
    ['plain', undefined, '1.1'],
    ['h2c', { http: 'h2c', tls: undefined }, '2.0'],
    ['secure', { http: '1.1', tls: TLS }, '1.1'],
    ['secure', { http: '2', tls: { ...TLS, serverName: 'service.test' } }, '2.0'],
    ['secure', { http: '2', tls: { ...TLS, ca: undefined, insecure: true } }, '2.0'],
    ['mutual', { http: '1.1', tls: { ...TLS, ...client } }, '1.1'],
  ])('to a service that is %s, by %j', async (kind, connection, version) => {
    const service = await serve(kind);
    const target = { address: service.address, requests: REQUESTS, connection, expected: BOTH };

    const { failure, startMs } = await measured({ tool: 'vegeta', load: loadOf(target) });

    const requested = [...service.requested].map((text) => JSON.parse(text));
    expect(requested).toHaveLength(REQUESTS.length);
    expect(requested.every(([http]) => http === version)).toBe(true);
    expect(requested.map(([, method, path]) => `${method} ${path}`).sort()).toEqual(
      REQUESTS.map(({ call }) => call).sort(),
    );
    const [, , , headers, body] = requested.find(([, method]) => method === 'POST') ?? [];
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'text/plain',
      authorization: 'Bearer x',
      'user-agent': 'own',
    });
    expect(Buffer.from(body, 'base64').toString()).toBe('Zoë');
    expect(requested.find(([, method]) => method === 'PUT')?.[4]).toBe('AAH/');
    expect(startMs.length).toBeGreaterThanOrEqual(30);
    expect(failure.every((code) => code === 0)).toBe(true);
  });

  it('and records failures', async () => {
    const service = await serve('mutual');
    const tls = { ...TLS, ca: client.certificate };
    const connection = { http: '1.1', tls } as const;
    const target = { address: service.address, requests: REQUESTS, connection };

    const records = await measured({ tool: 'vegeta', load: loadOf(target) });

    expect(records.failure.every((code) => code > 0)).toBe(true);
    expect(records.failureKinds.join()).toMatch(/certificate/);
  });
});
