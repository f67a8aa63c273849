import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, createServer as createSocketServer, type Socket } from 'node:net';
import { PassThrough, pipeline, Readable } from 'node:stream';
import { brotliCompressSync, createGzip, deflateSync, gzipSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import type { Reply, TargetRequest } from '../../src/model/load.ts';
import { secretsFrom } from '../../src/model/secrets/secrets.ts';
import { protocolClient } from '../../src/protocols/client.ts';
import { pythonService } from '../integration/plain-service.ts';
import { NO_SECRETS } from '../support/secrets.ts';

const servers: Server[] = [];

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** A server that writes these bytes to whoever connects, and then does what it is told. */
async function serveBytes(text: string, then: (socket: Socket) => void): Promise<string> {
  const server = createSocketServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => socket.write(text, () => then(socket)));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  server.unref();
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

afterAll(() => {
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
});

async function ask(address: string, changes: Partial<TargetRequest> = {}): Promise<Reply> {
  return await protocolClient(NO_SECRETS).call(pythonService(''), address, {
    call: 'GET /',
    body: undefined,
    ...changes,
  });
}

describe('what the client sends', () => {
  it('is what it is asked to: path, headers, and a body of text or bytes', async () => {
    const seen: unknown[] = [];
    const address = await serve(async (request, response) => {
      const body = Buffer.concat(await request.toArray()).toString('hex');
      const { 'content-type': type, 'content-length': length, host } = request.headers;
      seen.push({ url: request.url, type, length, host, body });
      response.end('{}');
    });

    await ask(address, { call: 'PUT /ü?a=1#b', content: { text: 'Ü' }, headers: { 'Content-Type': 'text/plain' } });
    await ask(address, { call: 'GET /', content: { base64: 'AAE=' }, headers: { Host: 'other.test' } });

    expect(seen).toEqual([
      { url: '/%C3%BC?a=1', type: 'text/plain', length: '2', host: address, body: 'c39c' },
      { url: '/', type: undefined, length: '2', host: 'other.test', body: '0001' },
    ]);
  });

  it('has the headers of the service, with their secrets', async () => {
    const address = await serve((request, response) => response.end(JSON.stringify(request.headers.authorization)));
    const secrets = secretsFrom([{ variable: 'TOKEN', place: '', isPem: false }], { TOKEN: 'tok-en-12' }, () => '');
    const service = { ...pythonService(''), headers: { Authorization: 'Bearer ${env.TOKEN}' } };

    const reply = await protocolClient(secrets).call(service, address, { call: 'GET /', body: undefined });

    expect(reply.body).toBe('Bearer tok-en-12');
  });
});

describe('what the client makes of an answer', () => {
  it.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
    ['identity', (text: string) => Buffer.from(text)],
  ])('reads it compressed with %s', async (encoding, compressed) => {
    const address = await serve((_, response) => {
      response.writeHead(200, { 'content-encoding': encoding, 'content-type': 'text/html' });
      response.end(compressed('<p>'));
    });

    expect(await ask(address)).toMatchObject({
      body: undefined,
      answer: { text: '<p>', bytes: 3, contentType: 'text/html' },
    });
  });

  it('reads one in chunks, with a slow first byte', async () => {
    const address = await serve((_, response) => {
      setTimeout(() => {
        response.write('{"a":');
        setTimeout(() => response.end('1}'), 20);
      }, 300);
    });

    expect(await ask(address)).toMatchObject({ status: '200', body: { a: 1 } });
  });

  it('has nothing of an answer without a body, and the hash of one that is not text', async () => {
    const empty = await serve((_, response) => response.writeHead(204).end());
    const bytes = await serve((_, response) => response.end(Buffer.from([0xff, 0])));

    expect(await ask(empty)).toMatchObject({ status: '204', answer: { text: '', bytes: 0 } });
    expect((await ask(bytes)).answer).toMatchObject({
      bytes: 2,
      sha256: createHash('sha256')
        .update(Buffer.from([0xff, 0]))
        .digest('hex'),
    });
  });

  it('reports the target of a redirect', async () => {
    const address = await serve((_, response) => response.writeHead(301, { location: '/elsewhere' }).end());

    expect(await ask(address)).toMatchObject({ status: '301', answer: { location: '/elsewhere' } });
  });
});

