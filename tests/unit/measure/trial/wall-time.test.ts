import { describe, expect, test } from 'vitest';
import { compareVersions } from '../../../../src/measure/plans/compare.ts';
import { WallTime } from '../../../../src/measure/trial/time.ts';
import { ALL_OPERATIONS } from '../../../../src/model/metric.ts';
import { fakeRounds } from '../../../support/fake-rounds.ts';

/** A clock that goes on only when it is told to. */
function handClock() {
  let ms = 1000;
  const clock = { nowMs: () => ms, steadyMs: () => ms, sleep: async () => undefined };
  return { clock, goOn: (by: number) => (ms += by) };
}

describe('WallTime', () => {
  test('splits the time of an attempt without a remainder', async () => {
    const { clock, goOn } = handClock();
    const wallTime = new WallTime(clock);
    await wallTime.spend('control', async () => goOn(150));
    await wallTime.spend('load', async () => {
      await wallTime.spend('counters', async () => goOn(100));
      goOn(900);
    });
    wallTime.add('drain', 50);
    wallTime.add('dropped', 30);
    goOn(20);
    const sample = { cell: { operation: ALL_OPERATIONS }, measuredSeconds: 0.6 };

    const split = wallTime.split([sample as never]);

    expect(split).toMatchObject({ total: 1.17, control: 0.15, measured: 0.6, drain: 0.05, counters: 0.1, turns: 0.22 });
    expect(split.other).toBe(0.02);
    const { total, ...parts } = split;
    expect(Object.values(parts).reduce((sum, seconds) => sum + seconds, 0)).toBeCloseTo(total, 6);
  });

  test('counts the time of work that fails', async () => {
    const { clock, goOn } = handClock();
    const wallTime = new WallTime(clock);
    const failing = wallTime.spend('stop', async () => {
      goOn(200);
      throw new Error('gone');
    });
    await expect(failing).rejects.toThrow('gone');
    expect(wallTime.split([])).toMatchObject({ total: 0.2, stop: 0.2, other: 0 });
  });
});

describe('an attempt', () => {
  test('says what its wall time went into, and what each block came to', async () => {
    const fake = fakeRounds();

    const run = await compareVersions(fake.bench, fake.head);

    expect(run.rounds.rounds.every(({ seconds }) => (seconds?.total ?? 0) > 0 && (seconds?.measured ?? 0) > 0)).toBe(
      true,
    );
    for (const { blocks, blockSums, requests, cell } of run.samples) {
      expect(blockSums?.requests).toHaveLength(blocks ?? Number.NaN);
      expect(blockSums?.requests.reduce((sum, one) => sum + one, 0)).toBe(requests);
      expect(blockSums?.cpuSeconds?.length).toBe(cell.operation === ALL_OPERATIONS ? blocks : undefined);
    }
  });
});
