import { readFileSync } from 'node:fs';
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
