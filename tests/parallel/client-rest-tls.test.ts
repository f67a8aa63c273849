import { once } from 'node:events';
import { createServer as createPlainServer } from 'node:http';
import { createServer as createHttp2Server, createSecureServer } from 'node:http2';
import { createServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net';
import type { TlsOptions } from 'node:tls';
import { afterAll, describe, expect, it } from 'vitest';
import { MeasurementError } from '../../src/foundation/errors.ts';
import type { Reply } from '../../src/model/load.ts';
import { secretsFrom } from '../../src/model/secrets/secrets.ts';
import type { HttpVersion, Tls } from '../../src/model/service.ts';
import { protocolClient } from '../../src/protocols/client.ts';
import { pythonService } from '../integration/plain-service.ts';
import { newIdentity } from '../support/certificates.ts';
import { NO_SECRETS } from '../support/secrets.ts';

const own = newIdentity('DNS:service.test,IP:127.0.0.1');
const named = newIdentity('DNS:service.test');
const client = newIdentity('DNS:client.test');
const servers: Server[] = [];

/** Starts a server that answers with what it saw of a request; gives its address. */
async function serve(server: Server): Promise<string> {
  servers.push(server.listen(0, '127.0.0.1'));
  await once(server, 'listening');
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

interface Seen {
  readonly httpVersion: string;
  readonly method?: string | undefined;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

const reported = ({ httpVersion, method, headers }: Seen): string =>
  JSON.stringify({
    version: httpVersion,
    method,
    host: headers['host'] ?? headers[':authority'],
    token: headers['x-token'],
  });

const secure = (options: TlsOptions) => createServer(options, (request, response) => response.end(reported(request)));

afterAll(() => {
  for (const server of servers) {
    server.close();
  }
});

const TRUSTING: Tls = {
  ca: own.certificate,
  insecure: false,
  serverName: undefined,
  certificate: undefined,
  key: undefined,
};

async function ask(address: string, http: HttpVersion, tls?: Tls): Promise<Reply> {
  const service = { ...pythonService(''), connection: { http, tls } };
  return await protocolClient(NO_SECRETS).call(service, address, {
    call: 'POST /a',
    body: undefined,
    headers: { 'X-Token': 't' },
    content: { text: 'body' },
  });
}

async function refusal(requested: Promise<Reply>): Promise<string> {
  const error = await requested.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(MeasurementError);
  const { message, next } = error as MeasurementError;
  return `${message} -> ${next}`;
}

describe('the client over TLS', () => {
  it('trusts the given certificate, and any if configured', async () => {
    const address = await serve(secure({ cert: own.certificate, key: own.key }));

    for (const tls of [TRUSTING, { ...TRUSTING, ca: undefined, insecure: true }]) {
      expect(await ask(address, '1.1', tls)).toMatchObject({ status: '200', body: { version: '1.1', token: 't' } });
    }
  });

  it('compares the certificate with the name that it is given, and asks for that host', async () => {
    const address = await serve(secure({ cert: named.certificate, key: named.key }));
    const trusting = { ...TRUSTING, ca: named.certificate };

    const port = address.split(':')[1];
    expect(await ask(address, '1.1', { ...trusting, serverName: 'service.test' })).toMatchObject({
      body: { host: `service.test:${port}` },
    });
    expect(await refusal(ask(address, '1.1', trusting))).toMatch(/is for another host name .* -> .*serverName/);
  });

  it('says what to do about an untrusted certificate', async () => {
    const address = await serve(secure({ cert: own.certificate, key: own.key }));

    expect(await refusal(ask(address, '1.1', { ...TRUSTING, ca: undefined }))).toMatch(
      /^POST https:\/\/127.0.0.1:\d+\/a: its certificate is self-signed.* -> .*tls: \{ ca: <file> \}/,
    );
    expect(await refusal(ask(address, '1.1', { ...TRUSTING, ca: client.certificate }))).toMatch(/ -> .*tls: \{ ca/);
  });

  it('shows its own certificate where the service wants one', async () => {
    const mutual = { cert: own.certificate, key: own.key, requestCert: true, rejectUnauthorized: true };
    const address = await serve(secure({ ...mutual, ca: client.certificate }));
    const { certificate, key } = client;

    expect(await ask(address, '1.1', { ...TRUSTING, certificate, key })).toMatchObject({ status: '200' });
    expect(await refusal(ask(address, '1.1', TRUSTING))).toMatch(
      /it requires a client certificate that it trusts .* -> .*tls: \{ certificate: <file>/,
    );
  });

  it('says so where key and certificate do not belong together', async () => {
    const address = await serve(secure({ cert: own.certificate, key: own.key }));
    const mixed = { ...TRUSTING, certificate: client.certificate, key: own.key };

    expect(await refusal(ask(address, '1.1', mixed))).toMatch(/the certificate or the key of its `tls` cannot be used/);
  });

  it('says so where one side speaks TLS and the other does not', async () => {
    const plain = await serve(createPlainServer((_, response) => response.end('{}')));
    const encrypted = await serve(secure({ cert: own.certificate, key: own.key }));

    expect(await refusal(ask(plain, '1.1', TRUSTING))).toMatch(/it does not speak TLS .* -> Remove `tls`/);
    expect(await refusal(ask(encrypted, '1.1'))).toMatch(/ -> .*TLS/);
  });

  it('takes certificates out of the environment', async () => {
    const address = await serve(secure({ cert: own.certificate, key: own.key }));
    const secrets = secretsFrom([{ variable: 'CA', place: '', isPem: true }], { CA: own.certificate }, () => '');
    const service = {
      ...pythonService(''),
      connection: { http: '1.1', tls: { ...TRUSTING, ca: '${env.CA}' } },
    } as const;

    const reply = await protocolClient(secrets).call(service, address, { call: 'GET /', body: undefined });

    expect(reply.status).toBe('200');
  });
});

describe('the client over HTTP/2', () => {
  it('speaks it over TLS', async () => {
    const server = createSecureServer({ cert: own.certificate, key: own.key }, (request, response) =>
      response.end(reported(request)),
    );
    const address = await serve(server);

    expect(await ask(address, '2', TRUSTING)).toMatchObject({
      status: '200',
      body: { version: '2.0', method: 'POST', host: address, token: 't' },
    });
  });

  it('speaks it without TLS', async () => {
    const address = await serve(createHttp2Server((request, response) => response.end(reported(request))));

    expect(await ask(address, 'h2c')).toMatchObject({ status: '200', body: { version: '2.0', host: address } });
  });

  it('says at once that the connection was closed without an answer', async () => {
    // As the port of a container does before its program listens.
    const address = await serve(createTcpServer((socket) => socket.once('data', () => socket.end())));

    expect(await refusal(ask(address, 'h2c'))).toMatch(/it closed the connection before the answer was complete/);
  });

  it('says so where the service does not', async () => {
    const secureOnly = await serve(secure({ cert: own.certificate, key: own.key }));
    const plain = await serve(createPlainServer((_, response) => response.end('{}')));

    expect(await refusal(ask(secureOnly, '2', TRUSTING))).toMatch(/ -> .*http: "1\.1"/);
    expect(await refusal(ask(plain, 'h2c'))).toMatch(/ -> .*http: "1\.1"/);
  });

  it('reports a closed port and an untrusted certificate', async () => {
    const address = await serve(createSecureServer({ cert: own.certificate, key: own.key }));

    expect(await refusal(ask('127.0.0.1:1', 'h2c'))).toMatch(/ECONNREFUSED/);
    expect(await refusal(ask(address, '2', { ...TRUSTING, ca: undefined }))).toMatch(/self-signed/);
  });
});
