import { spawn } from 'node:child_process';
import { describe, expect, onTestFinished, test } from 'vitest';
import { isCostFlat, isWarm } from '../../../../src/measure/plans/blocks.ts';
import { measureRound } from '../../../../src/measure/plans/round.ts';
import type { RoundBench } from '../../../../src/measure/plans/versions.ts';
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
    { requests: 1000, costs: [4, 3, 3], flat: false, what: 'two windows have at least two blocks each' },
    { requests: 1000, costs: [3, 3, 3, 2.9], flat: true, what: 'it is hardly cheaper' },
    { requests: 1000, costs: [4, 3, 3, 2.9], flat: false, what: 'it still gets cheaper' },
    {
      requests: 1000,
      costs: [9, 9, 3, 3, 3, 3],
      flat: true,
      what: 'what was before the last two windows does not matter',
    },
    { requests: 250, costs: [8, 8, 8, 8], flat: false, what: 'a plateau is shorter than 1,000 requests' },
    { requests: 250, costs: [8, 8, 8, 8, 8, 8, 8, 8], flat: true, what: 'it is longer' },
    { requests: 1, costs: Array.from({ length: 15 }, () => 8), flat: false, what: 'few requests take eight blocks' },
    { requests: 1, costs: Array.from({ length: 16 }, () => 8), flat: true, what: 'there are no more than eight' },
    { requests: 0, costs: Array.from({ length: 16 }, () => 0), flat: true, what: 'nothing is ever answered' },
  ])('$flat: $what', ({ requests, costs, flat }) => {
    expect(isCostFlat(blocksOf(requests, costs))).toBe(flat);
  });

  /** CPU time in ms per request, in blocks of 0.5 s: Spring Boot after a start of 30 s. */
  const SPRING =
    '67:19.5 74:14.6 70:16.2 67:11.1 111:9.6 110:8.2 96:7.7 115:7.8 90:7.8 124:8.4 82:6.6 90:6.4 156:4.7 102:5.9 144:5.0 ' +
    '124:5.8 131:5.1 119:5.3 105:5.3 178:4.3 144:3.9 163:3.5 177:3.4 231:2.2 180:2.9 237:2.6 163:2.9 183:3.0 118:3.4 162:2.5 ' +
    '232:2.3 200:2.4 231:2.6 208:2.4 203:2.6 202:2.6 234:2.5 217:2.6 303:1.7 304:2.0';

  test('a JVM is warm after its last plateau, not on one before', () => {
    const blocks = SPRING.split(' ').map((pair) => {
      const [requests = 0, cost = 0] = pair.split(':').map(Number);
      return { requests, cpuSeconds: (requests * cost) / 1000 };
    });
    const first = blocks.findIndex((_, last) => isCostFlat(blocks.slice(0, last + 1)));

    expect(first + 1).toBe(38);
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
  ['java', [0.5, 0.5, 0.5]],
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
