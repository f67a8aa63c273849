import { describe, expect, test } from 'vitest';
import type { BlockLoad } from '../../../../src/model/load.ts';
import {
  aheadOf,
  clockOffset,
  type Generator,
  Generators,
  generatorsFor,
} from '../../../../src/runtime/kubernetes/generators.ts';
import { httpLoad } from '../../../integration/plain-service.ts';

const never = new AbortController().signal;

const loads = (ratePerSecond: number): BlockLoad[] => [httpLoad({ loadAddress: '10.0.0.7:80' }, { ratePerSecond })];

async function generatorsOf(number: number | 'auto', most = Number.POSITIVE_INFINITY) {
  const lines: string[] = [];
  const removed: string[] = [];
  let pods = 0;
  const start = async () => {
    pods += 1;
    if (pods > most) {
      throw new Error(`no room for p${pods}`);
    }
    return { pod: `p${pods}`, node: 'n1' };
  };
  const remove = async ({ pod }: Generator) => void removed.push(pod);
  const generators = await Generators.open({ number, start, remove, log: (line) => void lines.push(line) }, never);
  return { generators, lines, removed };
}

describe('load generators', () => {
  test('are as many as were set, at any rate', async () => {
    const { generators } = await generatorsOf(3);

    expect((await generators.for(loads(100_000), never)).map(({ pod }) => pod)).toEqual(['p1', 'p2', 'p3']);
    expect(generators.isUncalibrated).toBe(false);
  });

  test('are as many as a rate needs by the CPU time of one, and never fewer later', async () => {
    const { generators, lines } = await generatorsOf('auto');
    generators.calibrate(0.2, 4000);
    expect(generators.isUncalibrated).toBe(true);
    expect(await generators.for(loads(20_000), never)).toHaveLength(1);

    generators.calibrate(0.05, 1000);

    expect(generators.isUncalibrated).toBe(false);
    expect(await generators.for(loads(5000), never)).toHaveLength(1);
    expect(await generators.for(loads(20_000), never)).toHaveLength(2);
    expect(await generators.for(loads(5000), never)).toHaveLength(2);
    expect(lines).toEqual(['2 load generators: a request takes 50 µs of CPU time of one, at 20,000/s']);
  });

  test('go on with those that there are if a rate needs more than there is room for', async () => {
    const { generators, lines } = await generatorsOf('auto', 2);
    generators.calibrate(0.25, 5000);

    expect(await generators.for(loads(30_000), never)).toHaveLength(2);
    expect(await generators.for(loads(30_000), never)).toHaveLength(2);
    expect(lines.slice(1)).toEqual(['goes on with 2 load generators: no room for p3']);
  });

  test('that are gone are replaced', async () => {
    const { generators, removed } = await generatorsOf(2);
    generators.leaveOut(generators.all[0] ?? expect.fail('there is none'));

    expect((await generators.for(loads(1), never)).map(({ pod }) => pod)).toEqual(['p2', 'p3']);
    expect(removed).toEqual(['p1']);
  });

  test('are all no longer being started when one cannot be', async () => {
    let isStarting = false;
    const start = async (signal: AbortSignal): Promise<Generator> => {
      if (!isStarting) {
        isStarting = true;
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        isStarting = false;
        signal.throwIfAborted();
      }
      throw new Error('no room');
    };
    const opening = Generators.open({ number: 2, start, remove: async () => undefined, log: () => undefined }, never);

    await expect(opening).rejects.toThrow('no room');
    expect(isStarting).toBe(false);
  });

  test.each([
    [0, 1, 1],
    [10_000, 50e-6, 1],
    [10_001, 50e-6, 2],
    [100_000, 50e-6, 10],
  ])('%i/s at %f s each: %i', (rate, seconds, count) => {
    expect(generatorsFor(rate, seconds)).toBe(count);
  });

  test('that send late are named once', async () => {
    const { generators, lines } = await generatorsOf(2);
    for (const share of [0.01, 0.034, 0.5]) {
      generators.noteLate(generators.all[1] ?? expect.fail('there is none'), share);
    }

    expect(lines).toEqual(['load generator p2 on node n1: 3.4% of the requests of a load were sent over 10 ms late']);
  });

  test('that a block leaves out are counted once', async () => {
    const { generators, lines } = await generatorsOf(3);
    for (const count of [3, 1, 2]) {
      generators.noteFewer(count);
    }

    expect(lines).toEqual([
      '1 of 3 load generators send a block: one of its operations has 1 in flight, or per second',
    ]);
  });

  test('that started together are described by the worst start', async () => {
    const { generators } = await generatorsOf(2);
    expect(generators.skew).toBeUndefined();

    generators.noteStart([100, 100.25], 0.5);
    generators.noteStart([200, 200], 0.75);

    expect(generators.skew).toBe(
      'load generators: started 0.25 ms apart at most in 2 blocks, by clocks that are known to 0.75 ms',
    );
  });
});

describe('the offset of a clock', () => {
  test('is by the fastest answer, within half of its time', async () => {
    let now = 1000;
    const waits = [8, 2, 6, 9, 7];
    const offset = await clockOffset(
      async () => {
        const at = now + 1 + 50;
        now += waits.shift() ?? 0;
        return at;
      },
      () => now,
    );

    expect(offset).toEqual({ aheadMs: 50, errorMs: 1 });
  });

  test('from another is none if it may be an error', () => {
    expect(aheadOf({ aheadMs: 50, errorMs: 1 }, { aheadMs: 48, errorMs: 1 })).toBe(0);
    expect(aheadOf({ aheadMs: 50, errorMs: 1 }, { aheadMs: 40, errorMs: 1 })).toBe(10);
  });
});
