import { describe, expect, test } from 'vitest';
import { parseProject } from '../../../../src/config/parse.ts';
import type { ReadFile } from '../../../../src/config/reader.ts';
import { ConfigError } from '../../../../src/foundation/errors.ts';
import { restOf } from '../../../support/suite.ts';

const FILES: Readonly<Record<string, string>> = {
  'body.bin': '\u0000\u0001',
  'users.csv': 'id\n1\n2\n3\n',
  'ca.pem': '-----BEGIN CERTIFICATE-----\n',
  'own.pem': '-----BEGIN CERTIFICATE-----own\n',
  'key.pem': '-----BEGIN PRIVATE KEY-----\n',
};

const readFile: ReadFile = (path) => {
  const text = FILES[path];
  return text === undefined ? { refusal: 'there is no such file' } : { text, base64: btoa(text) };
};

const SERVICE = 'services:\n  api: { protocol: rest, port: 8080, image: nginx:1.27';

function project(operation: string, service = '') {
  const text = `${SERVICE}${service} }\noperations:\n  - ${operation}\n`;
  return parseProject({ file: 'wiregauge.yml', text }, { readFile });
}

const operationOf = (operation: string) => project(operation).suite.operations[0];
const bindingOf = (rest: string) => restOf(operationOf(`{ name: A, rest: ${rest} }`));
const serviceOf = (keys: string) => project('{ name: A, rest: GET / }', keys).services.get('api');

