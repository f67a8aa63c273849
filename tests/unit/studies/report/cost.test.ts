import { expect, it } from 'vitest';
import { REPORTS } from '../../../support/reports.ts';
import { servicesWithMembers, withMembers } from '../../../support/sample-members.ts';
import { sampleRun } from '../../../support/sample-run.ts';

const COST = {
  source: 'a price list',
  tier: 'low',
  requestsPerDay: 1_000_000,
  replicas: 2,
  prices: { vcpuMonth: 1000, gibMonth: 10, gbMoved: 0.5, month: 4 },
  totals: [{ service: 'rest', text: '50' }],
};

/** Each request takes 86.4 µs, so that a million in a day take a thousandth of a core; `rest` has members, of which one may be unseen. */
function report(sentBytes: number | undefined, tier = 'low'): string {
  const run = sampleRun();
  const { published } = run.suite;
  const samples = run.samples.map((sample) => {
    const known = { ...sample, values: { ...sample.values, cpuMicrosPerRequest: 86.4, peakMemoryMiB: 512 } };
    const { members = {}, ...whole } = withMembers(known);
    const seen = Object.keys(members).map((name) => [name, { sentBytesPerRequest: name === 'bus' ? sentBytes : 500 }]);
    return seen.length === 0 ? whole : { ...whole, members: Object.fromEntries(seen) };
  });
  const suite = { ...run.suite, ...(published && { published: { ...published, cost: { ...COST, tier } } }) };
  return REPORTS.markdown({
    run: { ...run, suite, samples, services: servicesWithMembers(run.services) },
    against: undefined,
  });
}

it('prices CPU time, memory and bytes between programs, next to what was published', () => {
  const text = report(1000);

  expect(text).toContain('1,000,000 requests a day for 30 days, with the memory of 2 replicas');
  expect(text).toContain('| REST | 1.00 | 10.00 | 30.00 | 4.00 | 45.00 | 50 |');
  expect(text).toContain('| gRPC | 1.00 | 10.00 | 0.00 | 4.00 | 15.00 | – |');
});

it('has no total if the bytes of a member are not known', () => {
  expect(report(undefined)).toContain('| REST | 1.00 | 10.00 | – | 4.00 | – | 50 |');
});

it('says nothing for a tier that was not measured, and for a suite without prices', () => {
  expect(report(1000, 'other')).not.toContain('What a month costs');
  expect(REPORTS.markdown({ run: sampleRun(), against: undefined })).not.toContain('What a month costs');
});
