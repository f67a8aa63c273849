import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { cacheFolder } from '../../src/host/files/own-folders.ts';
import { parseRun } from '../../src/model/run/run.ts';
import { UV_VERSION, uvFolder } from '../../src/runtime/process/build.ts';
import { filesIn, type InstalledPackage, installPackage } from '../integration/installed-package.ts';
import { realLoadTools } from '../integration/load-tools.ts';
import { type CommandEnd, wiregauge } from '../integration/project.ts';
import { buildArgsText } from '../stand-ins/build-args.ts';
import { requires } from '../support/requires.ts';

/** Image builds on a machine that has none of their layers yet. */
const WITH_BUILDS_MS = 900_000;

const QUICK = ['run', '--suite', 'users', '--profile', 'smoke', '--mode', 'saturate', '--no-versus'];

let out: string;
let installed: InstalledPackage;
let cache: string;

// A cache of its own, so that the reference services are copied and built anew; only what was downloaded is not had twice.
beforeAll(async () => {
  out = mkdtempSync(join(tmpdir(), 'users-'));
  await realLoadTools();
  await uvFolder({ environment: process.env, signal: AbortSignal.timeout(120_000), log: () => undefined });
  installed = installPackage();
  cache = join(dirname(installed.folder), 'cache');
  mkdirSync(join(cache, 'wiregauge'), { recursive: true });
  for (const name of ['load-tools', `uv-${UV_VERSION}`]) {
    symlinkSync(join(cacheFolder(process.env), name), join(cache, 'wiregauge', name));
  }
});
afterAll(() => {
  rmSync(out, { recursive: true, force: true });
  installed.remove();
});

function containers(): string {
  const argv = ['ps', '--all', '--filter', 'label=wiregauge=1', '--format', '{{.Names}}'];
  return execFileSync('docker', argv, { encoding: 'utf8' });
}

/** All that a run of these services prints and leaves: verified, loaded by both tools, and every kind of figure. */
function expectMeasured({ exitCode, stdout, stderr }: CommandEnd, folder: string, services: readonly string[]): void {
  expect(exitCode, `${stdout}\n${stderr}`).toBe(0);
  expect(stdout).toContain(`verified: ${services.join(', ')} give the same answers to 11 requests`);
  expect(filesIn(folder)).toEqual(expect.arrayContaining(['report.html', 'report.md']));
  const run = parseRun(readFileSync(join(folder, 'run.json'), 'utf8'), 'run.json');
  expect(run.complete).toBe(true);
  expect(Object.keys(run.tools)).toEqual(['ghz', 'vegeta']);
  const whole = run.samples.filter(({ cell }) => cell.operation === 'all');
  expect(whole.map(({ cell }) => cell.service).sort()).toEqual(services.toSorted());
  for (const { requests, failures, values, series } of whole) {
    expect(requests).toBeGreaterThan(100);
    expect(failures).toEqual([]);
    expect(values.cpuMicrosPerRequest).toBeGreaterThan(1);
    expect(values.peakMemoryMiB).toBeGreaterThan(10);
    expect(values.wireBytesPerRequest).toBeGreaterThan(100);
    expect(values.loadCpuShare).toBeGreaterThan(0);
    expect(series?.second.length).toBeGreaterThanOrEqual(3);
  }
}

test.skipIf(!requires('docker'))(
  "the project's own services are measured in containers",
  async () => {
    const services = ['rest', 'rest-development', 'grpc'];
    const argv = [...QUICK, '--services', services.join(), '--runtime', 'docker', '--out', out];

    const end = await wiregauge(argv, { environment: { WIREGAUGE_BUILD_ARGS: buildArgsText() } });

    expect(end.stderr).toBe('');
    expectMeasured(end, out, services);
  },
  WITH_BUILDS_MS,
);

// That the development server starts as a plain process, tests/contract/test_lifecycle.py shows.
test('npx wiregauge run measures them as plain processes, if their suite is named, in an empty folder, and writes nothing into the package', async () => {
  const before = installed.content();

  const end = await installed.npx([...QUICK, '--services', 'rest,grpc', '--runtime', 'process'], {
    XDG_CACHE_HOME: cache,
    UV_CACHE_DIR: process.env['UV_CACHE_DIR'] ?? join(homedir(), '.cache', 'uv'),
  });

  expectMeasured(end, join(installed.folder, 'out'), ['rest', 'grpc']);
  expect(installed.content()).toEqual(before);
});

test.skipIf(!requires('docker'))(
  'Ctrl-C leaves no container behind',
  async () => {
    const argv = [...QUICK, '--services', 'rest', '--runtime', 'docker', '--out', join(out, 'interrupted')];
    let interrupted = false;

    const { exitCode } = await wiregauge(argv, {
      environment: { WIREGAUGE_BUILD_ARGS: buildArgsText() },
      onOutput: (output, kill) => {
        if (!interrupted && output.includes('measuring')) {
          interrupted = true;
          kill('SIGINT');
        }
      },
    });

    expect(interrupted).toBe(true);
    expect(exitCode).toBe(130);
    expect(containers()).toBe('');
  },
  WITH_BUILDS_MS,
);
