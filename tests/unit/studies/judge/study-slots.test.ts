import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CellReading, CellTable } from '../../../../src/judge/reading/cells.ts';
import type { MetricName } from '../../../../src/model/metric.ts';
import type { RatioTest } from '../../../../src/model/run/study.ts';
import type { Mark } from '../../../../src/model/sample/mark.ts';
import { testedFindings } from '../../../../studies/judge/findings.ts';
import { slotFigure, slotRatio } from '../../../../studies/judge/slots.ts';

interface Cell {
  readonly metric?: MetricName;
  /** Of each round. */
  readonly values: readonly number[];
  readonly marks?: readonly Mark[];
  readonly offeredRps?: number;
  /** Of the service's core. */
  readonly share?: number;
}

function cellOf({ metric = 'achievedRps', values, marks = [], offeredRps, share }: Cell): CellReading {
  const sorted = values.toSorted((left, right) => left - right);
  const median = sorted[Math.floor(sorted.length / 2)] ?? 0;
  return {
    samples: [],
    figures: {
      [metric]: { median, low: sorted[0] ?? 0, high: sorted.at(-1) ?? 0, rounds: values.length },
      ...(share !== undefined && { serviceCpuShare: { median: share, low: share, high: share, rounds: 1 } }),
    },
    offeredRps,
    requests: 0,
    failures: [],
    droppedRequests: 0,
    marks: marks.map((mark) => ({ mark, rounds: 1 })),
  };
}

/** Cells by "service/tier", of all operations together. */
function tableOf(cells: Readonly<Record<string, Cell>>): CellTable {
  return {
    at: ({ service, operation, tier }) => {
      const cell = cells[`${service}/${tier}`];
      return cell === undefined || operation !== 'all' ? undefined : cellOf(cell);
    },
  };
}

const TEST: RatioTest = { service: 'grpc', against: 'json', tier: 'u500', metric: 'achievedRps' };

