import { describe, expect, test } from 'vitest';
import { foreignRun } from '../../../../src/judge/verdict/foreign-run.ts';
import { judgeRun } from '../../../../src/judge/verdict/judge.ts';
import { DEFAULT_POLICY } from '../../../../src/model/policy.ts';
import { PROFILES } from '../../../../src/model/profiles.ts';
import { mergeRuns } from '../../../../src/model/run/merge.ts';
import type { RunFile } from '../../../../src/model/run/run.ts';
import { sampleRounds } from '../../../support/sample-rounds.ts';
import { sampleRun } from '../../../support/sample-run.ts';
import { THREE, threeShards } from '../../../support/sample-shards.ts';

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
    const profile = { ...PROFILES.standard.rounds, looks: [{ rounds: 30, spent: 1 }] };
    const own = foreignRun(fromFork({ policy: { ...DEFAULT_POLICY, accepted: [accepted] }, profile }), RULES);
    expect(own.rounds.policy).toEqual(DEFAULT_POLICY);
    expect(own.rounds.profile).toEqual(PROFILES.standard.rounds);
    expect(own.seed).toBe(foreignRun({ ...fromFork(), seed: 99 }, RULES).seed);
  });

  test('refuses a run of another commit, as one that is played again, of changed files, or of no known kind', () => {
    const { rounds } = fromFork();
    expect(() => foreignRun(sampleRounds(), RULES)).toThrow(/is of another version/);
    expect(() => foreignRun(fromFork({ head: { ...rounds.head, dirty: true } }), RULES)).toThrow(/another version/);
    expect(() => foreignRun(sampleRun(), RULES)).toThrow(/no comparison/);
    expect(() => foreignRun(fromFork({ versus: { reference: 'rest' } }), RULES)).toThrow(/no two versions/);
    for (const name of ['endless', 'constructor', '__proto__']) {
      expect(() => foreignRun(fromFork({ profile: { ...rounds.profile, name } }), RULES)).toThrow(/profile/);
    }
  });

  test('holds merged shards to the same: no policy, looks or seeds of their choice, and a lost one stays lost', () => {
    const policy = { ...DEFAULT_POLICY, thresholds: [{ threshold: 9 }], inconclusive: 'pass' as const };
    const { head, profile } = sampleRounds().rounds;
    const own = { ...head, commit: HEAD, dirty: false };
    const looks = [{ rounds: 30, spent: 1 }];
    const files = THREE.slice(0, 2).map((_, place) => {
      const [file] = threeShards([
        { seed: 7 },
        { seed: 7, rounds: 15, worse: [{ tier: 'saturation', by: 0.1 }] },
      ]).slice(place);
      const { rounds } = file?.run ?? {};
      const record = {
        ...rounds,
        policy,
        profile: { ...profile, looks },
        head: { ...own, services: rounds?.head.services },
      };
      return { file: `${place}`, run: { ...file?.run, rounds: record } } as RunFile;
    });

    const merged = mergeRuns(files as [RunFile]);
    const { rounds } = foreignRun(merged, RULES);

    expect(judgeRun(foreignRun(merged, RULES))).toMatchObject({ outcome: 'regressed', exitCode: 1, alpha: 0.02 });
    expect(judgeRun(foreignRun(mergeRuns([files[0] as RunFile]), RULES))).toMatchObject({ exitCode: 2 });
    expect(rounds.profile).toEqual(PROFILES.standard.rounds);
    expect(rounds.shards).toMatchObject({ of: 3, measured: [{ index: 1 }, { index: 2 }] });
    const seeds = rounds.shards?.kind === 'merged' ? rounds.shards.measured.map(({ seed }) => seed) : [];
    expect(new Set([...seeds, 7]).size).toBe(3);
    expect(() => foreignRun(files[0]?.run as RunFile['run'], RULES)).toThrow(/is shard 1\/3 alone/);
  });

  test.each([
    ['a shard of nothing, which would take its share of alpha', [['one'], ['two'], ['three'], ['none']], [1, 2, 3, 4]],
    ['a service that is in none of the shards, and so not judged', [['one'], ['two']], [1, 2]],
    ['a service of a shard that was lost, but is there', [['one'], ['two'], ['three']], [1, 2]],
  ] as const)('refuses %s', (_, services, measured) => {
    const whole = mergeRuns(threeShards() as [RunFile]);
    const { rounds } = whole;
    const head = { ...rounds?.head, commit: HEAD, dirty: false };
    const [first] = rounds?.shards?.kind === 'merged' ? rounds.shards.measured : [];
    const shards = {
      ...{ kind: 'merged', of: services.length, services },
      measured: measured.map((index) => ({ ...first, index })),
    };
    const forged = { ...whole, rounds: { ...rounds, head, shards } } as typeof whole;
    const honest = { ...whole, rounds: { ...rounds, head } } as typeof whole;

    expect(() => foreignRun(forged, RULES)).toThrow(/has other services than its shards/);
    expect(judgeRun(foreignRun(honest, RULES)).exitCode).toBe(0);
  });
});
