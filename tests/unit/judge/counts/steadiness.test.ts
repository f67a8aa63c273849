import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { countedSteadiness } from '../../../../src/judge/counts/counted.ts';
import { parseRun, type RunInRounds } from '../../../../src/model/run/run.ts';

const recorded = (name: string) => {
  const path = `tests/fixtures/recorded/counts/${name}`;
  return parseRun(readFileSync(path, 'utf8'), path) as RunInRounds;
};

test('a build that is compared with itself says how steady its services are', () => {
  const run = recorded('unchanged-containers-busy-1.json');

  const [first, second] = countedSteadiness(run);

  expect([first?.service, second?.service]).toEqual(['rest', 'grpc']);
  for (const one of [first, second]) {
    expect(one?.starts).toBeGreaterThanOrEqual(2);
    expect(one?.spread).toBeGreaterThan(0);
    expect(one?.spread).toBeLessThan(0.01);
    expect(one?.supported).toBeLessThan(one?.threshold ?? 0);
    expect(one?.detectable).toBeGreaterThan(one?.threshold ?? 1);
  }
});

test('a service whose starts differ supports only a higher threshold', () => {
  const run = recorded('unchanged-containers-busy-1.json');
  const starts = (run.instructions?.starts ?? []).map((start) => ({
    ...start,
    operations: start.operations.map((one) => ({
      ...one,
      instructions: one.instructions.map((count) => (start.start === 1 ? Math.round(count * 1.05) : count)),
    })),
  }));

  const [rest] = countedSteadiness({
    ...run,
    ...(run.instructions && { instructions: { ...run.instructions, starts } }),
  });

  expect(rest?.spread).toBeGreaterThan(0.04);
  expect(rest?.supported).toBeGreaterThan(0.01);
});

test('nothing is said if nothing was counted', () => {
  const { instructions: _counts, ...run } = recorded('unchanged-containers-busy-1.json');

  expect(countedSteadiness(run as RunInRounds)).toEqual([]);
});
