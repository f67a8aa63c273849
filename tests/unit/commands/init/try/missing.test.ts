import protobuf from 'protobufjs';
import { describe, expect, test } from 'vitest';
import { fixedText } from '../../../../../src/commands/init/try/try.ts';
import type { TriedService } from '../../../../../src/measure/plans/try.ts';

const tried = (service: Partial<TriedService>): ReadonlyMap<string, TriedService> =>
  new Map([['shop', { operations: [], failure: undefined, printedPort: undefined, path: undefined, ...service }]]);

describe('a gRPC service that does not find what was requested', () => {
  const text = `services:
  shop:
    protocol: grpc
operations:
  - name: GetItem
    arguments:
      - id: example
    grpc: shop.Shop/GetItem
`;
  const methods = (messages: string): readonly protobuf.Method[] =>
    protobuf
      .parse(
        `syntax = "proto3"; package shop; message Key { string id = 1; } message Item { string id = 1; } ${messages}
        service Shop { rpc GetItem(Key) returns (Item); rpc DeleteItem(Key) returns (Item); rpc SaveThing(Draft) returns (Made); }`,
      )
      .root.lookupService('shop.Shop').methodsArray;
  const keyed = (key: string, made: string): readonly protobuf.Method[] =>
    protobuf
      .parse(`syntax = "proto3"; package shop; enum Kind { NONE = 0; } message Part { string id = 1; } message Draft { }
      message Key { ${key} id = 1; } message Made { ${made} } message Item { }
      service Shop { rpc GetItem(Key) returns (Item); rpc CreateItem(Draft) returns (Made); }`)
      .root.lookupService('shop.Shop').methodsArray;
  const getItem = { operation: 'GetItem', call: 'shop.Shop/GetItem', status: 'NOT_FOUND', refusal: 'NOT_FOUND' };
  const saving = methods('message Draft { string id = 1; int32 count = 2; } message Made { }');

  test('gets it by a call that takes the same values', () => {
    const fixed = fixedText(text, tried({ operations: [getItem], methods: saving }));

    expect(fixed.changes).toEqual([
      'shop: prepare sends shop.Shop/SaveThing after each start, because GetItem answered NOT_FOUND',
    ]);
    expect(fixed.text).toContain(`    # Sent once after each start, to create what the operations read.
    prepare:
      - grpc:
          call: shop.Shop/SaveThing
          message:
            id: example
            count: 1
operations:
  - name: GetItem
    arguments:
      - id: example
`);
  });

  test('loses that call if it ends the service, and its values, also without a contract', () => {
    const found = fixedText(text, tried({ operations: [getItem], methods: keyed('int32', 'int32 id = 1;') })).text;
    const refused = { operation: 'GetItem', call: 'GetItem', status: undefined, refusal: 'connection refused' };
    const failure = 'exit code 1; it printed: no such table';
    const fixed = fixedText(found, tried({ operations: [refused], failure }));

    expect(found).toContain('${prepare.item_id}');
    expect(fixed.changes).toEqual([`shop: without prepare, because of ${failure}`]);
    expect(fixed.isRequestedOtherwise).toBe(true);
    expect(fixed.text).not.toContain('prepare:');
    expect(fixed.text).not.toContain('${prepare.');
    expect(fixed.text).toContain(`# Could not be created by \`prepare\`: ${failure}\n`);
    const own = found.replace(/ +# Sent once.*\n/, '');
    expect(fixedText(own, tried({ operations: [refused], failure })).text).toBe(own);
  });

  test('loses that call if it did not help', () => {
    const methods = keyed('int32', 'int32 id = 1;');
    const found = fixedText(text, tried({ operations: [getItem], methods })).text;
    const fixed = fixedText(found, tried({ operations: [getItem], methods }));

    expect(fixed.changes).toEqual(['shop: without prepare for GetItem, which still answered NOT_FOUND']);
    expect(fixed.text).not.toContain('prepare:');
    expect(fixed.text).toContain('# Could not be created by `prepare`: GetItem still answered NOT_FOUND\n');
    expect(fixed.text).toContain('- id: 1\n');
    expect(fixedText(fixed.text, tried({ operations: [getItem], methods })).changes).toEqual([]);
  });

  test('keeps the call that helped another', () => {
    const { root } = protobuf.parse(`syntax = "proto3"; package shop; message Key { string id = 1; } message Draft { }
      service Shop { rpc GetItem(Key) returns (Key); rpc GetUser(Key) returns (Key);
        rpc CreateItem(Draft) returns (Key); rpc CreateUser(Draft) returns (Key); }`);
    const { methodsArray: methods } = root.lookupService('shop.Shop');
    const getUser = { ...getItem, operation: 'GetUser' };
    const both = text.concat('  - { name: GetUser, arguments: [{ id: example }], grpc: shop.Shop/GetUser }\n');
    const found = fixedText(both, tried({ operations: [getItem, getUser], methods })).text;
    const answered = { ...getUser, status: 'OK', refusal: undefined };
    const fixed = fixedText(found, tried({ operations: [getItem, answered], methods }));

    expect(found).toContain('call: shop.Shop/CreateItem');
    expect(fixed.text).not.toContain('call: shop.Shop/CreateItem');
    expect(fixed.text).not.toContain('name: GetItem');
    expect(fixed.text).toContain('call: shop.Shop/CreateUser');
    expect(fixed.text).toContain('id: "${prepare.user_id}"');
  });

  test('captures for all that one call creates', () => {
    const users = protobuf.parse(`syntax = "proto3"; package shop;
      message Key { string id = 1; } message Name { string username = 1; }
      message User { string id = 1; string username = 2; } message Draft { string username = 1; string email = 2; }
      service Shop { rpc GetUser(Key) returns (User); rpc GetUserByUsername(Name) returns (User); rpc CreateUser(Draft) returns (User); }`);
    const found = ['GetUser', 'GetUserByUsername'].map((operation) => ({ ...getItem, operation }));
    const fixed = fixedText(
      text
        .replaceAll('GetItem', 'GetUser')
        .concat(
          '  - { name: GetUserByUsername, arguments: [{ username: example }], grpc: shop.Shop/GetUserByUsername }\n',
        ),
      tried({ operations: found, methods: users.root.lookupService('shop.Shop').methodsArray }),
    );

    expect(fixed.text).toContain('        capture:\n          user_id: $.id\n');
    expect(fixed.text).toContain('- id: ${prepare.user_id}\n');
  });

  test('loses that call if it is refused, and is not given it again', () => {
    const found = fixedText(text, tried({ operations: [getItem], methods: saving })).text;
    const refusal = 'wiregauge.yml:5:9: services.shop.prepare[0]: shop.Shop/SaveThing: answered INVALID_ARGUMENT';
    const refused = { operation: 'GetItem', call: 'GetItem', status: 'INVALID_ARGUMENT', refusal };
    const fixed = fixedText(found, tried({ operations: [refused], methods: saving }));

    expect(fixed.changes).toEqual(['shop: without prepare, because of shop.Shop/SaveThing: answered INVALID_ARGUMENT']);
    expect(fixed.text).not.toContain('prepare:');
    expect(fixedText(fixed.text, tried({ operations: [getItem], methods: saving })).changes).toEqual([]);
  });

  test.each([
    ['string', 'bytes id = 1;', '$.id'],
    ['string', 'Part part = 1;', '$.part.id'],
    ['string', 'Part id = 1;', '$.id.id'],
  ])('captures a scalar for a %s from %s', (key, made, path) => {
    expect(fixedText(text, tried({ operations: [getItem], methods: keyed(key, made) })).text).toContain(
      `item_id: ${path}\n`,
    );
  });

  test.each([
    ['string', 'Kind id = 1;'],
    ['string', 'repeated string id = 1;'],
    ['string', 'map<string, string> id = 1;'],
    ['string', 'repeated Part parts = 1;'],
    ['string', 'map<string, Part> parts = 1;'],
    ['Kind', 'string id = 1;'],
    ['Part', 'string id = 1;'],
    ['repeated string', 'string id = 1;'],
  ])('captures nothing for a %s from %s', (key, made) => {
    expect(fixedText(text, tried({ operations: [getItem], methods: keyed(key, made) })).text).toBe(text);
  });

  test.each([
    ['Get2FA', 'id', 'fa_id'],
    ['Get', '_id', 'id'],
    ['Get', '_', 'value'],
  ])('captures for %s by %s as %s', (reader, key, name) => {
    const { root } =
      protobuf.parse(`syntax = "proto3"; package shop; message Key { string ${key} = 1; } message Draft { }
      service Shop { rpc ${reader}(Key) returns (Key); rpc ${reader.replace('Get', 'Create')}(Draft) returns (Key); }`);
    const one = { ...getItem, operation: reader };
    const fixed = fixedText(
      text.replaceAll('GetItem', reader).replace('id: ', `${key}: `),
      tried({ operations: [one], methods: root.lookupService('shop.Shop').methodsArray }),
    );

    expect(fixed.text).toContain(`          ${name}: $.${key}\n`);
    expect(fixed.text).toContain(`${key}: \${prepare.${name}}\n`);
  });

  test('is left as it is if it deletes', () => {
    const deleting = text.replaceAll('GetItem', 'DeleteItem');
    const operations = [{ ...getItem, operation: 'DeleteItem' }];

    expect(fixedText(deleting, tried({ operations, methods: saving })).text).toBe(deleting);
  });

  test.each<[string, Partial<TriedService>]>([
    [
      'none takes or returns its values',
      { methods: methods('message Draft { string title = 1; } message Made { string id = 1; }') },
    ],
    ['it has no contract', { methods: undefined }],
    ['it refused for another reason', { operations: [{ ...getItem, status: 'INTERNAL' }], methods: saving }],
  ])('keeps its file if %s', (_, service) => {
    expect(fixedText(text, tried({ operations: [getItem], ...service })).text).toBe(text);
  });
});
