import { describe, expect, test } from 'vitest';
import { isFullPass } from '../../../../src/judge/verdict/coverage.ts';
import { isDecided } from '../../../../src/judge/verdict/judge.ts';
import { listsOf } from '../../../support/result-lists.ts';
import { inputOf, judged, made, only } from './made-input.ts';

describe('judge', () => {
  test('calls a slowdown over the threshold a regression, and fails', () => {
    const result = judged([made({ worse: 0.1, sd: 0.02 })]);

    expect(only(result).verdict).toBe('regressed');
    expect(only(result).change.estimate).toBeCloseTo(0.1, 1);
    expect(only(result).adjustedP).toBe(2 ** -10);
    expect(result).toMatchObject({ outcome: 'regressed', exitCode: 1, gateSize: 1, looks: [8, 10] });
  });

  test('calls a sure slowdown under the threshold one within the limit, and passes', () => {
    const result = judged([made({ worse: 0.02, sd: 0.004 })]);

    expect(only(result).verdict).toBe('slower-within-limit');
    expect(result).toMatchObject({ outcome: 'passed', exitCode: 0 });
  });

  test('calls it unchanged where the interval ends below the threshold', () => {
    const finding = only(judged([made({ sd: 0.01 })]));

    expect(finding.verdict).toBe('unchanged');
    expect(finding.change.high).toBeLessThan(0.03);
    expect(finding).not.toHaveProperty('reason');
  });

  test('calls the mirror image of a regression an improvement', () => {
    const result = judged([made({ worse: 1 / 1.1 - 1, sd: 0.02 })]);

    expect(only(result).verdict).toBe('improved');
    expect(result).toMatchObject({ outcome: 'passed', exitCode: 0 });
  });

  test('says what an inconclusive one would have seen, and how many more rounds would do', () => {
    const finding = only(judged([made({ worse: 0.02, sd: 0.08, rounds: 15 })]));

    expect(finding).toMatchObject({ verdict: 'inconclusive', reason: 'too-noisy', rounds: 15 });
    expect(finding.noise.level).not.toBe('low');
    expect(finding.detectable).toBeGreaterThan(0.05);
    expect(finding?.moreRounds).toBeGreaterThan(0);
  });

  test.each([
    ['warn', 'inconclusive', 0],
    ['fail', 'inconclusive', 1],
    ['pass', 'passed', 0],
  ] as const)('ends by the policy "%s" where something is inconclusive', (inconclusive, outcome, exitCode) => {
    expect(judged([made({ sd: 0.1 }), made({ cell: 'grpc' })], { inconclusive })).toMatchObject({ outcome, exitCode });
  });

  test('turns a rate round: fewer is worse', () => {
    const finding = only(judged([made({ metric: 'achievedRps', better: 'higher', worse: 0.1 })]));

    expect(finding.verdict).toBe('regressed');
    expect(finding.change.estimate).toBeCloseTo(1 / 1.1 - 1, 2);
    expect(finding.change.low).toBeLessThan(finding.change.estimate);
    expect(finding.change.high).toBeGreaterThan(finding.change.estimate);
  });

  test('asks for the whole interval above the threshold where the proof is strict', () => {
    const slower = [made({ worse: 0.034, sd: 0.012 })];

    expect(only(judged(slower)).verdict).toBe('regressed');
    expect(only(judged(slower, { proof: 'strict' }))).toMatchObject({
      verdict: 'inconclusive',
      reason: 'too-noisy',
      moreRounds: undefined,
    });
    expect(only(judged([made({ worse: 0.2, sd: 0.012 })], { proof: 'strict' })).verdict).toBe('regressed');
  });

  test('takes zero variance without a division by zero', () => {
    const same = only(judged([made({ sd: 0 })]));
    const more = only(judged([made({ sd: 0, worse: 0.2 })]));

    expect(same).toMatchObject({ verdict: 'unchanged', change: { estimate: 0, low: 0, high: 0 }, noise: { sd: 0 } });
    expect(more).toMatchObject({ verdict: 'regressed', adjustedP: 2 ** -10 });
    expect(more.change.estimate).toBeCloseTo(0.2, 12);
  });

  test('judges nothing by fewer than 8 rounds', () => {
    const result = judged([made({ worse: 1, rounds: 7 })]);

    expect(only(result)).toMatchObject({ verdict: 'inconclusive', reason: 'too-few-rounds', detectable: undefined });
    expect(result).toMatchObject({ outcome: 'incomplete', exitCode: 2, looks: [] });
    expect(result.notes).toEqual([]);
  });

  test.each([
    [8, true, 'regressed'],
    [9, true, 'regressed'],
    [9, false, 'regressed'],
  ] as const)('with %i rounds and the clock as the end %s, finds a doubling %s', (rounds, isFinal, verdict) => {
    expect(
      only(judged([made({ worse: 1, rounds })], {}, { families: [{ service: undefined, isFinal }] })).verdict,
    ).toBe(verdict);
  });

  test('does not let a service with too few rounds hold up the others', () => {
    const result = judged([made({ worse: 0.1 }), made({ cell: 'grpc', rounds: 3 })]);

    expect(listsOf(result).findings.map(({ verdict }) => verdict)).toEqual(['regressed', 'inconclusive']);
    expect(result).toMatchObject({ outcome: 'regressed', looks: [8, 10] });
  });

  test('never fails by the family that is only watched', () => {
    const result = judged([made(), made({ metric: 'peakMemoryMiB', gate: false, worse: 0.5 })]);

    expect(listsOf(result).findings.map(({ family, verdict }) => [family, verdict])).toEqual([
      ['gate', 'unchanged'],
      ['watch', 'regressed'],
    ]);
    expect(result).toMatchObject({ outcome: 'passed', gateSize: 1 });
  });

  test('takes the last threshold that matches, and moves comparisons between the families', () => {
    const compared = [made({ worse: 0.06 }), made({ cell: 'grpc', metric: 'peakMemoryMiB', gate: false, worse: 0.06 })];
    const thresholds = [
      { threshold: 0.2 },
      { service: 'grpc', metric: 'peakMemoryMiB', threshold: 0.04, gate: true },
      { service: 'nothing', threshold: 0.001 },
      { service: 'rest', gate: false },
    ];

    const { findings, outcome } = listsOf(judged(compared, { thresholds }));

    expect(findings.map(({ family, threshold, verdict }) => [family, threshold, verdict])).toEqual([
      ['watch', 0.2, 'slower-within-limit'],
      ['gate', 0.04, 'regressed'],
    ]);
    expect(outcome).toBe('regressed');
  });

  test('calls a result incomplete where nothing that may fail was judged, and passed where nothing was meant to', () => {
    const watched = [made({ metric: 'peakMemoryMiB', gate: false })];
    const cell = { suite: 'users', service: 'rest', operation: 'all', tier: 'saturation' };
    const takes = [{ cell, metric: 'cpuMicrosPerRequest', gate: true }];
    const lost = [{ cell, reason: 'missing' as const, detail: '', takes }];

    expect(judged([])).toMatchObject({ outcome: 'incomplete', exitCode: 2, gateSize: 0 });
    expect(judged(watched, {}, { lost })).toMatchObject({ outcome: 'incomplete', exitCode: 2 });
    expect(judged(watched)).toMatchObject({ outcome: 'passed', exitCode: 0 });
  });

  test.each([
    ['missing', true, 'inconclusive'],
    ['base-failed', true, 'inconclusive'],
    ['invalid', true, 'inconclusive'],
    ['missing', false, 'passed'],
    ['generator-limited', true, 'inconclusive'],
    ['generator-limited', false, 'passed'],
    ['new', true, 'passed'],
    ['gone', true, 'passed'],
    ['head-failed', true, 'failed'],
  ] as const)('with something lost as %s (may fail: %s) the outcome is %s', (reason, gate, outcome) => {
    const cell = { suite: 'users', service: 'grpc', operation: 'all', tier: 'all' };

    const takes = [{ cell: { ...cell, tier: 'saturation' }, metric: 'cpuMicrosPerRequest', gate }];
    const result = judged([made()], {}, { lost: [{ cell, reason, detail: 'why', takes }] });

    expect(result.outcome).toBe(outcome);
    expect(listsOf(result).uncompared).toEqual([{ cell, reason, detail: 'why', rows: gate ? 1 : 0 }]);
    expect(isFullPass(result)).toBe(!gate);
  });

  test('with something hidden that counts only if it can be seen passes, unless the policy asks for it', () => {
    const cell = { suite: 'users', service: 'grpc', operation: 'GetUser', tier: 'medium' };
    const takes = [{ cell, metric: 'latencyP50Ms', gate: true, ifSeen: true }];
    const lost = [{ cell, reason: 'generator-limited' as const, detail: 'why', takes }];

    const passed = judged([made()], {}, { lost });
    expect(passed).toMatchObject({ outcome: 'passed', coverage: { rows: 1, seen: 1 } });
    expect(listsOf(passed).uncompared).toEqual([
      { cell, reason: 'generator-limited', detail: 'why', rows: 0, hidden: 1 },
    ]);
    expect(isFullPass(passed)).toBe(true);

    const requested = judged([made()], { thresholds: [{ service: 'grpc', gate: true }] }, { lost });
    expect(requested).toMatchObject({ outcome: 'inconclusive', coverage: { rows: 2, seen: 1 } });

    expect(judged([made({ gate: false })], {}, { lost }).outcome).toBe('inconclusive');
    expect(judged([], {}, { lost }).outcome).toBe('incomplete');
  });

  test('counts what was seen of what may fail a pull request, by the policy', () => {
    const cell = { suite: 'users', service: 'grpc', operation: 'all', tier: 'saturation' };
    const takes = ['achievedRps', 'latencyP50Ms', 'latencyP95Ms'].map((metric) => ({
      cell,
      metric,
      gate: metric !== 'latencyP95Ms',
    }));
    const lost = [{ cell, reason: 'generator-limited' as const, detail: '', takes }];

    expect(judged([made()], {}, { lost }).coverage).toEqual({ rows: 3, seen: 1 });
    expect(judged([made()], { thresholds: [{ service: 'grpc', gate: false }] }, { lost })).toMatchObject({
      coverage: { rows: 1, seen: 1 },
      outcome: 'passed',
    });
    expect(judged([made(), made({ cell: 'grpc', rounds: 3 })]).coverage).toEqual({ rows: 2, seen: 1 });
  });

  test.each([
    ['everything seen and told', [made()], {}, true],
    ['something that inconclusive', [made(), made({ cell: 'grpc', sd: 0.1 })], { inconclusive: 'pass' }, false],
    ['nothing that may fail', [made({ gate: false })], {}, false],
  ] as const)('passes fully or not, with %s', (...[, compared, policy, isFull]) => {
    const result = judged(compared, policy);

    expect(result.outcome).toBe('passed');
    expect(isFullPass(result)).toBe(isFull);
  });

  test('tests each family by itself, with its share of alpha and its own end', () => {
    const compared = [made({ worse: 0.1, rounds: 10 }), made({ cell: 'grpc', rounds: 20 })];
    const families = [
      { service: 'rest', isFinal: false },
      { service: 'grpc', isFinal: true },
    ];

    const result = judged(compared, {}, { families });

    expect(listsOf(result).findings.map(({ verdict }) => verdict)).toEqual(['regressed', 'unchanged']);
    expect(result.looks).toEqual([8, 10, 12, 15, 20]);
    // 12 of 1,024 exchanges are what the looks up to 10 rounds have of 2%; a twentieth of that leaves none.
    const many = Array.from({ length: 20 }, (_, index) => ({
      service: index === 0 ? 'rest' : `s${index}`,
      isFinal: false,
    }));
    expect(listsOf(judged(compared.slice(0, 1), {}, { families: many })).findings[0]?.verdict).toBe('inconclusive');
  });
});

