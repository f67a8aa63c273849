import { describe, expect, test } from 'vitest';
import { judgeRun } from '../../../../src/judge/verdict/judge.ts';
import type { StoredPlant } from '../../../../src/model/run/plant.ts';
import { viewComparison } from '../../../../src/report/comparison/view.ts';
import { plantLine, plantStatus, storedPlantLines } from '../../../../src/report/stored/plant.ts';
import { sampleRounds } from '../../../support/sample-rounds.ts';

const worse = [{ service: 'rest' as const, tier: 'saturation', metric: 'cpuMicrosPerRequest' as const, by: 0.2 }];
const run = sampleRounds({ rounds: 10, noise: 0.3, services: ['rest', 'grpc'], worse });
const viewOf = (rounds: object) => {
  const changed = { ...run, rounds: { ...run.rounds, ...rounds } };
  return viewComparison(judgeRun(changed), changed);
};

test('a plant is reported by service', () => {
  expect(plantLine(viewOf({ plant: { cpu: 0.2 } }))).toMatch(
    /^Planted 20% slowdown: found in REST[^;]* after 10 rounds, [^;]+; not found in gRPC.* in 10 rounds$/,
  );
  expect(plantLine(viewOf({}))).toBeUndefined();
});

test('a report is good news if every plant was found', () => {
  const found = sampleRounds({ rounds: 10, noise: 0.3, services: ['rest'], worse });
  const planted = { ...found, rounds: { ...found.rounds, plant: { cpu: 0.2 } } };

  expect(plantStatus(viewComparison(judgeRun(planted), planted))).toBe('good');
  expect(plantStatus(viewOf({ plant: { cpu: 0.2 } }))).toBe('bad');
  expect(plantStatus(viewOf({}))).toBeUndefined();
});

describe('the line on the newest plant', () => {
  const lines = (plant: StoredPlant) =>
    storedPlantLines(viewOf({ stored: { ratios: [], recent: { runs: 0, ratios: [] }, plant } }));

  test('says when and how soon it was found', () => {
    expect(lines({ cpu: 0.05, at: '2026-11-20T03:00:00.000Z', rounds: 10, seconds: 170 })).toEqual([
      'This gate found a planted 5% slowdown on this kind of runner on 2026-11-20, after 2 min 50 s.',
    ]);
  });

  test('says that it was not found', () => {
    expect(lines({ cpu: 0.05, at: '2026-11-20T03:00:00.000Z', rounds: 30 })).toEqual([
      'This gate did not find a planted 5% slowdown on this kind of runner on 2026-11-20, in 30 rounds.',
    ]);
  });

  test('is missing without a plant', () => {
    expect(storedPlantLines(viewOf({}))).toEqual([]);
  });
});
