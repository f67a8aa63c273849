import { describe, expect, test } from 'vitest';
import { exitCodeOfVersus, inverse, pairingsOf } from '../../../../src/judge/study/versus.ts';
import { changeAnswer } from '../../../../src/judge/verdict/finding.ts';
import { judgeRun } from '../../../../src/judge/verdict/judge.ts';
import { listsOf } from '../../../support/result-lists.ts';
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
    expect(pairing?.perCpuSecond).toMatchObject({ status: 'better', rounds: 10 });
    expect(pairing?.perCpuSecond?.ratio.times).toBeCloseTo(2, 1);
    const { low = 0, times = 0, high = 0 } = pairing?.perCpuSecond?.ratio ?? {};
    expect([low < times, times < high]).toEqual([true, true]);
  });

  test('says worse where the reference is better', () => {
    const [pairing] = pairedWhere('head', 1);

    expect(pairing?.perCpuSecond?.status).toBe('worse');
    expect(pairing?.perCpuSecond?.ratio.times).toBeCloseTo(0.5, 1);
  });
});

test('ranks the services by requests per CPU second', () => {
  const worse = [{ service: 'rest', metric: 'cpuMicrosPerRequest' as const, by: 1 }];

  expect(pairingsOf(judgeRun(sampleRounds({ worse }))).map(({ service }) => service)).toEqual(['grpc', 'rest']);
});

test('is sure of nothing where the interval covers 1', () => {
  const { findings } = listsOf(judgeRun(sampleRounds({ services: ['grpc'] })));
  const open = findings.map((one) => ({
    ...one,
    verdict: 'improved' as const,
    change: { estimate: -0.4, low: -0.5, high: 0.03 },
  }));

  expect(pairingsOf({ answers: open.map(changeAnswer) })[0]?.ratios.every(({ status }) => status === 'unclear')).toBe(
    true,
  );
});

test('inverse turns an interval round', () => {
  expect(inverse({ times: 2, low: 1.6, high: 2.5 })).toEqual({ times: 0.5, low: 0.4, high: 0.625 });
  expect(inverse({ times: 2 })).toEqual({ times: 0.5, low: undefined, high: undefined });
});

test('is not the same if it is surely ahead by more than the threshold', () => {
  const { findings } = listsOf(judgeRun(sampleRounds({ services: ['grpc'] })));
  const ratios = (change: { low: number; estimate: number; high: number }) => {
    const reported = findings.map((one) => ({ ...one, verdict: 'unchanged' as const, threshold: 0.05, change }));
    return new Set(pairingsOf({ answers: reported.map(changeAnswer) })[0]?.ratios.map(({ status }) => status));
  };

  expect(ratios({ low: -0.6, estimate: -0.5, high: -0.4 })).toEqual(new Set(['unclear']));
  expect(ratios({ low: -0.06, estimate: -0.02, high: 0.01 })).toEqual(new Set(['unclear']));
  expect(ratios({ low: -0.04, estimate: -0.02, high: 0.01 })).toEqual(new Set(['same']));
});

test('distinguishes each of eight services from the reference by eight rounds', () => {
  const names = Array.from({ length: 8 }, (_, place) => `service-${place}`);
  const worse = [{ metric: 'cpuMicrosPerRequest' as const, side: 'base' as const, by: 1 }];
  const one = sampleRounds({ services: ['grpc'], rounds: 8, worse });
  const run = {
    ...one,
    samples: names.flatMap((service) => one.samples.map((each) => ({ ...each, cell: { ...each.cell, service } }))),
    rounds: {
      ...one.rounds,
      versus: { reference: 'rest' },
      rounds: names.flatMap((service) => one.rounds.rounds.map((each) => ({ ...each, service }))),
      base: { ...one.rounds.base, services: names },
      head: { ...one.rounds.head, services: names },
    },
  };

  expect(pairingsOf(judgeRun(run)).map(({ perCpuSecond }) => perCpuSecond?.status)).toEqual(names.map(() => 'better'));
});

describe('a service whose requests fail', () => {
  const judgedWhere = (isFailing: (tier: string) => boolean) => {
    const run = sampleRounds({
      services: ['grpc'],
      mend: (sample) =>
        sample.side === 'head' && isFailing(sample.cell.tier)
          ? { ...sample, failures: [{ kind: 'no answer', count: sample.requests }] }
          : sample,
    });
    return judgeRun({ ...run, rounds: { ...run.rounds, versus: { reference: 'rest' } } });
  };

  test('is not compared, which the exit code says', () => {
    const judged = judgedWhere(() => true);

    expect(exitCodeOfVersus(judged)).toBe(2);
    expect(listsOf(judged).findings.filter(({ metric }) => metric !== 'peakMemoryMiB')).toEqual([]);
    const detail = { kind: 'errors', sides: ['head'], count: 10, rounds: 10, isDisturbed: false };
    expect(listsOf(judged).uncompared).toContainEqual(expect.objectContaining({ detail }));
  });

  test('at one load alone is compared at the others', () => {
    const judged = judgedWhere((tier) => tier === 'high');

    expect(exitCodeOfVersus(judged)).toBe(0);
    expect(new Set(listsOf(judged).findings.map(({ cell }) => cell.tier)).has('high')).toBe(false);
  });
});