describe('isDecided', () => {
  const early = { families: [{ service: undefined, isFinal: false }] };

  test.each([
    ['a regression', [made({ worse: 0.1 }), made({ cell: 'grpc', sd: 0.2 })], true],
    ['everything below its threshold', [made(), made({ cell: 'grpc', worse: -0.2 })], true],
    ['an open comparison of another service', [made(), made({ cell: 'grpc', sd: 0.1 })], true],
    [
      'an open comparison, and a regression of another service',
      [made({ sd: 0.1 }), made({ cell: 'grpc', worse: 0.1 })],
      true,
    ],
    ['an open comparison', [made(), made({ cell: 'rest/GetUser/low', sd: 0.1 })], false],
    [
      'an open comparison that is only watched',
      [made(), made({ cell: 'rest/GetUser/low', sd: 0.1, gate: false })],
      true,
    ],
    ['nothing that may fail', [made({ gate: false })], false],
    ['too few rounds', [made({ rounds: 5 })], false],
  ] as const)('with %s', (_what, compared, decided) => {
    expect(isDecided(judged(compared, {}, early), 'rest')).toBe(decided);
  });

  test('goes on where a slowdown within the limit may still be over it', () => {
    const open = judged([made({ worse: 0.027, sd: 0.012 })], {}, early);
    const closed = judged([made({ worse: 0.02, sd: 0.004 })], {}, early);

    expect(listsOf(open).findings[0]?.verdict).toBe('slower-within-limit');
    expect(isDecided(open, 'rest')).toBe(false);
    expect(listsOf(closed).findings[0]?.verdict).toBe('slower-within-limit');
    expect(isDecided(closed, 'rest')).toBe(true);
  });

  test('ends a service of which nothing is compared', () => {
    const result = { ...judged([], {}), findings: [], errors: [] };

    expect(isDecided(result, 'rest')).toBe(true);
  });

  test('does not stop at a regression that is accepted', () => {
    const accepted = [
      { metric: 'cpuMicrosPerRequest', service: 'rest', upTo: 0.2, until: '2027-01-31', why: 'a feature' },
    ];
    const compared = [made({ worse: 0.1 }), made({ cell: 'rest/GetUser/low', sd: 0.1 })];

    expect(isDecided(judged(compared, { accepted }, early), 'rest')).toBe(false);
    expect(isDecided(judged(compared.slice(0, 1), { accepted }, early), 'rest')).toBe(true);
  });
});

describe('the looks', () => {
  test('are the planned ones up to the rounds reached, and one more where the clock ended the rounds', () => {
    const compared = [made({ rounds: 17 })];

    expect(judged(compared, {}, { families: [{ service: undefined, isFinal: false }] }).looks).toEqual([8, 10, 12, 15]);
    expect(judged(compared).looks).toEqual([8, 10, 12, 15, 17]);
    expect(judged(inputOf([made({ rounds: 31 })]).compared).looks).toEqual([8, 10, 12, 15, 20, 30]);
  });
});