describe('a ratio of slots', () => {
  it.each([
    ['achievedRps', 0.1],
    ['cpuMicrosPerRequest', 0.1],
    ['latencyP50Ms', 0.1],
    ['latencyP99Ms', 0.3],
    ['latencyMeanMs', 0.3],
    ['wireBytesPerRequest', 0.01],
  ] as const)('of one round of %s has the margin of single starts', (metric, margin) => {
    const cells = tableOf({ 'grpc/u500': { metric, values: [300] }, 'json/u500': { metric, values: [100] } });

    expect(slotRatio({ ...TEST, metric }, cells).ratio).toEqual({
      times: 3,
      low: 3 / (1 + margin),
      high: 3 * (1 + margin),
    });
  });

  it.each([
    ['grpc/u500', 'cpuMicrosPerRequest', 0.3],
    ['json/u500', 'achievedRps', 0.3],
    ['json/u500', 'wireBytesPerRequest', 0.01],
  ] as const)('has a wider margin if %s was disturbed: %s', (place, metric, margin) => {
    const marksAt = (cell: string): readonly Mark[] => (cell === place ? ['disturbed'] : []);
    const cells = tableOf({
      'grpc/u500': { metric, values: [300], marks: marksAt('grpc/u500') },
      'json/u500': { metric, values: [100], marks: marksAt('json/u500') },
    });

    const { ratio, reasons } = slotRatio({ ...TEST, metric }, cells);

    expect(ratio).toEqual({ times: 3, low: 3 / (1 + margin), high: 3 * (1 + margin) });
    expect(reasons.map(({ why, service }) => `${why} ${service}`)).toEqual(
      margin === 0.3 ? [`disturbed ${place.slice(0, 4)}`] : [],
    );
  });

  it.each([
    ['cpuMicrosPerRequest', [300, 100], 0.3],
    ['latencyP50Ms', [60, 20], 0.1],
    ['latencyP50Ms', [3, 1], 0.3],
    ['latencyP50Ms', [1.5, 0.5], 0.6],
    ['latencyP99Ms', [3, 1], 0.3],
    ['achievedRps', [300, 100], 0.1],
  ] as const)(
    'at an offered rate, %s of %j: a margin for a core that sleeps between requests',
    (metric, [own, other], margin) => {
      const cells = tableOf({
        'grpc/u500': { metric, values: [own], offeredRps: 500 },
        'json/u500': { metric, values: [other], offeredRps: 500 },
      });

      const { ratio } = slotRatio({ ...TEST, metric }, cells);

      expect(ratio?.low).toBeCloseTo(3 / (1 + margin));
      expect(ratio?.high).toBeCloseTo(3 * (1 + margin));
    },
  );

  it('takes the widest that the rounds allow if that is wider', () => {
    const cells = tableOf({ 'grpc/u500': { values: [200, 300, 310] }, 'json/u500': { values: [99, 100, 101] } });

    const { ratio } = slotRatio(TEST, cells);

    expect(ratio).toEqual({ times: 3, low: 200 / 101, high: 3 * 1.1 });
  });

  it('may be of a service’s own figure at another tier', () => {
    const cells = tableOf({ 'json/n1000': { values: [46] }, 'json/n1': { values: [4600] } });
    const test = { ...TEST, service: 'json', tier: 'n1000', againstTier: 'n1' };

    expect(slotRatio(test, cells)).toMatchObject({ ratio: { times: 0.01 }, reasons: [] });
  });

  it.each([
    ['above, where its own users came no faster', 'grpc/u500', { low: 3 / 1.1, high: Number.POSITIVE_INFINITY }],
    ['below, where the other’s did not', 'json/u500', { low: 0, high: 3 * 1.1 }],
  ])('is open %s', (_, slow, ends) => {
    const marksAt = (place: string): readonly Mark[] => (place === slow ? ['not-saturated'] : []);
    const cells = tableOf({
      'grpc/u500': { values: [300], marks: marksAt('grpc/u500') },
      'json/u500': { values: [100], marks: marksAt('json/u500') },
    });

    const { ratio, reasons } = slotRatio(TEST, cells);

    expect(ratio).toEqual({ times: 3, ...ends });
    expect(reasons).toMatchObject([{ why: 'users-no-faster', service: slow.split('/')[0], tier: 'u500' }]);
  });

  it('is open to the side of a rate that the load tool could not drive further', () => {
    const cells = tableOf({
      'grpc/u500': { values: [300], marks: ['generator-limited', 'not-saturated'] },
      'json/u500': { values: [100] },
    });

    const { ratio, reasons } = slotRatio(TEST, cells);

    expect(ratio).toEqual({ times: 3, low: 3 / 1.1, high: Number.POSITIVE_INFINITY });
    expect(reasons).toEqual([{ why: 'generator-limited', service: 'grpc', tier: 'u500', rps: 300 }]);
  });

  it.each([
    [0.8, 3 * 1.1 * 1.25],
    [0.5, 3 * 1.1 * 2],
    [0.49, Number.POSITIVE_INFINITY],
  ])('is bounded above by what its own core has room for, with %d of it in use', (share, high) => {
    const cells = tableOf({
      'grpc/u500': { values: [300], marks: ['not-saturated'], share },
      'json/u500': { values: [100] },
    });

    expect(slotRatio(TEST, cells).ratio?.high).toBeCloseTo(high);
    const other = { ...TEST, service: 'json', against: 'grpc' };
    expect(slotRatio(other, cells).ratio?.low).toBeCloseTo(1 / high);
  });

  it('is not open where it is of latency: that is what these users had', () => {
    const marks: readonly Mark[] = ['not-saturated'];
    const metric = 'latencyP50Ms';
    const cells = tableOf({ 'grpc/u500': { metric, values: [3], marks }, 'json/u500': { metric, values: [1] } });

    expect(slotRatio({ ...TEST, metric }, cells)).toMatchObject({ ratio: { high: 3 * 1.1 }, reasons: [] });
  });

  it.each([
    ['the load tool was at its limit', 'generator-limited', 'latencyP50Ms', false],
    ['requests failed', 'failing', 'achievedRps', false],
    ['the time limit ended it', 'dropped', 'achievedRps', true],
    ['the load tool was at its limit, for bytes', 'generator-limited', 'wireBytesPerRequest', true],
    ['requests failed, for bytes', 'failing', 'wireBytesPerRequest', false],
  ] as const)('where %s (%s, %s): %s', (...[, mark, metric, isReported]) => {
    const cells = tableOf({
      'grpc/u500': { metric, values: [300], marks: [mark] },
      'json/u500': { metric, values: [100] },
    });

    const { ratio, reasons } = slotRatio({ ...TEST, metric }, cells);

    expect(ratio !== undefined).toBe(isReported);
    expect(reasons).toEqual(isReported ? [] : [{ why: mark, service: 'grpc', tier: 'u500' }]);
  });

  it.each([
    ['a cell is missing', {}],
    ['an operation was not measured alone', { operation: 'Objects1' }],
    ['a figure is missing', { metric: 'peakMemoryMiB' as const }],
  ])('is not there where %s', (_, change) => {
    const cells = tableOf({ 'grpc/u500': { values: [300] } });

    const { ratio, reasons } = slotRatio({ ...TEST, ...change }, cells);

    expect(ratio).toBeUndefined();
    expect(reasons).toContainEqual({ why: 'unmeasured', service: 'json', tier: 'u500' });
  });

  it('is not there where a figure is 0', () => {
    const cells = tableOf({ 'grpc/u500': { values: [300] }, 'json/u500': { values: [0] } });

    expect(slotRatio(TEST, cells).ratio).toBeUndefined();
  });

  it('is the same seen from the other service', () => {
    const rates = fc.array(fc.integer({ min: 1, max: 100_000 }), { minLength: 1, maxLength: 5 });
    const marks = fc.constantFrom<readonly Mark[]>([], ['not-saturated']);
    const cell = fc.record({ values: rates, marks });
    fc.assert(
      fc.property(cell, cell, (own, other) => {
        const cells = tableOf({ 'grpc/u500': own, 'json/u500': other });
        const there = slotRatio(TEST, cells).ratio ?? expect.unreachable();
        const back = slotRatio({ ...TEST, service: 'json', against: 'grpc' }, cells).ratio ?? expect.unreachable();
        expect(back.times * there.times).toBeCloseTo(1);
        expect(1 / (back.low ?? Number.NaN)).toBeCloseTo(there.high ?? Number.NaN);
        expect(1 / (back.high ?? Number.NaN)).toBeCloseTo(there.low ?? Number.NaN);
        expect(there.low).toBeLessThanOrEqual(there.times);
        expect(there.high).toBeGreaterThanOrEqual(there.times);
      }),
    );
  });
});

