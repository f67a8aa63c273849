import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import { protocolClient } from '../../../../src/protocols/client.ts';
import { NO_SECRETS } from '../../../support/secrets.ts';
import { restService } from '../../../support/suite.ts';

const SERVICE = { ...restService('mine'), protocol: 'websocket' as const };

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

type Talk = (socket: WebSocket, request: IncomingMessage) => void;

/** A service that has each connection talk as it is told, and answers other requests with 418. */
async function serve(talk: Talk): Promise<string> {
  server = createServer((_request, answer) => answer.writeHead(418).end('a teapot'));
  const sockets = new WebSocketServer({
    server,
    path: '/chat',
    handleProtocols: (requested) => requested.has('v2') && 'v2',
  });
  sockets.on('connection', talk);
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

interface Requested {
  readonly socket?: object;
  readonly call?: string;
  readonly text?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

async function ask(talk: Talk, { socket = {}, call = 'TEXT /chat', text = '{"a":1}', headers = {} }: Requested = {}) {
  return await protocolClient(NO_SECRETS).call(SERVICE, await serve(talk), {
    call,
    body: undefined,
    headers,
    content: { text },
    deadlineMs: 300,
    socket: { subprotocols: [], ...socket },
  });
}

const echo: Talk = (socket) => socket.on('message', (message, isBinary) => socket.send(message, { binary: isBinary }));

const BY_ID = { socket: { correlation: 'id', isText: false } };

describe('a single message over a WebSocket', () => {
  it('has its answer, and the text of it', async () => {
    expect(await ask(echo)).toMatchObject({ status: 'OK', body: { a: 1 }, answer: { text: '{"a":1}', bytes: 7 } });
    expect(await ask(echo, { call: 'BINARY /chat', text: 'abc' })).toMatchObject({
      body: undefined,
      answer: { text: 'abc' },
    });
  });

  it('is numbered under its correlation, and other messages are passed over', async () => {
    const talk: Talk = (socket) => {
      socket.send('welcome');
      socket.on('message', (message) => {
        socket.send('{"id":"other"}');
        socket.send(message.toString());
        socket.send(message.toString());
      });
    };

    expect(await ask(talk, BY_ID)).toMatchObject({ status: 'OK', body: { id: 1, a: 1 } });
    expect(await ask(talk, { socket: { correlation: 'id', isText: true } })).toMatchObject({ body: { id: '1', a: 1 } });
  });

  it('brings headers and a sub-protocol to the handshake', async () => {
    const talk: Talk = (socket, { headers }) =>
      socket.on('message', () => socket.send(`${socket.protocol} ${headers.authorization} ${headers['user-agent']}`));
    const requested = { socket: { subprotocols: ['v1', 'v2'] }, headers: { Authorization: 'Bearer x' } };

    expect(await ask(talk, requested)).toMatchObject({ answer: { text: 'v2 Bearer x wiregauge' } });
  });

  it('has a handshake that is refused as an answer of its status', async () => {
    expect(await ask(echo, { call: 'TEXT /other' })).toMatchObject({ status: '400', body: undefined });
  });

  it('has a path that is requested over HTTP, without a message', async () => {
    const reply = protocolClient(NO_SECRETS).call(SERVICE, await serve(echo), { call: 'GET /health', body: undefined });

    expect(await reply).toMatchObject({ status: '418', answer: { text: 'a teapot' } });
  });

  it.each<[string, { talk: Talk; requested?: Requested; message: RegExp }]>([
    [
      'never comes',
      {
        talk: () => undefined,
        message: /^message to ws:\/\/127\.0\.0\.1:\d+\/chat: timeout: no answer within 0\.3 s$/,
      },
    ],
    [
      'comes without its number',
      {
        talk: (socket) => socket.on('message', () => socket.send('{"ID":1}')),
        requested: BY_ID,
        message: /no answer within 0\.3 s; messages with another `id`: 1$/,
      },
    ],
    [
      'comes twice in turn',
      {
        talk: (socket) =>
          socket.on('message', () => {
            socket.send('first');
            socket.send('second');
          }),
        message: /sent an unexpected message: second$/,
      },
    ],
    [
      'comes after a greeting in turn',
      {
        talk: (socket, request) => {
          socket.send('welcome');
          echo(socket, request);
        },
        message: /sent an unexpected message: \{"a":1\}$/,
      },
    ],
    [
      'is a close code',
      {
        talk: (socket) => socket.on('message', () => socket.close(1009, 'too\nlong')),
        message: /the connection was closed with 1009 \(too long\) before the answer$/,
      },
    ],
    [
      'is an end without a word',
      {
        talk: (socket) => socket.on('message', () => socket.terminate()),
        message: /closed with 1006 before the answer$/,
      },
    ],
    [
      'is of no sub-protocol',
      {
        talk: echo,
        requested: { socket: { subprotocols: ['v1'] } },
        message: /it did not accept the requested sub-protocol \(v1\)/,
      },
    ],
  ])('is an error if the answer %s', async (_what, { talk, requested, message }) => {
    await expect(ask(talk, requested)).rejects.toThrow(message);
  });

  it('is not kept if it is too long', async () => {
    const talk: Talk = (socket) => socket.on('message', () => socket.send(Buffer.alloc(5 * 2 ** 20)));

    expect(await ask(talk)).toEqual({ status: 'OK', body: undefined, cut: 'longer than 4194304 bytes' });
  });

  it('says what is wrong with the connection', async () => {
    const address = await serve(echo);
    const secured = { ...SERVICE, connection: { http: '1.1' as const, tls: { insecure: true } as never } };
    const request = { call: 'TEXT /chat', body: undefined, content: { text: '' }, socket: { subprotocols: [] } };

    await expect(protocolClient(NO_SECRETS).call(secured, address, request)).rejects.toThrow('it does not speak TLS');
    await expect(protocolClient(NO_SECRETS).call(SERVICE, '127.0.0.1:1', request)).rejects.toThrow('ECONNREFUSED');
  });
});
