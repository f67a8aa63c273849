import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { buildServices } from '../../src/runtime/process/build.ts';
import { benchPerTest, pythonService } from '../integration/plain-service.ts';

const bench = benchPerTest();

afterEach(() => {
  vi.unstubAllEnvs();
});

it("keeps the workflow's tokens and inputs from the build of a plain process, and leaves it the user's settings", async () => {
  const ofTheWorkflow = [
    'ACTIONS_RUNTIME_TOKEN',
    'ACTIONS_RESULTS_URL',
    'ACTIONS_CACHE_URL',
    'INPUT_TOKEN',
    'GITHUB_TOKEN',
  ];
  for (const name of [...ofTheWorkflow, 'PIP_INDEX_URL']) {
    vi.stubEnv(name, `value of ${name}`);
  }
  const service = pythonService('', { process: { build: [['sh', '-c', 'env > environment']], command: ['true'] } });
  const site = { options: bench.options, onServiceCore: [], onLoadCore: [] };

  await buildServices(site, [service], AbortSignal.timeout(20_000));

  const environment = readFileSync(join(bench.root, 'environment'), 'utf8');
  expect(environment).toContain('PIP_INDEX_URL=value of PIP_INDEX_URL\n');
  expect(ofTheWorkflow.filter((name) => environment.includes(name))).toEqual([]);
});

it('shows a build of a workflow no secret and no file by which it could write outputs, and says so where it fails', async () => {
  vi.stubEnv('GITHUB_ACTIONS', 'true');
  const out = join(bench.root, 'output');
  for (const name of ['GITHUB_ENV', 'GITHUB_OUTPUT', 'GITHUB_PATH', 'GITHUB_STATE', 'DEPLOY_KEY']) {
    vi.stubEnv(name, out);
  }
  const attack =
    'env > environment; for file in "$GITHUB_OUTPUT" "$GITHUB_ENV" "$DEPLOY_KEY"; do echo outcome=passed >> "$file"; done; exit 3';
  const service = pythonService('', { process: { build: [['sh', '-c', attack]], command: ['true'] } });
  const site = { options: bench.options, onServiceCore: [], onLoadCore: [] };

  const building = buildServices(site, [service], AbortSignal.timeout(20_000));

  await expect(building).rejects.toMatchObject({ next: expect.stringContaining('DEPLOY_KEY') });
  await expect(building).rejects.toMatchObject({ next: expect.stringContaining('WIREGAUGE_BUILD_VARIABLES') });
  expect(existsSync(out)).toBe(false);
  expect(readFileSync(join(bench.root, 'environment'), 'utf8')).not.toContain(out);
});
