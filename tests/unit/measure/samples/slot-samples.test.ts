import { describe, expect, test } from 'vitest';
import { answersPerSecond, type LoadRecords, samplesOf } from '../../../../src/measure/samples/observation.ts';
import type { ScheduledRecords } from '../../../../src/model/load.ts';
import { operationsAt } from '../../../../src/model/plan.ts';
import type { Reading } from '../../../../src/model/runner.ts';
import { usersSuite } from '../../../support/suite.ts';

const suite = usersSuite();
const originMs = 1_700_000_000_000;

/** Ten requests a second for so long, each answered after 2 ms, from a number of seconds after the origin. */
function records(operation: string, fromSecond: number, seconds: number): ScheduledRecords {
  const count = seconds * 10;
  return {
    operation,
    ratePerSecond: 10,
    planned: count,
    workers: 2,
    records: {
      originMs,
      startMs: Float64Array.from({ length: count }, (_, index) => fromSecond * 1000 + index * 100),
      latencyMs: new Float64Array(count).fill(2),
      failure: new Uint16Array(count),
      failureKinds: [],
    },
  };
}

function reading(second: number): Reading {
  return {
    atMs: originMs + second * 1000,
    service: {
      cpuSeconds: second * 0.1,
      memoryMiB: 40,
      peakMemoryMiB: 44,
      wireBytes: second * 2000,
    },
    loadCpuSeconds: 0,
    host: {
      busySeconds: second * 0.1,
      stealSeconds: 0,
      cpuPressureSeconds: undefined,
      listenOverflows: 0,
      timeWaitSockets: 0,
    },
  };
}

type Seen = Omit<LoadRecords, 'steady'> & {
  readonly steady: readonly ScheduledRecords[];
  readonly readings: readonly [Reading, ...Reading[]];
};

const readAt = ([first = 0, ...others]: readonly number[], read = reading): Seen['readings'] => [
  read(first),
  ...others.map(read),
];

const left: Seen = {
  operations: suite.operations,
  service: {},
  pace: { kind: 'open', ratePerSecond: 333, workers: 100 },
  warmupSeconds: 2,
  measureSeconds: 5,
  ramp: [records('GetUser', 0, 2), records('ListUsers', 0, 2)],
  steady: [records('GetUser', 2, 7), records('ListUsers', 2, 7)],
  readings: readAt([2, 3, 4, 5, 6, 7, 8, 9]),
};

const placed = ({ steady, readings, ...seen }: Seen, tier = 'low') => {
  const [before] = readings;
  const block = { parts: steady, before, between: readings.slice(1, -1), after: readings.at(-1) ?? before };
  return samplesOf(
    { ...seen, steady: block },
    { cell: { suite: suite.name, service: 'rest', tier }, side: 'head', round: 1, position: 3 },
  );
};

describe('samplesOf', () => {
  const [whole, getUser, listUsers] = placed(left);

  test('gives one sample of all operations and one of each', () => {
    expect([whole, getUser, listUsers].map((sample) => sample?.cell.operation)).toEqual([
      'all',
      'GetUser',
      'ListUsers',
    ]);
    expect([whole, getUser, listUsers].map((sample) => sample?.requests)).toEqual([100, 50, 50]);
    expect([whole, getUser, listUsers].map((sample) => sample?.workers)).toEqual([100, 75, 25]);
  });

  test('leaves ramp and warm-up out of the figures and shows them in the series', () => {
    expect(whole?.measuredSeconds).toBe(5);
    expect(whole?.values.achievedRps).toBeCloseTo(20);
    expect(whole?.series?.second[0]).toBe(-4);
    expect(whole?.series?.second.at(-1)).toBe(4);
    expect(getUser?.series).toBeUndefined();
  });

  test('gives the machine only to all operations together, from readings in the window', () => {
    expect(whole?.values.cpuMicrosPerRequest).toBeCloseTo(5000);
    expect(whole?.values.wireBytesPerRequest).toBeCloseTo(100);
    expect(getUser?.values).not.toHaveProperty('cpuMicrosPerRequest');
  });

  test('says nothing of the machine where no readings fell into the window', () => {
    const [unread] = placed({ ...left, readings: [reading(2)] });

    expect(unread?.values).not.toHaveProperty('serviceCpuShare');
    expect(unread?.values.latencyP50Ms).toBeCloseTo(2);
  });
});

describe('answersPerSecond', () => {
  test('counts what was answered within the stage', () => {
    expect(answersPerSecond(left.ramp, 2)).toBeCloseTo(20);
    expect(answersPerSecond(left.steady, 2)).toBeCloseTo(20);
  });
});