describe('an answer that is none', () => {
  const HEAD = 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n';

  it.each([
    [
      'compressed in a way that was not asked for',
      'HTTP/1.1 200 OK\r\nContent-Encoding: zst\r\n\r\nx',
      /compressed with zst/,
    ],
    ['damaged', 'HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 1\r\n\r\nx', /Z_(BUF|DATA)_ERROR/],
    ['cut off', `${HEAD}half`, /closed the connection before the answer was complete/],
    ['nothing at all', '', /closed the connection before the answer was complete/],
    ['another protocol', 'SSH-2.0-OpenSSH_9.2\r\n', /its answer is not HTTP\/1\.1/],
  ])('is described: %s', async (_, bytes, words) => {
    const address = await serveBytes(bytes, (socket) => socket.end());

    await expect(ask(address)).rejects.toThrow(words);
  });

  it('is described: a reset', async () => {
    const address = await serveBytes(HEAD, (socket) => socket.resetAndDestroy());

    await expect(ask(address)).rejects.toThrow(/closed the connection before the answer was complete \(ECONNRESET/);
  });

  it('is described: one that begins and does not end in time', async () => {
    const address = await serve((_, response) => {
      response.write('a');
    });

    await expect(ask(address)).rejects.toThrow(/timeout: the answer did not end within 5 s/);
  });

  it('may have another time than the usual', async () => {
    const address = await serve(() => undefined);

    await expect(ask(address, { deadlineMs: 100 })).rejects.toThrow(/timeout: no answer within 0\.1 s/);
  });

  it('is the message that it is said to be, in protobuf and in JSON', async () => {
    const text = 'syntax = "proto3"; package shop.v1; message Item { int32 id = 1; string name = 2; }';
    const proto = { root: 'p', file: 'shop.proto', texts: { 'shop.proto': text } };
    const request = { call: 'GET /', body: undefined, answerMessage: 'shop.v1.Item' };
    const reported = async (type: string, body: Uint8Array | string, status = 200) => {
      const address = await serve((_, response) => {
        response.writeHead(status, { 'content-type': type }).end(body);
      });
      return await protocolClient(NO_SECRETS).call(pythonService('', { proto }), address, request);
    };

    const item = { id: 7, name: '' };
    await expect(reported('application/x-protobuf', Buffer.from([8, 7]))).resolves.toMatchObject({ body: item });
    await expect(reported('application/json', '{"id":"7"}')).resolves.toMatchObject({ body: item });
    await expect(reported('application/json', '{"error":1}', 404)).resolves.toMatchObject({ body: { error: 1 } });
    await expect(reported('application/json', '{"error":1}')).rejects.toMatchObject({
      message: expect.stringMatching(/not a shop\.v1\.Item in JSON: body\.error: is an unknown field/),
      next: 'Fix the service, or `expect.message` of the operation.',
    });
  });

  it('is cut: small when it is sent and larger than the limit when it is unpacked', async () => {
    const address = await serve((_, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(5 * 2 ** 20)));
    });

    await expect(ask(address)).resolves.toMatchObject({ body: undefined, cut: 'longer than 4194304 bytes' });
  });

  it.each([
    ['as it is', {}, () => new PassThrough()],
    ['compressed', { 'content-encoding': 'gzip' }, () => createGzip({ level: 1 })],
  ])('is cut, and no longer listened to, if it has a GiB: %s', async (_, headers, packing) => {
    const piece = Buffer.alloc(2 ** 20, 'x');
    let sent = 0;
    const endless = function* () {
      for (; sent < 2 ** 30; sent += piece.length) {
        yield piece;
      }
    };
    let end = (): void => undefined;
    const over = new Promise<void>((resolve) => {
      end = resolve;
    });
    const address = await serve((_, response) => {
      response.writeHead(200, headers);
      pipeline(Readable.from(endless()), packing(), response, end);
    });

    const { cut, answer } = await ask(address);
    await over;

    expect([cut, answer?.bytes]).toEqual(['longer than 4194304 bytes', expect.toSatisfy((bytes) => bytes <= 2 ** 22)]);
    // What is under way in buffers; of highly compressible text that is much.
    expect(sent).toBeLessThan(2 ** 29);
  });
});
