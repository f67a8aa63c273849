import { describe, expect, test } from 'vitest';
import { parseProject, parseSuite } from '../../src/config/parse.ts';
import { ConfigError } from '../../src/foundation/errors.ts';
import { readContract } from '../../src/protocols/grpc/contract.ts';
import { SUITES } from './seeds-config.ts';

/** What `npm run fuzz` has found, each with the document as small as it was made. */
describe('a document that was found by changing valid ones', () => {
  test('a key of thousands of characters is not repeated in full', () => {
    const [suite = ''] = SUITES;
    const text = suite.replace('text: 1 ms', `? ${'['.repeat(150)}${'x'.repeat(5000)}${']'.repeat(150)}\n`);
    const long = suite.replace('text: 1 ms', `"${'x'.repeat(5000)}": 1`);

    for (const document of [text, long]) {
      const refused = (): unknown => parseSuite({ file: 'suites/users.yml', text: document });
      expect(refused).toThrow(ConfigError);
      expect(refused).toThrow(/^(?:2 errors:\n)?suites\/users\.yml:.{1,400}(?:\n.{1,400}){0,3}$/);
    }
  });

  test('a contract whose first word has thousands of characters is not repeated in full', () => {
    const texts = { 'a.proto': `${'9007199254740993'.repeat(310)}syntax = "proto3";` };
    const refused = (): unknown => readContract({ name: 'shop', proto: { root: 'p', file: 'a.proto', texts } });

    expect(refused).toThrow(ConfigError);
    expect(refused).toThrow(/^shop: the contract does not compile: a\.proto:1: illegal token '9.{1,600}$/);
  });

  test.each(['constructor', 'toString', '__proto__', 'name'])(
    'an import of %s, which every object has, is not a file',
    (name) => {
      const texts = { 'a.proto': `syntax = "proto3";\nimport "${name}";\nmessage A { missing.B b = 1; }` };

      expect(() => readContract({ name: 'shop', proto: { root: 'p', file: 'a.proto', texts } })).toThrow(
        /but p has no such file|the contract name is not in p/,
      );
    },
  );

  test.each(['constructor', 'toString', '__proto__'])('a contract in a file called %s is not there', (name) => {
    const text = `services:\n  shop: { protocol: grpc, port: 1, image: x, proto: { root: p, file: ${name} } }\noperations: [{ name: A, grpc: a.B/C }]\n`;

    expect(() => parseProject({ file: 'wiregauge.yml', text })).toThrow(`there is no p/${name}`);
  });

  test('bytes in place of a document are a text, and have none of the names of an object', () => {
    const refused = (): unknown => parseProject({ file: 'wiregauge.yml', text: '!!binary ' });

    expect(refused).toThrow(ConfigError);
    expect(refused).toThrow(/^wiregauge\.yml/);
    expect(refused).not.toThrow(/swap16|toString/);
  });

  test('a descriptor set in which a method has lost its message is refused, and not only when it is called', () => {
    const refused = (): unknown =>
      readContract({ name: 'shop', proto: { descriptorSet: METHOD_WITHOUT_MESSAGE, origin: 'shop.binpb' } });

    expect(refused).toThrow(ConfigError);
    expect(refused).toThrow('shop: the descriptor set shop.binpb cannot be read: it has no message for .shop.v1.Shop.');
  });
});

const METHOD_WITHOUT_MESSAGE =
  'CkEKDm90aGVyX3YxLnByb3RvEghvdGhlci52MSIdCgVQbGFjZRIJCgF4GAEgASgSEgkKAXkYAiABKAdiBnByb3RvMwqSAwoNc2hvcF92MS5wcm90bxIHc2hvcC52MSKSAgoESXRlbRIKCgJpZBgBIAEoBRIMCgRuYW1lGAIgASgJEg4KBnByaWNlcxgDIAMoARIUCgVwYXJ0cxgEIAMoCzIFUGFydHMSDwoFZ3JhbXMYBSABKARIABIRCgdwaWN0dXJlGAYgASgMSAASEgoEa2luZBgHIAEoDjIES2luZBISCgZpc19uZXcYCCABKAhCAEgBEh0KBXBsYWNlGAogASgLMg5vdGhlci52MS5QbGFjZRotCgVQYXJ0cxILCgNrZXkYASABKAkSEwoFdmFsdWUYAiABKAsyBEl0ZW06AjgBIh0KBEtpbmQSCwoHVU5LTk9XThAAEggKBFRPT0wQAUIGCgRzaXplQgkKB19pc19uZXcyWwoEU2hvcBIkCgVGaW5kEg0uc2hvcC52MS5JdGVtGg0uc2hvcC52MS5JdGVtEi0KBEZpbGwSDS5zaG9wLnYxLkl0ZW0aDS5zaG9wLnYxLkl0ZW0iA4gCASgBMAFiBnByb3RvMw==';
