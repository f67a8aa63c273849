import { describe, expect, test } from 'vitest';
import { ConfigError, MeasurementError } from '../../../src/foundation/errors.ts';
import type { Json } from '../../../src/foundation/json.ts';
import { generatorFor } from '../../../src/load/generators.ts';
import type { Reply } from '../../../src/model/load.ts';
import type { Operation } from '../../../src/model/suite.ts';
import { PROTOCOLS } from '../../../src/protocols/protocols.ts';
import { restBinding, restService } from '../../support/suite.ts';

const operation: Operation = {
  name: 'GetUser',
  kind: 'unary',
  share: 1,
  arguments: [{ id: 1 }, { id: 'a/b' }],
  bindings: { rest: restBinding('GET /user/{id}'), grpc: { call: 'user.v1.UserService/GetUser' } },
};
const service = restService('mine');

const ANSWER = { contentType: 'application/json', location: undefined, text: '', bytes: 0, sha256: '' };

describe.each(Object.values(PROTOCOLS))('every protocol: $name', (protocol) => {
  const success = { rest: '200', grpc: 'OK' }[protocol.name];
  const reply = (status: string, body: Json): Reply => ({ status, body, answer: ANSWER });

  test('asks once per argument, at the given address', () => {
    const target = protocol.target(operation, service, '127.0.0.1:5000');

    expect(target.address).toBe('127.0.0.1:5000');
    expect(target.requests).toHaveLength(2);
  });

  test('has a load generator', () => {
    expect(generatorFor(protocol.name).drives).toBe(protocol.name);
  });

  test('refuses an operation that has no binding for it', () => {
    expect(() => protocol.target({ ...operation, bindings: {} }, service, '')).toThrow(ConfigError);
  });

  test('takes the envelope off an answer', () => {
    expect(protocol.canonical(reply(success, { user: { id: 1, name: 'a' } }), operation)).toEqual({ id: 1, name: 'a' });
    expect(protocol.canonical(reply(success, { id: 1, name: 'a' }), operation)).toEqual({ id: 1, name: 'a' });
  });

  test('takes nothing but success for an answer', () => {
    expect(() => protocol.canonical(reply('INTERNAL', {}), operation)).toThrow(MeasurementError);
    expect(() => protocol.canonical({ status: success, body: undefined }, operation)).toThrow(MeasurementError);
  });

  test('compares no answer that is longer than what is kept, and takes it where its status is enough', () => {
    const cut: Reply = { status: success, body: undefined, answer: ANSWER, cut: 'longer than 9 bytes' };

    expect(() => protocol.canonical(cut, operation)).toThrow('the answer is longer than 9 bytes, and so not kept');
    expect(() => protocol.canonical(cut, { ...operation, verify: 'status' })).not.toThrow();
    expect(() => protocol.canonical({ ...cut, status: '500' }, { ...operation, verify: 'status' })).toThrow(/500/);
  });
});
