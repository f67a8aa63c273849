import { expect, test } from 'vitest';
import type { Run } from '../../../../src/model/run/run.ts';
import { REPORTS } from '../../../support/reports.ts';
import { seeded } from '../../../support/sample-latencies.ts';
import { sampleSweep } from '../../../support/sample-sweep.ts';

type Sample = Run['samples'][number];

const REQUESTS = 420;

const DEARER = '-dearer';

/** Eight services at nine loads, three of them request by request: as much as any suite measures. */
function largestRun(): Run {
  const run = sampleSweep();
  const { sweep: _, ...suite } = run.suite;
  const twice = run.services.slice(0, 2).map(({ name }) => name);
  const samples = run.samples.map(withRequests);
  return {
    ...run,
    suite,
    services: [
      ...run.services,
      ...run.services.slice(0, 2).map((service) => ({ ...service, name: `${service.name}${DEARER}` })),
    ],
    samples: [
      ...samples,
      ...samples
        .filter(({ cell }) => twice.includes(cell.service))
        .map((sample) => ({ ...sample, cell: { ...sample.cell, service: `${sample.cell.service}${DEARER}` } })),
    ],
  };
}

/** The single requests of the whole of a load at full rate, which scatter as real ones do. */
function withRequests(sample: Sample): Sample {
  const { operation, service, tier } = sample.cell;
  if (operation !== 'all' || !tier.startsWith('full')) {
    return sample;
  }
  const random = seeded(`${service}/${tier}`);
  const typical = sample.values.latencyP50Ms ?? 1;
  const number = Array.from({ length: REQUESTS }, (_, index) => 17 * index + 1);
  const latencyMs = number.map(() => typical * (1 + 0.3 * random() + (random() < 0.05 ? 20 * random() : 0)));
  return { ...sample, repetitions: { number, latencyMs } };
}

test('the page of the largest run is within 400,000 bytes', () => {
  const bytes = Buffer.byteLength(REPORTS.html({ run: largestRun(), against: undefined }));

  expect(bytes).toBeLessThan(400_000);
  // Otherwise the run is not large any more.
  expect(bytes).toBeGreaterThan(250_000);
});
