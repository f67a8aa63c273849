import { describe, expect, test } from 'vitest';
import { comparedOf } from '../../../../src/judge/verdict/compared.ts';
import { judgeRun } from '../../../../src/judge/verdict/judge.ts';
import { PROFILES } from '../../../../src/model/profiles.ts';
import type { RunInRounds } from '../../../../src/model/run/run.ts';
import { detailText } from '../../../../src/report/comparison/sentences.ts';
import { notesOf } from '../../../../src/report/views/notes.ts';
import { type SampleRoundsOptions, sampleRounds } from '../../../support/sample-rounds.ts';

const inputOf = (options: SampleRoundsOptions = {}) => {
  const run: RunInRounds = sampleRounds({ services: ['rest'], ...options });
  const input = comparedOf(run, run.rounds.policy);
  return { ...input, lost: input.lost.map((one) => ({ ...one, detail: detailText(one) })) };
};

const textsOf = (options: SampleRoundsOptions = {}) => {
  const run: RunInRounds = sampleRounds({ services: ['rest'], ...options });
  return notesOf({ result: judgeRun(run), run });
};

const PEAK = { peakMemoryMiB: 99 };

const NO_SECONDS = {
  ...{ measured: 0, dropped: 0, drain: 0, counters: 0, turns: 0, control: 0, start: 0, ready: 0 },
  ...{ verify: 0, warmUp: 0, growth: 0, records: 0, stop: 0, other: 0 },
};

/** Rounds of 100 s each, of which the budget of 10 minutes holds so many. */
const longRounds = (kept: number, record: Partial<RunInRounds['rounds']> = {}): RunInRounds => {
  const run: RunInRounds = sampleRounds({ services: ['rest'], rounds: kept });
  const rounds = run.rounds.rounds.map((round) => ({ ...round, seconds: { ...NO_SECONDS, total: 100 } }));
  const spent = { totalSeconds: 60 + 100 * kept, overheadSeconds: 0 };
  return { ...run, spent, rounds: { ...run.rounds, budgetSeconds: 600, ended: 'budget', rounds, ...record } };
};

