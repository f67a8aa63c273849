import { describe, expect, it } from 'vitest';
import { parseProject } from '../../../../src/config/parse.ts';
import { ConfigError } from '../../../../src/foundation/errors.ts';

const operationOf = (said: string) => {
  const text = `services:\n  api: { protocol: rest, port: 8080, image: nginx:1.27 }\noperations:\n  - { name: Get, ${said} }\n`;
  return parseProject({ file: 'wiregauge.yml', text }).suite.operations[0];
};

describe('a stream', () => {
  it.each([
    ['{ messages: 1 }', { messages: 1 }],
    ['{ messages: 10000, last: Zoe }', { messages: 10_000, last: 'Zoe' }],
  ])('has a number of messages, and what is in the last of them: %s', (said, stream) => {
    expect(operationOf(`rest: GET /, stream: ${said}`)?.stream).toEqual(stream);
  });

  it('is none if nothing is said', () => {
    expect(operationOf('rest: GET /')).not.toHaveProperty('stream');
  });

  it.each([
    ['rest: GET /, stream: {}', /:4:\d+: operations\.0\.stream\.messages: is missing/],
    ['rest: GET /, stream: { messages: 0 }', /:4:\d+: operations\.0\.stream\.messages: /],
    ['rest: GET /, stream: { messages: 1.5 }', /operations\.0\.stream\.messages: /],
    ['rest: GET /, stream: { messages: 1, last: "" }', /operations\.0\.stream\.last: /],
    ['rest: GET /, stream: { message: 1 }', /did you mean messages\?/],
    [
      'websocket: { path: /, send: { a: 1 } }, rest: GET /, stream: { messages: 1 }',
      /:4:\d+: operations\.0\.stream: is for REST and gRPC, and cannot be combined with `websocket`/,
    ],
    [
      'graphql: "{ a }", stream: { messages: 1 }',
      /operations\.0\.stream: is for REST and gRPC, and cannot be combined with `graphql`/,
    ],
  ])('is refused with its place: %s', (said, message) => {
    expect(() => operationOf(said)).toThrow(ConfigError);
    expect(() => operationOf(said)).toThrow(message);
  });
});

describe('messages of one form', () => {
  const messagesOf = (said: string) => operationOf(`grpc: { call: a.v1.A/Ask, messages: ${said} }`)?.bindings.grpc;

  it('are kept as one, with their number', () => {
    expect(messagesOf('{ count: 10000, message: { id: "{number}" } }')).toMatchObject({
      message: { repeated: { id: '{number}' }, count: 10_000 },
    });
  });

  it.each([
    ['{ count: 10001, message: {} }', /:4:\d+: operations\.0\.grpc\.messages\.count: must be at most 10000/],
    ['{ count: 1 }', /:4:\d+: operations\.0\.grpc\.messages\.message: is missing/],
    ['{ count: 1, message: {}, number: 2 }', /operations\.0\.grpc\.messages\.number: is an unknown key/],
    ['[]', /:4:\d+: operations\.0\.grpc\.messages: must not be empty/],
    ['7', /operations\.0\.grpc\.messages: must be a list of 1 to 1000 messages, or a map with `count` and `message`/],
  ])('are refused with their place: %s', (said, message) => {
    expect(() => messagesOf(said)).toThrow(message);
  });
});
