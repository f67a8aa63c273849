import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseRun, type Run } from '../../src/model/run/run.ts';
import { wiregauge } from '../integration/project.ts';

/** Two of the eight, with the smallest and the largest answers: each service takes a second at each load. */
const SERVICES = ['payload-json-go', 'payload-grpc-go'];

let out: string;
let run: Run;
let stdout: string;

beforeAll(async () => {
  out = mkdtempSync(join(tmpdir(), 'payload-'));
  const argv = ['run', '--suite', 'payload', '--profile', 'smoke', '--mode', 'open', '--runtime', 'process'];
  const some = ['--services', SERVICES.join(), '--operations', 'Objects1,Objects1000'];
  const end = await wiregauge([...argv, ...some, '--out', out]);
  expect(`${end.stderr}${end.exitCode}`).toBe('0');
  stdout = end.stdout;
  run = parseRun(readFileSync(join(out, 'run.json'), 'utf8'), 'run.json');
});

afterAll(() => rmSync(out, { recursive: true, force: true }));

const at = (service: string, tier: string) =>
  run.samples.find(({ cell }) => cell.service === service && cell.tier === tier && cell.operation === 'all');

describe('the payload suite', () => {
  test('gets the same answers over every protocol before it loads anything', () => {
    expect(stdout).toContain(`verified: ${SERVICES.join(', ')} give the same answers to 2 requests`);
  });

  test.each(SERVICES)('has the smallest and the largest answers at every load of %s, without a failure', (service) => {
    for (const load of ['full', 'u100', 'u500']) {
      for (const count of ['1', '1000']) {
        const sample = at(service, `${load}-${count}`);
        expect(sample?.requests).toBeGreaterThan(0);
        expect(sample?.failures).toEqual([]);
      }
    }
    const { requests = 0, droppedRequests = 0 } = at(service, 'u100-1') ?? {};
    expect(requests + droppedRequests).toBe(1000);
    // A busy machine may drop some.
    expect(requests).toBeGreaterThan(500);
  });

  test('counts the bytes of the answers: protobuf is about a third of JSON', () => {
    const bytes = (service: string) => at(service, 'full-1000')?.values.wireBytesPerRequest ?? 0;

    expect(bytes('payload-grpc-go') / bytes('payload-json-go')).toBeGreaterThan(0.25);
    expect(bytes('payload-grpc-go') / bytes('payload-json-go')).toBeLessThan(0.4);
  });

  test('says of each finding of the study whether it holds here', () => {
    const report = readFileSync(join(out, 'report.md'), 'utf8');

    expect(report).toMatch(/\| Go \|.*\| (holds|does not hold) \|/);
    expect(report).toMatch(/\| Python \|.*not part of this run.*\| inconclusive \|/);
  });
});
