import { afterAll, beforeAll, expect, test } from 'vitest';
import { type CompareProject, compareProject, SMALL_SUITE } from './compare-project.ts';
import { wiregauge } from './project.ts';

let project: CompareProject;

beforeAll(() => {
  project = compareProject();
});
afterAll(() => project.remove());

const calibrate = (...argv: readonly string[]) =>
  wiregauge(['calibrate', '--suite', 'small', '--profile', 'smoke', '--runtime', 'process', '--json', ...argv], {
    cwd: project.root,
  });

test('a planted slowdown is found, as far as it was planted', async () => {
  const { exitCode, stdout, stderr } = await calibrate('--plant', '50%');

  expect(exitCode, stderr).toBe(0);
  const { plant } = JSON.parse(stdout);
  expect(plant).toMatchObject({ cpu: 0.5, services: [{ service: 'good', isFound: true }] });
  expect(plant.services[0].change).toBeGreaterThan(0.3);
  expect(plant.services[0].change).toBeLessThan(0.8);
});

test('a planted slowdown below every threshold is not found, with exit code 1', async () => {
  project.write('suites/small.yml', `${SMALL_SUITE}policy: { thresholds: [{ threshold: 90% }] }\n`);
  const { exitCode, stdout, stderr } = await calibrate('--plant', '5%');

  expect(exitCode, stderr).toBe(1);
  expect(JSON.parse(stdout).plant).toMatchObject({ services: [{ service: 'good', isFound: false }] });
});
