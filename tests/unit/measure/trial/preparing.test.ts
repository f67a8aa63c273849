import { beforeEach, describe, expect, test } from 'vitest';
import { Preparing } from '../../../../src/measure/trial/preparing.ts';
import { runTrial, type Trial } from '../../../../src/measure/trial/runner.ts';
import type { Reply, TargetRequest } from '../../../../src/model/load.ts';
import type { Service } from '../../../../src/model/service.ts';
import type { Operation } from '../../../../src/model/suite/suite.ts';
import type { Client } from '../../../../src/protocols/client.ts';
import { rest } from '../../../../src/protocols/rest/rest.ts';
import { fakeBench } from '../../../support/fakes.ts';
import { restService } from '../../../support/suite.ts';

const binding = (source: unknown) =>
  rest.bindingOf(rest.schema.parse(source), { at: () => '', contentOf: () => '', rows: [{ id: 1, of: 1 }] });

const service: Service = {
  ...restService('shop'),
  headers: { Authorization: 'Bearer ${prepare.token}', Accept: 'text/plain' },
  prepare: [
    {
      place: 'wiregauge.yml:5:9: services.shop.prepare[0]',
      binding: binding({ method: 'POST', path: '/login', body: { password: 'x' } }),
      capture: { token: '$.user.token' },
    },
    {
      place: 'wiregauge.yml:7:9: services.shop.prepare[1]',
      binding: binding('POST /items'),
      capture: { item: '$.items[*].id', slug: "$['the slug']" },
    },
  ],
};

const operation: Operation = {
  ...{ name: 'Item', share: 1, arguments: [{ id: '${prepare.item}', of: 'item ${prepare.item}' }] },
  bindings: {
    rest: binding({
      method: 'PUT',
      path: '/items/{id}/${prepare.slug}',
      headers: { 'X-Item': '${prepare.item}' },
      body: { item: '{id}', of: '{of}' },
    }),
  },
};

/** A service with a login, and what it was sent. */
class Shop implements Client {
  readonly sent: { readonly call: string; readonly headers: TargetRequest['headers']; readonly content: unknown }[] =
    [];
  readonly learned: string[] = [];
  readonly replies = new Map<string, Reply>([
    ['POST /login', { status: '200', body: { user: { token: 'tok-123456' } } }],
    ['POST /items', { status: '201', body: { items: [{ id: 77 }], 'the slug': 'a b' } }],
  ]);
  async call(_: Service, _address: string, { call, headers, content }: TargetRequest): Promise<Reply> {
    this.sent.push({ call, headers, content });
    return this.replies.get(call) ?? { status: '200', body: {} };
  }
  async described(described: Service): Promise<Service> {
    return described;
  }
  learn(values: readonly string[]): void {
    this.learned.push(...values);
  }
}

let shop: Shop;
beforeEach(() => {
  shop = new Shop();
});

function trial(change: Partial<Trial<unknown>> = {}) {
  const bench = { ...fakeBench(), client: shop };
  const subjects = [{ side: 'head', service, runtime: bench.runtime, operations: [operation] }] as const;
  return runTrial(bench, { subjects, use: async (ready) => ready, ...change });
}

