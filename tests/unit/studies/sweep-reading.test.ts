import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Run } from '../../../src/model/run/run.ts';
import { viewRun } from '../../../src/report/views/run-view.ts';
import { sweepOf, timesReference } from '../../../studies/sweep/reading.ts';
import { sampleRun } from '../../support/sample-run.ts';
import { sampleSweep } from '../../support/sample-sweep.ts';

const RUN = sampleSweep();

function reading(run: Run = RUN) {
  return sweepOf(viewRun(run)) ?? expect.fail('there is no sweep');
}

function withTiers(tiers: Run['suite']['tiers']): Run {
  return { ...RUN, suite: { ...RUN.suite, tiers } };
}

/** The run with other values in the cells over all operations of a service. */
function withValues(service: string, values: Readonly<Record<string, Partial<Run['samples'][number]['values']>>>): Run {
  const samples = RUN.samples.map((sample) => {
    const change = sample.cell.service === service ? values[sample.cell.tier] : undefined;
    return change === undefined ? sample : { ...sample, values: { ...sample.values, ...change } };
  });
  return { ...RUN, samples };
}

describe('sweepOf', () => {
  it('reads nothing of a run without a sweep', () => {
    expect(sweepOf(viewRun(sampleRun()))).toBeUndefined();
  });

  it('reads nothing of a sweep whose points are not tiers of the run', () => {
    const points = [{ tier: 'gone', at: 1 }];
    const suite = { ...RUN.suite, sweep: { title: 'objects', panels: [], points } };

    expect(sweepOf(viewRun({ ...RUN, suite }))).toBeUndefined();
  });

  it('makes a line of each load, in the suite’s order, with its points in rising order', () => {
    const lines = reading(withTiers(RUN.suite.tiers.toReversed())).lines;

    expect(lines.map(({ label }) => label)).toEqual(['500 users', '100 users', '16 users at full rate']);
    expect(lines.map(({ isFullRate }) => isFullRate)).toEqual([false, false, true]);
    expect(lines.map(({ points }) => points.map(({ at }) => at))).toEqual([
      [1, 100, 1000],
      [1, 100, 1000],
      [1, 100, 1000],
    ]);
  });

  it('distinguishes loads that are called the same', () => {
    const tiers = RUN.suite.tiers.map((tier) => (tier.name === 'u100-1' ? { ...tier, rampSeconds: 3 } : tier));

    expect(reading(withTiers(tiers)).lines.map(({ label }) => label)).toEqual([
      '16 users at full rate',
      '100 users (from u100-1)',
      '100 users (from u100-100)',
      '500 users',
    ]);
  });

  it('makes a further line if a load has the same argument twice', () => {
    const twin = { ...(RUN.suite.tiers[0] ?? expect.unreachable()), name: 'twin', operations: ['Objects1'] };
    const points = [...(RUN.suite.sweep?.points ?? []), { tier: 'twin', at: 1 }];
    const suite = { ...RUN.suite, tiers: [...RUN.suite.tiers, twin] };
    const sweep = { title: 'objects', panels: [], points };

    const { lines } = reading({ ...RUN, suite: { ...suite, sweep } });

    expect(lines.map((line) => line.points.map(({ tier }) => tier)).at(-1)).toEqual(['twin']);
  });

  it('shows services in panels, without those that the run lacks', () => {
    const services = RUN.services.filter(({ name }) => !name.endsWith('-go'));

    expect(reading({ ...RUN, services }).panels).toEqual([
      { title: 'Python', services: ['payload-json', 'payload-protobuf', 'payload-grpc'] },
      { title: 'JSON over HTTP', services: ['payload-json'] },
      { title: 'protobuf over HTTP', services: ['payload-protobuf'] },
      { title: 'gRPC', services: ['payload-grpc'] },
    ]);
  });

  it('shows all services together if no panel has any', () => {
    const suite = { ...RUN.suite, sweep: { title: 'objects', panels: [], points: RUN.suite.sweep?.points ?? [] } };

    expect(reading({ ...RUN, suite }).panels.map(({ services }) => services.length)).toEqual([6]);
  });

  it('has no cell if a service was not measured', () => {
    const samples = RUN.samples.filter(({ cell }) => !(cell.service === 'payload-grpc' && cell.tier === 'full-100'));

    const [line] = reading({ ...RUN, samples }).lines;

    expect(line?.points.map(({ services }) => services[2]?.cell !== undefined)).toEqual([true, false, true]);
  });
});

