import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseRun, type Run } from '../../src/model/run/run.ts';
import { makeProject, wiregauge } from '../integration/project.ts';

const SUITE = `name: small
title: A small suite
services: [good]
operations:
  - { name: Get, weight: 3, arguments: [{ id: 1 }, { id: 2 }], rest: 'GET /item/{id}' }
  - { name: List, arguments: [{}], rest: GET /items }
tiers:
  - { name: mixed, users: 20, requestsPerUser: 300, rampSeconds: 10, limitSeconds: 30 }
  - { name: full, users: 4, limitSeconds: 10, operations: [List] }
  - { name: cut, users: 40, requestsPerUser: 100000, limitSeconds: 10, operations: [Get] }
saturation: { workers: 4 }
`;

const project = makeProject();
let out: string;
let run: Run;
let stdout: string;

beforeAll(async () => {
  out = mkdtempSync(join(tmpdir(), 'closed-'));
  project.write('suites/small.yml', SUITE);
  const argv = [
    'run',
    '--suite',
    'small',
    '--profile',
    'smoke',
    '--mode',
    'open',
    '--runtime',
    'process',
    '--verbose',
    '--out',
    out,
  ];
  const end = await wiregauge(argv, { cwd: project.root });
  expect(`${end.stderr}${end.exitCode}`).toBe('0');
  stdout = end.stdout;
  run = parseRun(readFileSync(join(out, 'run.json'), 'utf8'), 'run.json');
});

afterAll(() => {
  project.remove();
  rmSync(out, { recursive: true, force: true });
});

const at = (tier: string, operation = 'all') =>
  run.samples.find(({ cell }) => cell.tier === tier && cell.operation === operation);

describe('users without think time', () => {
  test('send the configured number of requests, a tenth of it in the smoke profile, in the mix of the suite', () => {
    // 20 users of 30 requests: three quarters of the users ask for the one, one quarter for the other.
    expect(at('mixed')).toMatchObject({ requests: 600, failures: [], droppedRequests: 0, workers: 20 });
    expect(at('mixed', 'Get')).toMatchObject({ requests: 450, workers: 15 });
    expect(at('mixed', 'List')).toMatchObject({ requests: 150, workers: 5 });
  });

  test('ask for the operations of their tier alone', () => {
    const tiersOf = (operation: string) =>
      run.samples.filter(({ cell }) => cell.operation === operation).map(({ cell }) => cell.tier);

    expect(tiersOf('List').sort()).toEqual(['full', 'mixed']);
    expect(tiersOf('Get').sort()).toEqual(['cut', 'mixed']);
  });

  test('go on to the time limit where no number is said, and have what the machine says of it', () => {
    expect(at('full')?.measuredSeconds).toBeGreaterThan(0.9);
    expect(at('full')?.marks).not.toContain('dropped');
    expect(at('full')?.values.cpuMicrosPerRequest).toBeGreaterThan(1);
    expect(at('full')?.values.loadCpuShare).toBeGreaterThan(0);
    expect(at('full')?.series?.latencyP99Ms.length).toBeGreaterThan(0);
  });

  test('are reported if the time limit left requests unsent', () => {
    const cut = at('cut');

    expect(cut?.marks).toContain('dropped');
    expect((cut?.requests ?? 0) + (cut?.droppedRequests ?? 0)).toBe(400_000);
    expect(stdout).toContain('planned requests were never sent');
  });

  test('are reported by what they do', () => {
    expect(stdout).toContain('4 users at full rate (List)');
    expect(stdout).toContain('40 users (Get)');
    expect(stdout).not.toContain('turning point');
  });
});
