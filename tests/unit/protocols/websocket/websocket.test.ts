import { describe, expect, it } from 'vitest';
import { parseProject } from '../../../../src/config/parse.ts';
import type { Operation } from '../../../../src/model/suite/suite.ts';
import { websocket } from '../../../../src/protocols/websocket/websocket.ts';

const REPLY = { contentType: undefined, location: undefined, bytes: 0, sha256: 'hash' };

/** The service and the operation of a configuration with this binding. */
function configured(binding: object | string, { rows = [{ id: 1 }] as readonly object[], service: more = {} } = {}) {
  const text = JSON.stringify({
    services: { mine: { protocol: 'websocket', port: 80, image: 'a:1', ...more } },
    operations: [{ name: 'User', arguments: rows, websocket: binding }],
  });
  const readFile = (path: string) =>
    path === 'hello.bin' ? { text: '', base64: 'AP8=' } : { refusal: 'there is no such file' };
  const { suite, services } = parseProject({ file: 'wiregauge.yml', text }, { readFile });
  const operation = suite.operations[0] as Operation;
  return { operation, service: services.get('mine') as NonNullable<ReturnType<typeof services.get>> };
}

function requestsOf(...given: Parameters<typeof configured>) {
  const { operation, service } = configured(...given);
  return websocket.target(operation, service, '127.0.0.1:80').requests;
}

describe('a message over a WebSocket', () => {
  it('is the arguments in JSON if nothing else is said, and its answer comes in turn', () => {
    expect(requestsOf({}, { rows: [{ id: 1 }, { id: 'two' }] })).toEqual([
      { call: 'TEXT /', body: undefined, headers: {}, content: { text: '{"id":1}' }, socket: { subprotocols: [] } },
      { call: 'TEXT /', body: undefined, headers: {}, content: { text: '{"id":"two"}' }, socket: { subprotocols: [] } },
    ]);
  });

  it('is a text, a JSON value or a file, with what comes from the arguments', () => {
    expect(requestsOf('get {id}')).toMatchObject([{ call: 'TEXT /', content: { text: 'get 1' } }]);
    expect(requestsOf({ message: 'get {id}', path: '/a' })).toMatchObject([{ content: { text: 'get 1' } }]);
    expect(requestsOf({ message: { json: { text: 'hello' } } })).toMatchObject([
      { content: { text: '{"text":"hello"}' } },
    ]);
    expect(requestsOf({ message: { text: 'hello', to: 'all' } })).toMatchObject([
      { content: { text: '{"text":"hello","to":"all"}' } },
    ]);
    expect(requestsOf({ message: ['get', '{id}'], binary: true })).toMatchObject([
      { call: 'BINARY /', content: { text: '["get",1]' } },
    ]);
    expect(requestsOf({ message: { file: 'hello.bin' } })).toMatchObject([
      { call: 'BINARY /', content: { base64: 'AP8=' } },
    ]);
  });

  it('leaves out the number that it shares with its answer, which each sending brings', () => {
    const socket = { subprotocols: ['v2'], correlation: 'id', answer: 'result' };
    const binding = { path: '/rpc?v=2', deadlineMs: 100, ...socket };

    expect(requestsOf({ ...binding, message: { method: 'user', params: ['{id}'] } })).toMatchObject([
      {
        call: 'TEXT /rpc?v=2',
        content: { text: '{"method":"user","params":[1]}' },
        deadlineMs: 100,
        socket: { ...socket, isText: false },
      },
    ]);
    expect(requestsOf({ ...binding, message: { id: 'x', a: 1 } })).toMatchObject([
      { content: { text: '{"a":1}' }, socket: { isText: true } },
    ]);
  });

  it('has the headers of its service in the handshake, its own first', () => {
    const service = { headers: { authorization: 'Bearer a', 'x-who': 'me' } };

    expect(requestsOf({ headers: { authorization: 'Bearer b' } }, { service })[0]?.headers).toEqual({
      Authorization: 'Bearer b',
      'X-Who': 'me',
    });
  });

  it.each<[string, Parameters<typeof configured>, RegExp]>([
    [
      'a correlation of a text',
      [{ message: 'a', correlation: 'id' }],
      /correlation: works only with messages that are JSON maps/,
    ],
    [
      'a correlation of a list',
      [{ message: [1], correlation: 'id' }],
      /correlation: works only with messages that are JSON maps/,
    ],
    ['a correlation of a binary message', [{ binary: true, correlation: 'id' }], /correlation: works only with/],
    [
      'a correlation that is an argument',
      [{ correlation: 'id' }],
      /correlation: is a key that the message fills from an argument/,
    ],
    [
      'a correlation that an argument fills',
      [{ message: { no: 'a-{id}' }, correlation: 'no' }],
      /fills from an argument/,
    ],
    ['a correlation that is a path', [{ correlation: 'a b' }], /correlation: must be a top-level key of the message/],
    ['an argument that is missing', [{ message: { a: '{name}' } }], /has no plain value for \{name\}/],
    ['a path with arguments', [{ path: '/room/{id}' }], /path: must begin with .* the connection is opened only once/],
    ['a file that is not there', [{ message: { file: 'other.bin' } }], /other\.bin: there is no such file/],
    ['a sub-protocol twice', [{ subprotocols: ['a', 'a'] }], /subprotocols: must not contain duplicates/],
    ['what may be a text or JSON', [{ message: { text: 'hello' } }], /message: is ambiguous: for text, write/],
    ['a number', [7 as unknown as string], /must be the text of a message, or a map with message/],
    ['another version of HTTP', [{}, { service: { http: 'h2c' } }], /http: is only for REST.*; a WebSocket handshake/],
    [
      'a method of gRPC to be ready',
      [{}, { service: { ready: { call: 'a.B/C' } } }],
      /ready.call: is only for gRPC; for WebSocket, use path/,
    ],
  ])('is refused with %s', (_what, given, message) => {
    expect(() => configured(...given)).toThrow(message);
  });

  it('has a service that may be ready by a path over HTTP', () => {
    expect(configured({}, { service: { ready: { path: '/health' } } }).service.ready?.check).toEqual({
      kind: 'path',
      path: '/health',
    });
  });
});

describe('the answer to a message', () => {
  const canonical = (binding: object, text: string, body?: object) =>
    websocket.canonical(
      { status: 'OK', body: body as never, answer: { ...REPLY, text } },
      configured(binding).operation,
    );

  it('is compared without its correlation, or by one key', () => {
    expect(canonical({}, '', { id: 1, name: 'Ada' })).toEqual({ id: 1, name: 'Ada' });
    expect(canonical({ correlation: 'request' }, '', { request: 1, id: 1 })).toEqual({ id: 1 });
    expect(canonical({ correlation: 'no', answer: 'result' }, '', { no: 1, result: [1] })).toEqual([1]);
  });

  it('is compared as text if it is not JSON', () => {
    expect(canonical({}, 'pong')).toBe('pong');
    expect(canonical({}, '\uFFFD')).toEqual({ bytes: 0, sha256: 'hash' });
  });

  it('is a failure without the key that it is to have, or if the handshake was refused', () => {
    expect(() => canonical({ answer: 'result' }, '{"error":1}', { error: 1 })).toThrow(
      'answered without `result`: {"error":1}',
    );
    expect(() => canonical({ answer: 'result' }, 'none')).toThrow('answered without `result`: none');
    expect(() =>
      websocket.canonical(
        { status: '401', body: undefined, answer: { ...REPLY, text: 'who\nare you' } },
        configured({}).operation,
      ),
    ).toThrow('answered 401 to the WebSocket handshake (who are you)');
  });
});
