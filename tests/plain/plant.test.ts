import { afterAll, beforeAll, expect, test } from 'vitest';
import { type CompareProject, compareProject } from '../integration/compare-project.ts';
import { wiregauge } from '../integration/project.ts';

let project: CompareProject;

beforeAll(() => {
  project = compareProject();
});
afterAll(() => project.remove());

test('a planted slowdown is found, as far as it was planted', async () => {
  const usual = ['--suite', 'small', '--profile', 'smoke', '--runtime', 'process', '--json'];
  const { exitCode, stdout, stderr } = await wiregauge(['calibrate', ...usual, '--plant', '50%'], {
    cwd: project.root,
  });

  expect(exitCode, stderr).toBe(0);
  const { plant } = JSON.parse(stdout);
  expect(plant).toMatchObject({ cpu: 0.5, services: [{ service: 'good', isFound: true }] });
  expect(plant.services[0].change).toBeGreaterThan(0.3);
  expect(plant.services[0].change).toBeLessThan(0.8);
});
