import { buildSchema } from 'graphql';
import protobuf from 'protobufjs';
import { describe, expect, it, test } from 'vitest';
import {
  emptyWords,
  fixedText,
  leftWords,
  trialLines,
  withoutServices,
} from '../../../../../src/commands/init/try/try.ts';
import type { TriedOperation, TriedService } from '../../../../../src/measure/plans/try.ts';

const TEXT = `# What Wiregauge measures.
services:
  shop:
    protocol: rest
    # A guess.
    port: 8080
operations:
  # Routes of the sources.
  - { name: Items, rest: GET /items }
  - { name: Orders, rest: GET /orders }

# Loads and limits have defaults.
`;

const items: TriedOperation = { operation: 'Items', call: 'GET /items', status: '200', refusal: undefined };
const orders: TriedOperation = {
  operation: 'Orders',
  call: 'GET /orders',
  status: '401',
  refusal: 'was refused with 401',
};

const tried = (service: Partial<TriedService>): ReadonlyMap<string, TriedService> =>
  new Map([['shop', { operations: [items], failure: undefined, printedPort: undefined, path: undefined, ...service }]]);

test('a service that lacks what was requested needs other arguments, or data', () => {
  const lacking = { operation: 'Get', call: 'shop.Shop/Get', status: 'NOT_FOUND', refusal: 'answered NOT_FOUND' };

  expect(leftWords(tried({ operations: [lacking] }))).toEqual([
    expect.stringMatching(/^Not working yet: shop does not have what was requested\. Use arguments .* `prepare`/),
  ]);
  expect(leftWords(tried({ operations: [{ ...lacking, status: 'INTERNAL' }] }))[0]).toContain('Fix `services`');
});

test('a service that does not work leaves a wiregauge.yml, with its operations', () => {
  const text =
    'services:\n  # The shop.\n  shop:\n    port: 80\n  job:\n    operations: [{ name: Run, rest: GET / }]\n';

  expect(withoutServices(text, ['job'])).toBe('services:\n  # The shop.\n  shop:\n    port: 80\n');
});

test('a path that redirects to itself with a slash at its end, or without it, is corrected', () => {
  const moved = (operation: string, call: string, redirect: string): TriedOperation => ({
    ...{ operation, call, status: '301', refusal: 'answered 301', redirect },
  });
  const text = TEXT.replace('rest: GET /orders', 'rest: { path: "/orders/{id}/?page={page}" }');
  const { text: fixed, isRequestedOtherwise } = fixedText(
    text,
    tried({
      operations: [
        moved('Items', 'GET /items', '/items/'),
        moved('Orders', 'GET /orders/7/?page=2', '/orders/7?page=2'),
      ],
    }),
  );

  expect(isRequestedOtherwise).toBe(true);
  expect(fixed).toContain('rest: GET /items/ }');
  expect(fixed).toContain('rest: { path: "/orders/{id}?page={page}" }');
  const elsewhere = tried({ operations: [items, moved('Orders', 'GET /orders', '/login')] });
  expect(fixedText(TEXT, elsewhere).changes).toEqual(['shop: left out GET /orders: answered 301']);
});

test.each<[string, Partial<TriedOperation>]>([
  ['/', { status: '404' }],
  ['/', { status: '301', redirect: '' }],
  ['/orders', { status: '404', redirect: '/orders/' }],
])('a refused GET %s of %o is not taken for a redirect', (path, answer) => {
  const operation = { operation: 'Orders', call: `GET ${path}`, refusal: 'refused', status: undefined, ...answer };
  const { changes } = fixedText(TEXT, tried({ operations: [items, operation] }));

  expect(changes).toEqual([`shop: left out GET ${path}: answered ${answer.status}`]);
});