describe('comparedOf', () => {
  test('says that the budget ended before a verdict, and which one is enough', () => {
    const notes = (run: RunInRounds) =>
      notesOf({ result: judgeRun(run), run }).notes.filter((note) => note.includes('budget'));

    // 60 s before the rounds and 8 rounds, and a tenth more.
    expect(notes(longRounds(5))).toEqual([
      'The budget of 10 min ended before the 8 rounds that a verdict needs. Use a budget of 16m.',
    ]);
    expect(notes(longRounds(8))).toEqual([]);
    expect(notes(longRounds(5, { ended: 'rounds' }))).toEqual([]);
    expect(notes(longRounds(5, { profile: { ...PROFILES.quick.rounds, looks: [{ rounds: 6, spent: 1 }] } }))).toEqual(
      [],
    );
  });

  test('expects of a tier only the operations that it asks for', () => {
    const run: RunInRounds = sampleRounds({ services: ['rest'] });
    const [low, ...others] = run.suite.tiers;
    const suite = { ...run.suite, tiers: low === undefined ? [] : [{ ...low, operations: ['GetUser'] }, ...others] };
    const samples = run.samples.filter(({ cell }) => cell.tier !== 'low' || cell.operation !== 'ListUsers');

    const { compared, lost } = comparedOf({ ...run, suite, samples }, run.rounds.policy);

    expect(lost).toEqual([]);
    expect(compared.filter(({ cell }) => cell.tier === 'low').map(({ cell }) => cell.operation)).toEqual([
      'all',
      'GetUser',
      'GetUser',
    ]);
  });

  test('makes the gate and the watch family of what both versions have', () => {
    const names = (gate: boolean) =>
      inputOf()
        .compared.filter((one) => one.gate === gate)
        .map(({ cell, metric }) => `${cell.operation} ${cell.tier} ${metric}`);

    expect(names(true)).toEqual([
      'all saturation cpuMicrosPerRequest',
      'all saturation achievedRps',
      'all saturation latencyP50Ms',
      ...['low', 'medium', 'high'].flatMap((tier) => [
        `all ${tier} cpuMicrosPerRequest`,
        ...['GetUser', 'ListUsers'].map((operation) => `${operation} ${tier} latencyP50Ms`),
      ]),
      'all all peakMemoryMiB',
    ]);
    expect(names(false)).toEqual([
      'all saturation latencyP95Ms',
      'GetUser low latencyP95Ms',
      'ListUsers low latencyP95Ms',
      'GetUser medium latencyP95Ms',
      'GetUser medium latencyP99Ms',
      'ListUsers medium latencyP95Ms',
      'GetUser high latencyP95Ms',
      'GetUser high latencyP99Ms',
      'ListUsers high latencyP95Ms',
      'ListUsers high latencyP99Ms',
    ]);
  });

  test('takes the highest mark of memory over all loads of a round', () => {
    const { compared } = inputOf({
      noise: 0,
      mend: (sample) => ({ ...sample, values: { ...sample.values, ...(sample.cell.tier === 'high' && PEAK) } }),
    });

    expect(compared.find(({ metric }) => metric === 'peakMemoryMiB')?.head).toEqual(
      Array.from({ length: 10 }, () => 99),
    );
  });

  test.each([
    [{ base: 300, head: 420 }, 1],
    [{ base: 100, head: 249 }, 0],
  ])('compares start-ups of %j if one takes a quarter of a second', (startUpMs, rows) => {
    const { compared } = inputOf({
      noise: 0,
      mend: (sample) => ({ ...sample, values: { ...sample.values, startUpMs: startUpMs[sample.side] } }),
    });

    const found = compared.filter(({ metric }) => metric === 'startUpMs');
    expect(found.map(({ gate, base, head }) => [gate, base[0], head[0]])).toEqual(
      rows === 0 ? [] : [[false, startUpMs.base, startUpMs.head]],
    );
  });

  test('compares the first request of an operation if it takes 50 ms, once for all loads', () => {
    const firstMs: Readonly<Record<string, number>> = { 'GetUser base': 4, 'GetUser head': 49, 'ListUsers base': 4 };
    const { compared } = inputOf({
      noise: 0,
      mend: (sample) => {
        const { operation } = sample.cell;
        const firstRequestMs = firstMs[`${operation} ${sample.side}`] ?? 80;
        return operation === 'all' ? sample : { ...sample, values: { ...sample.values, firstRequestMs } };
      },
    });

    const found = compared.filter(({ metric }) => metric === 'firstRequestMs');
    expect(found.map(({ cell, gate, base, head }) => [cell.operation, cell.tier, gate, base[0], head[0]])).toEqual([
      ['ListUsers', 'all', false, 4, 80],
    ]);
  });

  test('says where there are too few requests for a p99', () => {
    expect(textsOf().remarks).toContain(
      'p99 is compared only with at least 1,000 requests per round and version; too few: REST GetUser at 100 users, REST ListUsers at 100 users and REST ListUsers at 500 users.',
    );
  });

  test('says whose answers grew while they were measured, in either version', () => {
    const { remarks } = textsOf({
      mend: (sample) => ({
        ...sample,
        marks: sample.cell.operation !== 'GetUser' && sample.cell.tier === 'high' ? ['growing'] : sample.marks,
      }),
    });

    expect(remarks).toContain(
      'Answers grew during the load, so figures depend on how long a round lasts: REST ListUsers at 1,000 users.',
    );
  });

  test('aligns the kept rounds, in which discarded and failed ones have no part', () => {
    const plain = inputOf();

    const { compared, rounds } = inputOf({ discarded: 3, failed: [{ service: 'rest', times: 2 }] });

    expect(rounds).toEqual([{ service: 'rest', kept: 10, discarded: 3, failed: 2 }]);
    expect(compared.map(({ base, head }) => [base.length, head.length])).toEqual(plain.compared.map(() => [10, 10]));
    expect(compared.flatMap(({ base }) => base)).not.toContain(undefined);
  });

  test('does not hang on the order of the samples in the file', () => {
    const run = sampleRounds({ discarded: 2 });

    const backwards = { ...run, samples: [...run.samples].reverse() };

    expect(comparedOf(backwards, run.rounds.policy)).toEqual(comparedOf(run, run.rounds.policy));
  });

  test.each([
    ['decided', false],
    ['rounds', true],
    ['budget', true],
    ['interrupted', false],
    ['running', false],
  ] as const)('lets the last look spend the rest of alpha after "%s": %s', (ended, isFinal) => {
    const input = inputOf({ record: { ended } });
    const { notes } = textsOf({ record: { ended } });

    expect(input.families.map((family) => family.isFinal)).toEqual(input.families.map(() => isFinal));
    expect(notes.some((note) => note.includes('ended before its plan'))).toBe(/^(inter|runn)/.test(ended));
  });

  test('spends no more alpha on a service that a look ended', () => {
    const { families } = inputOf({ services: ['rest', 'grpc'], record: { ended: 'rounds', decided: ['rest'] } });

    expect(families).toEqual([
      { service: 'rest', isFinal: false },
      { service: 'grpc', isFinal: true },
    ]);
  });

  test.each([
    [{ without: ['base/grpc'] }, 'new', 'the base does not have it'],
    [{ without: ['head/grpc'] }, 'gone', 'the head does not have it'],
    [
      { failed: [{ service: 'grpc', side: 'head', times: 2 }] },
      'head-failed',
      '2 rounds failed: grpc exited under tier high',
    ],
    [
      { failed: [{ service: 'grpc', side: 'base', times: 3 }] },
      'base-failed',
      '3 rounds failed: grpc exited under tier high',
    ],
  ] as const)('compares nothing of a service with %j: %s', (options, reason, detail) => {
    const { compared, lost } = inputOf({ ...options, services: ['rest', 'grpc'] });

    const cell = { suite: 'users', service: 'grpc', operation: 'all', tier: 'all' };
    const next = 'failed' in options ? { next: 'Read what it printed.' } : {};
    expect(lost).toEqual([{ cell, reason, detail, ...next, takes: expect.arrayContaining([]) }]);
    // Rate, p50 and CPU time at saturation; p50 and p95 of each operation at each of three tiers.
    expect(lost[0]?.takes.filter(({ gate }) => gate).length).toBeGreaterThan(3);
    expect(new Set(compared.map((one) => one.cell.service))).toEqual(new Set(['rest']));
  });

  test('compares on where one round of the head failed, and says where both versions fail', () => {
    const once = inputOf({ failed: [{ service: 'rest', side: 'head', times: 1 }] });
    const twice: SampleRoundsOptions['failed'] = [
      { service: 'rest', side: 'head', times: 2 },
      { service: 'rest', side: 'base', times: 1 },
    ];
    const both = inputOf({ failed: twice });

    expect(once.lost).toEqual([]);
    expect(both.lost).toEqual([]);
    expect(textsOf({ failed: twice }).notes).toContain(
      'REST failed in both versions: 1 time in base and 2 times in head.',
    );
  });

  test.each([
    [7, []],
    [
      8,
      [
        'REST still got faster after its warm-up in 8 of 14 rounds: its CPU time per request is higher than that of a warm service. To warm it up for longer, set `saturation: { warmupSeconds: 10 }`.',
      ],
    ],
  ])('says that a service was still getting faster after most warm-ups: %i of 14', (count, expected) => {
    const run: RunInRounds = sampleRounds({ services: ['rest'], rounds: 14 });
    const rounds = run.rounds.rounds.map((round, index) =>
      index < count ? { ...round, cold: ['head' as const] } : round,
    );
    const { notes } = notesOf({ result: judgeRun(run), run: { ...run, rounds: { ...run.rounds, rounds } } });

    expect(notes.filter((note) => note.includes('warm'))).toEqual(expected);
  });

  test('says that no round of a service was kept', () => {
    expect(inputOf({ rounds: 0, discarded: 2 }).lost).toEqual([
      expect.objectContaining({ reason: 'missing', detail: 'none of 2 rounds was kept, 0 failed' }),
    ]);
  });

  test.each([
    ['base', 'new'],
    ['head', 'gone'],
  ] as const)('names an operation that the %s does not have: %s', (side, reason) => {
    const { compared, lost } = inputOf({ without: [`${side}/rest/ListUsers`] });

    expect(lost[0]).toMatchObject({ cell: { operation: 'ListUsers', tier: 'all' }, reason });
    expect(lost).toHaveLength(1);
    expect(compared.some(({ cell }) => cell.operation === 'ListUsers')).toBe(false);
    expect(compared.some(({ cell }) => cell.operation === 'GetUser')).toBe(true);
  });
});

describe('readings', () => {
  test('are the head’s, of the metrics that have budgets', () => {
    const run: RunInRounds = sampleRounds({ services: ['rest'], noise: 0 });
    const budgets = [{ metric: 'latencyP90Ms', limit: 50 }];

    const { readings } = comparedOf(run, { ...run.rounds.policy, budgets });

    expect(readings).toHaveLength(12);
    expect(new Set(readings.map(({ metric }) => metric))).toEqual(new Set(['latencyP90Ms']));
    expect(readings[0]?.values).toHaveLength(10);
  });
});