describe('the CPU time of a further object', () => {
  const cost = (run: Run, service: string) => reading(run).furtherObjects.find((one) => one.service.name === service);

  it('is the slope between the smallest and the largest answer at full rate', () => {
    const run = withValues('payload-grpc', {
      'full-1': { cpuMicrosPerRequest: 130 },
      'full-100': { cpuMicrosPerRequest: 9999 },
      'full-1000': { cpuMicrosPerRequest: 130 + 999 * 8 },
      'u100-1': { cpuMicrosPerRequest: 5 },
    });

    expect(cost(run, 'payload-grpc')).toMatchObject({ cpuMicros: 8, from: 1, to: 1000 });
  });

  it('does not count what every request costs', () => {
    const micros = fc.integer({ min: 1, max: 100_000 });
    fc.assert(
      fc.property(micros, micros, micros, (request, object, more) => {
        const run = (fixed: number) =>
          withValues('payload-json', {
            'full-1': { cpuMicrosPerRequest: fixed + object },
            'full-1000': { cpuMicrosPerRequest: fixed + 1000 * object },
          });
        expect(cost(run(request), 'payload-json')?.cpuMicros).toBeCloseTo(object, 6);
        expect(cost(run(request + more), 'payload-json')?.cpuMicros).toBeCloseTo(object, 6);
      }),
      { numRuns: 10 },
    );
  });

  it('is compared with that of the first service', () => {
    const run = withValues('payload-json', {
      'full-1': { cpuMicrosPerRequest: 100 },
      'full-1000': { cpuMicrosPerRequest: 100 + 999 * 10 },
    });
    const five = cost(run, 'payload-grpc')?.cpuMicros ?? Number.NaN;

    expect(cost(run, 'payload-json')?.times).toBe(1);
    expect(cost(run, 'payload-grpc')?.times).toBeCloseTo(five / 10);
  });

  it('is of what there is if a point is missing, failed or has no CPU time', () => {
    const samples = RUN.samples.map((sample) =>
      sample.cell.tier === 'full-1000' && sample.cell.service === 'payload-json'
        ? { ...sample, marks: ['failing' as const] }
        : sample,
    );

    expect(cost({ ...RUN, samples }, 'payload-json')).toMatchObject({ from: 1, to: 100 });
  });

  it('is not known from one point, or without a load at full rate', () => {
    const one = RUN.samples.filter(({ cell }) => cell.tier === 'full-1' || !cell.tier.startsWith('full'));

    expect(reading({ ...RUN, samples: one }).furtherObjects).toEqual([]);
    expect(reading(withTiers(RUN.suite.tiers.filter(({ name }) => !name.startsWith('full')))).furtherObjects).toEqual(
      [],
    );
  });
});

describe('timesReference', () => {
  const point = reading().lines[0]?.points[0] ?? expect.unreachable();
  const service = (index: number) => point.services[index]?.service ?? expect.unreachable();

  it('is a multiple of the first service’s figure at the same point', () => {
    expect(timesReference(point, service(1), 'wireBytesPerRequest')).toBeCloseTo(840 / 1770);
  });

  it.each([
    ['of the reference itself', 0, 'wireBytesPerRequest'],
    ['of a figure that is 0', 1, 'errorRate'],
  ] as const)('is nothing %s', (_, index, metric) => {
    expect(timesReference(point, service(index), metric)).toBeUndefined();
  });
});
