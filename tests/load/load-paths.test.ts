import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import { createServer as createHttp2Server, createSecureServer, type Http2ServerRequest } from 'node:http2';
import type { AddressInfo, Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { vegeta } from '../../src/load/vegeta/vegeta.ts';
import type { Records, Target, TargetRequest, ToolLoad } from '../../src/model/load.ts';
import type { Connection, Tls } from '../../src/model/service.ts';
import { realLoadToolsWithDriver } from '../integration/load-tools.ts';
import { newIdentity } from '../support/certificates.ts';

const tools = await realLoadToolsWithDriver();
const own = newIdentity('DNS:service.test,IP:127.0.0.1');
const client = newIdentity('DNS:client.test');
const servers: Server[] = [];

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'load-paths-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));
afterAll(() => {
  for (const server of servers) {
    server.close();
  }
});

type Kind = 'plain' | 'h2c' | 'secure' | 'mutual';

/** A service that notes what it is asked, each thing once, and answers with 404 below /missing. */
async function serve(kind: Kind): Promise<{ readonly address: string; readonly asked: Set<string> }> {
  const asked = new Set<string>();
  const answer = async (
    request: IncomingMessage | Http2ServerRequest,
    response: { statusCode: number; end(text: string): unknown },
  ): Promise<void> => {
    const body = Buffer.concat(await request.toArray()).toString('base64');
    // Its number, which is different in each request.
    const { 'x-vegeta-seq': _, connection: __, ':path': ___, ...headers } = request.headers;
    const sorted = Object.entries(headers).sort(([left], [right]) => (left < right ? -1 : 1));
    asked.add(JSON.stringify([request.httpVersion, request.method, request.url, sorted, body]));
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
  return { address: `127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
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

const loadOf = (target: Target): ToolLoad => ({
  kind: 'open',
  target,
  ratePerSecond: 100,
  seconds: 0.3,
  workers: 2,
  timeoutSeconds: 5,
});

async function byCommand(target: Target): Promise<Records> {
  const { arguments: args, inputs, output } = vegeta.command(loadOf(target), 'steady-0');
  for (const [name, text] of Object.entries(inputs)) {
    writeFileSync(join(folder, name), text);
  }
  await promisify(execFile)(join(tools.folder, 'vegeta'), args, { cwd: folder, timeout: 20_000 });
  return read(join(folder, output), target);
}

async function byDriver(target: Target): Promise<Records> {
  const output = join(folder, 'driver.gob');
  const driver = spawn(join(tools.driverFolder ?? '', 'wiregauge-load'), [], {
    cwd: folder,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface(driver.stdout);
  driver.stdin.write(`${JSON.stringify({ id: 1, loads: [{ tool: 'vegeta', output, load: loadOf(target) }] })}\n`);
  const [line] = await once(lines, 'line');
  driver.stdin.end();
  await once(driver, 'exit');
  expect(JSON.parse(line)).toMatchObject({ results: [{ error: '' }] });
  return read(output, target);
}

function read(path: string, { expected }: Target): Records {
  const reader = vegeta.reader(expected);
  reader.push(readFileSync(path));
  const { records, cutOff } = reader.finish();
  expect(cutOff).toBe(false);
  return records;
}

const TLS: Tls = {
  ca: own.certificate,
  insecure: false,
  serverName: undefined,
  certificate: undefined,
  key: undefined,
};

describe('vegeta’s command and the driver ask for the same', () => {
  it.each<[Kind, Connection | undefined, string]>([
    ['plain', undefined, '1.1'],
    ['h2c', { http: 'h2c', tls: undefined }, '2.0'],
    ['secure', { http: '1.1', tls: TLS }, '1.1'],
    ['secure', { http: '2', tls: { ...TLS, serverName: 'service.test' } }, '2.0'],
    ['secure', { http: '2', tls: { ...TLS, ca: undefined, insecure: true } }, '2.0'],
    ['mutual', { http: '1.1', tls: { ...TLS, ...client } }, '1.1'],
  ])('of a service that is %s, by %j', async (kind, connection, version) => {
    const service = await serve(kind);
    const target = { address: service.address, requests: REQUESTS, proto: undefined, connection, expected: BOTH };

    const one = await byCommand(target);
    const askedByCommand = [...service.asked].sort();
    service.asked.clear();
    const other = await byDriver(target);

    expect([...service.asked].sort()).toEqual(askedByCommand);
    expect(askedByCommand).toHaveLength(REQUESTS.length);
    expect(askedByCommand.every((asked) => asked.startsWith(`["${version}"`))).toBe(true);
    for (const { failure, startMs } of [one, other]) {
      expect(startMs.length).toBeGreaterThanOrEqual(30);
      expect(failure.every((code) => code === 0)).toBe(true);
    }
  });

  it('and record the same failures', async () => {
    const service = await serve('mutual');
    const tls = { ...TLS, ca: client.certificate };
    const target = {
      address: service.address,
      requests: REQUESTS,
      proto: undefined,
      connection: { http: '1.1', tls } as const,
    };

    for (const records of [await byCommand(target), await byDriver(target)]) {
      expect(records.failure.every((code) => code > 0)).toBe(true);
      expect(records.failureKinds.join()).toMatch(/certificate/);
    }
  });
});
