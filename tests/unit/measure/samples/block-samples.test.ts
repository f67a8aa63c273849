import { describe, expect, test } from 'vitest';
import { decodeHistogram } from '../../../../src/foundation/histogram.ts';
import type { MeasuredBlock } from '../../../../src/measure/samples/machine.ts';
import { blockSamples } from '../../../../src/measure/samples/observation.ts';
import type { Reading } from '../../../../src/model/runner.ts';
import { usersSuite } from '../../../support/suite.ts';
import { partOf } from './synthetic-records.ts';

const { operations } = usersSuite();
const [one, other] = operations.map(({ name }) => name);

interface Shape {
  readonly startsMs: number;
  readonly perSecond: number;
  readonly latencyMs: number;
  readonly cpuMicros: number;
  readonly stealSeconds?: number;
}

/** Half a second of requests in a closed loop, three of the first operation to one of the second. */
function block({ startsMs, perSecond, latencyMs, cpuMicros, stealSeconds = 0 }: Shape): MeasuredBlock {
  const calls = (share: number) =>
    Array.from({ length: (perSecond * share) / 2 }, (_, index) => ({
      startMs: index * (500 / ((perSecond * share) / 2)),
      latencyMs,
    }));
  const requests = perSecond / 2;
  const closed = { ratePerSecond: undefined, planned: undefined, originMs: startsMs };
  return {
    parts: [
      partOf(calls(0.75), { ...closed, operation: one ?? '' }),
      partOf(calls(0.25), { ...closed, operation: other ?? '' }),
    ],
    before: reading(startsMs - 20, 0, 0),
    after: reading(startsMs + 520, (requests * cpuMicros) / 1e6, stealSeconds),
  };
}

function reading(atMs: number, cpuSeconds: number, stealSeconds: number): Reading {
  return {
    atMs,
    service: { cpuSeconds, memoryMiB: 40, peakMemoryMiB: 41, wireBytes: cpuSeconds * 1e6 },
    loadCpuSeconds: cpuSeconds / 4,
    host: { busySeconds: cpuSeconds, stealSeconds, cpuPressureSeconds: 0, listenOverflows: 0, timeWaitSockets: 3 },
  };
}

function samplesOf(blocks: readonly MeasuredBlock[], dropSeconds = 0) {
  return blockSamples(
    { mode: 'saturate', operations, service: {}, workers: 40, seconds: 0.5, dropSeconds, blocks },
    { cell: { suite: 'users', service: 'rest', tier: 'saturation' }, round: 3, side: 'base', position: 2 },
  );
}

const quick = { perSecond: 4000, latencyMs: 2, cpuMicros: 200 };

describe('blockSamples', () => {
  test('rates and CPU time are those of all blocks together, as though they had followed one another', () => {
    const slow = { startsMs: 3000, perSecond: 2000, latencyMs: 8, cpuMicros: 400, stealSeconds: 0.1 };
    const blocks = [0, 1000, 2000].map((startsMs) => block({ ...quick, startsMs }));
    const [whole] = samplesOf([...blocks, block(slow)]);
    // 6,000 requests of 200 microseconds and 1,000 of 400.
    expect(whole?.values.cpuMicrosPerRequest).toBeCloseTo(1600 / 7, 6);
    // The last requests of a block end after it.
    expect(whole?.values.achievedRps).toBeGreaterThan(3450);
    expect(whole?.values.achievedRps).toBeLessThanOrEqual(3500);
    expect(whole?.host.stealShare).toBeCloseTo(0.1 / (4 * 0.54), 6);
  });

  test('what ticks of the kernel add and take block by block is summed before it is judged', () => {
    // One tick too many or too few in every block.
    const ticked = [0, 1000, 2000, 3000].map((startsMs, index) => {
      const measured = block({ ...quick, startsMs });
      const { host, loadCpuSeconds } = measured.after;
      const busySeconds = host.busySeconds + loadCpuSeconds + (index % 2 === 0 ? 0.05 : -0.05);
      return { ...measured, after: { ...measured.after, host: { ...host, busySeconds } } };
    });
    const [whole] = samplesOf(ticked);
    expect(whole?.host.foreignCpuShare).toBeCloseTo(0, 9);
  });

  test('latencies are those of all blocks together', () => {
    const slow = block({ ...quick, startsMs: 1000, latencyMs: 10 });
    const [whole] = samplesOf([block({ ...quick, startsMs: 0 }), slow]);
    expect(whole?.requests).toBe(4000);
    expect(whole?.values.latencyP50Ms).toBeGreaterThanOrEqual(2);
    expect(whole?.values.latencyP95Ms).toBeCloseTo(10, 6);
    expect(decodeHistogram(whole?.histogram ?? '').requests).toBe(4000);
  });

  test('one sample of all operations with the machine, one of each operation without it', () => {
    const [whole, ...single] = samplesOf([block({ ...quick, startsMs: 0 })]);
    expect(whole?.cell.operation).toBe('all');
    expect(single.map(({ cell }) => cell.operation)).toEqual([one, other]);
    expect(single.map(({ requests }) => requests)).toEqual([1500, 500]);
    expect(single[0]?.values.cpuMicrosPerRequest).toBeUndefined();
    expect(whole).toMatchObject({ round: 3, side: 'base', position: 2, blocks: 1 });
  });

  test('the share of the core is that of the time under load, not of the idle time around it', () => {
    // 2,000 requests of 245 microseconds in half a second: 98% of the core.
    const [whole] = samplesOf([block({ ...quick, cpuMicros: 245, startsMs: 0 })]);
    expect(whole?.values.serviceCpuShare).toBeGreaterThan(0.95);
    expect(whole?.marks).not.toContain('not-saturated');
    const [idle] = samplesOf([block({ ...quick, cpuMicros: 100, startsMs: 0 })]);
    expect(idle?.marks).toContain('not-saturated');
  });

  test('what is dropped at the start of a block is in no latency and no rate', () => {
    const [whole] = samplesOf([block({ ...quick, startsMs: 0 })], 0.25);
    expect(whole?.requests).toBe(1000);
    expect(whole?.values.cpuMicrosPerRequest).toBeCloseTo(200, 6);
    expect(whole?.measuredSeconds).toBeCloseTo(0.25, 9);
  });

  test('a service whose counters were not seen in every block has no figures of them, and what it needs has its own', () => {
    const seen = block({ ...quick, startsMs: 0 });
    const unseen = block({ ...quick, startsMs: 1000 });
    const hidden = { cpuSeconds: undefined, memoryMiB: undefined, peakMemoryMiB: undefined, wireBytes: undefined };
    const needing = [seen, unseen].map(({ parts, before, after }) => ({
      parts,
      before: { ...before, needsCpuSeconds: 7 },
      after: { ...after, needsCpuSeconds: 7.054 },
    }));

    const [partly] = samplesOf([seen, { ...unseen, after: { ...unseen.after, service: hidden } }]);
    const [whole] = samplesOf(needing);

    expect(partly?.values.cpuMicrosPerRequest).toBeUndefined();
    expect(partly?.values.achievedRps).toBeGreaterThan(0);
    expect(partly?.values.peakMemoryMiB).toBeUndefined();
    expect(partly?.host.needsCpuShare).toBeUndefined();
    // 54 ms of the 540 between the readings around a block.
    expect(whole?.host.needsCpuShare).toBeCloseTo(0.1, 9);
  });
});
