import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, expect, test, vi } from 'vitest';
import { metricsPages } from '../../../src/runtime/metrics-page.ts';
import { restService } from '../../support/suite.ts';

const servers: Server[] = [];

afterEach(() => {
  vi.restoreAllMocks();
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

/** A service whose page is answered so, and where it is. */
async function serving(answer: RequestListener, path = '/metrics') {
  const server = createServer(answer);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { service: { ...restService('api'), metrics: { path, names: ['up'] } }, address: `127.0.0.1:${port}` };
}

test('a service has a page if it says so, and so has each of its members', async () => {
  const first = await serving(({ url, headers }, answer) => answer.end(`up 1 ${url} ${headers.accept}`), '/own');
  const second = await serving((_, answer) => answer.end('up 2'));
  const member = { ...second.service, name: 'back', ready: { check: { kind: 'usual' as const }, timeoutSeconds: 1 } };
  const members = [
    { need: { ...member, needs: [], fresh: 'slot' as const }, ownPort: Number(second.address.split(':')[1]) },
  ];

  expect(metricsPages(restService('api'), '127.0.0.1:1')).toBeUndefined();
  const pages = metricsPages({ ...first.service, entry: 'front' }, first.address, members);
  expect(await pages?.()).toEqual([
    { program: 'front', names: ['up'], text: 'up 1 /own text/plain;version=0.0.4' },
    { program: 'back', names: ['up'], text: 'up 2' },
  ]);
});

test.each<[string, RequestListener, string]>([
  ['is missing', (_, answer) => answer.writeHead(404).end(), 'it answered 404'],
  ['leads elsewhere', (_, answer) => answer.writeHead(302, { location: 'http://127.0.0.2/' }).end(), 'it answered 302'],
  ['is endless', (_, answer) => answer.end('x'.repeat(4 * 2 ** 20 + 1)), 'it is larger than 4 MiB'],
  [
    'is endless once it is unpacked',
    (_, answer) => answer.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(5 * 2 ** 20))),
    'it is larger than 4 MiB',
  ],
  [
    'breaks off',
    (_, answer) => answer.writeHead(200, { 'content-length': '9' }).write('up', () => answer.destroy()),
    '',
  ],
])('a page that %s is reported', async (_, listener, refusal) => {
  const { service, address } = await serving(listener);
  // A busy machine may take longer to pack and unpack a page than the program waits.
  vi.spyOn(AbortSignal, 'timeout').mockReturnValue(new AbortController().signal);

  expect(await metricsPages(service, address)?.()).toEqual([
    { program: 'api', names: ['up'], text: '', refusal: refusal === '' ? expect.stringMatching(/./) : refusal },
  ]);
});

test('a refused connection is reported', async () => {
  const { service } = await serving(() => undefined);

  expect(await metricsPages(service, '127.0.0.1:1')?.()).toMatchObject([
    { refusal: expect.stringMatching(/ECONNREFUSED|bad port/) },
  ]);
});