describe('the requests of `prepare`', () => {
  test('are sent once after a start, in their order, with the values so far', async () => {
    await trial();

    expect(shop.sent.map(({ call, headers }) => [call, headers?.['Authorization']])).toEqual([
      ['POST /login', undefined],
      ['POST /items', 'Bearer tok-123456'],
    ]);
    expect(shop.learned).toEqual(['tok-123456', '77', 'a b']);
  });

  test('give their values to headers, paths, bodies and arguments', async () => {
    let answers: readonly string[] = [];
    const [ready] = (await trial({
      verify: (_, found) => {
        answers = [...found.keys()];
      },
    })) as [{ readonly service: Service; readonly operations: readonly Operation[] }];

    const { call, headers, content } = shop.sent.at(-1) ?? {};
    expect(call).toBe('PUT /items/77/a%20b');
    expect(headers).toMatchObject({ Authorization: 'Bearer tok-123456', Accept: 'text/plain', 'X-Item': '77' });
    expect(content).toEqual({ text: '{"item":77,"of":"item 77"}' });
    expect(ready.service.headers?.['Authorization']).toBe('Bearer tok-123456');
    expect(ready.operations[0]?.arguments).toEqual([{ id: 77, of: 'item 77' }]);
    // What is compared and recorded is the same after each start.
    expect(answers).toEqual(['Item {"id":"${prepare.item}","of":"item ${prepare.item}"}']);
  });

  test.each<[string, Reply, string]>([
    ['is refused', { status: '401', body: { message: 'no' } }, 'prepare[0]: POST /login: answered 401'],
    [
      'lacks a value',
      { status: '200', body: { user: {} } },
      'prepare[0]: POST /login: the response has no string, number or boolean at $.user.token',
    ],
    [
      'has a line break in a value',
      { status: '200', body: { user: { token: 'a\r\nb' } } },
      'no string, number or boolean at $.user.token',
    ],
    [
      'has a placeholder in a value',
      { status: '200', body: { user: { token: '${env.OTHER}' } } },
      'the value at $.user.token contains `${`, which begins a placeholder',
    ],
  ])('fail with file and line if an answer %s', async (_, reply, message) => {
    shop.replies.set('POST /login', reply);

    await expect(trial()).rejects.toMatchObject({
      code: 'WG-313',
      message: expect.stringMatching(/^wiregauge\.yml:5:9: services\.shop\./),
    });
    await expect(trial()).rejects.toThrow(message);
  });

  test('are not part of a start-up that ends with a check of the service', async () => {
    const { clock, runtime, signal } = fakeBench();
    const client: Client = {
      call: async (of, address, request) => {
        await clock.sleep(request.call === 'GET /health' ? 5 : 500, signal);
        return shop.call(of, address, request);
      },
      described: shop.described,
      learn: () => undefined,
    };
    const checked: Service = { ...service, ready: { check: { kind: 'path', path: '/health' } } };
    const startUpMs = await runTrial(
      { client, clock, signal },
      {
        subjects: [{ side: 'head', service: checked, runtime, operations: [operation] }],
        start: async (subject) => ({
          ...(await runtime.start(subject.service, signal)),
          startedAtMs: clock.nowMs(),
        }),
        use: async ([ready]) => ready.startUpMs,
      },
    );

    expect(startUpMs).toBe(5);
  });

  test('mask a value although a later one of the same response is missing', async () => {
    shop.replies.set('POST /items', { status: '201', body: { items: [{ id: 77_000_001 }] } });

    await expect(new Preparing(shop, service, '127.0.0.1:1').send()).rejects.toThrow("at $['the slug']");
    expect(shop.learned).toEqual(['tok-123456', '77000001']);
  });

  test('escape values in a JSON text', async () => {
    shop.replies.set('POST /login', { status: '200', body: { user: { token: 'a"b' } } });
    const preparing = new Preparing(shop, service, '127.0.0.1:1');
    await preparing.send();
    const text = binding({ method: 'POST', path: '/', body: { text: '{"token":"${prepare.token}"}' } });

    expect(preparing.filled({ ...operation, bindings: { rest: text } }).bindings['rest']).toMatchObject({
      body: { text: '{"token":"a\\"b"}' },
    });
  });

  test('are sent again from the one that failed', async () => {
    const preparing = new Preparing(shop, service, '127.0.0.1:1');
    shop.replies.set('POST /items', { status: '503', body: {} });
    await expect(preparing.send()).rejects.toMatchObject({ isFinal: false });
    shop.replies.set('POST /items', { status: '201', body: { items: [{ id: 1 }], 'the slug': 's' } });

    await preparing.send();

    expect(preparing.isDone).toBe(true);
    expect(shop.sent.map(({ call }) => call)).toEqual(['POST /login', 'POST /items', 'POST /items']);
  });
});
