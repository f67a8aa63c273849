import { spawn } from 'node:child_process';
import { describe, expect, onTestFinished, test } from 'vitest';
import { measureRound } from '../../../../src/measure/plans/round.ts';
import { isCostFlat, isWarm } from '../../../../src/measure/trial/blocks.ts';
import type { RoundBench } from '../../../../src/measure/trial/versions.ts';
import { fakeRounds } from '../../../support/fake-rounds.ts';
import type { Behavior } from '../../../support/fakes.ts';
import { recordFile } from '../../../support/record-file.ts';

describe('isWarm', () => {
  test.each([
    { curve: [], warm: false, what: 'nothing was played' },
    { curve: [4], warm: false, what: 'one block shows no curve' },
    { curve: [4, 3], warm: false, what: 'the service still gets faster' },
    { curve: [4, 3, 2.9], warm: true, what: 'the last block is hardly faster' },
    { curve: [4, 3, 2.8], warm: false, what: 'the last block is over 5% faster' },
    { curve: [3, 4], warm: true, what: 'the last block is slower' },
    { curve: [undefined, 3], warm: false, what: 'the first block had no answers' },
    { curve: [3, undefined], warm: true, what: 'the last block had no answers' },
    { curve: [undefined, undefined], warm: true, what: 'nothing is ever answered' },
  ])('$warm if $what', ({ curve, warm }) => {
    expect(isWarm(curve)).toBe(warm);
  });
});

describe('isCostFlat', () => {
  /** Blocks of as many requests at these costs in ms. */
  const blocksOf = (requests: number, costs: readonly number[]) =>
    costs.map((cost) => ({ requests, cpuSeconds: (requests * cost) / 1000 }));

  test.each([
    { requests: 1000, costs: [3], flat: false, what: 'one window shows no change' },
    { requests: 1000, costs: [3, 2.8], flat: true, what: 'it is hardly cheaper' },
    { requests: 1000, costs: [3, 2.6], flat: false, what: 'it still gets cheaper' },
    { requests: 1000, costs: [9, 3, 3], flat: true, what: 'what was before the last two windows does not matter' },
    { requests: 500, costs: [8, 8], flat: false, what: 'a plateau is shorter than 1,000 requests' },
    { requests: 500, costs: [8, 8, 8, 8], flat: true, what: 'it is longer' },
    { requests: 1, costs: Array.from({ length: 7 }, () => 8), flat: false, what: 'few requests take four blocks' },
    { requests: 1, costs: Array.from({ length: 8 }, () => 8), flat: true, what: 'there are no more than four' },
    { requests: 0, costs: Array.from({ length: 8 }, () => 0), flat: true, what: 'nothing is ever answered' },
  ])('$flat: $what', ({ requests, costs, flat }) => {
    expect(isCostFlat(blocksOf(requests, costs))).toBe(flat);
  });

  /** Requests in blocks of 1 s, and CPU time in ms for each: Spring Boot after a start of 30 s. */
  const SPRING =
    '141:16.9 137:13.7 221:8.9 211:7.8 214:8.1 172:6.5 258:5.2 268:5.4 250:5.2 283:4.7 307:3.7 408:2.7 417:2.7 346:3.0 280:2.9 432:2.3 439:2.5 405:2.6 451:2.5 607:1.9';

  test('a JVM is warm after its last plateau, not on one before', () => {
    const blocks = SPRING.split(' ').map((pair) => {
      const [requests = 0, cost = 0] = pair.split(':').map(Number);
      return { requests, cpuSeconds: (requests * cost) / 1000 };
    });
    const first = blocks.findIndex((_, last) => isCostFlat(blocks.slice(0, last + 1)));

    expect(first + 1).toBe(16);
  });
});

/** Lengths of the first blocks of a round of the service `first`, of both versions. */
async function firstBlocks(changed: (bench: RoundBench) => RoundBench): Promise<readonly number[]> {
  const lengths: number[] = [];
  const onPlay: Behavior['onPlay'] = (service, [block]) => {
    if (service === 'first' && block !== undefined) {
      lengths.push(block.load.seconds);
    }
  };
  const bench = changed(fakeRounds({ base: { onPlay }, head: { onPlay } }).bench);
  await measureRound(bench, { service: 'first', round: 1, mayDiscard: false, tiers: [], times: 1 }, () => undefined);
  return lengths.slice(0, 3);
}

test.each([
  ['java', [1, 1, 1]],
  ['node', [0.1, 0.1, 0.1]],
])('a service with a member on %s', async (program, lengths) => {
  const [entry, member] = ['gateway', program].map((argv0) => {
    const child = spawn('sleep', ['60'], { argv0 });
    onTestFinished(() => void child.kill());
    return child.pid ?? 0;
  });
  const processes = [entry ?? 0, member ?? 0];
  const blocks = await firstBlocks((bench) => {
    const { base } = bench.versions;
    const start: typeof base.runtime.start = async (...how) => ({ ...(await base.runtime.start(...how)), processes });
    return { ...bench, versions: { ...bench.versions, base: { ...base, runtime: { ...base.runtime, start } } } };
  });

  expect(blocks).toEqual(lengths);
});

test('blocks of a version under a CPU quota are the longest, and count from the second quota on', async () => {
  const lengths: number[] = [];
  const onPlay: Behavior['onPlay'] = (_, [block]) => void lengths.push(block?.load.seconds ?? 0);
  const { bench } = fakeRounds({ head: { onPlay } });
  const { head } = bench.versions;
  const start: typeof head.runtime.start = async (...how) => ({
    ...(await head.runtime.start(...how)),
    hasCpuQuota: true,
  });
  const versions = { ...bench.versions, head: { ...head, runtime: { ...head.runtime, start } } };
  const round = { service: 'first', round: 1, mayDiscard: false, tiers: [], times: 1 };
  const { samples } = await measureRound({ ...bench, versions }, round, () => undefined);

  expect(lengths.at(-1)).toBe(0.5);
  expect(samples.map(({ blocks, measuredSeconds }) => measuredSeconds / (blocks ?? 0))).toEqual(
    samples.map(() => expect.closeTo(0.4)),
  );
});

describe('a suite that wants a warm-up of its own', () => {
  const ofSuite = (name: string) =>
    firstBlocks((bench) => {
      const suite = { ...bench.suite, saturation: { ...bench.suite.saturation, warmupSeconds: 8 } };
      return { ...bench, suite, profile: { ...bench.profile, name } };
    });

  test('loads each version for so long before anything counts', async () => {
    expect(await ofSuite('standard')).toEqual([8, 8, 0.1]);
  });

  test('does without in a first try', async () => {
    expect(await ofSuite('smoke')).toEqual([0.1, 0.1, 0.1]);
  });
});

test.each([
  [0.9, ['head']],
  [1, undefined],
])('a round has the versions that still get faster when the time for it is over: %j', async (pace, cold) => {
  let latencyMs = 1000;
  const originMs = (): number => Math.round(fake.bench.clock.nowMs()) - 50;
  const records = () => {
    latencyMs *= pace;
    return recordFile([{ startMs: 0, latencyMs }], { originMs: originMs() });
  };
  const fake = fakeRounds({ head: { records } });

  const name = { service: 'first', round: 1, mayDiscard: false, tiers: [], times: 1 };
  const { record } = await measureRound(fake.bench, name, () => undefined);

  expect([record.outcome, record.cold]).toEqual(['kept', cold]);
});
