import { describe, expect, it, test } from 'vitest';
import { rankAt, runReading } from '../../../../src/report/views/run-sentences.ts';
import { viewRun } from '../../../../src/report/views/run-view.ts';
import { type SampleRunOptions, sampleRun } from '../../../support/sample-run.ts';
import { sampleSweep } from '../../../support/sample-sweep.ts';

describe('readRun', () => {
  it('says who is ahead, where it does not matter, and what each does at saturation', () => {
    expect(read().summary).toMatchInlineSnapshot(`
      [
        "gRPC against REST: ahead at 1,000 users (p99, p90, p50); no relevant difference at 100 and 500 users; 1.84 times the rate at saturation, with 0.54 times the CPU time per request.",
      ]
    `);
  });

  it('has a sentence for each turning point', () => {
    expect(read().results).toMatchInlineSnapshot(`
      [
        "REST: no turning point seen.",
        "gRPC: no turning point seen.",
      ]
    `);
  });

  it('says that one round has no interval', () => {
    expect(read().limits).toMatchInlineSnapshot(`
      [
        "Every figure comes from one round, so there is no interval: a small difference may be chance.",
      ]
    `);
  });

  it('ranks by the rate where only one service holds it, and not where the load tool was at its limit', () => {
    const ranks = (shapes: NonNullable<SampleRunOptions['shapes']>) =>
      ['medium', 'high'].map((tier) => rankAt(viewRun(sampleRun({ shapes })), ['rest', 'grpc'], tier));

    expect(
      ranks({
        'rest/high': { held: 0.46, marks: ['saturated'] },
        'grpc/medium': { errorRate: 0.04, marks: ['failing'] },
      }),
    ).toEqual([
      { word: 'behind', why: 'only REST sustains it' },
      { word: 'ahead', why: 'only gRPC sustains it' },
    ]);
    expect(ranks({ 'rest/high': { held: 0.7, marks: ['generator-limited'] } })[1]).toEqual({
      word: 'not ranked',
      why: 'load tool at its limit for REST',
    });
  });

  it('claims no capacity where the closed loop did not fill the core', () => {
    const shapes = { 'grpc/saturation': { marks: ['not-saturated'] } } as const;

    expect(read({ shapes }).summary[0]).toMatch(/; not ranked at saturation: gRPC's core was busy for only 81\.0%\.$/);
    expect(read({ shapes, services: ['grpc'] }).summary[0]).toMatch(
      / Its capacity is unknown: gRPC's core .* 81\.0%\.$/,
    );
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

    const { summary } = runReading(viewRun({ ...run, samples: swinging }));

    expect(summary[0]).toContain('within the scatter of the rounds at 1,000 users');
  });

  it('names the first service as the reference of all others', () => {
    const { summary } = read({ services: ['rest', 'rest-development', 'grpc'] });

    expect(summary.map((line) => line.slice(0, 36))).toMatchInlineSnapshot(`
      [
        "REST development against REST: behin",
        "gRPC against REST: ahead at 1,000 us",
      ]
    `);
  });

  it('describes a single service without comparing it', () => {
    expect(read({ services: ['grpc'] }).summary).toMatchInlineSnapshot(`
      [
        "gRPC sustains 3,333/s with a p99 of 5.98 ms at 1,000 users, and serves 8,260/s at saturation.",
      ]
    `);
  });

  it('names what is missing, and that the run was ended early', () => {
    const { limits } = read({ without: ['grpc/high', 'rest/saturation'], change: { complete: false } });

    expect(limits.slice(1)).toEqual([
      'The run ended before its plan was complete.',
      'Not measured: gRPC at 1,000 users and REST at saturation.',
    ]);
  });

  it('says what the budget cut, also where it is rounds alone', () => {
    const limitsOf = (cut: { readonly slots: number; readonly rounds: number }) =>
      read({ change: { complete: cut.slots === 0, plan: { ...sampleRun().plan, budgetSeconds: 180, cut } } }).limits;

    expect(limitsOf({ slots: 4, rounds: 10 })).toContain(
      'The budget of 3 min 0 s cut the run short: 4 slots and the 10 rounds of the services against each other were not started.',
    );
    expect(limitsOf({ slots: 0, rounds: 10 }).at(-1)).toMatch(
      /^The budget .* run short: the 10 rounds .* were not started\.$/,
    );
  });

  it('warns in the summary of missing cells and of a disturbed machine', () => {
    const { summary } = read({ without: ['grpc/high'], shapes: { 'rest/low': { marks: ['disturbed'] } } });

    expect(summary.slice(-2)).toEqual([
      'Incomplete: 1 of 8 cells were not measured.',
      'Noisy machine: in 1 of 8 measurements other programs or the hypervisor took over 10% of a core.',
    ]);
  });

  it('says so when nothing was measured', () => {
    const run = { ...sampleRun(), samples: [], complete: false };

    expect(runReading(viewRun(run)).summary).toEqual(['Nothing was measured.']);
  });
});

test('users without think time are compared by their rates, but where the load tool was at its limit', () => {
  const { summary } = runReading(viewRun(sampleSweep({ 'payload-grpc/full-1': ['generator-limited'] })));

  expect(summary.find((line) => line.startsWith('payload-grpc'))).toMatch(
    /^payload-grpc against payload-json: [\d.]+ and [\d.]+ times the rate at .*; not ranked at 16 users at full rate \(Objects1\)\.$/,
  );
});

describe('readRun of many services', () => {
  it('says nothing in the summary of those that are told elsewhere', () => {
    const view = viewRun(sampleRun({ services: ['rest', 'rest-development', 'grpc'] }));

    expect(runReading(view, ['grpc']).summary.some((line) => line.startsWith('gRPC'))).toBe(false);
    expect(runReading(view, ['grpc']).summary.some((line) => line.startsWith('REST development'))).toBe(true);
  });
});
function read(options: SampleRunOptions = {}) {
  return runReading(viewRun(sampleRun(options)));
}
