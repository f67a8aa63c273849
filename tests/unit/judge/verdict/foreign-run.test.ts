import { describe, expect, test } from 'vitest';
import { foreignRun } from '../../../../src/judge/verdict/foreign-run.ts';
import { judgeRun } from '../../../../src/judge/verdict/judge.ts';
import { DEFAULT_POLICY } from '../../../../src/model/policy.ts';
import { PROFILES } from '../../../../src/model/profiles.ts';
import { mergeRuns } from '../../../../src/model/run/merge.ts';
import type { RunFile } from '../../../../src/model/run/run.ts';
import { sampleSuite } from '../../../support/sample-cells.ts';
import { sampleRounds } from '../../../support/sample-rounds.ts';
import { sampleRun } from '../../../support/sample-run.ts';
import { THREE, threeShards } from '../../../support/sample-shards.ts';

const HEAD = 'c'.repeat(40);
const SUITE = sampleSuite();
/** Of the default branch's suite with both of its services. */
const RULES = { headSha: HEAD, policy: DEFAULT_POLICY, suite: SUITE };
/** Of a suite with the services of the shards. */
const SHARDED = { ...RULES, suite: { ...SUITE, services: THREE.flat() } };
const worse = [{ service: 'rest', tier: 'saturation', metric: 'cpuMicrosPerRequest' as const, by: 0.12 }];

/** The first operation for the one service, the others for the other. */
function groupsOf<One>([first, ...others]: readonly One[]) {
  return [
    { services: ['rest'], operations: first === undefined ? [] : [first] },
    { services: ['grpc'], operations: others },
  ];
}

function fromFork(record: object = {}) {
  const run = sampleRounds({ worse });
  const { rounds } = run;
  return { ...run, rounds: { ...rounds, head: { ...rounds.head, commit: HEAD, dirty: false }, ...record } };
}

