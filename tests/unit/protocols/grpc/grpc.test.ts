import { describe, expect, it } from 'vitest';
import { ConfigError } from '../../../../src/foundation/errors.ts';
import type { Operation } from '../../../../src/model/suite/suite.ts';
import type { GrpcBinding } from '../../../../src/protocols/grpc/binding.ts';
import { grpc } from '../../../../src/protocols/grpc/grpc.ts';
import { restService } from '../../../support/suite.ts';

const call = 'shop.v1.Shop/Find';
const service = { ...restService('shop'), protocol: 'grpc', proto: { reflection: true } } as const;

const operation = (binding: Omit<GrpcBinding, 'call'>, rows: Operation['arguments'] = [{}]): Operation => ({
  name: 'Find',
  share: 1,
  arguments: rows,
  bindings: { grpc: { call, ...binding } },
});

const requestsOf = (...parts: Parameters<typeof operation>) =>
  grpc.target(operation(...parts), service, '127.0.0.1:1').requests;

describe('a gRPC target', () => {
  it('takes an argument as the message where the binding has none', () => {
    expect(requestsOf({}, [{ id: 1 }, {}])).toEqual([
      { call, body: { id: 1 } },
      { call, body: {} },
    ]);
  });

  it('fills the message from an argument: a whole value keeps its type, within text it is inserted as text', () => {
    const one = { id: '{id}', note: 'user {id} of {shop}', tags: ['{tag}', 'x{id}'], deep: { all: '{tag}' } };

    expect(requestsOf({ message: { one } }, [{ id: 7, shop: 'a', tag: [1, 2] }])).toEqual([
      { call, body: { id: 7, note: 'user 7 of a', tags: [[1, 2], 'x7'], deep: { all: [1, 2] } } },
    ]);
  });

  it('gives a stream as the list of its messages', () => {
    expect(requestsOf({ message: { stream: [{ id: '{id}' }, { id: 2 }] } }, [{ id: 1 }])).toEqual([
      { call, body: [{ id: 1 }, { id: 2 }] },
    ]);
  });

  it('repeats the message of a stream count times, with its number', () => {
    const repeated = { id: '{number}', shop: '{shop} {number}' };

    expect(requestsOf({ message: { repeated, count: 2 } }, [{ shop: 'a' }])).toEqual([
      {
        call,
        body: [
          { id: 1, shop: 'a 1' },
          { id: 2, shop: 'a 2' },
        ],
      },
    ]);
  });

  it('has the metadata of service and call, of which that of the call wins, and the deadline', () => {
    const withMetadata = { ...service, metadata: { a: 'service', b: 'service' } };

    const { requests } = grpc.target(operation({ metadata: { b: 'call' }, deadlineMs: 250 }), withMetadata, 'x');

    expect(requests).toEqual([{ call, body: {}, metadata: { a: 'service', b: 'call' }, deadlineMs: 250 }]);
  });

  it('goes over the connection of the service', () => {
    const tls = { ca: 'PEM', insecure: false, serverName: 'a', certificate: undefined, key: undefined };
    const secured = { ...service, connection: { http: '2', tls } } as const;

    expect(grpc.target(operation({}), secured, 'x').connection).toEqual(secured.connection);
  });

  it.each([
    ['a value that no argument has', { message: { one: { id: '{key}' } }, rows: [{ id: 1 }] }, /no value for \{key\}/],
    ['a map within text', { message: { one: { id: 'a {id}' } }, rows: [{ id: {} }] }, /no value for \{id\}/],
    [
      'a name that every object has',
      { message: { one: { id: '{toString}' } }, rows: [{}] },
      /no value for \{toString\}/,
    ],
    [
      'several streams in turn',
      { message: { stream: [{}] }, rows: [{ id: 1 }, { id: 2 }] },
      /every call sends the same stream/,
    ],
    [
      'several streams of one form in turn',
      { message: { repeated: {}, count: 2 }, rows: [{ id: 1 }, { id: 2 }] },
      /every call sends the same stream/,
    ],
  ])('refuses %s', (_, { rows, ...binding }, message) => {
    expect(() => requestsOf(binding, rows)).toThrow(ConfigError);
    expect(() => requestsOf(binding, rows)).toThrow(message);
  });
});
