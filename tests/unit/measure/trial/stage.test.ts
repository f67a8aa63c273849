import { describe, expect, test } from 'vitest';
import type { Clock } from '../../../../src/host/machine/clock.ts';
import { runBlock } from '../../../../src/measure/trial/loads.ts';
import type { BlockLoad, LoadEnd } from '../../../../src/model/load.ts';
import type { Block } from '../../../../src/model/plan.ts';
import type { Reading } from '../../../../src/model/runner.ts';
import { EngineLost } from '../../../../src/runtime/ended.ts';
import type { RunningService } from '../../../../src/runtime/port.ts';
import { recordedFile } from '../../../support/record-file.ts';
import { NO_SECRETS } from '../../../support/secrets.ts';
import { restService, usersSuite } from '../../../support/suite.ts';

type Drive = Parameters<typeof runBlock>[0] & Parameters<typeof runBlock>[1];

const watched = async (drive: Drive, block: Block) =>
  await (await runBlock(drive, drive, block, { isWatched: true }))();

const steady = (changes: Partial<Block> = {}): Block => ({
  pace: { kind: 'users', workers: 8, requestsPerUser: 100, rampSeconds: 4 },
  seconds: 30,
  ...changes,
});
const end = (): LoadEnd => ({
  startedMs: 0,
  endedMs: 0,
  complaint: '',
  isOverTime: false,
  records: async () => recordedFile('ok'),
});

