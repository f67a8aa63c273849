import { once } from 'node:events';
import { createServer as http2 } from 'node:http2';
import { type AddressInfo, createServer } from 'node:net';
import tls, { createServer as createTlsServer } from 'node:tls';
import { buildSchema, introspectionFromSchema } from 'graphql';
import { describe, expect, it } from 'vitest';
import type { Json } from '../../../../src/foundation/json.ts';
import type { TriedService } from '../../../../src/measure/plans/try.ts';
import { tryService } from '../../../../src/measure/plans/try.ts';
import type { Reply } from '../../../../src/model/load.ts';
import { rest } from '../../../../src/protocols/rest/rest.ts';
import { newIdentity } from '../../../support/certificates.ts';
import { type Behavior, fakeBench } from '../../../support/fakes.ts';

const OK: Reply = { status: '200', body: { id: 1 } };

const ANSWER = { contentType: undefined, text: '', bytes: 0, sha256: '' };

interface Tried {
  readonly behavior: Behavior;
  readonly runtime?: 'process' | 'docker';
  readonly log?: string;
  readonly processes?: readonly number[];
  readonly address?: string;
}

async function triedWith({ behavior, runtime: name = 'process', log = '', processes = [], address }: Tried) {
  const bench = fakeBench(behavior);
  const { start } = bench.runtime;
  const runtime = {
    ...bench.runtime,
    name,
    start: async (...requested: Parameters<typeof start>) => ({
      ...(await start(...requested)),
      logs: async () => log,
      processes,
      ...(address !== undefined && { address, loadAddress: address }),
    }),
  };
  const [service = expect.fail('no service')] = bench.services.values();
  const found: TriedService = await tryService({ ...bench, runtime }, service, bench.plan.suite.operations);
  return { ...found, bench };
}

// The types of Node.js 22.18 lack it.
const trusting = tls as typeof tls & { readonly setDefaultCACertificates: (all: readonly string[]) => void };

const answers = (replies: (call: string) => Reply): Behavior => ({ replies: (_service, call) => replies(call) });

