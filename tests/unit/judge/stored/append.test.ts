import { describe, expect, test } from 'vitest';
import { seededRandom } from '../../../../src/foundation/random.ts';
import { appendRun } from '../../../../src/judge/stored/append.ts';
import type { Baseline } from '../../../../src/judge/stored/baseline.ts';
import type { Run } from '../../../../src/model/run/run.ts';
import { TIERS } from '../../../support/sample-cells.ts';
import { sampleRounds } from '../../../support/sample-rounds.ts';
import { baselineOf, CPU, judge, normalValues, runNow, verdictOn } from './histories.ts';

const EMPTY: Baseline = { suite: 'users', runnerClass: 'linux-x64-2core', runs: [] };

const append = (baseline: Baseline, run: Run) => appendRun(baseline, { run, file: 'out/run.json', note: 'a test' });

describe('appending a run', () => {
  test('keeps the medians of its rounds and what moves figures', () => {
    const run = runNow();
    const [stored] = append(EMPTY, run).runs;
    const values = run.samples.flatMap(({ cell, values: { cpuMicrosPerRequest } }) =>
      cell.service === 'rest' && cell.operation === 'all' && cell.tier === 'high' ? [cpuMicrosPerRequest ?? 0] : [],
    );

    expect(stored).toMatchObject({
      startedAt: run.startedAt,
      commit: run.commit.head,
      stratum: { cpuModel: run.runner.cpuModel, cores: 2, kernelMajor: '6' },
      configuration: {
        runtime: 'docker',
        profile: 'default',
        configHash: '9b1c7d3e',
        tools: 'ghz 0.121.0, vegeta 12.13.0',
      },
      rounds: 3,
      note: 'a test',
      suspicious: [],
    });
    expect(stored?.cells['rest/all/high']?.cpuMicrosPerRequest).toBeCloseTo(values.sort((a, b) => a - b)[1] ?? 0, 1);
    expect(stored?.cells['rest/all/all']).toEqual({ peakMemoryMiB: 66.2 });
    expect(stored?.controlMs).toBeUndefined();
  });

  test('of two versions keeps the head in its kept rounds, and the control loop', () => {
    const run = sampleRounds({ rounds: 10, discarded: 2 });
    const [stored] = append(EMPTY, run).runs;

    expect(stored).toMatchObject({ rounds: 10, configuration: { profile: 'standard, blocks' } });
    expect(stored?.controlMs).toBeGreaterThan(150);
    expect(stored?.controlMs).toBeLessThan(151);
  });

  test('leaves a run that already exists as it was', () => {
    const once = append(EMPTY, runNow());

    expect(append(once, runNow())).toBe(once);
  });

  test('keeps the order of time and the newest 60', () => {
    const baseline = baselineOf(Array.from({ length: 60 }, () => 0));
    const after = append(baseline, runNow({ change: { startedAt: '2026-01-10T12:00:00Z' } }));

    expect(after.runs).toHaveLength(60);
    expect(after.runs[0]).toEqual(baseline.runs[1]);
    expect(after.runs.findIndex(({ startedAt }) => startedAt === '2026-01-10T12:00:00Z')).toBe(9);
  });

  test.each([
    ['20 runs', 20, 3],
    ['10 runs, when it is only advice', 10, 3],
    ['20 runs, with one round', 20, 1],
  ])('flags what is suspicious against %s, and does not learn from it', (_what, count, rounds) => {
    const slower = { rounds, shapes: { 'grpc/saturation': { cpuMicros: 160 } } };
    const before = baselineOf(normalValues(seededRandom(5), count, 0.008));
    const after = append(before, runNow(slower));
    const next = runNow({ ...slower, change: { startedAt: '2027-01-01T00:00:00Z' } });
    expect(after.runs.at(-1)?.suspicious).toEqual([CPU]);
    expect(verdictOn(judge(next, after).verdicts, CPU)).toMatchObject({ standing: 'suspicious', runs: count });
  });

  test('stores nothing but its errors of a cell that says nothing else of its service', () => {
    const [stored] = append(EMPTY, runNow({ shapes: { 'rest/high': { marks: ['saturated'] } } })).runs;

    expect(
      Object.entries(stored?.cells ?? {}).filter(([place]) => place.startsWith('rest/') && place.endsWith('/high')),
    ).toEqual([['rest/all/high', { errorRate: 0 }]]);
  });

  test.each<[string, Run, RegExp]>([
    ['was not completed', runNow({ change: { complete: false } }), /out\/run\.json: the run was not completed/],
    [
      'is of another suite',
      { ...runNow(), suite: { ...runNow().suite, name: 'orders' } },
      /the run is of orders on linux-x64-2core, but the baseline of users on linux-x64-2core/,
    ],
    [
      'is of another runner class',
      { ...runNow(), runner: { ...runNow().runner, cores: 8 } },
      /is of users on linux-x64-8core/,
    ],
    [
      'measured nothing',
      runNow({ services: ['rest'], without: [...TIERS.map(({ name }) => `rest/${name}`), 'rest/saturation'] }),
      /nothing to store/,
    ],
  ])('refuses a run that %s', (_what, run, message) => {
    expect(() => append(EMPTY, run)).toThrow(message);
  });
});