/** A clock whose time passes only in sleep, and lets others get on with their work meanwhile. */
function passingClock(): Clock {
  let nowMs = 1_000_000;
  return {
    nowMs: () => nowMs,
    steadyMs: () => nowMs,
    async sleep(milliseconds, signal) {
      signal?.throwIfAborted();
      nowMs += milliseconds;
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

/** A service that is loaded, whose readings are noted. */
class Bench {
  readonly stop = new AbortController();
  readonly readAtMs: number[] = [];
  readonly blocks: (readonly BlockLoad[])[] = [];
  isPlaying = false;
  readonly #clock = passingClock();
  readonly #startedMs = this.#clock.nowMs();
  readonly #playedMs: number;

  constructor(playedMs: number) {
    this.#playedMs = playedMs;
  }

  /** The driver ends its block once so much time has passed, or with the signal. */
  async play(loads: readonly BlockLoad[], signal: AbortSignal): Promise<readonly LoadEnd[]> {
    this.blocks.push(loads);
    this.isPlaying = true;
    try {
      while (this.elapsedMs() < this.#playedMs) {
        signal.throwIfAborted();
        await new Promise((resolve) => setImmediate(resolve));
      }
      return loads.map(() => end());
    } finally {
      this.isPlaying = false;
    }
  }

  elapsedMs(): number {
    return this.#clock.nowMs() - this.#startedMs;
  }

  drive(changes: Partial<RunningService> = {}): Drive {
    const running = {
      loadAddress: '127.0.0.1:5000',
      play: (loads: readonly BlockLoad[], signal: AbortSignal) => this.play(loads, signal),
      reading: async () => {
        this.readAtMs.push(this.elapsedMs());
        return { atMs: this.elapsedMs() } as Reading;
      },
      ...changes,
    } as RunningService;
    const { operations } = usersSuite();
    return {
      ...{ service: restService('api'), running, operations, secrets: NO_SECRETS },
      ...{ clock: this.#clock, signal: this.stop.signal },
    };
  }
}

describe('a stage of users', () => {
  test('is run with all operations at once', async () => {
    const bench = new Bench(2500);

    const { parts } = await watched(bench.drive(), steady());

    expect(bench.blocks).toHaveLength(1);
    expect(bench.blocks[0]?.map(({ tool, load }) => [tool, load.kind, load.workers, load.seconds])).toEqual([
      ['vegeta', 'users', 6, 30],
      ['vegeta', 'users', 2, 30],
    ]);
    expect(parts.map(({ planned, ratePerSecond }) => [planned, ratePerSecond])).toEqual([
      [600, undefined],
      [200, undefined],
    ]);
  });

  test('is read before it, after every second of it and at its end, which does not wait for its limit', async () => {
    const bench = new Bench(2500);

    const { before, between = [], after } = await watched(bench.drive(), steady());

    expect([before, ...between, after].map(({ atMs }) => atMs)).toEqual(bench.readAtMs);
    expect(bench.readAtMs.slice(0, 3)).toEqual([0, 1000, 2000]);
    const last = bench.readAtMs.at(-1) ?? 0;
    expect(last).toBeGreaterThanOrEqual(2500);
    expect(last).toBeLessThan(30_000);
  });

  test.each([
    ['the driver fails', { play: async () => Promise.reject(new Error('no driver')) }, 'no driver'],
    ['the driver does not play', { play: async () => [{ ...end(), complaint: 'no kind' }] }, 'no kind'],
  ])('fails where %s', async (_, changes, message) => {
    const bench = new Bench(2500);

    await expect(watched(bench.drive(changes), steady())).rejects.toThrow(message);
  });

  test('is given up, and its load ended, where a counter cannot be read', async () => {
    const bench = new Bench(Number.POSITIVE_INFINITY);
    let reads = 0;
    const reading = async () => {
      reads += 1;
      return reads > 2 ? await Promise.reject(new Error('no such container')) : ({ atMs: 0 } as Reading);
    };

    await expect(watched(bench.drive({ reading }), steady())).rejects.toThrow('api: its counters cannot be read');
    expect(bench.isPlaying).toBe(false);
    expect(reads).toBe(3);
  });

  test('blames no service for a container that was lost', async () => {
    const bench = new Bench(2500);
    const lost = new EngineLost('the cluster has lost api');

    await expect(watched(bench.drive({ reading: () => Promise.reject(lost) }), steady())).rejects.toBe(lost);
  });

  test('ends its load and its readings with the signal', async () => {
    const bench = new Bench(Number.POSITIVE_INFINITY);
    let reads = 0;
    const reading = async () => {
      reads += 1;
      if (reads === 3) {
        bench.stop.abort(new Error('stopped by hand'));
      }
      return { atMs: 0 } as Reading;
    };

    await expect(watched(bench.drive({ reading }), steady())).rejects.toThrow('stopped by hand');
    expect(bench.isPlaying).toBe(false);
    const before = reads;
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(reads).toBe(before);
  });
});

test('a stage at a rate is run over connections of its own', async () => {
  const bench = new Bench(2500);
  const pace = { kind: 'open', ratePerSecond: 8, workers: 4 } as const;

  await watched(bench.drive(), steady({ pace, seconds: 3 }));

  expect(bench.blocks[0]?.map(({ load }) => [load.kind, load.fresh])).toEqual([
    ['open', true],
    ['open', true],
  ]);
});

test('a stage whose requests have no end names its service and its operation', async () => {
  const bench = new Bench(2500);
  const play = async () => [{ ...end(), endedMs: 75_000, isOverTime: true }, end()];

  await expect(watched(bench.drive({ play }), steady())).rejects.toThrow(
    'api: requests of GetUser had no end within 75 s under load',
  );
});

test.each([20, 0])('a stage at a rate has a service that is %d ms away', async (rttMs) => {
  const bench = new Bench(2500);
  const network = { rttMs, by: 'driver' } as const;
  const pace = { kind: 'open', ratePerSecond: 8, workers: 4, network } as const;

  await watched(bench.drive(), steady({ pace, seconds: 2 }));

  expect(bench.blocks[0]?.map(({ load }) => [load.kind, load.network])).toEqual([
    ['open', network],
    ['open', network],
  ]);
});

test('a stage of a closed loop keeps the weights of its operations', async () => {
  const bench = new Bench(2500);

  await watched(bench.drive(), steady({ pace: { kind: 'saturate', workers: 8 }, seconds: 2 }));

  expect(bench.blocks[0]?.map(({ load }) => [load.kind, 'weight' in load ? load.weight : undefined])).toEqual([
    ['saturate', 0.75],
    ['saturate', 0.25],
  ]);
});
