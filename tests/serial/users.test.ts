import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseRun } from '../../src/model/run/run.ts';
import { wiregauge } from '../integration/project.ts';
import { buildArgsForTests } from '../stand-ins/build-args.ts';
import { requires } from '../support/requires.ts';

/** Image builds on a machine that has none of their layers yet. */
const WITH_BUILDS_MS = 900_000;

let out: string;
beforeAll(() => {
  out = mkdtempSync(join(tmpdir(), 'users-'));
});
afterAll(() => rmSync(out, { recursive: true, force: true }));

function environmentOf(runtime: string): Record<string, string> {
  const pairs = runtime === 'docker' ? Object.entries(buildArgsForTests()) : [];
  return { WIREGAUGE_BUILD_ARGS: pairs.map(([name, value]) => `${name}=${value}`).join(',') };
}

function containers(): string {
  const argv = ['ps', '--all', '--filter', 'label=wiregauge=1', '--format', '{{.Names}}'];
  return execFileSync('docker', argv, { encoding: 'utf8' });
}

// That the development server starts as a plain process, tests/contract/test_lifecycle.py shows.
const RUNTIMES = [
  { runtime: 'docker', services: ['rest', 'rest-development', 'grpc'], isHere: requires('docker') },
  { runtime: 'process', services: ['rest', 'grpc'], isHere: true },
];

describe.each(RUNTIMES)("the project's own services in the $runtime runtime", ({ runtime, services, isHere }) => {
  test.skipIf(!isHere)(
    'are verified, loaded by both tools and reported, with every kind of figure',
    async () => {
      const folder = join(out, runtime);
      const argv = [
        'run',
        '--profile',
        'smoke',
        '--no-versus',
        '--mode',
        'saturate',
        '--runtime',
        runtime,
        '--out',
        folder,
        '--services',
        services.join(),
      ];

      const { exitCode, stdout, stderr } = await wiregauge(argv, { environment: environmentOf(runtime) });

      expect(stderr).toBe('');
      expect(exitCode).toBe(0);
      expect(stdout).toContain(`verified: ${services.join(', ')} give the same answers to 11 requests`);
      const run = parseRun(readFileSync(join(folder, 'run.json'), 'utf8'), 'run.json');
      expect(run.runtime.name).toBe(runtime);
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
    },
    WITH_BUILDS_MS,
  );
});

test.skipIf(!requires('docker'))(
  'Ctrl-C leaves no container behind',
  async () => {
    const argv = [
      'run',
      '--profile',
      'smoke',
      '--mode',
      'saturate',
      '--runtime',
      'docker',
      '--out',
      join(out, 'interrupted'),
    ];
    let interrupted = false;

    const { exitCode } = await wiregauge(argv, {
      environment: environmentOf('docker'),
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
