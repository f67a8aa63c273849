import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { seededRandom, shuffled } from '../../../../src/foundation/random.ts';
import { type HistoryVerdict, suspicionsOf } from '../../../../src/judge/stored/comparison.ts';
import type { StoredRun } from '../../../../src/judge/stored/stored-run.ts';
import { cellPlace, METRICS, type MetricName } from '../../../../src/model/metric.ts';
import { DEFAULT_POLICY } from '../../../../src/model/policy.ts';
import { baselineOf, CPU, judge, kindsOf, QUIET, runNow, SLOW_GRPC, verdictOn } from './histories.ts';

describe('a run against 30 stored runs', () => {
  test('that did not change raises no suspicion', () => {
    const result = judge(runNow(), baselineOf(QUIET));

    expect(kindsOf(result.verdicts)).toEqual(['judged']);
    expect(suspicionsOf(result)).toEqual([]);
    expect(result.past).toMatchObject({ stored: 30, configured: 30, onMachine: 30 });
  });

  test('is suspicious where it uses a fifth more CPU time, and nowhere else', () => {
    const result = judge(runNow(SLOW_GRPC), baselineOf(QUIET));

    expect(suspicionsOf(result)).toHaveLength(1);
    expect(verdictOn(result.verdicts, CPU)).toMatchObject({
      kind: 'judged',
      status: 'suspicious',
      family: 'gate',
      threshold: 0.03,
      runs: 30,
    });
  });

  test('is suspicious where a rate fell, since higher is better there', () => {
    const result = judge(runNow({ shapes: { 'rest/saturation': { held: 3600 } } }), baselineOf(QUIET));
    const found = verdictOn(result.verdicts, 'rest/all/saturation achievedRps');

    expect(found).toMatchObject({ kind: 'judged', status: 'suspicious' });
    expect(found?.kind === 'judged' && found.bound < (found.comparison.before ?? 0)).toBe(true);
  });

  test('finds the watched ones and lets none of them alarm', () => {
    const slower = { shapes: { 'rest/high': { cpuMicros: 320 } } };
    const thresholds = [{ metric: 'cpuMicrosPerRequest', tier: 'high', gate: false }];
    const result = judge(runNow(slower), baselineOf(QUIET), { ...DEFAULT_POLICY, thresholds });

    expect(verdictOn(result.verdicts, 'rest/all/high cpuMicrosPerRequest')).toMatchObject({
      status: 'suspicious',
      family: 'watch',
    });
    expect(suspicionsOf(result)).toEqual([]);
  });

  test('only watches users who come and go, unless the policy lets them gate', () => {
    const run = runNow({ shapes: { 'rest/high': { cpuMicros: 320 } } });
    const stages = [{ seconds: 60, users: 1000 }];
    const tiers = run.suite.tiers.map((tier) => (tier.name === 'high' ? { name: 'high', stages } : tier));
    const staged = { ...run, suite: { ...run.suite, tiers } };
    const familyIn = (of: typeof run, thresholds: readonly { readonly tier: string; readonly gate: boolean }[] = []) =>
      verdictOn(
        judge(of, baselineOf(QUIET), { ...DEFAULT_POLICY, thresholds }).verdicts,
        'rest/all/high cpuMicrosPerRequest',
      );

    expect(familyIn(run)).toMatchObject({ status: 'suspicious', family: 'gate' });
    expect(familyIn(staged)).toMatchObject({ status: 'suspicious', family: 'watch' });
    expect(familyIn(staged, [{ tier: 'high', gate: true }])).toMatchObject({ family: 'gate' });
  });

  test('is judged by the policy: its threshold, its families', () => {
    const policy = {
      ...DEFAULT_POLICY,
      thresholds: [{ service: 'grpc', metric: 'cpuMicrosPerRequest', threshold: 0.3, gate: false }],
    };

    expect(verdictOn(judge(runNow(SLOW_GRPC), baselineOf(QUIET), policy).verdicts, CPU)).toMatchObject({
      threshold: 0.3,
      family: 'watch',
      status: 'inconclusive',
    });
  });
});

