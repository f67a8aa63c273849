import { describe, expect, it } from 'vitest';
import { runReading } from '../../../../src/report/views/run-sentences.ts';
import { viewRun } from '../../../../src/report/views/run-view.ts';
import { type SampleRunOptions, sampleRun } from '../../../support/sample-run.ts';
import { sampleSweep } from '../../../support/sample-sweep.ts';

describe('readRun', () => {
  it('says who is ahead, where it does not matter, and what each does at saturation', () => {
    expect(read().summary).toMatchInlineSnapshot(`
      [
        "gRPC against REST: ahead at 1,000 users (p99 5.98 ms against 22.0 ms, −73%); no relevant difference at 100 and 500 users.",
        "At saturation gRPC answers 8,260/s, 1.84 times REST's 4,490/s, with 0.54 times the CPU time per request (119 µs against 221 µs).",
      ]
    `);
  });

  it('has a sentence for each tier, for capacity, for CPU time at equal load and for each turning point', () => {
    expect(read().results).toMatchInlineSnapshot(`
      [
        "At 100 users REST and gRPC differ too little to matter: both hold the offered 333/s, p50 differs by 0.07 ms, p99 by 1.50 ms.",
        "At 500 users REST and gRPC differ too little to matter: both hold the offered 1,667/s, p50 differs by 0.09 ms, p99 by 2.07 ms.",
        "At 1,000 users gRPC is ahead of REST: p50 0.74 ms against 1.92 ms, −62%; p90 2.34 ms against 7.37 ms, −68%; p99 5.98 ms against 22.0 ms, −73%; both hold the offered 3,333/s.",
        "At saturation gRPC answers 8,260/s, 1.84 times REST's 4,490/s, with 0.54 times the CPU time per request (119 µs against 221 µs).",
        "Service CPU time per request at equal load, gRPC as a multiple of REST: 0.91 at 100 users, 0.72 at 500 users, 0.68 at 1,000 users.",
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

  it('calls two services indistinguishable that hold the rate with the same latency', () => {
    const same = { p50Ms: 0.4, spread: 0.6 };
    const { results } = read({ shapes: { 'rest/low': same, 'grpc/low': { ...same, p50Ms: 0.41 } } });

    expect(results[0]).toMatchInlineSnapshot(
      `"At 100 users REST and gRPC show no clear difference: both hold the offered 333/s, with p50 0.40 ms (REST) and 0.41 ms (gRPC), p99 1.61 ms (REST) and 1.65 ms (gRPC)."`,
    );
  });

  it('ranks by the rate where only one service holds it, and names errors', () => {
    const { results, summary } = read({
      shapes: {
        'rest/high': { held: 0.46, marks: ['saturated'] },
        'grpc/medium': { errorRate: 0.04, marks: ['failing'] },
      },
    });

    expect(summary[0]).toMatchInlineSnapshot(
      `"gRPC against REST: behind at 500 users (gRPC 1,667/s with 4.00% errors, REST 1,667/s); ahead at 1,000 users (gRPC 3,333/s, REST 1,533/s); no relevant difference at 100 users."`,
    );
    expect(results.slice(1, 3)).toMatchInlineSnapshot(`
      [
        "At 500 users only REST holds the offered 1,667/s: REST 1,667/s, gRPC 1,667/s with 4.00% errors.",
        "At 1,000 users only gRPC holds the offered 3,333/s: gRPC 3,333/s, REST 1,533/s.",
      ]
    `);
  });

  it('does not rank where the load tool was at its limit', () => {
    const { results, summary } = read({ shapes: { 'rest/high': { held: 0.7, marks: ['generator-limited'] } } });

    expect(summary[0]).toContain('not ranked at 1,000 users');
    expect(results[2]).toMatchInlineSnapshot(
      `"At 1,000 users there is no ranking: the load tool was at its limit for REST."`,
    );
  });

  it('claims no capacity where the closed loop did not fill the core', () => {
    const { summary } = read({ shapes: { 'grpc/saturation': { marks: ['not-saturated'] } } });

    expect(summary[1]).toMatchInlineSnapshot(
      `"At saturation there is no ranking: gRPC's core was busy for only 81.0%."`,
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

    const { results, summary } = runReading(viewRun({ ...run, samples: swinging }));

    expect(summary[0]).toContain('within the scatter of their rounds at 1,000 users');
    expect(results[2]).toMatchInlineSnapshot(
      `"At 1,000 users REST and gRPC differ by no more than their rounds: p50 2.00 ms (REST) and 2.00 ms (gRPC), p99 40.0 ms (REST) and 16.0 ms (gRPC); both hold the offered 3,333/s."`,
    );
  });

  it('names the first service as the reference of all others', () => {
    const { summary } = read({ services: ['rest', 'rest-development', 'grpc'] });

    expect(summary.map((line) => line.slice(0, 36))).toMatchInlineSnapshot(`
      [
        "REST development against REST: behin",
        "At saturation REST development answe",
        "gRPC against REST: ahead at 1,000 us",
        "At saturation gRPC answers 8,260/s, ",
      ]
    `);
  });

  it('describes a single service without comparing it', () => {
    expect(read({ services: ['grpc'] }).summary).toMatchInlineSnapshot(`
      [
        "gRPC: holds 333/s with a p99 of 1.77 ms at 100 users; holds 1,667/s with a p99 of 3.01 ms at 500 users; holds 3,333/s with a p99 of 5.98 ms at 1,000 users.",
        "At saturation gRPC answers 8,260/s, with 119 µs of CPU time each.",
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
      'Disturbed: in 1 of 8 cells other programs or the hypervisor took over 10% of a core; interpret them with care.',
    ]);
  });

  it('names the tiers of a mark together', () => {
    const shapes = { 'rest/low': { marks: ['dropped'] }, 'rest/high': { marks: ['dropped'] } } as const;

    expect(read({ shapes }).limits.at(-1)).toContain(': REST at 100 and 1,000 users.');
  });

  it('tells in how many rounds a mark stands', () => {
    const run = sampleRun({ rounds: 3 });
    const samples = run.samples.map((sample): (typeof run.samples)[number] =>
      sample.cell.service === 'rest' && sample.cell.tier === 'low' && sample.round === 2
        ? { ...sample, marks: ['disturbed'] }
        : sample,
    );

    const { limits } = runReading(viewRun({ ...run, samples }));

    expect(limits.at(-1)).toMatchInlineSnapshot(
      `"Marked disturbed (other programs or the hypervisor took over 10% of a core): REST at 100 users (1 of 3 rounds)."`,
    );
  });

  it('says so when nothing was measured', () => {
    const run = { ...sampleRun(), samples: [], complete: false };

    expect(runReading(viewRun(run)).summary).toEqual(['Nothing was measured.']);
  });
});

