import { describe, expect, test } from 'vitest';
import { measureGrowth } from '../../../../src/measure/plans/memory-growth.ts';
import type { RoundBench } from '../../../../src/measure/trial/versions.ts';
import { fakeRounds, type RoundsBehavior } from '../../../support/fake-rounds.ts';
import { sampleRounds } from '../../../support/sample-rounds.ts';

/** A run of the services of the fake bench whose rounds say nothing of memory. */
function runOf(rps: number) {
  const run = sampleRounds({ services: ['rest'], rounds: 8 });
  const renamed = JSON.parse(JSON.stringify(run).replaceAll('"rest"', '"first"')) as typeof run;
  const samples = renamed.samples.map((sample) => ({ ...sample, values: { ...sample.values, achievedRps: rps } }));
  return { ...renamed, samples };
}

const longer = (bench: RoundBench): RoundBench => ({ ...bench, profile: { ...bench.profile, name: 'quick' } });

async function measured(behavior: RoundsBehavior, { rps = 1000, left = 600 } = {}) {
  const fake = fakeRounds(behavior);
  return { ...fake, record: await measureGrowth(longer(fake.bench), runOf(rps), () => left) };
}

describe('measureGrowth', () => {
  test('loads both versions in starts of their own, and notes memory after each block', async () => {
    const { record, started } = await measured({});
    expect(started.slice(0, 2).toSorted()).toEqual(['base first', 'head first']);
    expect(record?.missing).toEqual([]);
    expect(record?.starts[0]).toMatchObject({ service: 'first', start: 1, memoryMiB: Array(40).fill(40) });
    expect(record?.starts[0]?.requests).toHaveLength(40);
  });

  test.each([
    ['the budget', { left: 20 }, 'the budget left no time'],
    ['a slow service', { rps: 100 }, 'it serves fewer than 334 requests/s'],
  ])('starts nothing for want of time: %s', async (_, given, message) => {
    const { record, started } = await measured({}, given);
    expect([started, record?.starts]).toEqual([[], []]);
    expect(record?.missing).toMatchObject([{ service: 'first', message }]);
  });

  test('notes what keeps a service from it, once', async () => {
    const { record, lines } = await measured({ head: { endsUnderLoad: ['first'] } });
    expect(record?.starts).toEqual([]);
    expect(record?.missing).toHaveLength(1);
    expect(lines.join('\n')).toContain('first: memory not compared under a long load, because first');
  });

  test('is left out of comparisons of services, and of the shortest profile', async () => {
    const { bench } = fakeRounds();
    expect(await measureGrowth(bench, runOf(1000), () => 600)).toBeUndefined();
    const versus = { ...longer(bench), versus: { reference: 'first', services: ['second'] } as never };
    expect(await measureGrowth(versus, runOf(1000), () => 600)).toBeUndefined();
  });
});
