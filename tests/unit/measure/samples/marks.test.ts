import { describe, expect, test } from 'vitest';
import {
  isAmong,
  lateInBlocks,
  lateWhileFree,
  type MarkEvidence,
  marksOf,
} from '../../../../src/measure/samples/marks.ts';

const clean: MarkEvidence = {
  mode: 'open',
  summary: {
    values: { achievedRps: 333, errorRate: 0 },
    histogram: '',
    requests: 1000,
    failures: [],
    offeredRps: 333,
    droppedRequests: 0,
    longestStallMs: 0,
  },
  machine: { serviceCpuShare: 0.3, loadCpuShare: 0.1 },
  host: { stealShare: 0, foreignCpuShare: 0, listenOverflows: 0, timeWaitSockets: 0 },
  lateWhileFree: 0,
};

const summary = (changes: object) => ({ ...clean, summary: { ...clean.summary, ...changes } });

describe('marksOf', () => {
  test('has nothing to say of a clean sample', () => {
    expect(marksOf(clean)).toEqual([]);
  });

  test('does not mind the single request that a tool loses as it stops', () => {
    expect(marksOf(summary({ droppedRequests: 1 }))).toEqual([]);
  });

  test.each([
    ['saturated', summary({ values: { achievedRps: 329 } })],
    ['generator-limited', { ...clean, machine: { loadCpuShare: 0.81 } }],
    ['generator-limited', { ...clean, lateWhileFree: 0.02 }],
    ['generator-limited', { ...clean, machine: { loadCpuShare: 0.4 }, host: { ...clean.host, needsCpuShare: 0.41 } }],
    ['not-saturated', { ...clean, mode: 'saturate' as const, machine: { serviceCpuShare: 0.9 } }],
    ['failing', summary({ values: { achievedRps: 333, errorRate: 0.02 } })],
    ['dropped', summary({ droppedRequests: 2 })],
    ['stalled', summary({ longestStallMs: 501 })],
    ['socket-limited', { ...clean, host: { ...clean.host, listenOverflows: 1 } }],
    ['socket-limited', { ...clean, host: { ...clean.host, timeWaitSockets: 10_001 } }],
    ['disturbed', { ...clean, host: { ...clean.host, stealShare: 0.11 } }],
    ['growing', { ...clean, isGrowing: true }],
    ['leaking', { ...clean, memoryMiB: [100, 150, 200, 250, 300] }],
    ['escaped', { ...clean, hasEscaped: true }],
  ])('says %s, and only that', (mark, evidence) => {
    expect(marksOf(evidence)).toEqual([mark]);
  });

  test('gives all operations together the mark of any of them', () => {
    expect([isAmong(['List'], { name: 'List' }), isAmong(['List'], { name: 'Get' })]).toEqual([true, false]);
    expect([isAmong(['List'], undefined), isAmong([], undefined), isAmong(undefined, undefined)]).toEqual([
      true,
      false,
      false,
    ]);
  });

  test.each([
    ['levels off', [100, 180, 220, 230, 231, 230]],
    ['grows by little', [100, 105, 110, 115, 120]],
    ['grows by a small share', [1000, 1030, 1060, 1090, 1120]],
    ['is collected', [100, 200, 300, 120, 220, 320, 130, 230]],
    ['was read three times', [100, 200, 300]],
  ])('calls no memory leaking that %s', (_, memoryMiB) => {
    expect(marksOf({ ...clean, memoryMiB })).toEqual([]);
  });

  test('does not call a core idle that others used', () => {
    const host = { ...clean.host, stealShare: 0.03, foreignCpuShare: 0.04 };
    const evidence = { ...clean, mode: 'saturate' as const, machine: { serviceCpuShare: 0.9 } };

    expect(marksOf({ ...evidence, host })).toEqual([]);
    expect(marksOf({ ...evidence, host: { ...host, foreignCpuShare: 0.01 } })).toEqual(['not-saturated']);
  });

  test('takes a service that has a part of its core for the whole of its CPUs', () => {
    const evidence = { ...clean, mode: 'saturate' as const, machine: { serviceCpuShare: 0.49 } };

    expect(marksOf({ ...evidence, cpus: 0.5 })).toEqual([]);
    expect(marksOf({ ...evidence, cpus: 0.6 })).toEqual(['not-saturated']);
  });

  test('says nothing of the core of a service whose CPU time cannot be seen', () => {
    expect(marksOf({ ...clean, mode: 'saturate', machine: { loadCpuShare: 0.1 } })).toEqual([]);
  });

  test.each([
    [{ serviceCpuShare: 0.98, loadCpuShare: 0.93 }, []],
    [{ serviceCpuShare: 0.8, loadCpuShare: 0.93 }, ['generator-limited']],
    [{ loadCpuShare: 0.93 }, ['generator-limited']],
    [{ serviceCpuShare: 0.8, loadCpuShare: 0.7 }, ['not-saturated']],
  ] as const)('takes the service for the limit of a closed loop as long as its core is full: %j', (machine, marks) => {
    expect(marksOf({ ...clean, mode: 'saturate', machine })).toEqual(marks);
  });

  test('does not take what the service needs for a load tool at its limit if one request is sent at a time', () => {
    const host = { ...clean.host, needsCpuShare: 0.87 };
    const evidence = {
      ...clean,
      mode: 'saturate' as const,
      machine: { serviceCpuShare: 0.1, loadCpuShare: 0.03 },
      host,
    };

    expect(marksOf({ ...evidence, workers: 1 })).toEqual(['not-saturated']);
    expect(marksOf({ ...evidence, workers: 2 })).toEqual(['generator-limited']);
    expect(marksOf({ ...evidence, workers: 1, mode: 'open' })).toEqual(['generator-limited']);
    expect(marksOf({ ...evidence, workers: 1, machine: { serviceCpuShare: 0.1, loadCpuShare: 0.81 } })).toEqual([
      'generator-limited',
    ]);
  });

  test('blames the load tool, not the service, where the tool is at its limit and the rate falls short', () => {
    const evidence = { ...summary({ values: { achievedRps: 100 } }), machine: { loadCpuShare: 0.95 } };

    expect(marksOf(evidence)).toEqual(['generator-limited']);
  });
});

