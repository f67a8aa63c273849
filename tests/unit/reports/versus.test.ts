import { describe, expect, test } from 'vitest';
import type { Run } from '../../../src/core/run.ts';
import { judgeRun } from '../../../src/core/verdict/judge.ts';
import { REPORTS } from '../../../src/reports/index.ts';
import { viewVersus } from '../../../src/reports/versus-view.ts';
import { type SampleRoundsOptions, sampleRounds } from '../../sample-rounds.ts';

/** gRPC against REST; `worse` says of which side. */
function judgementOf(options: SampleRoundsOptions, services: readonly ('rest' | 'grpc')[] = ['grpc']) {
  const run = sampleRounds({ ...options, services });
  const both = sampleRounds({ rounds: 1 }).services;
  const paired = { ...run, services: both, rounds: { ...run.rounds, versus: { reference: 'rest' } } };
  return { run: paired as Run, against: undefined, compared: judgeRun(paired) };
}

function claims(options: SampleRoundsOptions): readonly string[] {
  const { run, compared } = judgementOf(options);
  return viewVersus(run, compared)?.claims ?? [];
}

const cpu = (side: 'base' | 'head', by: number) => ({ metric: 'cpuMicrosPerRequest' as const, side, by });
const rate = (side: 'base' | 'head', by: number) => ({ metric: 'achievedRps' as const, side, by });

describe('the claims', () => {
  test('name the service that is better first', () => {
    expect(claims({ worse: [cpu('base', 1)] })[0]).toMatch(
      /^gRPC serves (2\.0\d|1\.9\d) times as many requests per CPU second as REST \(95 % interval [\d.]+ to [\d.]+, 10 rounds\)\.$/,
    );
    expect(claims({ worse: [cpu('head', 1)] })[0]).toMatch(/^REST serves (2\.0\d|1\.9\d) times as many .* as gRPC/);
  });

  test('give the lower end of an interval first, whoever is better', () => {
    for (const side of ['base', 'head'] as const) {
      const [, low = '', high = ''] =
        /interval ([\d.]+) to ([\d.]+)/.exec(claims({ worse: [rate(side, 0.3)] })[1] ?? '') ?? [];

      expect(Number(low)).toBeLessThan(Number(high));
      expect(Number(low)).toBeGreaterThan(1);
    }
  });

  test('say so where two are alike', () => {
    expect(claims({})[0]).toMatch(
      /^gRPC and REST serve as many requests per CPU second \((1\.0|0\.9)\d+ times, 95 % interval/,
    );
  });

  test('say so where the rounds are too few', () => {
    expect(claims({ rounds: 3 })[0]).toMatch(
      /^gRPC and REST cannot be told apart in requests per CPU second .*no interval, 3 rounds/,
    );
  });
});

describe.each(Object.entries(REPORTS))('the %s report', (_name, report) => {
  test('is about services, not about versions', () => {
    const text = report(judgementOf({ worse: [cpu('base', 1)] }));

    expect(text).toContain('gRPC against REST');
    const words = text.replace(/<head>[\s\S]*<\/head>|<[^>]+>/g, '');
    expect(words).not.toMatch(/\b[Bb]ase\b|\b[Hh]ead\b|[Rr]egress|threshold|version/);
  });

  test('ranks three services, the reference among them', () => {
    const { run, compared } = judgementOf({ worse: [{ ...cpu('base', 1), service: 'grpc' }] }, ['grpc', 'rest']);

    expect(viewVersus(run, compared)?.ranking.map(({ perCpuSecond }) => perCpuSecond === 'reference')).toEqual([
      false,
      expect.any(Boolean),
      expect.any(Boolean),
    ]);
    expect(report({ run, against: undefined, compared })).toContain('reference');
  });
});

test('says nothing of a comparison of versions', () => {
  const run = sampleRounds();

  expect(viewVersus(run, judgeRun(run))).toBeUndefined();
});
