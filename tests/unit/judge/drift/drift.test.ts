import { describe, expect, it } from 'vitest';
import { anchoredPolicy, chained, changeOfRatio, driftAnswers, ratioOf } from '../../../../src/judge/drift/drift.ts';
import { isFullPass } from '../../../../src/judge/verdict/coverage.ts';
import { judgeRun } from '../../../../src/judge/verdict/judge.ts';
import { DEFAULT_POLICY, type Policy } from '../../../../src/model/policy.ts';
import type { AnchoredRatio } from '../../../../src/model/run/anchor.ts';
import { listsOf, withLists } from '../../../support/result-lists.ts';
import { type SampleRoundsOptions, sampleRounds } from '../../../support/sample-rounds.ts';

const ANCHOR = { name: 'v1.4.0', commit: 'a'.repeat(40) };

const CPU: AnchoredRatio = {
  service: 'rest',
  operation: 'all',
  tier: 'saturation',
  metric: 'cpuMicrosPerRequest',
  ratio: 1.04,
  spread: 0.006,
};

function anchored(options: SampleRoundsOptions, policy: Partial<Policy> = {}, through?: readonly AnchoredRatio[]) {
  const run = sampleRounds(options);
  const anchor = through === undefined ? ANCHOR : { ...ANCHOR, through: { commit: 'b'.repeat(40), ratios: through } };
  const own = anchoredPolicy({ ...DEFAULT_POLICY, ...policy });
  return judgeRun({ ...run, rounds: { ...run.rounds, anchor, policy: own } });
}

const ofCpu = (result: ReturnType<typeof anchored>) =>
  listsOf(result).drifts.find(
    ({ metric, cell }) => metric === CPU.metric && cell.tier === CPU.tier && cell.service === CPU.service,
  );

const WORSE = { noise: 0.3, worse: [{ service: 'rest', tier: 'saturation', by: 0.08 }] };
const LIMIT = { drift: [{ metric: 'cpuMicrosPerRequest', limit: 0.05 }] };

describe('two ratios one after the other', () => {
  it('multiply, and their half intervals add in quadrature', () => {
    const found = chained({ ...CPU, ratio: 1.04, spread: 0.003 }, { ...CPU, ratio: 1.01, spread: 0.004 });

    expect(found.ratio).toBeCloseTo(1.0504, 10);
    expect(found.spread).toBeCloseTo(0.005, 10);
  });

  it('give a change whose ends lie as far from it in logarithms', () => {
    const { estimate, low, high } = changeOfRatio({ ratio: 1.05, spread: 0.01 });

    expect(estimate).toBeCloseTo(0.05, 10);
    expect(Math.log1p(high) - Math.log1p(estimate)).toBeCloseTo(0.01, 10);
    expect(Math.log1p(estimate) - Math.log1p(low)).toBeCloseTo(0.01, 10);
  });
});

describe('the drift from an anchor', () => {
  it('fails nothing without a limit, however large it is', () => {
    const result = anchored(WORSE);

    expect(result).toMatchObject({ outcome: 'passed', exitCode: 0 });
    expect(isFullPass(result)).toBe(true);
    expect(isFullPass(withLists(result, { drifts: [] }))).toBe(false);
    expect(ofCpu(result)?.change.estimate).toBeCloseTo(0.08, 1);
    expect(ofCpu(result)).toMatchObject({ limit: undefined, verdict: 'not judged' });
  });

  it('fails over its limit, and not below', () => {
    expect(anchored(WORSE, LIMIT)).toMatchObject({ outcome: 'regressed', exitCode: 1 });
    expect(ofCpu(anchored(WORSE, LIMIT))).toMatchObject({ limit: 0.05, verdict: 'over' });
    expect(anchored(WORSE, { drift: [{ metric: 'cpuMicrosPerRequest', limit: 0.1 }] })).toMatchObject({ exitCode: 0 });
  });

  it('takes the last line of the policy that is about a service and a tier', () => {
    const drift = [...LIMIT.drift, { metric: 'cpuMicrosPerRequest', service: 'rest', limit: 0.2 }];

    expect(anchored(WORSE, { drift })).toMatchObject({ exitCode: 0 });
    expect(
      anchored(WORSE, { drift: [{ ...drift[0], metric: 'cpuMicrosPerRequest', tier: 'low', limit: 0.05 }] }),
    ).toMatchObject({
      exitCode: 0,
    });
  });

  it('by the strict proof has to be over its limit with all of its interval', () => {
    const drift = [{ metric: 'cpuMicrosPerRequest', limit: 0.0795 }];
    const usual = anchored(WORSE, { drift });
    const low = ofCpu(usual)?.change.low ?? 0;

    expect(low).toBeLessThan(0.0795);
    expect(usual.exitCode).toBe(
      ofCpu(usual)?.change.estimate === undefined ? 0 : Number((ofCpu(usual)?.change.estimate ?? 0) >= 0.0795),
    );
    expect(anchored(WORSE, { drift, proof: 'strict' }).exitCode).toBe(0);
  });

  it('goes on from another commit by its ratio, with a wider interval', () => {
    const direct = ofCpu(anchored(WORSE));
    const result = anchored(WORSE, LIMIT, [CPU]);
    const found = ofCpu(result);

    expect(found?.ratio.ratio).toBeCloseTo((direct?.ratio.ratio ?? 0) * CPU.ratio, 10);
    expect(found?.ratio.spread).toBeCloseTo(Math.hypot(direct?.ratio.spread ?? 0, CPU.spread), 10);
    expect(listsOf(result).drifts).toHaveLength(1);
  });

  it('is of all operations of a service together', () => {
    const { findings } = listsOf(anchored(WORSE));
    const single = findings.filter(({ cell }) => cell.operation !== 'all');

    expect(single.length).toBeGreaterThan(0);
    expect(single.map(ratioOf).filter((one) => one !== undefined)).toEqual([]);
    expect(driftAnswers(single, ANCHOR, DEFAULT_POLICY)).toEqual([]);
  });
});
