import { describe, expect, it, test } from 'vitest';
import { rankAt } from '../../../../src/report/run/tiers.ts';
import { viewRun } from '../../../../src/report/views/run-view.ts';
import { cautions, trustSentences } from '../../../../src/report/views/trust.ts';
import { type SampleRunOptions, sampleRun } from '../../../support/sample-run.ts';

describe('the limits of a run', () => {
  it('say that one round has no interval', () => {
    expect(limits()).toEqual([
      'Each figure was measured once, so it has no interval: a small difference may be chance.',
    ]);
  });

  it('name what is missing, and that the run was ended early', () => {
    expect(limits({ without: ['grpc/high', 'rest/saturation'], change: { complete: false } }).slice(1)).toEqual([
      'The run ended before its plan was complete.',
      'Not measured: gRPC at 1,000 users and REST at saturation.',
    ]);
  });

  it('say what the budget cut, also if it is rounds alone', () => {
    const limitsOf = (cut: { readonly slots: number; readonly rounds: number }) =>
      limits({ change: { complete: cut.slots === 0, plan: { ...sampleRun().plan, budgetSeconds: 180, cut } } });

    expect(limitsOf({ slots: 4, rounds: 10 })).toContain(
      'The budget of 3 min cut the run short: 4 slots and the 10 rounds of the services against each other were not started.',
    );
    expect(limitsOf({ slots: 0, rounds: 10 }).at(-1)).toMatch(
      /^The budget .* run short: the 10 rounds .* were not started\.$/,
    );
  });
});

test('the summary warns of missing cells and of a disturbed machine', () => {
  const options = { without: ['grpc/high'], shapes: { 'rest/low': { marks: ['disturbed'] } } } as const;

  expect(cautions(viewRun(sampleRun(options)))).toEqual([
    'Incomplete: 1 of 8 cells were not measured.',
    'Noisy machine: other programs or the hypervisor took over 10% of a core in 1 of 8 measurements, marked disturbed.',
  ]);
});

describe('the rank of a service', () => {
  const ranks = (shapes: NonNullable<SampleRunOptions['shapes']>) =>
    ['medium', 'high'].map((tier) => rankAt(viewRun(sampleRun({ shapes })), ['rest', 'grpc'], tier)[0]);

  it('is by the rate if only one service sustains it', () => {
    expect(
      ranks({
        'rest/high': { held: 0.46, marks: ['saturated'] },
        'grpc/medium': { errorRate: 0.04, marks: ['failing'] },
      }),
    ).toEqual([
      { text: 'behind', meaning: 'only REST sustains the rate' },
      { text: 'ahead', meaning: 'only gRPC sustains the rate' },
    ]);
  });

  it('is none if the load tool was at its limit, or if the services are alike', () => {
    expect(ranks({ 'rest/high': { held: 0.7, marks: ['generator-limited'] } })).toEqual([
      undefined,
      { text: 'not ranked', meaning: 'load tool at its limit for REST' },
    ]);
  });

  it('does not count a difference that the rounds do not bear out', () => {
    const run = sampleRun({ rounds: 3 });
    const swinging = run.samples.map((sample) => {
      const isTail = sample.cell.tier === 'high' && sample.cell.operation === 'all';
      const wide = {
        latencyP50Ms: 2,
        latencyP90Ms: 5,
        latencyP99Ms: sample.round * (sample.cell.service === 'rest' ? 20 : 8),
      };
      return isTail ? { ...sample, values: { ...sample.values, ...wide } } : sample;
    });

    expect(rankAt(viewRun({ ...run, samples: swinging }), ['rest', 'grpc'], 'high')).toEqual([
      { text: 'within the scatter of the rounds' },
    ]);
  });
});

function limits(options: SampleRunOptions = {}) {
  return trustSentences(viewRun(sampleRun(options)));
}
