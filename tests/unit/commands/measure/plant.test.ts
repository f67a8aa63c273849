import { describe, expect, test } from 'vitest';
import { plantExit, plantText, searchText } from '../../../../src/commands/measure/calibrate.ts';
import { parsePlant } from '../../../../src/commands/program/options.ts';
import { isPlantDecided, plantResults } from '../../../../src/judge/calibration/plant.ts';
import { judgeRun } from '../../../../src/judge/verdict/judge.ts';
import { listsOf, type ResultLists, withLists } from '../../../support/result-lists.ts';
import { sampleRounds } from '../../../support/sample-rounds.ts';

const planted = (by: number, metric: 'cpuMicrosPerRequest' | 'latencyP50Ms' = 'cpuMicrosPerRequest') => {
  const worse = [{ service: 'rest' as const, tier: 'saturation', metric, by }];
  const run = sampleRounds({ rounds: 10, noise: 0.3, services: ['rest', 'grpc'], worse });
  return plantResults(run, judgeRun(run));
};

describe('a planted slowdown', () => {
  test('is found in each service that the policy fails for its CPU time', () => {
    expect(planted(0.2)).toMatchObject([
      { service: 'rest', isFound: true, rounds: 10, detectable: undefined },
      { service: 'grpc', isFound: false, rounds: 10 },
    ]);
    expect(planted(0.2)[0]?.change).toBeCloseTo(0.2, 1);
  });

  test('is not found by anything else that got slower', () => {
    expect(planted(0.2, 'latencyP50Ms').map(({ isFound }) => isFound)).toEqual([false, false]);
  });

  test('in memory is looked for on, as long as noise hides it', () => {
    const result = judgeRun(sampleRounds({ rounds: 8, services: ['rest'] }));
    const hidden = {
      ...listsOf(result).findings[0],
      metric: 'peakMemoryMiB',
      family: 'watch',
      verdict: 'inconclusive',
    };
    const findings = [{ ...hidden, reason: 'not-seen' }] as ResultLists['findings'];

    expect(isPlantDecided(withLists(result, { findings }), 'rest', { memoryMB: 20 })).toBe(false);
    expect(isPlantDecided(withLists(result, { findings: [] }), 'rest', { memoryMB: 20 })).toBe(true);
  });

  test('takes as long as the load that shows it, if it is a leak', () => {
    const run = sampleRounds({
      rounds: 8,
      services: ['rest'],
      change: { spent: { totalSeconds: 230, overheadSeconds: 0 } },
    });
    const secondsOf = (plant: { cpu: number } | { leakBytes: number }) =>
      plantResults({ ...run, rounds: { ...run.rounds, plant } }, judgeRun(run))[0]?.seconds;

    expect(secondsOf({ leakBytes: 400 })).toBe(230);
    expect(secondsOf({ cpu: 0.05 })).toBeLessThan(230);
  });

  test('is looked for in a service until its own CPU time is clear', () => {
    const decided = (noise: number, by: number, metric: 'cpuMicrosPerRequest' | 'latencyP50Ms') => {
      const worse = [{ service: 'rest' as const, tier: 'saturation', metric, by }];
      const run = sampleRounds({ rounds: 8, noise, services: ['rest', 'grpc'], worse });
      const result = judgeRun({ ...run, rounds: { ...run.rounds, ended: 'running' } });
      return ['rest', 'grpc'].map((service) => isPlantDecided(result, service, { cpu: 0.05 }));
    };

    expect(decided(3, 0.5, 'cpuMicrosPerRequest')).toEqual([true, false]);
    expect(decided(3, 0.5, 'latencyP50Ms')).toEqual([false, false]);
    expect(decided(0.1, 0, 'cpuMicrosPerRequest')).toEqual([true, true]);
  });

  test('that is not found fails, and one that cannot be judged is not a result', () => {
    expect(plantExit(planted(0.2).slice(0, 1), 'regressed')).toBe(0);
    expect(plantExit(planted(0.2), 'regressed')).toBe(1);
    expect(plantExit(planted(0), 'incomplete')).toBe(2);
  });

  test('is reported next to what the calibration expects', () => {
    const results = [
      { service: 'rest', isFound: true, rounds: 8, seconds: 170, change: 0.052, detectable: 0.031 },
      { service: 'grpc', isFound: false, rounds: 30, seconds: 600, change: undefined, detectable: undefined },
    ];

    expect(plantText({ cpu: 0.05 }, results).split('\n')).toEqual([
      'planted: 5%',
      '  rest: found after 8 rounds, 2 min 50 s (service CPU time per request +5.2%; calibration: from 3.1% on)',
      '  grpc: not found after 30 rounds, 10 min (service CPU time per request was not compared)',
    ]);
  });
});

test('a search names the smallest plant, and what the calibration expects', () => {
  const tried = [
    { cpu: 0.05, found: 9, comparisons: 9 },
    { cpu: 0.0333, found: 3, comparisons: 5 },
  ];

  expect(searchText({ smallest: 0.05, tried }, 0.041).split('\n')).toEqual([
    'smallest plant found in 9 of 10 comparisons: 5%; calibration: from 4.1% on',
    '  5%: found in 9 of 9 comparisons',
    '  3.33%: found in 3 of 5 comparisons',
  ]);
  expect(searchText({ smallest: undefined, tried }, undefined)).toMatch(/: none up to 50%\n/);
});

test.each([
  ['5%', { cpu: 0.05 }],
  ['0.5%', { cpu: 0.005 }],
  ['50%', { cpu: 0.5 }],
  ['200ms', { startMs: 200 }],
  ['1.5s', { startMs: 1500 }],
  ['20MB', { memoryMB: 20 }],
  ['leak=400B', { leakBytes: 400 }],
  ['smallest', 'smallest'],
])('%s is a plant', (text, plant) => {
  expect(parsePlant(text)).toEqual(plant);
});

test.each(['0%', '5', '-5%', '51%', 'x%', '0ms', '90s', '5GB', '20mb', '400B', 'leak=5%', 'leak=1MB'])(
  '%s is none',
  (text) => {
    expect(() => parsePlant(text)).toThrow('like 5%');
  },
);