describe('readRun of users without think time', () => {
  const limited = { 'payload-grpc/full-1': ['generator-limited'] } as const;

  it('says in few words how services stand over a sweep, and where nothing can be said', () => {
    const { summary, results } = runReading(viewRun(sampleSweep(limited)));
    const [sentence] = summary.filter((line) => line.startsWith('payload-grpc:'));

    expect(sentence).toMatch(
      /: [\d.]+ and [\d.]+ times the rate with 100 and 1,000 objects in an answer \(16 users at full rate\)\.$/,
    );
    expect(summary).toContain(
      'Not ranked: 1 of 15 comparisons, because of payload-grpc at 16 users at full rate (Objects1).',
    );
    // A table has all else.
    expect(results).toEqual([
      'At 16 users at full rate (Objects1) some services are not ranked: the load tool was at its limit for payload-grpc.',
    ]);
  });

  it('says it tier by tier where nothing is swept', () => {
    const run = sampleSweep(limited);
    const { sweep: _, ...suite } = run.suite;

    const { summary, results } = runReading(viewRun({ ...run, suite }));

    expect(summary[0]).toBe('Each service against payload-json:');
    expect(summary.some((line) => /^payload-grpc: [\d.]+ and [\d.]+ times the rate at /.test(line))).toBe(true);
    expect(results).toContainEqual(
      'At 16 users at full rate (Objects1) some services are not ranked: the load tool was at its limit for payload-grpc.',
    );
    expect(results.some((line) => /^At 500 users \(Objects1000\) payload-grpc answers/.test(line))).toBe(true);
    expect(results.some((line) => line.includes('turning point'))).toBe(false);
  });
});

describe('readRun of many services', () => {
  /** The services as several of each. */
  function manyOf(options: SampleRunOptions = {}) {
    const run = sampleRun({ services: ['rest', 'grpc'], ...options });
    const copy = (name: string) => ({
      services: run.services.filter((one) => one.name === 'grpc').map((one) => ({ ...one, name, title: name })),
      samples: run.samples
        .filter(({ cell }) => cell.service === 'grpc')
        .map((sample) => ({ ...sample, cell: { ...sample.cell, service: name } })),
    });
    const copies = [copy('second'), copy('third')];
    return runReading(
      viewRun({
        ...run,
        services: [...run.services, ...copies.flatMap(({ services }) => services)],
        samples: [...run.samples, ...copies.flatMap(({ samples }) => samples)],
      }),
    );
  }

  it('names the reference once, and has a short sentence for each other', () => {
    expect(manyOf().summary).toMatchInlineSnapshot(`
      [
        "Each service against REST:",
        "gRPC: ahead at 1, no clear difference at 2 of 3 rates; 1.84 times the rate at saturation.",
        "second: ahead at 1, no clear difference at 2 of 3 rates; 1.84 times the rate at saturation.",
        "third: ahead at 1, no clear difference at 2 of 3 rates; 1.84 times the rate at saturation.",
      ]
    `);
  });

  it('says once how many comparisons rank nothing, and why in the results', () => {
    const limited = { marks: ['generator-limited'] } as const;
    const { summary, results } = manyOf({ shapes: { 'rest/high': limited, 'grpc/saturation': limited } });

    expect(summary.at(-1)).toBe(
      'Not ranked: 6 of 12 comparisons, because of REST at 1,000 users; gRPC at saturation; second at saturation; 1 more service.',
    );
    expect(results.filter((line) => line.includes('not ranked'))).toEqual([
      'At 1,000 users some services are not ranked: the load tool was at its limit for REST.',
      'At saturation some services are not ranked: the load tool was at its limit for gRPC; the load tool was at its limit for second; the load tool was at its limit for third.',
    ]);
    expect(summary[1]).toBe('gRPC: no clear difference at 2 of 3 rates.');
  });

  it('says nothing in the summary of those that are told elsewhere', () => {
    const view = viewRun(sampleRun({ services: ['rest', 'rest-development', 'grpc'] }));

    expect(runReading(view, ['grpc']).summary.some((line) => line.startsWith('gRPC'))).toBe(false);
    expect(runReading(view, ['grpc']).summary.some((line) => line.startsWith('REST development'))).toBe(true);
  });
});
function read(options: SampleRunOptions = {}) {
  return runReading(viewRun(sampleRun(options)));
}
