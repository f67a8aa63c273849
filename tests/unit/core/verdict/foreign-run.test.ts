import { describe, expect, test } from 'vitest';
import { ROUND_PROFILES } from '../../../../src/core/rounds/profile.ts';
import { foreignRun } from '../../../../src/core/verdict/foreign-run.ts';
import { judgeRun } from '../../../../src/core/verdict/judge.ts';
import { DEFAULT_POLICY } from '../../../../src/core/verdict/policy.ts';
import { sampleRounds } from '../../../sample-rounds.ts';
import { sampleRun } from '../../../sample-run.ts';

const HEAD = 'c'.repeat(40);
const RULES = { headSha: HEAD, policy: DEFAULT_POLICY };
const worse = [{ service: 'rest', tier: 'saturation', metric: 'cpuMicrosPerRequest' as const, by: 0.12 }];

function fromFork(record: object = {}) {
  const run = sampleRounds({ worse });
  const { rounds } = run;
  return { ...run, rounds: { ...rounds, head: { ...rounds.head, commit: HEAD, dirty: false }, ...record } };
}

describe('foreignRun', () => {
  test('is judged by the thresholds of the default branch, whatever it brings along', () => {
    const lenient = { ...DEFAULT_POLICY, thresholds: [{ threshold: 9 }], inconclusive: 'pass' as const };
    const forged = fromFork({ policy: lenient });
    expect(judgeRun(forged)).toMatchObject({ exitCode: 0 });
    expect(judgeRun(foreignRun(forged, RULES))).toMatchObject({ outcome: 'regressed', exitCode: 1 });
  });

  test('accepts nothing by itself, and has the looks of its profile and no seed of its choice', () => {
    const accepted = { metric: 'cpuMicrosPerRequest', upTo: 10, until: '2099-01-01', why: 'me' };
    const profile = { ...ROUND_PROFILES['standard'], looks: [{ rounds: 30, spent: 1 }] };
    const own = foreignRun(fromFork({ policy: { ...DEFAULT_POLICY, accepted: [accepted] }, profile }), RULES);
    expect(own.rounds.policy).toEqual(DEFAULT_POLICY);
    expect(own.rounds.profile).toEqual(ROUND_PROFILES['standard']);
    expect(own.seed).toBe(foreignRun({ ...fromFork(), seed: 99 }, RULES).seed);
  });

  test('refuses a run of another commit, as one that is played again, of changed files, or of no known kind', () => {
    const { rounds } = fromFork();
    expect(() => foreignRun(sampleRounds(), RULES)).toThrow(/is of another version/);
    expect(() => foreignRun(fromFork({ head: { ...rounds.head, dirty: true } }), RULES)).toThrow(/another version/);
    expect(() => foreignRun(sampleRun(), RULES)).toThrow(/no comparison/);
    for (const name of ['endless', 'constructor', '__proto__']) {
      expect(() => foreignRun(fromFork({ profile: { ...rounds.profile, name } }), RULES)).toThrow(/profile/);
    }
  });
});