describe('a service that is tried', () => {
  it.each([
    ['that nobody trusts', 'DNS:elsewhere.test', 'tls, untrusted'],
    ['that the machine trusts', 'IP:127.0.0.1', 'tls, trusted'],
    ['for another name', 'DNS:elsewhere.test', 'tls, untrusted'],
  ])('is found to speak TLS with a certificate %s', async (which, names, expected) => {
    const { certificate: cert, key } = newIdentity(names);
    trusting.setDefaultCACertificates(which === 'that nobody trusts' ? [] : [cert]);
    const server = createTlsServer({ cert, key }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    const refuses = answers(() => ({ status: '400', body: undefined }));
    const { speaks, failure, ownPort } = await triedWith({ behavior: refuses, address });
    server.close();

    expect([speaks, failure, ownPort]).toEqual([expected, 'it answers TLS only', undefined]);
  });

  it('says how long it took to start', async () => {
    let requested = 0;
    const { startUpSeconds } = await triedWith({
      behavior: answers(() => {
        requested += 1;
        if (requested <= 8) {
          throw new Error('refused');
        }
        return OK;
      }),
    });

    expect(startUpSeconds).toBe(1);
  });

  it('is started twice, asked for each operation, and stopped', async () => {
    const calls: string[] = [];
    const { operations, failure, bench } = await triedWith({
      behavior: answers((call) => {
        calls.push(call);
        return OK;
      }),
    });

    expect(operations.map(({ operation, status, refusal }) => [operation, status, refusal])).toEqual([
      ['GetUser', '200', undefined],
      ['ListUsers', '200', undefined],
    ]);
    expect([failure, calls.length, bench.started, bench.stopped]).toEqual([
      undefined,
      // Both with their first arguments at each start, the first also with nine others, and both five times again.
      4 + 9 + 10,
      ['first', 'first'],
      ['first', 'first'],
    ]);
  });

  it('gets the refused arguments, if it answers others', async () => {
    const { operations } = await triedWith({
      behavior: answers((call) => (/^GET \/user\/[13]$/.test(call) ? { status: '404', body: undefined } : OK)),
    });

    expect(operations.map(({ call, refusal, lost }) => [call, refusal, lost])).toEqual([
      ['GET /user/2', undefined, [0, 2]],
      ['GET /users', undefined, undefined],
    ]);
  });

  it.each(['400', '401'])('is asked for nothing else if it refuses a request of `prepare` with %s', async (status) => {
    const calls: string[] = [];
    const bench = fakeBench(
      answers((call) => {
        calls.push(call);
        return call === 'POST /login' ? { status, body: undefined } : OK;
      }),
    );
    const [service = expect.fail('no service')] = bench.services.values();
    const binding = rest.bindingOf(rest.schema.parse('POST /login'), { at: () => '', contentOf: () => '', rows: [] });
    const prepared = { ...service, prepare: [{ place: 'wiregauge.yml:5:9', binding, capture: { token: '$.token' } }] };
    const { operations, path } = await tryService(bench, prepared, bench.plan.suite.operations);

    expect([...operations.map((one) => one.status), path]).toEqual([status, status, undefined]);
    expect(calls).toEqual(['POST /login']);
  });

  it('reports its schema if it speaks GraphQL', async () => {
    const schema = buildSchema('type Query { names: [String!]! }');
    const reported = introspectionFromSchema(schema) as unknown as Json;
    const bench = fakeBench(answers(() => ({ status: '200', body: { data: reported } })));
    const [first = expect.fail('no service')] = bench.services.values();
    const service = { ...first, protocol: 'graphql' } as const;
    const binding = { path: '/graphql', query: '{ names }', variables: {}, headers: {}, method: 'POST' };
    const [one = expect.fail('no operation')] = bench.plan.suite.operations;
    const operation = { ...one, bindings: { graphql: binding } };

    const found = await tryService(bench, service, [operation]);

    expect(Object.keys(found.schema?.getQueryType()?.getFields() ?? {})).toEqual(['names']);
    expect((await tryService(bench, first, bench.plan.suite.operations)).schema).toBeUndefined();
  });

  it('reports each refused operation, after it had time to get ready', async () => {
    const { operations, failure, path } = await triedWith({
      behavior: answers((call) => (call.startsWith('GET /user/') ? { status: '401', body: undefined } : OK)),
    });

    expect(operations.map(({ status, refusal }) => [status, refusal !== undefined])).toEqual([
      ['401', true],
      ['200', false],
    ]);
    expect([failure, path]).toEqual([undefined, undefined]);
  });

  it('reports answers that differ after another start', async () => {
    let requested = 0;
    const { operations } = await triedWith({
      behavior: answers((call) => {
        requested += 1;
        return { status: '200', body: call.startsWith('GET /user/') ? { id: 1, at: { start: requested } } : requested };
      }),
    });

    expect(operations.map(({ varies }) => varies)).toEqual([['$.at.start'], 'all']);
  });

  it('is asked often enough to see what it chooses by chance', async () => {
    let requested = 0;
    const { operations } = await triedWith({
      behavior: answers(() => {
        requested += 1;
        // The first answers of both starts are the same.
        return { status: '200', body: { id: requested > 15 ? 2 : 1 } };
      }),
    });

    expect(operations.map(({ varies }) => varies)).toEqual([['$.id'], ['$.id']]);
  });

  it('is waited for longer after another start, since it answers everything', async () => {
    let requested = 0;
    const { operations } = await triedWith({
      behavior: answers((call) => {
        requested += 1;
        // After the first start with two requests, it refuses for some seconds.
        const isRefused = requested > 2 && requested < 40;
        return isRefused
          ? { status: '500', body: undefined }
          : { status: '200', body: { call, requested: requested > 2 } };
      }),
    });

    expect(operations.map(({ varies }) => varies)).toEqual([['$.requested'], ['$.requested']]);
  });

  it('has nothing but the status of a long text compared that is another one after another start', async () => {
    let requested = 0;
    const { operations } = await triedWith({
      behavior: answers(() => {
        requested += 1;
        return { status: '200', body: { bytes: 3000, sha256: String(requested) } };
      }),
    });

    expect(operations.map(({ varies }) => varies)).toEqual(['all', 'all']);
  });

  it.each([
    ['/room', '/room'],
    ['http://127.0.0.1:9000/room', '/room'],
    ['http://elsewhere.test/room', undefined],
  ])('is asked for where it redirects to, %s, if it answers nothing else', async (location, expected) => {
    const { path } = await triedWith({
      address: '127.0.0.1:9000',
      behavior: answers((call) =>
        call === 'GET /room' ? OK : { status: '302', body: undefined, answer: { ...ANSWER, location } },
      ),
    });

    expect(path).toBe(expected);
  });

  it('is asked for the usual paths if it refuses all operations', async () => {
    const { path } = await triedWith({
      behavior: answers((call) => (call === 'GET /health' ? OK : { status: '404', body: undefined })),
    });

    expect(path).toBe('/health');
  });

  it('is not asked for the usual paths if it requires credentials', async () => {
    const { path } = await triedWith({
      behavior: answers((call) => (call === 'GET /openapi.json' ? OK : { status: '401', body: undefined })),
    });

    expect(path).toBeUndefined();
  });

  it.each([
    ['docker', 'Listening on http://localhost:3000\n', 3000],
    ['docker', 'Uvicorn running on http://127.0.0.1:8000 (Press CTRL+C to quit)', 8000],
    ['docker', 'server started on [::]:9090.', 9090],
    ['docker', 'port=4000', 4000],
    ['docker', 'ready in 120 ms, PID 4711', undefined],
    ['process', 'Listening on http://localhost:3000\n', undefined],
  ] as const)('that never answers is reported with the port that it printed: %s, %j', async (runtime, log, port) => {
    const { failure, printedPort } = await triedWith({
      behavior: {
        replies: () => {
          throw new Error('connect ECONNREFUSED');
        },
      },
      runtime,
      log,
    });

    expect(failure).toBe('no response after 20 s: connect ECONNREFUSED');
    expect(printedPort).toBe(port);
  });

  it('that never answers is reported with the port that its process listens on', async () => {
    const server = createServer();
    const port = await new Promise<number>((done) => {
      server.listen(0, '127.0.0.1', () => done((server.address() as AddressInfo).port));
    });
    const silent: Behavior = {
      replies: () => {
        throw new Error('connect ECONNREFUSED');
      },
    };
    const own = await triedWith({ behavior: silent, processes: [process.pid] });
    const contained = await triedWith({ behavior: silent, processes: [process.pid], runtime: 'docker' });
    server.close();

    expect(own.ownPort).toBeLessThanOrEqual(port);
    expect(own.failure).toContain(String(port));
    expect(contained.ownPort).toBeUndefined();
    expect(contained.printedPort).toBe(own.ownPort);
    expect((await triedWith({ behavior: answers(() => OK), processes: [process.pid] })).ownPort).toBeUndefined();
  });

  it.each([
    [[], true],
    [{}, true],
    [{ items: [] }, true],
    [{ items: [], count: 0 }, undefined],
    [{ items: [1] }, undefined],
    ['', undefined],
  ])('whose answer is %j has nothing: %s', async (body, isEmpty) => {
    const { operations } = await triedWith({ behavior: answers(() => ({ status: '200', body })) });

    expect(operations.map((one) => one.isEmpty)).toEqual([isEmpty, isEmpty]);
  });

  it('that answers HTTP/2 alone is not waited for', async () => {
    const server = http2();
    const address = await new Promise<string>((done) => {
      server.listen(0, '127.0.0.1', () => done(`127.0.0.1:${(server.address() as AddressInfo).port}`));
    });
    let requested = 0;
    const { speaks, failure } = await triedWith({
      behavior: {
        replies: () => {
          requested += 1;
          throw new Error('Protocol error');
        },
      },
      address,
    });
    server.close();

    expect([speaks, failure, requested]).toEqual(['grpc', 'it answers HTTP/2 only, as gRPC does', 2]);
  });

  it.each<[string, () => Reply]>([
    [
      'is not understood',
      () => {
        throw new Error('Protocol error');
      },
    ],
    ['answers 404', () => ({ status: 'UNIMPLEMENTED', body: undefined, detail: 'Received HTTP status code 404' })],
  ])('of gRPC with HTTP at its port, which %s, is asked where it speaks HTTP/2', async (_, reply) => {
    const [server, other] = [http2(), createServer((socket) => void socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'))];
    const [port, given] = await Promise.all(
      [server, other].map(
        async (one) =>
          await new Promise<number>((done) => {
            one.listen(0, '127.0.0.1', () => done((one.address() as AddressInfo).port));
          }),
      ),
    );
    const bench = fakeBench({ replies: reply });
    const { start } = bench.runtime;
    const address = `127.0.0.1:${given}`;
    const at = { processes: [process.pid], address, loadAddress: address };
    const runtime = {
      ...bench.runtime,
      start: async (...args: Parameters<typeof start>) => ({ ...(await start(...args)), ...at }),
    };
    const [first = expect.fail('no service')] = bench.services.values();
    const { ownPort, failure } = await tryService(
      { ...bench, runtime },
      { ...first, protocol: 'grpc' },
      bench.plan.suite.operations,
    );
    server.close();
    other.close();

    expect([ownPort, failure]).toEqual([port, `it answers gRPC on port ${port}, and not on the value of $PORT`]);
  });

  it('that ends is reported with what it printed', async () => {
    const { failure } = await triedWith({
      behavior: {
        endsAtStart: ['first'],
        replies: () => {
          throw new Error('connect ECONNREFUSED');
        },
      },
    });

    expect(failure).toMatch(/exit code 1.*out of luck/);
  });
});