describe('foreignRun', () => {
  test('is judged by the thresholds of the default branch, not by its own', () => {
    const lenient = { ...DEFAULT_POLICY, thresholds: [{ threshold: 9 }], inconclusive: 'pass' as const };
    const forged = fromFork({ policy: lenient });
    expect(judgeRun(forged)).toMatchObject({ exitCode: 0 });
    expect(judgeRun(foreignRun(forged, RULES))).toMatchObject({ outcome: 'regressed', exitCode: 1 });
  });

  test('adds nothing to Wiregauge that the default branch measures already', () => {
    const { base } = fromFork().rounds;
    const failure = { side: 'base' as const, message: 'rest cannot be built', services: ['rest', 'grpc'] };
    const forged = fromFork({ base: { ...base, adopted: 'no-configuration' }, rounds: [], unbuilt: [failure] });

    expect(judgeRun(forged)).toMatchObject({ outcome: 'passed' });
    expect(judgeRun(foreignRun(forged, RULES))).toMatchObject({ outcome: 'incomplete' });
  });

  test('renames no series of the history', () => {
    const run = fromFork();
    const wasNamed = { services: { rest: ['grpc'] }, operations: {}, configHashes: ['any'] };

    expect(foreignRun({ ...run, suite: { ...run.suite, wasNamed } }, RULES).suite).toEqual(run.suite);
  });

  test('requires of each service the operations of the default branch, even if the run assigns others', () => {
    const { suite, ...run } = fromFork();
    const groups = groupsOf(suite.operations);
    const rules = { ...RULES, suite: { ...SUITE, groups: groupsOf(SUITE.operations) } };
    const named = groups.map((group) => ({ ...group, operations: group.operations.map(({ name }) => name) }));
    const { base, head } = run.rounds;
    const rounds = { ...run.rounds, base: { ...base, groups: named }, head: { ...head, groups: named } };

    expect(() => foreignRun({ ...run, suite: { ...suite, groups } }, RULES)).toThrow(/lacks the operation/);
    expect(() => foreignRun({ ...run, suite, rounds }, RULES)).toThrow(/lacks the operation/);
    expect(foreignRun({ ...run, suite: { ...suite, groups }, rounds }, rules).rounds.policy).toEqual(DEFAULT_POLICY);
  });

  test('accepts nothing by itself, and has the looks of its profile and no seed of its choice', () => {
    const accepted = { metric: 'cpuMicrosPerRequest', upTo: 10, until: '2099-01-01', why: 'me' };
    const profile = { ...PROFILES.standard.rounds, looks: [{ rounds: 30, spent: 1 }] };
    const own = foreignRun(fromFork({ policy: { ...DEFAULT_POLICY, accepted: [accepted] }, profile }), RULES);
    expect(own.rounds.policy).toEqual(DEFAULT_POLICY);
    expect(own.rounds.profile).toEqual(PROFILES.standard.rounds);
    expect(own.seed).toBe(foreignRun({ ...fromFork(), seed: 99 }, RULES).seed);
  });

  test('refuses a run of another commit, of a re-run, of changed files, or of an unknown kind', () => {
    const { rounds } = fromFork();
    expect(() => foreignRun(sampleRounds(), RULES)).toThrow(/is not of /);
    expect(() => foreignRun(fromFork({ head: { ...rounds.head, dirty: true } }), RULES)).toThrow(/is not of /);
    expect(() => foreignRun(sampleRun(), RULES)).toThrow(/no comparison/);
    expect(() => foreignRun(fromFork({ versus: { reference: 'rest' } }), RULES)).toThrow(/not two versions/);
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
    const { rounds } = foreignRun(merged, SHARDED);

    expect(judgeRun(foreignRun(merged, SHARDED))).toMatchObject({ outcome: 'regressed', exitCode: 1, alpha: 0.02 });
    expect(judgeRun(foreignRun(mergeRuns([files[0] as RunFile]), SHARDED))).toMatchObject({ exitCode: 2 });
    expect(rounds.profile).toEqual(PROFILES.standard.rounds);
    expect(rounds.shards).toMatchObject({ of: 3, measured: [{ index: 1 }, { index: 2 }] });
    const seeds = rounds.shards?.kind === 'merged' ? rounds.shards.measured.map(({ seed }) => seed) : [];
    expect(new Set([...seeds, 7]).size).toBe(3);
    expect(() => foreignRun(files[0]?.run as RunFile['run'], SHARDED)).toThrow(/is only shard 1\/3/);
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

    expect(() => foreignRun(forged, SHARDED)).toThrow(/has different services than its shards/);
    expect(judgeRun(foreignRun(honest, SHARDED)).exitCode).toBe(0);
  });

  test('refuses very many names at once, in shards or not', { timeout: 20_000 }, () => {
    const services = Array.from({ length: 256 }, (_, shard) =>
      Array.from({ length: 390 }, (__, one) => `s${shard}-${one}`),
    );
    const all = services.flat().reverse();
    const [first] = mergedShards();
    const measured = services.map((_, place) => ({ ...first, index: place + 1 }));
    const { base, head } = fromFork().rounds;
    const crowd = { base: { ...base, services: all }, head: { ...head, services: all } };
    const { suite } = fromFork();
    const operations = all.slice(0, 999).map((name) => ({ name, share: 0.001 }));

    for (const forged of [
      fromFork({ ...crowd, shards: { kind: 'merged', of: 256, services, measured } }),
      fromFork(crowd),
      { ...fromFork({ head: { ...head, services: all.slice(0, 999) } }), suite: { ...suite, operations } },
    ]) {
      expect(() => foreignRun(forged as never, RULES)).toThrow(/names more services, operations and tiers than any/);
    }
  });
});

const mergedShards = () => {
  const { rounds } = mergeRuns(threeShards() as [RunFile]);
  return rounds?.shards?.kind === 'merged' ? rounds.shards.measured : [];
};

