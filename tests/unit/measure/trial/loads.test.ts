import { describe, expect, test } from 'vitest';
import { type Loading, loadOf, recordsOf } from '../../../../src/measure/trial/loads.ts';
import type { Pace } from '../../../../src/model/plan.ts';
import { secretsFrom } from '../../../../src/model/secrets/secrets.ts';
import type { Operation } from '../../../../src/model/suite/suite.ts';
import { recordedFile } from '../../../support/record-file.ts';
import { NO_SECRETS } from '../../../support/secrets.ts';
import { restBinding, restService } from '../../../support/suite.ts';

const rows = Array.from({ length: 1000 }, (_, id) => ({ id }));
const operation: Operation = {
  name: 'Get',
  share: 1,
  arguments: rows,
  bindings: { rest: restBinding('GET /{id}', { headers: { Authorization: '${env.TOKEN}' } }) },
};
const loading: Loading = {
  service: restService('api'),
  running: { loadAddress: '127.0.0.1:5000' },
  secrets: NO_SECRETS,
  pace: { kind: 'open', ratePerSecond: 100, workers: 100 },
  seconds: 2,
};

const idsOf = (changes: Partial<Loading>): number[] =>
  loadOf({ ...loading, ...changes }, operation).target.requests.map(({ call }) => Number(call.slice('GET /'.length)));

const CONTRACT = `syntax = "proto3"; package a;
  message D { int32 id = 1; }
  service B { rpc C(D) returns (stream D); }`;

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

  test('of a closed loop are no more of a feed than a block can come to, and begin elsewhere in each block', () => {
    const pace: Pace = { kind: 'saturate', workers: 8 };
    const inBlock = (seconds: number, seed?: number) =>
      idsOf({ pace, seconds, ...(seed !== undefined && { jitterSeed: () => seed }) });

    expect(inBlock(0.001, 950).length).toBeLessThan(300);
    expect(inBlock(0.001, 950).slice(49, 52)).toEqual([999, 0, 1]);
    expect(inBlock(0.001, 1950)).toEqual(inBlock(0.001, 950));
    expect(inBlock(4)).toEqual(rows.map(({ id }) => id));
  });

  test('have the network of the pace, so that the driver makes it', () => {
    const network = { rttMs: 20, by: 'driver' } as const;

    expect(loadOf({ ...loading, pace: { ...loading.pace, network } }, operation)).toMatchObject({ network });
    expect(loadOf(loading, operation)).not.toHaveProperty('network');
  });

  test('say what each answer has to be like if it is a stream, so that the driver looks at it', () => {
    const stream = { messages: 10, last: 'Zoe' };

    expect(loadOf(loading, { ...operation, stream }).target).toMatchObject({ stream });
    expect(loadOf(loading, operation).target).not.toHaveProperty('stream');
  });

  test('are all of a feed in a closed loop, which may come to any number', () => {
    expect(idsOf({ pace: { kind: 'saturate', workers: 5 } })).toHaveLength(1000);
  });

  test('are all of a feed where users send them', () => {
    expect(idsOf({ pace: { kind: 'users', workers: 5, requestsPerUser: undefined, rampSeconds: 0 } })).toHaveLength(
      1000,
    );
  });

  test('are all of a feed where users come and go, who are those of the whole loop', () => {
    const stages = [{ seconds: 2, users: 5 }];

    const load = loadOf({ ...loading, pace: { kind: 'stages', workers: 5, stages, thinkSeconds: 0.3 } }, operation);

    expect(load.target.requests).toHaveLength(1000);
    expect(load).toMatchObject({ kind: 'stages', seconds: 2, workers: 5, weight: 1, stages, thinkSeconds: 0.3 });
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
    const proto = { root: '', file: 'a.proto', texts: { 'a.proto': CONTRACT } };
    const service = { ...restService('api'), protocol: 'grpc' as const, proto, metadata: { key: '${env.TOKEN}' } };
    const bound = (deadlineMs: number | undefined) => ({
      ...operation,
      bindings: { grpc: { call: 'a.B/C', deadlineMs } },
    });

    const { target, timeoutSeconds } = loadOf({ ...loading, service, secrets }, bound(250));

    expect(timeoutSeconds).toBe(0.25);
    expect(target.requests[0]?.metadata).toEqual({ key: 'tok-en-12' });
    expect(target.requests[7]?.messages).toEqual([Buffer.from([8, 7]).toString('base64')]);
    expect(target.method).toEqual({ clientStreams: false, serverStreams: true });
    expect(loadOf({ ...loading, service, secrets }, bound(undefined)).timeoutSeconds).toBe(30);
  });
});

describe('a load of users', () => {
  const users = { kind: 'users', workers: 10, requestsPerUser: 100, rampSeconds: 3 } as const;

  test.each([
    [1, 10],
    [0.25, 3],
    [0.01, 1],
  ])('has the share %d of them, and at least one', (share, workers) => {
    const load = loadOf({ ...loading, pace: users, seconds: 30 }, { ...operation, share });

    expect(load).toMatchObject({ kind: 'users', workers, requestsPerUser: 100, rampSeconds: 3, seconds: 30 });
  });
});

describe('the weight of an operation in a closed loop', () => {
  const weightIn = (pace: Pace, share: number) => {
    const load = loadOf({ ...loading, pace }, { ...operation, share });
    return 'weight' in load ? load.weight : undefined;
  };
  const users = { kind: 'users', workers: 10, rampSeconds: 0 } as const;

  test('is its share of the requests, however it is rounded to workers', () => {
    expect(weightIn({ kind: 'saturate', workers: 10 }, 0.07)).toBe(0.07);
    expect(weightIn({ ...users, requestsPerUser: undefined }, 0.07)).toBe(0.07);
  });

  test('is its number of users if each has so many requests, as that is what is planned', () => {
    expect(weightIn({ ...users, requestsPerUser: 5 }, 0.07)).toBe(1);
  });

  test('is none at a rate, which each operation has of its own', () => {
    expect(weightIn(loading.pace, 0.5)).toBeUndefined();
  });
});

describe('what was planned', () => {
  const share = 0.5;
  const users = { kind: 'users', workers: 10, rampSeconds: 1 } as const;
  const paces: readonly [Pace, { readonly planned: number | undefined; readonly ratePerSecond: number | undefined }][] =
    [
      [
        { kind: 'open', ratePerSecond: 102, workers: 10 },
        { planned: 102, ratePerSecond: 51 },
      ],
      [
        { kind: 'saturate', workers: 10 },
        { planned: undefined, ratePerSecond: undefined },
      ],
      [
        { ...users, requestsPerUser: 7 },
        { planned: 35, ratePerSecond: undefined },
      ],
      [
        { ...users, requestsPerUser: undefined },
        { planned: undefined, ratePerSecond: undefined },
      ],
    ];

  test.each(paces)('at %j', async (pace, planned) => {
    const { service, secrets } = loading;
    const one = { ...operation, share };
    const end = {
      ...{ startedMs: 0, endedMs: 0, complaint: '', isOverTime: false },
      records: async () => recordedFile('ok'),
    };

    const found = await recordsOf({ service, secrets }, one, loadOf({ ...loading, pace }, one), end);

    expect(found).toMatchObject(planned);
  });
});