describe('rest', () => {
  test('in short is a method and a path', () => {
    expect(bindingOf('DELETE /user')).toEqual({
      method: 'DELETE',
      path: '/user',
      headers: {},
      body: undefined,
      expect: { status: [{ from: 200, to: 299 }], contentType: undefined, contains: undefined },
    });
  });

  test('as a map says headers, body and what is expected', () => {
    const rest =
      '{ method: POST, path: /a, headers: { content-type: x/y, X-Number: 1 }, body: [1], expect: { status: [200, 4xx], contentType: text/html, contains: hello } }';

    expect(bindingOf(rest)).toEqual({
      method: 'POST',
      path: '/a',
      headers: { 'Content-Type': 'x/y', 'X-Number': '1' },
      body: { kind: 'json', json: [1] },
      expect: {
        status: [
          { from: 200, to: 200 },
          { from: 400, to: 499 },
        ],
        contentType: 'text/html',
        contains: 'hello',
      },
    });
  });

  test('says how long a request may take, where that is not the usual', () => {
    expect(bindingOf('{ path: /, deadlineMs: 60000 }')?.deadlineMs).toBe(60_000);
    expect(bindingOf('{ path: / }')).not.toHaveProperty('deadlineMs');
  });

  test.each([
    ['{ text: "a {b}" }', undefined],
    ['{ a: 1, text: b }', { kind: 'json', json: { a: 1, text: 'b' } }],
    ['{ json: text }', { kind: 'json', json: 'text' }],
    ['null', { kind: 'json', json: null }],
    ['7', { kind: 'json', json: 7 }],
    ['{ file: body.bin }', { kind: 'file', file: 'body.bin', base64: 'AAE=' }],
  ])('reads the body %s', (body, found) => {
    const read = () => bindingOf(`{ path: /, body: ${body} }`)?.body;

    if (found === undefined) {
      expect(read).toThrow('has no plain value for {b}');
    } else {
      expect(read()).toEqual(found);
    }
  });

  test.each([
    ['get /', /:4:16: operations\.0\.rest: must be a method and a path, like GET \/user/],
    ['{ path: a }', /operations\.0\.rest\.path: must be a path that begins with \//],
    ['{ path: /, method: get }', /operations\.0\.rest\.method: must be a method in upper case/],
    ['{ path: /, headers: { "a b": c } }', /rest\.headers\.a b: must be the name of a header/],
    ['{ path: /, headers: { Content-Length: 3 } }', /rest\.headers\.Content-Length: is a header that the connection/],
    ['{ path: /, headers: { A: "b\\nC: d" } }', /rest\.headers\.A: must be a single line/],
    ['{ path: /, body: text }', /rest\.body: must be \{ text: … \}/],
    ['{ path: /, body: { text: 1 } }', /rest\.body\.text: must be a string/],
    ['{ path: /, body: { file: ../a } }', /rest\.body\.file: must be a path inside the repository/],
    ['{ path: /, body: { file: no.bin } }', /:4:\d+: operations\.0\.rest\.body\.file: no\.bin: there is no such file/],
    ['{ path: /, expect: { status: 99 } }', /rest\.expect\.status: must be a status like 200/],
    ['{ path: /, expect: { status: 2XX } }', /rest\.expect\.status: must be a status like 200/],
    ['{ path: /, expect: { status: [] } }', /rest\.expect\.status: /],
    ['{ path: /, expect: { contentType: html } }', /rest\.expect\.contentType: must be a media type/],
    ['{ path: /, expect: { body: x } }', /rest\.expect\.body: is an unknown key/],
    ['GTE /', /operations\.0\.rest: GTE is not an HTTP method; did you mean GET\?/],
    ['{ method: DELTE, path: / }', /rest\.method: is not an HTTP method; did you mean DELETE\?/],
    ['{ path: /, deadlineMs: 0 }', /rest\.deadlineMs: /],
    ['{ path: /, deadlineMs: 3600001 }', /rest\.deadlineMs: /],
    ['{ path: /, header: {} }', /rest\.header: is an unknown key; did you mean headers\?/],
  ])('refuses %s, with the place', (rest, words) => {
    expect(() => bindingOf(rest)).toThrow(ConfigError);
    expect(() => bindingOf(rest)).toThrow(words);
  });
});

test('a method that services have of their own is taken', () => {
  expect(bindingOf('LIST /secrets')?.method).toBe('LIST');
});

test('an operation may ignore parts of its answers, and otherwise says nothing of them', () => {
  const paths = ['$.id', '$.items[*].at', `$['created at']`];

  expect(operationOf(`{ name: A, rest: GET /, ignore: ${JSON.stringify(paths)} }`)?.ignore).toEqual(paths);
  expect(operationOf('{ name: A, rest: GET / }')).not.toHaveProperty('ignore');
});

describe('arguments and feeds', () => {
  test('a row is a request, to which arguments are added in turn', () => {
    const operation =
      '{ name: A, rest: "GET /{id}/{kind}", arguments: [{ kind: a }, { kind: b, id: 9 }], feed: { file: users.csv } }';

    expect(operationOf(operation)?.arguments).toEqual([
      { kind: 'a', id: '1' },
      { kind: 'b', id: '2' },
      { kind: 'a', id: '3' },
    ]);
  });

  test.each([
    [
      'a placeholder that no argument fills',
      'rest: "GET /{id}", arguments: [{ id: 1 }, {}]',
      /operations\.0\.rest: item 2 of the arguments has no plain value for \{id\}/,
    ],
    [
      'a feed that is not there',
      'rest: GET /, feed: { file: no.csv }',
      /operations\.0\.feed\.file: no\.csv: there is no such file/,
    ],
    [
      'a feed outside of the repository',
      'rest: GET /, feed: { file: /etc/passwd }',
      /feed\.file: must be a path inside/,
    ],
    ['another order', 'rest: GET /, feed: { file: users.csv, order: random }', /feed\.order: /],
    ['another verification', 'rest: GET /, verify: maybe', /operations\.0\.verify: /],
    [
      'a path that is none',
      'rest: GET /, ignore: [$.id, "$..at"]',
      /:\d+:\d+: operations\.0\.ignore\.1: must be a path like \$\.id, /,
    ],
    ['the whole answer as a path', 'rest: GET /, ignore: [$]', /operations\.0\.ignore\.0: must be a path/],
    [
      'paths where no answers are compared',
      'rest: GET /, verify: status, ignore: [$.id]',
      /operations\.0\.ignore: has no effect with `verify: status`, which does not compare answers/,
    ],
  ])('refuses %s', (_, keys, words) => {
    const refused = () => operationOf(`{ name: A, ${keys} }`);

    expect(refused).toThrow(ConfigError);
    expect(refused).toThrow(words);
  });
});

describe('the connection of a service', () => {
  test('is the usual where it says nothing', () => {
    expect(serviceOf('')?.connection).toBeUndefined();
  });

  test('has the PEM texts of its files, and what the environment will give', () => {
    const tls = 'tls: { ca: ca.pem, serverName: api.test, certificate: own.pem, key: "${env.KEY}" }';

    expect(serviceOf(`, http: "2", ${tls}, headers: { authorization: "\${env.TOKEN}" }`)).toMatchObject({
      headers: { Authorization: '${env.TOKEN}' },
      connection: {
        http: '2',
        tls: {
          ca: FILES['ca.pem'],
          insecure: false,
          serverName: 'api.test',
          certificate: FILES['own.pem'],
          key: '${env.KEY}',
        },
      },
    });
  });

  test.each([
    ['http: 2', /services\.api\.http: must be "1\.1", "2" \(over TLS\) or h2c/],
    ['http: "2"', /services\.api\.http: needs tls; use h2c for HTTP\/2 without TLS/],
    ['http: h2c, tls: {}', /services\.api\.http: is HTTP\/2 without TLS; with tls, use/],
    [
      'http: h2c, keepAlive: false',
      /services\.api\.keepAlive: is only for HTTP\/1\.1; other protocols always reuse connections/,
    ],
    ['http: "2", tls: {}, keepAlive: false', /services\.api\.keepAlive: is only for HTTP\/1\.1/],
    ['keepAlive: off', /services\.api\.keepAlive: /],
    ['connections: 0', /services\.api\.connections: /],
    ['connections: 1001', /services\.api\.connections: /],
    ['http: "2", tls: {}, connections: 1', /services\.api\.connections: is only for HTTP\/1\.1, h2c and gRPC/],
    ['tls: { certificate: own.pem }', /services\.api\.tls(\.key)?: is missing: certificate and key go together/],
    ['tls: { key: key.pem }', /services\.api\.tls(\.certificate)?: is missing/],
    ['tls: { ca: ca.pem, insecure: true }', /services\.api\.tls\.insecure: trusts any certificate/],
    ['tls: { ca: no.pem }', /services\.api\.tls\.ca: no\.pem: there is no such file/],
    ['tls: { ca: users.csv }', /services\.api\.tls\.ca: users\.csv is not PEM/],
    ['tls: { ca: ../ca.pem }', /services\.api\.tls\.ca: must be a file inside the repository/],
    ['tls: { ca: "x${env.A}" }', /services\.api\.tls\.ca: /],
    ['tls: { serverName: "a b" }', /services\.api\.tls\.serverName: must be the name of a host/],
  ])('refuses %s', (keys, words) => {
    expect(() => serviceOf(`, ${keys}`)).toThrow(ConfigError);
    expect(() => serviceOf(`, ${keys}`)).toThrow(words);
  });

  test('says how many connections load comes over', () => {
    expect(serviceOf(', connections: 8')).toMatchObject({ connection: { http: '1.1', connections: 8 } });
    expect(serviceOf(', http: h2c, connections: 1')).toMatchObject({ connection: { http: 'h2c', connections: 1 } });
    expect(serviceOf(', http: h2c')?.connection).not.toHaveProperty('connections');
  });

  test('says whether connections are kept', () => {
    expect(serviceOf(', keepAlive: false')).toMatchObject({ connection: { http: '1.1', keepAlive: false } });
    expect(serviceOf(', keepAlive: true')?.connection).toBeUndefined();
    expect(serviceOf(', keepAlive: true, http: "1.1"')?.connection).not.toHaveProperty('keepAlive');
  });

  test.each(['http: h2c', 'headers: { A: b }'])('refuses %s of a gRPC service', (keys) => {
    const text = `services:\n  api: { protocol: grpc, proto: reflection, port: 1, image: a:1, ${keys} }\noperations:\n  - { name: A, grpc: a.B/C }\n`;
    const refused = () => parseProject({ file: 'wiregauge.yml', text }, { readFile });

    expect(refused).toThrow(/services\.api\.(http|headers): is only for REST/);
  });
});
