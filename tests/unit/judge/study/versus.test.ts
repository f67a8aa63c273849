import { describe, expect, test } from 'vitest';
import { inverse, pairingsOf } from '../../../../src/judge/study/versus.ts';
import { judgeRun } from '../../../../src/judge/verdict/judge.ts';
import { sampleRounds } from '../../../support/sample-rounds.ts';

/** One of the two needs so much more CPU time per request: 1 is twice as much. */
function pairedWhere(side: 'base' | 'head', by: number) {
  const run = sampleRounds({ services: ['grpc'], worse: [{ metric: 'cpuMicrosPerRequest', side, by }] });
  return pairingsOf(judgeRun(run));
}

describe('pairingsOf', () => {
  test('turns CPU time per request into requests per CPU second', () => {
    const [pairing] = pairedWhere('base', 1);

    expect(pairing?.service).toBe('grpc');
    expect(pairing?.perCpuSecond).toMatchObject({ standing: 'better', rounds: 10 });
    expect(pairing?.perCpuSecond?.ratio.times).toBeCloseTo(2, 1);
    const { low = 0, times = 0, high = 0 } = pairing?.perCpuSecond?.ratio ?? {};
    expect([low < times, times < high]).toEqual([true, true]);
  });

  test('says worse where the reference is better', () => {
    const [pairing] = pairedWhere('head', 1);

    expect(pairing?.perCpuSecond?.standing).toBe('worse');
    expect(pairing?.perCpuSecond?.ratio.times).toBeCloseTo(0.5, 1);
  });
});

test('ranks the services by requests per CPU second', () => {
  const worse = [{ service: 'rest', metric: 'cpuMicrosPerRequest' as const, by: 1 }];

  expect(pairingsOf(judgeRun(sampleRounds({ worse }))).map(({ service }) => service)).toEqual(['grpc', 'rest']);
});

test('is sure of nothing where the interval covers 1', () => {
  const { findings } = judgeRun(sampleRounds({ services: ['grpc'] }));
  const open = findings.map((one) => ({
    ...one,
    verdict: 'improved' as const,
    change: { estimate: -0.4, low: -0.5, high: 0.03 },
  }));

  expect(pairingsOf({ findings: open })[0]?.standings.every(({ standing }) => standing === 'unclear')).toBe(true);
});

test('inverse turns an interval round', () => {
  expect(inverse({ times: 2, low: 1.6, high: 2.5 })).toEqual({ times: 0.5, low: 0.4, high: 0.625 });
  expect(inverse({ times: 2 })).toEqual({ times: 0.5, low: undefined, high: undefined });
});
