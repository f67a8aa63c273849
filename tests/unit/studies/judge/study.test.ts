import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CellReading, CellTable } from '../../../../src/judge/reading/cells.ts';
import type { Pairing, Times } from '../../../../src/judge/study/versus.ts';
import type { RatioTest } from '../../../../src/model/run/study.ts';
import { testedFindings } from '../../../../studies/judge/findings.ts';

function pairingOf(service: string, ratio: Times): Pairing {
  const cell = { suite: 'users', service, operation: 'all', tier: 'saturation' };
  const figures = { reference: 1, other: ratio.times, noise: 'low', rounds: 10, status: 'better' } as const;
  return {
    service,
    ratios: [{ cell, metric: 'achievedRps', ratio, ...figures }],
    perCpuSecond: undefined,
    capacity: undefined,
  };
}

const PAIRED = {
  reference: 'rest',
  pairings: [
    pairingOf('grpc', { times: 2, low: 1.8, high: 2.2 }),
    pairingOf('http', { times: 4, low: 3.6, high: 4.4 }),
    pairingOf('lone', { times: 4 }),
  ],
};

const TEST: RatioTest = { service: 'grpc', against: 'rest', tier: 'saturation', metric: 'achievedRps', atLeast: 1.5 };

function tested(...changes: readonly Partial<RatioTest>[]) {
  const holdsIf = changes.map((change) => ({ ...TEST, ...change }));
  const [found] = testedFindings([{ says: 'gRPC is faster', holdsIf }], { paired: PAIRED });
  return found ?? expect.fail('it has no finding');
}

describe('a finding about one figure alone', () => {
  const table = (errorRate: number, marks: readonly 'failing'[] = []): CellTable => {
    const figures = { errorRate: { median: errorRate, low: errorRate, high: errorRate, rounds: 1 } };
    const cell = { figures, marks: marks.map((mark) => ({ mark, rounds: 1 })) } as unknown as CellReading;
    return { at: ({ service }) => (service === 'grpc' ? cell : undefined) };
  };
  const NONE: RatioTest = { service: 'grpc', tier: 'high', metric: 'errorRate', atMost: 0 };
  const holding = (slots: CellTable, test = NONE) =>
    testedFindings([{ says: 'no errors', holdsIf: [test] }], { slots, paired: PAIRED })[0]?.holding;

  it('is compared with its limit, and says nothing where it was not measured', () => {
    expect(holding(table(0))).toBe('holds');
    expect(holding(table(0.001))).toBe('does not hold');
    expect(holding(table(0.02, ['failing']))).toBe('does not hold');
    expect(holding(table(0), { ...NONE, service: 'rest' })).toBe('unclear');
  });
});

describe('a finding of a study', () => {
  it.each([
    ['holds', { atLeast: 1.8 }],
    ['unclear', { atLeast: 1.9 }],
    ['unclear', { atLeast: 2.2 }],
    ['does not hold', { atLeast: 2.3 }],
    ['holds', { atLeast: 1, atMost: 3 }],
    ['unclear', { atMost: 2, atLeast: undefined }],
    ['does not hold', { atMost: 1.7, atLeast: undefined }],
    ['unclear', { tier: 'high' }],
    ['unclear', { operation: 'GetUser' }],
    ['unclear', { metric: 'latencyP50Ms' as const }],
    ['unclear', { service: 'lone' }],
    ['unclear', { service: 'nobody' }],
  ] as const)('%s with %j', (holding, change) => {
    expect(tested(change).holding).toBe(holding);
  });

  it('may be seen from the reference, or be of two others', () => {
    expect(tested({ service: 'rest', against: 'grpc', atLeast: undefined, atMost: 0.6 })).toMatchObject({
      holding: 'holds',
      tests: [{ ratio: { times: 0.5, low: 1 / 2.2, high: 1 / 1.8 } }],
    });
    const [of] = tested({ service: 'http', against: 'grpc' }).tests;
    expect(of?.ratio?.times).toBeCloseTo(2);
    expect(of?.ratio?.low).toBeCloseTo(3.6 / 2.2);
    expect(of?.ratio?.high).toBeCloseTo(4.4 / 1.8);
  });

  it('holds where each of its tests does, and does not where one surely does not', () => {
    expect(tested({}, { atLeast: 1.7 }).holding).toBe('holds');
    expect(tested({}, { atLeast: 2 }).holding).toBe('unclear');
    expect(tested({ atLeast: 3 }, { atLeast: 2 }).holding).toBe('does not hold');
  });

  it('is the same seen from the other service', () => {
    const positive = fc.integer({ min: 1, max: 1000 }).map((number) => number / 100);
    fc.assert(
      fc.property(positive, positive, positive, (one, two, limit) => {
        const ratio = { times: Math.sqrt(one * two), low: Math.min(one, two), high: Math.max(one, two) };
        const paired = { reference: 'rest', pairings: [pairingOf('grpc', ratio)] };
        const [there, back] = [
          { ...TEST, atLeast: limit },
          { ...TEST, service: 'rest', against: 'grpc', atLeast: undefined, atMost: 1 / limit },
        ].map((test) => testedFindings([{ says: '', holdsIf: [test] }], { paired })[0]?.holding);
        expect(back).toBe(there);
      }),
    );
  });
});