describe('a wiregauge.yml whose services were tried', () => {
  it('stays as it is, to the letter, if everything answers', () => {
    expect(fixedText(TEXT, tried({}))).toEqual({
      text: TEXT,
      changes: [],
      leftOut: [],
      further: new Map(),
      isRequestedOtherwise: false,
    });
  });

  it('loses the arguments that were refused, and is tried again if the first one was', () => {
    const one = 'name: Item, arguments: [{ id: 1 }, { id: 2 }, { id: 3 }], rest: "GET /items/{id}"';
    const text = TEXT.replace('name: Items, rest: GET /items', one);
    const lost = (...places: readonly number[]) => ({
      ...items,
      operation: 'Item',
      call: 'GET /items/2',
      lost: places,
    });
    const fixed = fixedText(text, tried({ operations: [lost(0, 2)] }));

    expect(fixed.text).toBe(text.replace('[{ id: 1 }, { id: 2 }, { id: 3 }]', '[ { id: 2 } ]'));
    expect(fixed.isRequestedOtherwise).toBe(true);
    expect(fixedText(text, tried({ operations: [lost(2)] }))).toMatchObject({
      isRequestedOtherwise: false,
      changes: ['shop: without 1 of 3 arguments of Item, because it refused them, unlike GET /items/2'],
    });
  });

  it('gets a path that answers if nothing is left but operations that are not sent', () => {
    const text = TEXT.replace('name: Orders', 'name: Orders, weight: 0');
    const refused = { ...items, status: '500', refusal: 'was refused with 500' };

    expect(fixedText(text, tried({ operations: [refused], path: '/' })).text).toContain('rest: GET /\n');
  });

  it('loses the refused operations, with a comment, and keeps all others', () => {
    const { text, changes } = fixedText(TEXT, tried({ operations: [items, orders] }));

    expect(changes).toEqual(['shop: left out GET /orders: answered 401']);
    expect(text).toBe(
      TEXT.replace('  - { name: Orders, rest: GET /orders }\n', '').replace(
        '  # Routes of the sources.\n',
        `  # Routes of the sources.
  # Left out, because it failed when tried: GET /orders: answered 401
  # To measure what requires credentials: with \`headers: { Authorization: "Bearer \${env.API_TOKEN}" }\` on the service, API_TOKEN of the environment is sent.
`,
      ),
    );
  });

  it('asks for a path that answers if nothing else does, and loses nothing if there is none', () => {
    const refused = [items, orders].map((one) => ({ ...one, status: '404', refusal: 'was refused with 404' }));
    const { text, changes } = fixedText(TEXT, tried({ operations: refused, path: '/health' }));

    expect(changes.at(-1)).toBe('shop: requests GET /health instead');
    expect(text).toMatch(/- name: Index\n {4}rest: GET \/health\n/);
    expect(text).not.toContain('- { name: Items');
    expect(fixedText(TEXT, tried({ operations: refused.slice(0, 1) })).text).toBe(TEXT);
  });

  it('gets credentials from the environment if nothing is answered without them, or if there are some to try', () => {
    const nothing = fixedText(TEXT, tried({ operations: [orders] }));
    const known = { further: new Map(), hasToken: true, isLast: false, documents: [], logins: new Map() };
    const some = fixedText(TEXT, tried({ operations: [items, orders] }), known);

    for (const { text } of [nothing, some]) {
      expect(text).toContain('    headers:\n      Authorization: Bearer ${env.API_TOKEN}\n');
      expect(text).toContain('{ name: Orders, rest: GET /orders }');
    }
    expect([nothing.isRequestedOtherwise, some.isRequestedOtherwise]).toEqual([false, true]);
    expect(nothing.leftOut).toEqual([{ name: 'credentials of shop', why: expect.stringContaining('API_TOKEN') }]);
    // Whoever has shown them is left out if that did not help.
    expect(fixedText(some.text, tried({ operations: [items, orders] }), known).changes).toEqual([
      'shop: left out GET /orders: answered 401',
    ]);
  });

  it('asks for no id that differs from start to start, and for none that no trial follows', () => {
    const listed = { ...items, item: { id: '7f0c', slug: 'a' } };
    const further = new Map([['shop', ['GET /items/{id}', 'GET /items/{slug}']]]);
    const known = { further, hasToken: false, isLast: false, documents: [], logins: new Map() };
    const first = fixedText(TEXT, tried({ operations: [{ ...listed, varies: ['$[*].id'] }] }), known);

    expect(first.text).toContain('rest: GET /items/{slug}');
    expect(first.text).not.toContain('rest: GET /items/{id}');
    expect(fixedText(first.text, tried({ operations: [listed] }), known).text).not.toContain('rest: GET /items/{id}');

    const other = fixedText(TEXT, tried({ operations: [listed] }), known).text;
    const unknown = { ...items, operation: 'ItemsById', call: 'GET /items/7f0c', status: '404', refusal: 'is unknown' };
    const next = { ...listed, item: { id: '8e1d', slug: 'a' } };
    const last = fixedText(other, tried({ operations: [next, unknown] }), { ...known, isLast: true });

    expect(other).toContain('id: 7f0c');
    expect(last.changes).toEqual(['shop: left out GET /items/7f0c: answered 404']);
    expect(last.text).not.toContain('rest: GET /items/{id}');
  });

  it('gives a service that starts slowly three times as long', () => {
    const fixed = fixedText(TEXT, tried({ startUpSeconds: 65.2 }));

    expect(fixed.changes).toEqual(['shop: ready after at most 196 s, three times the 1 min 5 s that it took']);
    expect(fixed.text).toContain('    port: 8080\n    ready: { timeoutSeconds: 196 }\noperations');
    expect(fixedText(fixed.text, tried({ startUpSeconds: 100 })).changes).toEqual([]);
    // Without a limit of its own, it has 180 s.
    expect(fixedText(TEXT, tried({ startUpSeconds: 60 })).changes).toEqual([]);
  });

  it('installs what older packages of Python import, once', () => {
    const text = `services:
  shop:
    protocol: rest
    port: 3000
    process:
      build:
        - [ uv, venv, .wiregauge/venv ]
        - [ uv, pip, install, --python, .wiregauge/venv, --requirement, requirements.txt ]
      command: [ gunicorn, app:app ]
operations: []
`;
    const failure = "it ended with exit code 1; it printed: ModuleNotFoundError: No module named 'pkg_resources'";
    const fixed = fixedText(text, tried({ operations: [], failure }));

    expect(fixed.changes).toEqual(['shop: installs setuptools<81, because it imports pkg_resources']);
    expect(fixed.isRequestedOtherwise).toBe(true);
    expect(fixed.text).toContain(
      '        - [ uv, pip, install, --python, .wiregauge/venv, setuptools<81 ]\n      command',
    );
    expect(fixedText(fixed.text, tried({ operations: [], failure })).changes).toEqual([]);
    expect(fixedText(text, tried({ operations: [], failure: "No module named 'psycopg'" })).changes).toEqual([]);
  });

  it('builds with npm install if npm ci refuses the lock file', () => {
    const text = TEXT.replace(
      'port: 8080',
      'process:\n      build:\n        - [ npm, --prefix, web, ci ]\n        - [ npm, run, build ]',
    );
    const failure =
      'shop cannot be built: `npm --prefix web ci` ended with exit code 1; it printed: npm error code EUSAGE';
    const fixed = fixedText(text, tried({ operations: [], failure }));

    expect(fixed.changes).toEqual(['shop: builds with npm install --no-save, because npm ci refuses the lock file']);
    expect(fixed.text).toContain(
      '        - [ npm, --prefix, web, install, --no-save ]\n        - [ npm, run, build ]\n',
    );
    expect(fixedText(fixed.text, tried({ operations: [], failure })).changes).toEqual([]);
    expect(fixedText(text, tried({ operations: [], failure: 'npm error code E404' })).changes).toEqual([]);
    const two = text.replace('[ npm, run, build ]', '[ npm, ci, --legacy-peer-deps ]');
    const second = '`npm ci --legacy-peer-deps` ended with exit code 1; it printed: npm ERR! code EUSAGE';
    expect(fixedText(two, tried({ operations: [], failure: second })).text).toContain(
      '        - [ npm, --prefix, web, ci ]\n        - [ npm, install, --legacy-peer-deps, --no-save ]\n',
    );
  });

  it('starts a plain need at the port that the service connects to', () => {
    const need = (port: number) => `port: ${port}\n        process:\n          command: [ db ]`;
    const text = TEXT.replace(
      'port: 8080',
      `port: 8080\n    needs:\n      db:\n        ${need(5432)}\n      cache:\n        ${need(6379)}`,
    );
    const failure = 'it printed: connection to server at "localhost" (127.0.0.1), port 5432 failed: Connection refused';
    const fixed = fixedText(text, tried({ operations: [], failure }));

    expect(fixed.changes).toEqual(['shop: needs.db.process.port 5432, because shop connects to that port']);
    expect(fixed.text).toContain('          command: [ db ]\n          port: 5432\n      cache');
    expect(fixedText(fixed.text, tried({ operations: [], failure })).changes).toEqual([]);
    const elsewhere = 'it printed: dial tcp 10.0.0.1:5432: connect: connection refused';
    expect(fixedText(text, tried({ operations: [], failure: elsewhere })).changes).toEqual([]);
  });

  it('asks for one of a list by what the list answered', () => {
    const listed = { ...items, item: { id: 7, name: 'a' } };
    const further = new Map([['shop', ['GET /items/{item_id}', 'GET /items/{name}/parts', 'GET /carts/{id}']]]);
    const { text, changes, isRequestedOtherwise } = fixedText(TEXT, tried({ operations: [listed] }), {
      further,
      hasToken: false,
      isLast: false,
      documents: [],
      logins: new Map(),
    });

    expect(changes).toEqual(['shop: GET /items/{item_id} with an argument from the answer of its list']);
    expect(text).toContain(
      '  - name: ItemsByItemId\n    arguments:\n      - item_id: 7\n    rest: GET /items/{item_id}\n',
    );
    expect(isRequestedOtherwise).toBe(true);

    const one = { operation: 'Item', call: 'GET /items/1', status: '404', refusal: 'was refused with 404' };
    const guess = TEXT.replace(
      '- { name: Orders, rest: GET /orders }',
      "- { name: Item, rest: 'GET /items/{id}', arguments: [{ id: 1 }] }",
    );
    const again = fixedText(guess, tried({ operations: [listed, one] }));
    expect(again.text).toMatch(/name: Item,[^\n]*\n?[^-]*id: 7/);
    expect(fixedText(again.text, tried({ operations: [listed, one] })).changes).toEqual([
      'shop: left out GET /items/1: answered 404',
    ]);
  });

  it('names as further routes only those that it still lacks', () => {
    const line = '# Further routes: GET /items/{id}, GET /carts/{id}.\n';
    const listed = { ...items, item: { id: 7 } };
    const routes = ['GET /items/{id}', 'GET /carts/{id}'];
    const known = {
      further: new Map([['shop', routes]]),
      hasToken: false,
      isLast: false,
      documents: [],
      logins: new Map(),
    };
    const { text, further } = fixedText(
      TEXT.replace('operations:\n', `${line}operations:\n`),
      tried({ operations: [listed] }),
      known,
    );

    expect(further).toEqual(new Map([['shop', ['GET /carts/{id}']]]));
    expect(text).toContain('# Further routes: GET /carts/{id}.\noperations:\n');
    const left = { operation: 'CartsById', call: 'GET /carts/{id}', status: '401', refusal: 'was refused with 401' };
    const added = text.replace('operations:\n', "operations:\n  - { name: CartsById, rest: 'GET /carts/{id}' }\n");
    expect(fixedText(added, tried({ operations: [listed, left] }), known).text).not.toContain('Further routes');
  });

  it('keeps what answered 429, and names the rate limit', () => {
    const limited = { ...items, status: '429', refusal: 'was refused with 429' };
    const { text, leftOut } = fixedText(TEXT, tried({ operations: [limited, { ...items, operation: 'Other' }] }));

    expect(text).toBe(TEXT);
    expect(leftOut).toEqual([
      { name: 'shop: rate limit', why: expect.stringMatching(/answered 429\. .*turn the limit off/) },
    ]);
  });

  it('names what is answered with nothing', () => {
    expect(emptyWords(tried({}))).toEqual([]);
    expect(emptyWords(tried({ operations: [{ ...items, isEmpty: true }] }))).toEqual([
      expect.stringMatching(/^empty {4}shop: nothing in the answers of GET \/items: fill the database/),
    ]);
  });

  it('tries further routes of a service with few, once', () => {
    const further = new Map([['shop', ['GET /a', 'GET /health', 'GET /b/{id}', 'GET /orders']]]);
    const first = fixedText(TEXT, tried({}), {
      further,
      hasToken: false,
      isLast: false,
      documents: [],
      logins: new Map(),
    });
    const refused = { operation: 'A', call: 'GET /a', status: '404', refusal: 'was refused with 404' };
    const second = fixedText(first.text, tried({ operations: [items, refused] }), {
      further,
      hasToken: false,
      isLast: false,
      documents: [],
      logins: new Map(),
    });

    expect(first.changes).toEqual(['shop: tries GET /a, too']);
    expect(first.text).toMatch(/- name: A\n {4}rest: GET \/a\n/);
    expect(second.changes).toEqual(['shop: left out GET /a: answered 404']);
    expect(
      fixedText(second.text, tried({}), { further, hasToken: false, isLast: false, documents: [], logins: new Map() })
        .changes,
    ).toEqual([]);
  });

  it('keeps its port free of what else a program listens for, and starts it with a flag that it asks for', () => {
    const text = TEXT.replace('    port: 8080\n', '    port: 8080\n    process:\n      command: [ ./shop ]\n');
    const silent = { ...items, status: undefined, refusal: 'no answer' };
    const moved = fixedText(text, tried({ operations: [silent], failure: 'x', ownPort: 9000, usesPort: true }));
    const flag = fixedText(text, tried({ operations: [silent], failure: 'required flag(s) "dir" not set' }));

    expect(moved.text).toContain('      command: [ ./shop ]\n      port: 9000\n');
    expect(moved.text).toContain('    environment:\n      PORT: "0"\n');
    expect(flag.changes).toEqual(['shop: starts with --dir .wiregauge/data, which it requires']);
    expect(fixedText(flag.text, tried({ operations: [silent], failure: 'required flag(s) "dir"' })).changes).toEqual(
      [],
    );
  });

  it('shows how to log in if the repository has a request for it', () => {
    const logins = new Map([['shop', ['POST /login {"user":"ada"}']]]);
    const known = { further: new Map(), hasToken: false, isLast: false, documents: [], logins };
    const { text } = fixedText(TEXT, tried({ operations: [orders] }), known);

    expect(text).toContain('    #   - rest: { method: POST, path: /login, body: {"user":"ada"} }\n');
    expect(text).toContain('    # headers: { Authorization: "Bearer ${prepare.token}" }\n');
  });

  it.each([
    ['tls, untrusted', 'tls: { insecure: true }'],
    ['tls, trusted', 'tls: {}'],
  ] as const)('requests over TLS what speaks nothing else, and is tried again: %s', (speaks, written) => {
    const silent = { ...items, status: undefined, refusal: 'no answer' };
    const fixed = fixedText(TEXT, tried({ operations: [silent], failure: 'x', speaks }));

    expect(fixed.text).toContain(`    ${written}\n`);
    expect(fixed.isRequestedOtherwise).toBe(true);
    expect(fixedText(fixed.text, tried({ operations: [silent], failure: 'x', speaks })).changes).toEqual([]);
  });

  it('keeps the credentials of its contract only if it wants them', () => {
    const text = TEXT.replace(
      '    # A guess.',
      '    # By the contract.\n    headers: { X-Key: "${env.API_TOKEN}" }\n    # A guess.',
    );
    const required = fixedText(text, tried({ operations: [orders] }));
    const open = fixedText(text, tried({}));

    expect(required).toMatchObject({ text, changes: [], leftOut: [{ name: 'credentials of shop' }] });
    expect(open.text).not.toContain('headers');
    expect(open.changes).toEqual(['shop: without headers, because it answers without credentials']);
  });

  it('takes a service that answers nothing but HTTP/2 for one of gRPC', () => {
    const silent = { ...items, status: undefined, refusal: 'Protocol error' };
    const { text, isRequestedOtherwise } = fixedText(
      TEXT,
      tried({ operations: [silent], failure: 'x', speaks: 'grpc' }),
    );

    expect(text).toMatch(/protocol: grpc\n[\s\S]*proto: reflection\n[\s\S]*grpc: grpc.health.v1.Health\/Check/);
    expect(text).not.toContain('rest:');
    expect(isRequestedOtherwise).toBe(true);
  });

  it('gets the queries from the schema of a GraphQL service, if none was found before', () => {
    const guess = `services:
  shop: { protocol: graphql, port: 4000 }
# No schema was found.
operations:
  - { name: Typename, graphql: 'query Typename { __typename }' }
`;
    const schema = buildSchema(
      'type Query { item(id: ID!): Item, names: [String!]! } type Mutation { drop: Int } type Item { id: ID!, name: String }',
    );
    const { text, changes } = fixedText(guess, tried({ schema }));

    expect(changes).toEqual(['shop: uses Item, Names from its schema']);
    expect(text).toBe(`services:
  shop: { protocol: graphql, port: 4000 }
# Queries from its schema. Use arguments that the service can answer. Left out: mutation drop.
operations:
  - name: Item
    arguments:
      - id: "1"
    graphql: "query Item($id: ID!) { item(id: $id) { id name } }"
  - name: Names
    graphql: query Names { names }
`);
    expect(fixedText(text, tried({ schema })).changes).toEqual([]);
    expect(fixedText(guess, tried({})).changes).toEqual([]);
  });

  it('compares nothing that differed between two starts', () => {
    const operations: TriedOperation[] = [
      { ...items, varies: ['$.at', '$.list[*].id'] },
      { ...items, operation: 'Orders', call: 'GET /orders', varies: 'all' },
    ];
    const { text, changes } = fixedText(TEXT, tried({ operations }));

    expect(text).toContain('- { name: Items, rest: GET /items, ignore: [ $.at, "$.list[*].id" ] }');
    expect(text).toContain('- { name: Orders, rest: GET /orders, verify: status }');
    expect(changes).toEqual([
      'shop: ignores $.at, $.list[*].id of GET /items, because it differed between two starts',
      'shop: compares only the status of GET /orders, because it differed between two starts',
    ]);
  });

  it('takes the port that a container printed', () => {
    const { text, changes } = fixedText(TEXT, tried({ operations: [], failure: 'no answer', printedPort: 3000 }));

    expect(changes).toEqual(['shop: port 3000, where it listens']);
    expect(text).toBe(TEXT.replace('8080', '3000'));
  });

  it('uses the port of a plain process that ignores PORT', () => {
    const text = TEXT.replace('    port: 8080\n', '    port: 8080\n    process: { command: [ node, a.js ] }\n');
    const silent = { operations: [], failure: 'no answer', ownPort: 3000 };
    const fixed = fixedText(text, tried(silent));

    expect(fixed.changes).toEqual(['shop: process.port 3000, the port that it listens on']);
    expect(fixed.text).toBe(text.replace('a.js ] }', 'a.js ], port: 3000 }'));
    expect(fixedText(TEXT, tried(silent)).changes).toEqual([]);
  });

  it('calls the methods of the contract that a gRPC service reports, if no file had one', () => {
    const guess = `services:
  shop: { protocol: grpc, proto: reflection, port: 9000 }
# No file has it.
operations:
  - { name: Health, grpc: grpc.health.v1.Health/Check }
`;
    const { root } = protobuf.parse(`syntax = "proto3"; package shop.v1;
      message Item { int32 id = 1; }
      service Shop { rpc GetItem(Item) returns (Item); rpc DropItem(Item) returns (Item); }`);
    const { root: other } = protobuf.parse(`syntax = "proto3"; package grpc.health.v1;
      message Asked { }
      service Health { rpc Check(Asked) returns (Asked); }`);
    const methodsOf = (space: protobuf.Root, service: string) => space.lookupService(service).methodsArray;
    const health = methodsOf(other, 'grpc.health.v1.Health');
    const { text, changes } = fixedText(guess, tried({ methods: [...health, ...methodsOf(root, 'shop.v1.Shop')] }));

    expect(changes).toEqual(['shop: uses GetItem from its contract']);
    expect(text).toContain(
      '# Calls from its contract. Use messages that the service can answer. Left out: shop.v1.Shop/DropItem.\n',
    );
    expect(text).toContain('grpc: shop.v1.Shop/GetItem');
    expect(text).not.toContain('Health');
    expect(fixedText(guess, tried({ methods: health })).changes).toEqual([]);
    const own = protobuf.parse(
      'syntax = "proto3"; package a; message M { } service A { rpc Health(M) returns (M); }',
    ).root;
    const called = guess.replace('grpc.health.v1.Health/Check', 'a.A/Health');
    expect(fixedText(called, tried({ methods: methodsOf(own, 'a.A') })).changes).toEqual([]);
    expect(fixedText(text, tried({ methods: methodsOf(root, 'shop.v1.Shop') })).changes).toEqual([]);
  });

  it('lets no answer end a comment', () => {
    const hostile = { ...orders, status: undefined, refusal: 'no\nservices: {}\n' };
    const { text } = fixedText(TEXT, tried({ operations: [items, hostile] }));

    expect(text.split('\n').filter((line) => line.startsWith('services:'))).toEqual(['services:']);
  });
});

describe('report of a trial', () => {
  it('is a line for each operation, or why the service did not answer', () => {
    expect(trialLines(tried({ operations: [items, orders] }))).toEqual([
      'ok       shop: Items: GET /items: answered 200',
      'refused  shop: Orders: GET /orders: was refused with 401',
    ]);
    expect(trialLines(tried({ failure: 'exit code 1; it printed: no DATABASE_URL' }))).toEqual([
      'problem  shop: exit code 1; it printed: no DATABASE_URL',
    ]);
  });
});
