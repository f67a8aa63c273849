import { mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { cacheFolder } from '../../src/host/files/own-folders.ts';
import { parseRun } from '../../src/model/run/run.ts';
import { uvFolder } from '../../src/runtime/process/build.ts';
import { UV_VERSION } from '../../src/runtime/process/uv-hashes.ts';
import { filesIn, type InstalledPackage, installPackage } from '../integration/installed-package.ts';
import { realLoadTools } from '../integration/load-tools.ts';

let installed: InstalledPackage;
let cache = '';

// A cache of its own, so that the reference services are copied and built anew; only what was downloaded is not had twice.
beforeAll(async () => {
  await realLoadTools();
  await uvFolder({ environment: process.env, signal: AbortSignal.timeout(120_000), log: () => undefined });
  installed = installPackage();
  cache = join(dirname(installed.folder), 'cache');
  mkdirSync(join(cache, 'wiregauge'), { recursive: true });
  for (const name of ['load-tools', `uv-${UV_VERSION}`]) {
    symlinkSync(join(cacheFolder(process.env), name), join(cache, 'wiregauge', name));
  }
});

afterAll(() => installed.remove());

test('npx wiregauge run measures the reference services, if their suite is named, in an empty folder, and writes nothing into the package', async () => {
  const before = installed.content();
  const argv = [
    'run',
    '--suite',
    'users',
    '--profile',
    'smoke',
    '--mode',
    'saturate',
    '--services',
    'grpc',
    '--runtime',
    'process',
  ];

  const { exitCode, stdout, stderr } = await installed.npx(argv, {
    XDG_CACHE_HOME: cache,
    UV_CACHE_DIR: process.env['UV_CACHE_DIR'] ?? join(homedir(), '.cache', 'uv'),
  });

  expect(exitCode, `${stdout}\n${stderr}`).toBe(0);
  const run = parseRun(readFileSync(join(installed.folder, 'out/run.json'), 'utf8'), 'run.json');
  expect(run.complete).toBe(true);
  expect(run.samples.find(({ cell }) => cell.service === 'grpc')?.requests).toBeGreaterThan(0);
  expect(filesIn(join(installed.folder, 'out'))).toEqual(expect.arrayContaining(['report.html', 'report.md']));
  expect(installed.content()).toEqual(before);
});