describe('lateWhileFree', () => {
  const part = (startMs: number[], latencyMs: number) => ({
    operation: 'GetUser',
    ratePerSecond: 100,
    planned: startMs.length,
    workers: 2,
    records: {
      originMs: 0,
      dueMs: Float64Array.from(startMs, (_, index) => index * 10),
      startMs: Float64Array.from(startMs),
      latencyMs: Float64Array.from(startMs, () => latencyMs),
      failure: new Uint16Array(startMs.length),
      failureKinds: [],
    },
  });
  const late = Array.from({ length: 10 }, (_, index) => (index < 5 ? index * 10 : index * 10 + 100));

  test('counts requests that were late although workers were free', () => {
    expect(lateWhileFree(part(late, 1))).toBe(0.5);
  });

  test('does not count them while the service keeps all workers waiting', () => {
    expect(lateWhileFree(part(late, 1000))).toBe(0);
  });

  test('is that of most blocks of a round, and not of one late moment', () => {
    const [slow, quick] = [late, [0, 10, 20]].map((starts) => ({ parts: [part(starts, 1)] }));

    expect(lateInBlocks([slow, quick].flatMap((one) => one ?? []))).toBe(0);
    expect(lateInBlocks([slow, quick, slow, slow].flatMap((one) => one ?? []))).toBe(0.5);
    expect(lateInBlocks([])).toBe(0);
  });

  test('counts nothing where the schedule was kept or there is none', () => {
    expect(lateWhileFree(part([0, 10, 20], 1))).toBe(0);
    const closed = part(late, 1);
    expect(lateWhileFree({ ...closed, records: { ...closed.records, dueMs: undefined } })).toBe(0);
    expect(lateWhileFree(part([], 1))).toBe(0);
  });
});