describe('a finding tested by slots', () => {
  const holding = (test: Partial<RatioTest>, marks: readonly Mark[] = []) => {
    const slots = tableOf({ 'grpc/u500': { values: [300], marks }, 'json/u500': { values: [100] } });
    const [found] = testedFindings([{ says: '', holdsIf: [{ ...TEST, ...test }] }], { slots });
    return found?.holding;
  };

  it.each([
    ['holds', { atLeast: 2.7 }, []],
    ['unclear', { atLeast: 2.8 }, []],
    ['unclear', { atLeast: 3.2 }, []],
    ['does not hold', { atLeast: 3.4 }, []],
    ['holds', { atMost: 3.4 }, []],
    ['holds', { atLeast: 2.7 }, ['not-saturated']],
    ['unclear', { atLeast: 3.4 }, ['not-saturated']],
    ['unclear', { atMost: 3.4 }, ['not-saturated']],
    ['does not hold', { atMost: 2.5 }, ['not-saturated']],
    ['unclear', { atLeast: 1 }, ['failing']],
    ['unclear', { atLeast: 1, tier: 'gone' }, []],
  ] as const)('%s with %j, marked %j', (expected, test, marks) => {
    expect(holding(test, marks)).toBe(expected);
  });

  it('is left to the rounds where these have an interval, and only there', () => {
    const slots = tableOf({
      'grpc/u500': { values: [300] },
      'json/u500': { values: [100] },
      'json/u100': { values: [150] },
    });
    const cell = { suite: 's', service: 'grpc', operation: 'all', tier: 'u500' };
    const figures = { reference: 1, other: 2, noise: 'low', rounds: 10, status: 'better' } as const;
    const by = (ratio: { times: number; low?: number; high?: number }, test: Partial<RatioTest>) => {
      const ratios = [{ cell, metric: 'achievedRps', ratio, ...figures }];
      const pairings = [{ service: 'grpc', ratios, perCpuSecond: undefined, capacity: undefined }];
      const paired = { reference: 'json', pairings };
      const findings = [{ says: '', holdsIf: [{ ...TEST, atLeast: 1, ...test }] }];
      return testedFindings(findings, { paired, slots })[0]?.tests[0];
    };
    const sure = { times: 2, low: 1.9, high: 2.1 };

    expect(by(sure, {})).toMatchObject({ by: 'rounds', ratio: sure });
    expect(by(sure, { againstTier: 'u500' })).toMatchObject({ by: 'rounds', ratio: sure });
    expect(by(sure, { againstTier: 'u100' })).toMatchObject({ by: 'slots', ratio: { times: 2 } });
    expect(by({ times: 2 }, {})).toMatchObject({ by: 'slots', ratio: { times: 3, low: 2, high: expect.closeTo(3.3) } });
    expect(by({ times: 4 }, {})).toMatchObject({ by: 'slots', ratio: { times: 3, high: 4 } });
    expect(by({ times: 2 }, { atLeast: 2.5 })?.holding).toBe('unclear');
    expect(by({ times: 3.1 }, { atLeast: 2.5 })?.holding).toBe('holds');
    expect(by({ times: 2 }, { tier: 'gone' })).toMatchObject({ by: undefined, ratio: undefined });
  });
});

describe('a figure of slots that is put together with others', () => {
  const cpu = { service: 'grpc', tier: 'u500', metric: 'cpuMicrosPerRequest' } as const;
  const figure = (marks: readonly Mark[]) =>
    slotFigure(cpu, tableOf({ 'grpc/u500': { metric: cpu.metric, values: [300], marks } }));

  it('has such a range that two of them have the margin of their ratio', () => {
    const { times = 0, low = 0, high = 0 } = figure([]) ?? {};

    expect(times).toBe(300);
    expect(Math.hypot(Math.log(high / times), Math.log(high / times))).toBeCloseTo(Math.log(1.1), 10);
    expect(times / low).toBeCloseTo(high / times, 10);
  });

  it('is none of CPU time where the rate was not sustained, nor where the load tool was at its limit', () => {
    expect(figure(['saturated'])).toBeUndefined();
    expect(figure(['generator-limited'])).toBeUndefined();
    const rate = tableOf({ 'grpc/u500': { values: [300], marks: ['saturated'] } });
    expect(slotFigure({ ...cpu, metric: 'achievedRps' }, rate)?.times).toBe(300);
  });
});
