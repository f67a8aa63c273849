import { expect, test } from 'vitest';
import type { Run } from '../../../../src/model/run/run.ts';
import { factsOf } from '../../../../src/report/views/facts.ts';
import { sampleRun } from '../../../support/sample-run.ts';

type Recorded = Run['services'][number];

/** What is said of the first service of a run. */
function factOf(changes: Partial<Recorded>): string | undefined {
  const run = sampleRun();
  const [first, ...others] = run.services;
  const services = first === undefined ? [] : [{ ...first, environment: { LEVEL: '2' }, title: 'Shop', ...changes }];
  const name = `Service ${first?.name}`;
  return factsOf({ ...run, services: [...services, ...others] }).find((fact) => fact.name === name)?.value;
}

const limits = { cpus: 1, memoryMiB: 512 };

test.each<[string, Partial<Recorded>, string]>([
  ['nothing but its settings', {}, 'Shop, LEVEL=2'],
  ['its limits', { limits: { cpus: 0.5, memoryMiB: 64 } }, 'Shop, limited to 0.5 CPU, 64 MiB, LEVEL=2'],
  ['where it ran already', { address: '127.0.0.1:80' }, 'Shop, already ran at 127.0.0.1:80, without limits, LEVEL=2'],
  [
    'what it needs',
    {
      needs: [
        { name: 'db', source: 'postgres:17', fresh: 'slot', limits },
        { name: 'cache', source: 'redis:8', fresh: 'run', limits },
      ],
    },
    'Shop, needs db (postgres:17), needs cache (redis:8, kept over the run), LEVEL=2',
  ],
  [
    'what it needs by a digest, in short',
    { needs: [{ name: 'db', source: `postgres:17.11@sha256:${'0a'.repeat(32)}`, fresh: 'slot', limits }] },
    'Shop, needs db (postgres:17.11@sha256:0a0a0a0a0a0a), LEVEL=2',
  ],
])('tells of a service %s', (_what, changes, text) => {
  expect(factOf(changes)).toBe(text);
});
