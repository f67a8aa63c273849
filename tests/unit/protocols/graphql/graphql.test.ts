import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { parseProject } from '../../../../src/config/parse.ts';
import { ConfigError } from '../../../../src/foundation/errors.ts';
import type { Json } from '../../../../src/foundation/json.ts';
import { protocolClient } from '../../../../src/protocols/client.ts';
import { graphql } from '../../../../src/protocols/graphql/graphql.ts';
import { generatorFor } from '../../../../src/protocols/protocols.ts';
import { NO_SECRETS } from '../../../support/secrets.ts';

const QUERY = 'query User($id: ID!) { user(id: $id) { name } }';
const HASH = '42ae9d0b';

/** The service and the operation of a configuration with this binding. */
function configured(binding: object | string, rows: readonly object[] = [{ id: 1 }, { id: 'two' }]) {
  const text = JSON.stringify({
    services: { mine: { protocol: 'graphql', port: 80, image: 'a:1', headers: { 'X-Who': 'me' } } },
    operations: [{ name: 'User', arguments: rows, graphql: binding }],
  });
  const readFile = (path: string) =>
    path === 'user.graphql'
      ? { text: QUERY, base64: Buffer.from(QUERY).toString('base64') }
      : { refusal: 'there is no such file' };
  const { suite, services } = parseProject({ file: 'wiregauge.yml', text }, { readFile });
  const [operation] = suite.operations;
  const service = services.get('mine');
  if (operation === undefined || service === undefined) {
    throw new Error('the configuration has no operation or no service');
  }
  return { operation, service };
}

function requestsOf(binding: object | string, rows?: readonly object[]) {
  const { operation, service } = configured(binding, rows);
  return graphql.target(operation, service, '127.0.0.1:80').requests;
}

function sentBy(binding: object | string, rows?: readonly object[]): Json[] {
  return requestsOf(binding, rows).map(({ content }) =>
    JSON.parse(content !== undefined && 'text' in content ? content.text : 'null'),
  );
}

describe('a request over GraphQL', () => {
  it('is a POST of the query with the arguments as its variables, and the headers of the service', () => {
    const headers = { 'Content-Type': 'application/json', 'X-Who': 'me' };

    expect(requestsOf(QUERY)).toMatchObject([
      { call: 'POST /graphql', headers },
      { call: 'POST /graphql', headers },
    ]);
    expect(sentBy(QUERY)).toEqual([
      { query: QUERY, variables: { id: 1 } },
      { query: QUERY, variables: { id: 'two' } },
    ]);
  });

  it('has variables that are made of the arguments, a path, an operation and a time limit of its own', () => {
    const query = `${QUERY} mutation Add($user: UserInput!) { add(user: $user) { id } }`;
    const binding = {
      query,
      operationName: 'Add',
      variables: { user: { name: 'n-{name}', age: '{age}' } },
      path: '/api?tenant={name}',
      headers: { 'x-more': '{name}' },
      deadlineMs: 100,
    };
    const rows = [{ name: 'a b', age: 7 }];

    expect(sentBy(binding, rows)).toEqual([
      { query, operationName: 'Add', variables: { user: { name: 'n-a b', age: 7 } } },
    ]);
    expect(requestsOf(binding, rows)).toMatchObject([
      { call: 'POST /api?tenant=a%20b', headers: { 'X-More': 'a b' }, deadlineMs: 100 },
    ]);
  });

  it('may have its query in a file', () => {
    expect(sentBy({ query: { file: 'user.graphql' } }, [{ id: 1 }])).toEqual([{ query: QUERY, variables: { id: 1 } }]);
    expect(() => configured({ query: { file: 'other.graphql' } })).toThrow(/other\.graphql: there is no such file/);
  });

  it('is a GET with all of it in the URL if that is requested', () => {
    const [{ call = '', content, headers } = {}] = requestsOf({ query: QUERY, method: 'GET' }, [{ id: 'a&b' }]);
    const requested = new URL(call.replace('GET ', 'http://127.0.0.1')).searchParams;

    expect(call).toMatch(/^GET \/graphql\?\S+$/);
    expect(Object.fromEntries(requested)).toEqual({ query: QUERY, variables: '{"id":"a&b"}' });
    expect(content).toBeUndefined();
    expect(headers).not.toHaveProperty('Content-Type');
  });

  it('has the hash of a persisted query, and brings along what introduces it', () => {
    const [request] = requestsOf({ query: QUERY, method: 'GET', persisted: true }, [{ id: 1 }]);
    const { searchParams } = new URL(request?.call.replace('GET ', 'http://127.0.0.1') ?? '');
    const introduced = request?.introduction?.content;

    expect(JSON.parse(searchParams.get('extensions') ?? '')).toEqual({
      persistedQuery: { version: 1, sha256Hash: expect.stringMatching(/^[0-9a-f]{64}$/) },
    });
    expect(searchParams.has('query')).toBe(false);
    expect(request?.introduction?.call).toBe('POST /graphql');
    expect(introduced && 'text' in introduced && JSON.parse(introduced.text)).toMatchObject({ query: QUERY });
  });

  it('goes out by vegeta, as the driver has it, which reads each answer', () => {
    const { operation, service } = configured(QUERY);

    expect(generatorFor('graphql')).toBe('vegeta');
    expect(graphql.target(operation, service, '127.0.0.1:80').checked).toBe('graphql');
  });
});

