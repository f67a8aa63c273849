import { describe, expect, it } from 'vitest';
import { ConfigError } from '../../../../src/foundation/errors.ts';
import { readContract } from '../../../../src/protocols/grpc/contract.ts';

const read = (texts: Readonly<Record<string, string>>, file = 'a.proto') =>
  readContract({ name: 'shop', proto: { root: 'proto', file, texts } });

const MESSAGES = 'syntax = "proto3"; package shop.v1; message Item { string id = 1; }';
const SERVICE = 'syntax = "proto3"; package shop.v1; import "b.proto"; service Shop { rpc Find(Item) returns (Item); }';

describe('a contract in .proto files', () => {
  it('has the calls of its own file, whose messages may come from others', () => {
    expect(read({ 'a.proto': SERVICE, 'b.proto': MESSAGES }).calls).toEqual(['shop.v1.Shop/Find']);
  });

  it('may import options of which there is no file', () => {
    const options = 'import "google/api/annotations.proto"; import';
    const get = 'rpc Find(Item) returns (Item) { option (google.api.http) = { get: "/items" }; }';
    const service = SERVICE.replace('import', options).replace(/rpc .*?;/, get);

    expect(read({ 'a.proto': service, 'b.proto': MESSAGES }).calls).toEqual(['shop.v1.Shop/Find']);
  });

  it('may import itself in a circle, and what comes with protobuf', () => {
    const texts = {
      'a.proto': SERVICE.replace(
        'import',
        'import "google/protobuf/descriptor.proto"; import "google/protobuf/any.proto"; import',
      ),
      'b.proto': MESSAGES.replace('message', 'import "a.proto"; message'),
    };

    expect(read(texts).calls).toHaveLength(1);
  });

  it.each([
    [
      'a mistake',
      { 'a.proto': 'syntax = "proto3";\nmessage A {\n  string = 1;\n}' },
      /does not compile: a\.proto:3: illegal/,
    ],
    [
      'a mistake in an import',
      { 'a.proto': SERVICE, 'b.proto': 'syntax = "proto3";\n\nmesage A {}' },
      /b\.proto:3: illegal/,
    ],
    [
      'a text without its end',
      { 'a.proto': 'syntax = "proto3";\nmessage A {' },
      /does not compile: a\.proto:2: unexpected end of file/,
    ],
    [
      'a message that there is not',
      { 'a.proto': 'syntax = "proto3";\nservice S {\n  rpc Get(Item) returns (Gone);\n}\nmessage Item {}' },
      /a\.proto:3: .*Gone/,
    ],
    [
      'an import that there is not',
      { 'a.proto': `\n${SERVICE}` },
      /a\.proto:2: imports b\.proto, but proto has no such file/,
    ],
    ['no such file', {}, /the contract a\.proto is not in proto/],
  ])('is refused with the place of %s', (_, texts, message) => {
    expect(() => read(texts)).toThrow(ConfigError);
    expect(() => read(texts)).toThrow(message);
  });

  it('names the calls that there are, a near one, or the file that a call is in', () => {
    const texts = { 'a.proto': SERVICE, 'b.proto': MESSAGES, 'c.proto': 'syntax = "proto3"; import "a.proto";' };

    const refusal = (file: string, call: string) => {
      try {
        return read(texts, file).method(call);
      } catch (thrown) {
        return thrown;
      }
    };

    expect(refusal('a.proto', 'shop.v1.Cart/List')).toMatchObject({
      message: 'shop.v1.Cart/List is not in the contract of shop (a.proto)',
      next: 'Available calls: shop.v1.Shop/Find.',
    });
    expect(refusal('a.proto', 'shop.v1.Shop/Fnd')).toMatchObject({ next: 'Did you mean shop.v1.Shop/Find?' });
    expect(refusal('c.proto', 'shop.v1.Shop/Find')).toMatchObject({
      next: expect.stringContaining('It is in a.proto'),
    });
  });
});

describe('a contract in a descriptor set', () => {
  it.each([
    ['no base of anything', 'AAAA'],
    ['empty', ''],
  ])('is refused where it is %s', (_, descriptorSet) => {
    expect(() => readContract({ name: 'shop', proto: { descriptorSet, origin: 'shop.binpb' } })).toThrow(
      /shop: the descriptor set shop\.binpb cannot be read: /,
    );
  });
});
