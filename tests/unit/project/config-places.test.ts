import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { configPlaces } from '../../../src/project/places.ts';
import { sampleRounds } from '../../support/sample-rounds.ts';

const run = sampleRounds({ rounds: 1 });

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'checkout-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function write(path: string, text: string): void {
  mkdirSync(join(root, path, '..'), { recursive: true });
  writeFileSync(join(root, path), text);
}

const ofService = { suite: 'users', service: 'grpc', operation: 'all', tier: 'all' };

test('finds lines in the files of the checkout', () => {
  write('suites/users.yml', 'name: users\nsaturation: { workers: 5 }\n');
  write('services/grpc/service.yml', '# First\nname: grpc\n');
  write('.wiregauge/accepted.yml', '# Why\n- metric: p95\n');
  write('policies/strict.yml', 'budgets:\n  - metric: p95\n');

  const places = configPlaces(root, run, 'policies/strict.yml');

  expect(places.cell({ ...ofService, tier: 'saturation' })).toEqual({ path: 'suites/users.yml', line: 2 });
  expect(places.cell(ofService)).toEqual({ path: 'services/grpc/service.yml', line: 2 });
  expect(places.acceptance(0)).toEqual({ path: '.wiregauge/accepted.yml', line: 2 });
  expect(places.budget(0)).toEqual({ path: 'policies/strict.yml', line: 2 });
});

test('finds lines in the one file of a repository that has no other', () => {
  write('wiregauge.yml', 'services:\n  rest: {}\n  grpc: {}\ntiers:\n  - name: high\n');

  const places = configPlaces(root, run, undefined);

  expect(places.cell(ofService)).toEqual({ path: 'wiregauge.yml', line: 3 });
  expect(places.cell({ ...ofService, tier: 'high' })).toEqual({ path: 'wiregauge.yml', line: 5 });
});

test('has paths from the root of the checkout for a folder of a monorepo', () => {
  write('.git/HEAD', '');
  write('apps/api/wiregauge.yml', 'services:\n  rest: {}\n  grpc: {}\n');
  write('strict.yml', 'budgets:\n  - metric: p95\n');

  const places = configPlaces(join(root, 'apps/api'), run, '../../strict.yml');

  expect(places.cell(ofService)).toEqual({ path: 'apps/api/wiregauge.yml', line: 3 });
  expect(places.acceptance(0)).toEqual({ path: 'apps/api/.wiregauge/accepted.yml' });
  expect(places.budget(0)).toEqual({ path: 'strict.yml', line: 2 });
});

test('has paths without lines where there are no files', () => {
  const places = configPlaces(root, run, undefined);

  expect(places.suite).toEqual({ path: 'suites/users.yml' });
  expect(places.cell(ofService)).toEqual({ path: 'services/grpc/service.yml' });
  expect(places.acceptance(0)).toEqual({ path: '.wiregauge/accepted.yml' });
});

test('follows no name of a stranger out of the checkout', () => {
  writeFileSync(join(root, 'service.yml'), 'name: outside\n');
  const [service] = run.services;
  const forged = {
    ...run,
    suite: { ...run.suite, name: '../../etc' },
    services: service ? [{ ...service, name: '..' }] : [],
  };

  const places = configPlaces(join(root, 'checkout'), forged, undefined);

  expect(places.suite?.path).toBe('suites');
  expect(places.cell({ ...ofService, service: '..' })).toBeUndefined();
});

test('says nothing of a policy file outside of the checkout', () => {
  writeFileSync(join(root, 'policy.yml'), 'budgets:\n  - metric: p95\n');

  expect(configPlaces(join(root, 'checkout'), run, '../policy.yml').budget(0)).toBeUndefined();
});