describe('a configuration over GraphQL', () => {
  it.each([
    ['{ user {', /is not valid GraphQL \(line 1, column 9\)/],
    [{ variables: {} }, /graphql\.query: must be the text of one query/],
    [{ query: [QUERY, QUERY] }, /must be the text of one query/],
    ['subscription { a }', /is a subscription/],
    [{ query: 'mutation { a }', method: 'GET' }, /a mutation cannot be sent with GET/],
    [{ query: QUERY, operationName: 'Other' }, /has no operation Other; it has User/],
    [{ query: QUERY, variables: { id: '{name}' } }, /item 1 of the arguments: \{name\} has no plain value/],
    ['{ user { name } }', /item 1 of the arguments: the query does not declare \$id/],
    ['query ($id: Int!) { user(id: $id) { name } }', /item 2 of the arguments: \$id: Int cannot represent/],
    [{ query: QUERY, paths: '/x' }, /graphql\.paths: is an unknown key; did you mean path/],
  ])('is refused: %j', (binding, message) => {
    expect(() => configured(binding)).toThrow(ConfigError);
    expect(() => configured(binding)).toThrow(message);
  });
});

describe('an answer over GraphQL', () => {
  const { operation } = configured(QUERY);
  const reply = (text: string, status = '200') => {
    const answer = { contentType: 'application/json', location: undefined, text, bytes: text.length, sha256: HASH };
    let body: Json | undefined;
    try {
      body = JSON.parse(text);
    } catch {
      body = undefined;
    }
    return { status, body, answer };
  };

  it('is its data', () => {
    expect(graphql.canonical(reply('{"data":{"user":{"name":"a"}},"extensions":{"took":7}}'), operation)).toEqual({
      user: { name: 'a' },
    });
    expect(graphql.canonical(reply('{"errors":null,"data":{"user":null}}'), operation)).toEqual({ user: null });
    expect(graphql.canonical(reply('{"errors":[],"data":{"user":null}}'), operation)).toEqual({ user: null });
  });

  it.each([
    [
      '{"data":{"user":null},"errors":[{"message":"no\\nuser","path":["user",0]},{}]}',
      '200',
      /with errors: "no user" \(at user\.0\), and 1 more/,
    ],
    ['{"errors":"broken"}', '200', /with errors: "broken"/],
    ['{"data":null}', '200', /without `data`/],
    ['{"user":{}}', '200', /without `data`: \{"user":\{\}\}/],
    ['<html>', '200', /without `data`: <html>/],
    ['{"errors":[{"message":"Unknown field"}]}', '400', /answered 400.*Unknown field/],
  ])('is refused: %s', (text, status, message) => {
    expect(() => graphql.canonical(reply(text, status), operation)).toThrow(message);
  });
});

describe('a service over GraphQL', () => {
  const closing: (() => void)[] = [];
  afterEach(() => {
    for (const close of closing.splice(0)) {
      close();
    }
  });

  async function serving(answerTo: (request: IncomingMessage, body: string) => object): Promise<string> {
    const server = createServer(async (request, response) => {
      let body = '';
      for await (const chunk of request) {
        body += chunk;
      }
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answerTo(request, body)));
    });
    closing.push(() => server.close());
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return `127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  async function answered(binding: object | string, address: string): Promise<Json> {
    const { operation, service } = configured(binding, [{ id: 1 }]);
    const [request] = graphql.target(operation, service, address).requests;
    const reply = request && (await protocolClient(NO_SECRETS).call(service, address, request));
    return reply === undefined ? null : graphql.canonical(reply, operation);
  }

  it('is sent a request, and the data is compared', async () => {
    const address = await serving((_request, body) => ({ data: { user: JSON.parse(body).variables } }));

    expect(await answered(QUERY, address)).toEqual({ user: { id: 1 } });
  });

  it('receives a persisted query once if it does not know it', async () => {
    const requested: string[] = [];
    let isKnown = false;
    const address = await serving((request, body) => {
      requested.push(request.method ?? '');
      isKnown ||= body.includes('query User');
      return isKnown ? { data: { user: null } } : { errors: [{ message: 'PersistedQueryNotFound' }] };
    });

    expect(await answered({ query: QUERY, method: 'GET', persisted: true }, address)).toEqual({ user: null });
    expect(await answered({ query: QUERY, method: 'GET', persisted: true }, address)).toEqual({ user: null });
    expect(requested).toEqual(['GET', 'POST', 'GET', 'GET']);
  });

  it('that takes no persisted queries says so', async () => {
    const address = await serving((request) => ({
      errors: [{ message: request.method === 'GET' ? 'PersistedQueryNotFound' : 'PersistedQueryNotSupported' }],
    }));

    await expect(answered({ query: QUERY, method: 'GET', persisted: true }, address)).rejects.toThrow(
      /PersistedQueryNotSupported/,
    );
  });
});
