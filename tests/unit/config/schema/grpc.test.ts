import { describe, expect, it } from 'vitest';
import { parseProject } from '../../../../src/config/parse.ts';
import { ConfigError } from '../../../../src/foundation/errors.ts';

const TEXTS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  proto: { 'a.proto': 'of proto' },
  'third/party': { 'a.proto': 'of third', 'b.proto': 'of third' },
};

const parse = ({ proto = '{ root: proto, file: a.proto }', operation = 'grpc: a.v1.A/Get', more = '' }) =>
  parseProject(
    {
      file: 'wiregauge.yml',
      text: `services:
  api: { protocol: grpc, port: 8080, image: x, proto: ${proto}${more} }
operations:
  - { name: Get, ${operation} }
`,
    },
    {
      protoTexts: (root) => TEXTS[root] ?? {},
      readFile: (path) =>
        path === 'api.binpb' ? { text: 'set', base64: 'c2V0' } : { refusal: 'there is no such file' },
    },
  );

const bindingOf = (operation: string) => parse({ operation }).suite.operations[0]?.bindings.grpc;
const protoOf = (proto: string) => parse({ proto }).services.get('api')?.proto;

describe('the contract of a service', () => {
  it('may lie in several folders, of which the first that has a file wins', () => {
    expect(protoOf('{ root: [proto, third/party], file: b.proto }')).toEqual({
      root: 'proto, third/party',
      file: 'b.proto',
      texts: { 'a.proto': 'of proto', 'b.proto': 'of third' },
    });
  });

  it('may be a descriptor set, or come by reflection', () => {
    expect(protoOf('{ descriptorSet: api.binpb }')).toEqual({ descriptorSet: 'c2V0', origin: 'api.binpb' });
    expect(protoOf('reflection')).toEqual({ reflection: true });
  });

  it.each([
    [
      '{ root: [proto, third], file: c.proto }',
      /:2:\d+: services\.api\.proto\.file: there is no proto\/c\.proto or third/,
    ],
    ['{ descriptorSet: none.binpb }', /services\.api\.proto\.descriptorSet: none\.binpb: there is no such file/],
    ['{ descriptorSet: ../api.binpb }', /services\.api\.proto\.descriptorSet: must be a path inside the repository/],
    ['{ root: proto, fil: a.proto }', /services\.api\.proto\.fil: is an unknown key; did you mean file\?/],
    ['reflect', /services\.api\.proto: must be `reflection`, a map/],
  ])('refuses %s', (proto, message) => {
    expect(() => protoOf(proto)).toThrow(ConfigError);
    expect(() => protoOf(proto)).toThrow(message);
  });
});

describe('the binding of an operation to gRPC', () => {
  it.each([
    ['grpc: a.v1.A/Get', { call: 'a.v1.A/Get' }],
    [
      'grpc: { call: a.v1.A/Get, metadata: { authorization: "Bearer ${env.TOKEN}" }, deadlineMs: 100 }',
      { call: 'a.v1.A/Get', metadata: { authorization: 'Bearer ${env.TOKEN}' }, deadlineMs: 100 },
    ],
    [
      'arguments: [{ id: 1 }], grpc: { call: a.v1.A/Get, message: { id: "{id}" } }',
      { call: 'a.v1.A/Get', message: { one: { id: '{id}' } } },
    ],
    [
      'grpc: { call: a.v1.A/Get, messages: [{ id: 1 }, {}] }',
      { call: 'a.v1.A/Get', message: { stream: [{ id: 1 }, {}] } },
    ],
  ])('is read of %s', (operation, expected) => {
    expect(bindingOf(operation)).toEqual(expected);
  });

  it.each([
    ['grpc: GetUser', /operations\.0\.grpc: must be a service and a method/],
    ['grpc: { cal: a.v1.A/Get }', /operations\.0\.grpc\.cal: is an unknown key; did you mean call\?/],
    ['grpc: { call: a.v1.A/Get, deadlineMs: 0 }', /operations\.0\.grpc\.deadlineMs: /],
    [
      'grpc: { call: a.v1.A/Get, message: {}, messages: [{}] }',
      /operations\.0\.grpc\.messages: cannot be combined with message/,
    ],
    ['grpc: { call: a.v1.A/Get, messages: [] }', /operations\.0\.grpc\.messages: /],
    [
      'grpc: { call: a.v1.A/Get, metadata: { grpc-timeout: 1S } }',
      /grpc\.metadata\.grpc-timeout: is set by gRPC itself/,
    ],
    ['grpc: { call: a.v1.A/Get, metadata: { Auth: a } }', /grpc\.metadata\.Auth: must be lower-case letters/],
    ['grpc: { call: a.v1.A/Get, metadata: { a: "ü" } }', /grpc\.metadata\.a: must be printable ASCII/],
    ['grpc: { call: a.v1.A/Get, metadata: { a-bin: "?" } }', /grpc\.metadata\.a-bin: must be base64/],
  ])('refuses %s', (operation, message) => {
    expect(() => bindingOf(operation)).toThrow(ConfigError);
    expect(() => bindingOf(operation)).toThrow(message);
  });

  it('may be added to by metadata of the service', () => {
    const { services } = parse({ more: ', metadata: { tenant: a }' });

    expect(services.get('api')?.metadata).toEqual({ tenant: 'a' });
  });
});
