import { describe, expect, test } from 'vitest';
import { parseProject } from '../../../src/config/parse.ts';
import { ConfigError, MeasurementError } from '../../../src/foundation/errors.ts';
import type { Reply } from '../../../src/model/load.ts';
import type { Operation } from '../../../src/model/suite/suite.ts';
import { generatorFor, PROTOCOLS } from '../../../src/protocols/protocols.ts';
import { restService } from '../../support/suite.ts';

/** An operation with a binding for each protocol, as each gives an example of it. */
const examples = Object.values(PROTOCOLS).map(({ example }) => example);
const text = `services: { mine: { protocol: rest, port: 80, image: a:1 } }
operations:
  - name: GetUser
    arguments: [{ id: 1 }, { id: a/b }]
    ${examples.join('\n    ')}
`;
const operation = parseProject({ file: 'wiregauge.yml', text }).suite.operations[0] as Operation;
const service = restService('mine');

const ANSWER = { contentType: 'application/json', location: undefined, text: '', bytes: 0, sha256: '' };

describe.each(Object.values(PROTOCOLS))('every protocol: $name', (protocol) => {
  const success = { http: '200', grpc: 'OK', websocket: 'OK' }[protocol.transport];

  test('sends one request per argument, to the given address', () => {
    const target = protocol.target(operation, service, '127.0.0.1:5000');

    expect(target.address).toBe('127.0.0.1:5000');
    expect(target.requests).toHaveLength(2);
  });

  test('has a load generator', () => {
    const generators = { http: 'vegeta', grpc: 'ghz', websocket: 'websocket' };
    expect(generatorFor(protocol.name)).toBe(generators[protocol.transport]);
  });

  test('refuses an operation that has no binding for it', () => {
    expect(() => protocol.target({ ...operation, bindings: {} }, service, '')).toThrow(ConfigError);
  });

  test('takes nothing but success for an answer', () => {
    expect(() => protocol.canonical({ status: 'INTERNAL', body: {}, answer: ANSWER }, operation)).toThrow(
      MeasurementError,
    );
    expect(() => protocol.canonical({ status: success, body: undefined }, operation)).toThrow(MeasurementError);
  });

  test('compares no answer that is longer than what is kept, and takes it where its status is enough', () => {
    const cut: Reply = { status: success, body: undefined, answer: ANSWER, cut: 'longer than 9 bytes' };

    expect(() => protocol.canonical(cut, operation)).toThrow('the answer is longer than 9 bytes, too large to compare');
    expect(() => protocol.canonical(cut, { ...operation, verify: 'status' })).not.toThrow();
    expect(() => protocol.canonical({ ...cut, status: '500' }, { ...operation, verify: 'status' })).toThrow(/500/);
  });
});
