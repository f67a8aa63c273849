import { describe, expect, test } from 'vitest';
import { isFullPass } from '../../../../src/judge/verdict/coverage.ts';
import { isDecided } from '../../../../src/judge/verdict/judge.ts';
import { listsOf } from '../../../support/result-lists.ts';
import { judged, made } from './made-input.ts';

const TIER = { cell: 'rest/GetUser/medium', metric: 'latencyP50Ms', ifSeen: true };
const GOING_ON = { families: [{ service: undefined, isFinal: false }] };
const quiet = made();
const hidden = made({ ...TIER, sd: 0.3 });

describe('a comparison of a tier that noise hides', () => {
  test('leaves the outcome to the others, and says which change it would have seen', () => {
    const result = judged([quiet, hidden]);

    expect(listsOf(result).findings[1]).toMatchObject({ verdict: 'inconclusive', reason: 'not-seen', family: 'watch' });
    expect(listsOf(result).findings[1]?.detectable).toBeGreaterThan(0.2);
    expect(result).toMatchObject({ outcome: 'passed', gateSize: 2, coverage: { rows: 1, seen: 1 } });
    expect(isFullPass(result)).toBe(true);
  });

  test.each([
    [8, 'latencyP50Ms', false],
    [9, 'latencyP50Ms', false],
    [10, 'latencyP50Ms', true],
    [8, 'cpuMicrosPerRequest', true],
  ] as const)('says of %i rounds of %s whether there is such a change: %s', (rounds, metric, sees) => {
    const [found] = listsOf(judged([made({ ...TIER, metric, rounds })])).findings;

    expect(found?.detectable !== undefined).toBe(sees);
  });

  test('adds no rounds if noise is high', () => {
    const result = judged([quiet, hidden], {}, GOING_ON);

    expect(listsOf(result).findings[1]).toMatchObject({ reason: 'not-seen' });
    expect(isDecided(result, 'rest')).toBe(true);
  });

  test('adds no rounds if it is estimated below its threshold', () => {
    const below = made({ ...TIER, rounds: 15, sd: 0.08 });

    const result = judged([made({ rounds: 15 }), below], {}, GOING_ON);

    expect(listsOf(result).findings[1]).toMatchObject({ verdict: 'inconclusive', reason: 'not-seen', family: 'watch' });
    expect(isDecided(result, 'rest')).toBe(true);
  });

  test('adds rounds if it is estimated at its threshold', () => {
    const above = made({ ...TIER, sd: 0.08, worse: 0.06 });

    expect(listsOf(judged([quiet, above], {}, GOING_ON)).findings[1]).toMatchObject({
      reason: 'too-noisy',
      family: 'gate',
    });
    expect(listsOf(judged([quiet, above])).findings[1]).toMatchObject({ reason: 'not-seen' });
  });

  test('counts to the end where the policy asks for it', () => {
    const thresholds = [{ metric: 'latencyP50Ms', tier: 'medium', gate: true }];

    const result = judged([quiet, hidden], { thresholds }, GOING_ON);

    expect(listsOf(result).findings[1]).toMatchObject({ reason: 'too-noisy', family: 'gate' });
    expect(isDecided(result, 'rest')).toBe(false);
    expect(judged([quiet, hidden], { thresholds }).outcome).toBe('inconclusive');
  });

  test('is no more than watched where the policy takes it out', () => {
    const thresholds = [{ metric: 'latencyP50Ms', gate: false }];

    expect(judged([quiet, hidden], { thresholds })).toMatchObject({ outcome: 'passed', gateSize: 1 });
    expect(listsOf(judged([quiet, hidden], { thresholds })).findings[1]).toMatchObject({ reason: 'too-noisy' });
  });

  test('fails the pull request all the same where it is found slower', () => {
    const slower = made({ ...TIER, sd: 0.15, worse: 1 });

    expect(judged([quiet, slower])).toMatchObject({ outcome: 'regressed', gateSize: 2 });
  });

  test('is open where all of its interval is over the threshold, though not proven', () => {
    const over = made({ ...TIER, sd: 0.03, worse: 0.1 });

    const { findings, outcome } = listsOf(judged([quiet, over], { alpha: 1e-5 }));

    expect(findings[1]).toMatchObject({ verdict: 'inconclusive', reason: 'too-noisy', family: 'gate' });
    expect(outcome).toBe('inconclusive');
  });

  test('passes nothing where noise hides everything', () => {
    expect(judged([hidden])).toMatchObject({ outcome: 'inconclusive', coverage: { rows: 0, seen: 0 } });
  });

  test('has no forecast if the proof is strict, so only the last look decides', () => {
    expect(listsOf(judged([quiet, hidden], { proof: 'strict' }, GOING_ON)).findings[1]).toMatchObject({
      reason: 'too-noisy',
    });
    expect(listsOf(judged([quiet, hidden], { proof: 'strict' })).findings[1]).toMatchObject({ reason: 'not-seen' });
  });

  test('is waited for at saturation, however noisy', () => {
    const result = judged([made({ sd: 0.3 })], {}, GOING_ON);

    expect(isDecided(result, 'rest')).toBe(false);
    expect(judged([made({ sd: 0.3 })]).outcome).toBe('inconclusive');
  });
});