describe('what could not be compared', () => {
  test('leaves the CPU time per request, which the load tool does not change', () => {
    const metricsUnder = (mark: 'generator-limited' | 'not-saturated' | 'saturated') =>
      judge(runNow({ shapes: { 'rest/saturation': { marks: [mark] } } }), baselineOf(QUIET)).verdicts.flatMap(
        (verdict) =>
          verdict.kind === 'judged' && cellPlace(verdict.comparison.cell) === 'rest/all/saturation'
            ? [verdict.comparison.metric]
            : [],
      );

    expect(metricsUnder('generator-limited')).toEqual(['cpuMicrosPerRequest']);
    expect(metricsUnder('not-saturated')).toEqual(
      expect.arrayContaining(['cpuMicrosPerRequest', 'achievedRps', 'latencyP50Ms']),
    );
    expect(metricsUnder('saturated')).toEqual([]);
  });

  test('is named with its reason', () => {
    const changed = runNow({
      services: ['rest', 'rest-development', 'grpc'],
      without: ['rest/high', 'grpc/high'],
      shapes: {
        'rest/low': { marks: ['generator-limited'] },
        'grpc/low': { marks: ['saturated'] },
        'rest/saturation': { marks: ['not-saturated'] },
      },
      change: { failures: [{ suite: 'users', service: 'rest', tier: 'high', round: 1, message: 'it ended' }] },
    });
    const { verdicts } = judge(changed, baselineOf(QUIET));
    const reasons = verdicts.flatMap((verdict) =>
      verdict.kind === 'unmeasured' && verdict.cell.operation === 'all'
        ? [`${verdict.cell.service}/${verdict.cell.tier} ${verdict.reason} ${verdict.runs}`]
        : [],
    );

    expect(reasons.sort()).toEqual([
      'grpc/high gone 30',
      'grpc/low saturated 30',
      'rest-development/all new 0',
      'rest-development/high saturated 0',
      'rest-development/low new 0',
      'rest-development/medium saturated 0',
      'rest-development/saturation new 0',
      'rest/high failed 30',
      'rest/low generator-limited 30',
    ]);
  });

  test('is named where a counter is missing in this run only', () => {
    const run = runNow();
    const samples = run.samples.map(({ values: { cpuMicrosPerRequest: _cpu, ...values }, ...sample }) => ({
      ...sample,
      values,
    }));
    const { verdicts } = judge({ ...run, samples }, baselineOf(QUIET));

    expect(verdicts).toContainEqual(
      expect.objectContaining({ kind: 'unmeasured', reason: 'missing', metric: 'cpuMicrosPerRequest', runs: 30 }),
    );
  });
});

describe('for any figures', () => {
  const baseline = baselineOf(QUIET);
  const scaled = (values: StoredRun['cells'][string], metric: MetricName, unit: number) => {
    const value = values[metric];
    return value === undefined ? values : { ...values, [metric]: value * unit };
  };
  const statusesOf = (verdicts: readonly HistoryVerdict[]) =>
    verdicts.map((verdict) => ('status' in verdict ? verdict.status : verdict.kind));

  test('units do not matter', () => {
    const metric = fc.constantFrom<MetricName>('cpuMicrosPerRequest', 'achievedRps', 'latencyP50Ms', 'peakMemoryMiB');
    fc.assert(
      fc.property(metric, fc.double({ min: 0.001, max: 1000, noNaN: true }), (name, unit) => {
        const run = runNow(SLOW_GRPC);
        const other = {
          ...run,
          samples: run.samples.map((sample) => ({ ...sample, values: scaled(sample.values, name, unit) })),
        };
        const runs = baseline.map((stored) => ({
          ...stored,
          cells: Object.fromEntries(
            Object.entries(stored.cells).map(([place, values]) => [place, scaled(values, name, unit)]),
          ),
        }));

        expect(METRICS[name].unit).toBeDefined();
        expect(statusesOf(judge(other, runs).verdicts)).toEqual(statusesOf(judge(run, baseline).verdicts));
      }),
      { numRuns: 8 },
    );
  });

  test('the order of the samples does not matter', () => {
    const run = runNow(SLOW_GRPC);
    const text = (verdicts: readonly HistoryVerdict[]) => verdicts.map((verdict) => JSON.stringify(verdict)).sort();
    fc.assert(
      fc.property(fc.nat(), (seed) => {
        const samples = shuffled(run.samples, seededRandom(seed));

        expect(text(judge({ ...run, samples }, baseline).verdicts)).toEqual(text(judge(run, baseline).verdicts));
      }),
      { numRuns: 8 },
    );
  });
});
