import { describe, expect, test } from 'vitest';
import { ConfigError, MeasurementError } from '../../../src/core/errors.ts';
import type { Operation } from '../../../src/core/suite.ts';
import { PROTOCOLS } from '../../../src/protocols/index.ts';
import { restService } from '../../suite.ts';

const operation: Operation = {
  name: 'GetUser',
  kind: 'unary',
  share: 1,
  arguments: [{ id: 1 }, { id: 'a/b' }],
  bindings: { rest: 'GET /user/{id}', grpc: 'user.v1.UserService/GetUser' },
};
const service = restService('mine');

describe.each(Object.values(PROTOCOLS))('every protocol: $name', (protocol) => {
  const success = { rest: '200', grpc: 'OK' }[protocol.name];

  test('asks once per argument, at the given address', () => {
    const target = protocol.target(operation, service, '127.0.0.1:5000');

    expect(target.address).toBe('127.0.0.1:5000');
    expect(target.requests).toHaveLength(2);
  });

  test('refuses an operation that has no binding for it', () => {
    expect(() => protocol.target({ ...operation, bindings: {} }, service, '')).toThrow(ConfigError);
  });

  test('takes the envelope off an answer', () => {
    expect(protocol.canonical({ status: success, body: { user: { id: 1, name: 'a' } } })).toEqual({ id: 1, name: 'a' });
    expect(protocol.canonical({ status: success, body: { id: 1, name: 'a' } })).toEqual({ id: 1, name: 'a' });
  });

  test('takes nothing but success for an answer', () => {
    expect(() => protocol.canonical({ status: 'INTERNAL', body: {} })).toThrow(MeasurementError);
    expect(() => protocol.canonical({ status: success, body: undefined })).toThrow(MeasurementError);
  });
});

describe('rest', () => {
  test('fills placeholders and escapes what would change the path', () => {
    const { requests } = PROTOCOLS.rest.target(operation, service, 'a');

    expect(requests.map(({ call }) => call)).toEqual(['GET /user/1', 'GET /user/a%2Fb']);
  });

  test('refuses an argument without a value for a placeholder', () => {
    expect(() => PROTOCOLS.rest.target({ ...operation, arguments: [{ name: 'x' }] }, service, 'a')).toThrow(/\{id\}/);
  });
});
