import { describe, expect, test } from 'vitest';
import { type Loading, loadOf } from '../../../src/app/loads.ts';
import { NO_SECRETS, secretsFrom } from '../../../src/core/secrets.ts';
import type { Operation } from '../../../src/core/suite.ts';
import { restBinding, restService } from '../../suite.ts';

const rows = Array.from({ length: 1000 }, (_, id) => ({ id }));
const operation: Operation = {
  name: 'Get',
  kind: 'unary',
  share: 1,
  arguments: rows,
  bindings: { rest: restBinding('GET /{id}', { headers: { Authorization: '${env.TOKEN}' } }) },
};
const loading: Loading = {
  service: restService('api'),
  address: '127.0.0.1:5000',
  secrets: NO_SECRETS,
  pace: { mode: 'open', ratePerSecond: 100, workers: 100 },
  seconds: 2,
};

const idsOf = (changes: Partial<Loading>): number[] =>
  loadOf({ ...loading, ...changes }, operation).target.requests.map(({ call }) => Number(call.slice('GET /'.length)));

describe('the requests of a load', () => {
  test('are as much of a long feed as it comes to, in turn', () => {
    const ids = idsOf({});

    expect(ids.length).toBeGreaterThanOrEqual(200);
    expect(ids.length).toBeLessThan(400);
    expect(ids).toEqual(ids.map((_, index) => index));
  });

  test('go on elsewhere in each block, round and round, and are the same for the same seed', () => {
    const at = (seed: number) => idsOf({ jitterSeed: () => seed });

    expect(at(950).slice(0, 3)).toEqual([950, 951, 952]);
    expect(at(950).slice(49, 52)).toEqual([999, 0, 1]);
    expect(at(2950)).toEqual(at(950));
    expect(at(7)).not.toEqual(at(8));
  });

  test('are all of a feed in a closed loop, which may come to any number', () => {
    expect(idsOf({ pace: { mode: 'saturate', workers: 5 } })).toHaveLength(1000);
  });

  test('have their secrets in them', () => {
    const use = { variable: 'TOKEN', place: 'x', isPem: false };
    const secrets = secretsFrom([use], { TOKEN: 'tok-en-12' }, () => '');

    const { target } = loadOf({ ...loading, secrets }, operation);

    expect(target.requests[0]?.headers).toEqual({ Authorization: 'tok-en-12' });
  });

  test('of gRPC have the deadline of their operation, and their secrets in their metadata', () => {
    const use = { variable: 'TOKEN', place: 'x', isPem: false };
    const secrets = secretsFrom([use], { TOKEN: 'tok-en-12' }, () => '');
    const service = { ...restService('api'), protocol: 'grpc' as const, metadata: { key: '${env.TOKEN}' } };
    const bound = (deadlineMs: number | undefined) => ({
      ...operation,
      bindings: { grpc: { call: 'a.B/C', deadlineMs } },
    });

    const { target, timeoutSeconds } = loadOf({ ...loading, service, secrets }, bound(250));

    expect(timeoutSeconds).toBe(0.25);
    expect(target.requests[0]?.metadata).toEqual({ key: 'tok-en-12' });
    expect(loadOf({ ...loading, service, secrets }, bound(undefined)).timeoutSeconds).toBe(30);
  });
});
