import { describe, expect, it } from 'vitest';
import { parseProject } from '../../../src/config/parse.ts';
import { ConfigError } from '../../../src/foundation/errors.ts';
import type { SuiteFiles } from '../../../src/project/files.ts';
import { readSuite, withCheckedContracts } from '../../../src/project/suite.ts';

const TEXTS = {
  'shop.proto': `syntax = "proto3";
package shop.v1;
message Item { int32 id = 1; }
service Shop { rpc Find(Item) returns (Item); rpc Fill(stream Item) returns (Item); }
`,
};

function filesOf(operation: string, texts: Readonly<Record<string, string>> = TEXTS): SuiteFiles {
  const text = `services:
  shop: { protocol: grpc, port: 1, image: x, proto: { root: p, file: shop.proto } }
  told: { protocol: grpc, port: 1, image: x, proto: reflection }
operations: [{ name: One, ${operation} }]
`;
  const { suite, services } = parseProject({ file: 'wiregauge.yml', text }, { protoTexts: () => texts });
  return { root: '/', suite, services, ownServices: suite.services, configHash: '', secrets: [] };
}

describe('contracts that are checked before anything is built', () => {
  it.each([
    'grpc: shop.v1.Shop/Find, arguments: [{ id: 1 }, { id: "2" }]',
    'grpc: { call: shop.v1.Shop/Fill, messages: [{ id: "{n}" }] }, arguments: [{ n: 3 }]',
  ])('let pass: %s', (operation) => {
    const files = filesOf(operation);

    expect(withCheckedContracts(files)).toBe(files);
  });

  it("let the project's own suite pass", () => {
    const files = readSuite(process.cwd(), 'users');

    expect(files.services.size).toBeGreaterThan(1);
    expect(withCheckedContracts(files)).toBe(files);
  });

  it.each([
    ['grpc: shop.v1.Shop/Fnd', 'shop.v1.Shop/Fnd is not in the contract of shop', 'Did you mean shop.v1.Shop/Find?'],
    [
      'grpc: a.b.C/Zzzzzzzzzz',
      'is not in the contract of shop',
      'Available calls: shop.v1.Shop/Find, shop.v1.Shop/Fill.',
    ],
    [
      'grpc: shop.v1.Shop/Find, arguments: [{ id: 1 }, { idd: 1 }]',
      'message.idd: is an unknown field of',
      'Available fields: id.',
    ],
    ['grpc: { call: shop.v1.Shop/Find, message: { id: x } }', 'message.id: must be a whole number', 'Fix the message'],
    ['grpc: shop.v1.Shop/Fill', 'takes a stream of messages', 'messages: ['],
    ['rest: GET /', 'operation One has no `grpc` binding', 'Add one'],
  ])('refuse %s', (operation, message, next) => {
    let refusal: unknown;
    try {
      withCheckedContracts(filesOf(operation));
    } catch (thrown) {
      refusal = thrown;
    }

    expect(refusal).toBeInstanceOf(ConfigError);
    expect(refusal).toMatchObject({
      message: expect.stringMatching(/^operation One/),
      next: expect.stringContaining(next),
    });
    expect(refusal).toMatchObject({ message: expect.stringContaining(message) });
  });

  it.each([
    ['shop.v1.Item', ', proto: { root: p, file: shop.proto }', undefined],
    [
      'shop.v1.Itm',
      ', proto: { root: p, file: shop.proto }',
      /^operation One: shop\.v1\.Itm is not a message in the contract/,
    ],
    ['shop.v1.Shop', ', proto: { root: p, file: shop.proto }', /^operation One: shop\.v1\.Shop is not a message in/],
    ['shop.v1.Item', '', /^operation One: expects a message, but shop has no contract/],
  ])('look for the message %s of an answer of REST (%s)', (message, proto, refusal) => {
    const text = `services: { shop: { protocol: rest, port: 1, image: x${proto} } }
operations: [{ name: One, rest: { path: /, expect: { message: ${message} } } }]
`;
    const { suite, services } = parseProject({ file: 'wiregauge.yml', text }, { protoTexts: () => TEXTS });
    const files = { root: '/', suite, services, ownServices: suite.services, configHash: '', secrets: [] };

    if (refusal === undefined) {
      expect(withCheckedContracts(files)).toBe(files);
    } else {
      expect(() => withCheckedContracts(files)).toThrow(refusal);
    }
  });

  it('refuse a contract that does not compile, with its place', () => {
    const files = filesOf('grpc: shop.v1.Shop/Find', { 'shop.proto': 'syntax = "proto3";\nmessage {}' });

    expect(() => withCheckedContracts(files)).toThrow(/shop: the contract does not compile: shop\.proto:2: /);
  });
});