describe('samples of users without think time', () => {
  const pace = { kind: 'users', workers: 4, requestsPerUser: 10, rampSeconds: 1 } as const;
  const closedRecords = (operation: string) => ({ ...records(operation, 0, 3), ratePerSecond: undefined, planned: 40 });
  const measured: Seen = {
    ...left,
    ...{ pace, warmupSeconds: 0, measureSeconds: 30, ramp: [] },
    readings: readAt([-0.1, 1, 2, 2.95]),
  };

  test('are of all that they did, from the first request to the last answer, for any time limit', () => {
    const steady = [closedRecords('GetUser'), closedRecords('ListUsers')];

    const [whole] = placed({ ...measured, steady }, 'full');

    expect(whole).toMatchObject({ cell: { tier: 'full', operation: 'all' }, requests: 60, offeredRps: undefined });
    expect(whole?.measuredSeconds).toBeCloseTo(2.902, 3);
    expect(whole?.values.achievedRps).toBeCloseTo(60 / 2.902, 2);
    // All readings count, those around the load too: 0.1 s of CPU time a second over 3.05 s.
    expect(whole?.values.cpuMicrosPerRequest).toBeCloseTo(305_000 / 60);
  });

  test('are of what came behind a warm-up, the readings too', () => {
    const behind = { warmupSeconds: 1, pace: { ...pace, requestsPerUser: undefined } };

    const [whole] = placed({ ...measured, ...behind, steady: [closedRecords('GetUser'), closedRecords('ListUsers')] });

    expect(whole?.requests).toBe(40);
    expect(whole?.measuredSeconds).toBeCloseTo(1.902, 3);
    // 0.1 s of CPU time in the second between the readings at 1 s and 2 s, which answered 20.
    expect(whole?.values.cpuMicrosPerRequest).toBeCloseTo(100_000 / 20);
  });

  test('are marked with what the time limit left unsent, and with a core that was not full', () => {
    const steady = [closedRecords('GetUser'), closedRecords('ListUsers')];

    const [whole] = placed({ ...measured, steady });

    expect(whole?.droppedRequests).toBe(20);
    expect(whole?.marks).toEqual(['not-saturated', 'dropped']);
  });

  test('are of the operations alone that the tier asks for, with all of its workers', () => {
    const samples = placed({
      ...measured,
      operations: operationsAt(suite, { operations: ['ListUsers'] }),
      steady: [closedRecords('ListUsers')],
    });

    expect(samples.map(({ cell, workers, requests }) => [cell.operation, workers, requests])).toEqual([
      ['all', 4, 30],
      ['ListUsers', 4, 30],
    ]);
  });
});

describe('samples of users who come and go', () => {
  const stages = [
    { seconds: 0, users: 4 },
    { seconds: 2, users: 4 },
    { seconds: 4, users: 0 },
  ];
  const sent = (operation: string) => ({ ...records(operation, 0, 6), ratePerSecond: undefined, planned: undefined });
  const busy = (second: number) => ({ ...reading(second), loadCpuSeconds: Math.min(second, 2) * 0.95 });
  const measured: Seen = {
    ...left,
    ...{ pace: { kind: 'stages', workers: 4, stages, thinkSeconds: 0.2 }, warmupSeconds: 0, measureSeconds: 6 },
    ...{ ramp: [], steady: [sent('GetUser'), sent('ListUsers')] },
  };
  const [whole, getUser] = placed({ ...measured, readings: readAt([-0.1, 1, 2, 3, 4, 5, 5.99]) });

  test('are of all stages, and of each', () => {
    expect(whole?.requests).toBe(120);
    expect(whole?.stages).toMatchObject([
      { fromSeconds: 0, seconds: 2, fromUsers: 4, users: 4, requests: 40 },
      { fromSeconds: 2, seconds: 4, fromUsers: 4, users: 0, requests: 80 },
    ]);
    expect(whole?.stages?.map(({ values }) => Math.round(values.achievedRps ?? 0))).toEqual([20, 20]);
    expect(whole?.stages?.[1]?.values.cpuMicrosPerRequest).toBeCloseTo(5000, -2);
    expect(getUser).not.toHaveProperty('stages');
  });

  test('have their users and p95 over time', () => {
    expect(whole?.series?.users).toEqual([4, 4, 3.5, 2.5, 1.5, 0.5]);
    expect(whole?.series?.latencyP95Ms?.map((ms) => Math.round(ms ?? 0))).toEqual([2, 2, 2, 2, 2, 2]);
  });

  test('correct no latency, and call no service idle that users leave idle', () => {
    expect(whole?.values.latencyP50Ms).toBeCloseTo(2);
    expect(whole?.offeredRps).toBeUndefined();
    expect(whole?.marks).toEqual([]);
  });

  test('are limited by the load tool if it is so in one stage', () => {
    const [spoiled] = placed({ ...measured, readings: readAt([-0.1, 0, 1, 2, 3, 4, 5, 5.99], busy) });

    expect(spoiled?.values.loadCpuShare).toBeLessThan(0.5);
    expect(spoiled?.marks).toEqual(['generator-limited']);
  });
});