describe('a run that leaves something out', () => {
  const { rounds, suite } = fromFork();
  const without = (name: string) => (one: string) => one !== name;
  const side = (which: 'base' | 'head', change: object) => fromFork({ [which]: { ...rounds[which], ...change } });
  const bare = (names: readonly string[]) => suite.operations.filter((one) => names.includes(one.name));

  test('is not green: nothing of the default branch may be missing', () => {
    expect(judgeRun(foreignRun(fromFork(), RULES))).toMatchObject({ outcome: 'regressed' });
    const lean = sampleRounds({ services: ['grpc'], noise: 0.3 });
    const omitted = { ...lean, rounds: { ...lean.rounds, head: { ...lean.rounds.head, commit: HEAD, dirty: false } } };
    expect(judgeRun(omitted)).toMatchObject({ outcome: 'passed' });

    expect(() => foreignRun(omitted, RULES)).toThrow('lacks the service rest, which the default branch measures');
  });

  test.each([
    ['a service of the head', side('head', { services: rounds.head.services.filter(without('rest')) }), 'service rest'],
    ['a service of the base', side('base', { services: rounds.base.services.filter(without('rest')) }), 'service rest'],
    ['an operation', side('head', { operations: ['ListUsers'] }), 'operation GetUser'],
    [
      'an operation of its suite',
      { ...fromFork(), suite: { ...suite, operations: bare(['GetUser']) } },
      'operation ListUsers',
    ],
    ['a tier', fromFork({ tiers: ['low', 'medium'] }), 'all of the tier high'],
    [
      'an operation of a tier',
      { ...fromFork(), suite: { ...suite, tiers: suite.tiers.map((tier) => ({ ...tier, operations: ['GetUser'] })) } },
      'all of the tier low',
    ],
  ])('is refused without %s', (_, forged, words) => {
    expect(() => foreignRun(forged as ReturnType<typeof fromFork>, RULES)).toThrow(words);
  });

  test('is refused if it is of another suite, and says how another one is meant', () => {
    const other = { ...fromFork(), suite: { ...suite, name: 'payload' } };

    expect(() => foreignRun(other, RULES)).toThrow('is of the suite "payload", but the suite to judge is "users"');
    expect(foreignRun(other, { ...RULES, suite: { ...SUITE, name: 'payload' } }).suite.name).toBe('payload');
  });

  test('may have more: a service or an operation that only the pull request has', () => {
    const more = side('head', {
      services: [...rounds.head.services, 'new'],
      operations: [...rounds.head.operations, 'More'],
    });

    expect(judgeRun(foreignRun(more, RULES))).toMatchObject({ outcome: 'regressed' });
  });

  test('may not compare a service that is not asked for, which would take its part of alpha', () => {
    const both = (services: readonly string[]) =>
      fromFork({ base: { ...rounds.base, services }, head: { ...rounds.head, services } });
    const one = { ...RULES, suite: { ...SUITE, services: ['rest'] } };

    expect(() => foreignRun(both([...rounds.head.services, 'new']), RULES)).toThrow(
      'compares the service new, which the default branch does not',
    );
    expect(() => foreignRun(fromFork(), one)).toThrow('compares the service grpc, which');
  });

  test('by its profile measures the middle tier alone, and saves nothing else', () => {
    const profile = { ...rounds.profile, name: 'smoke' };

    expect(foreignRun(fromFork({ profile, tiers: ['medium'] }), RULES).rounds.tiers).toEqual(['medium']);
    expect(() => foreignRun(fromFork({ profile, tiers: ['low'] }), RULES)).toThrow('all of the tier medium');
  });
});

test('reports the policy changes of a pull request, and applies none of them', () => {
  const [pending, applied] = ['alpha', 'floor'].map((what) => ({ what, from: '2%', to: '1%' }));
  const rules = { file: 'own.yml', pending: pending ? [pending] : [], applied: applied ? [applied] : [] };

  const { rounds } = foreignRun(fromFork({ rules }), RULES);

  expect([rounds.policy, rounds.rules]).toEqual([DEFAULT_POLICY, { pending: [pending, applied], applied: [] }]);
});
