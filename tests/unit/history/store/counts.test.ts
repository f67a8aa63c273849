import { describe, expect, test } from 'vitest';
import { seededRandom } from '../../../../src/foundation/random.ts';
import { storedRunsOf } from '../../../../src/history/reader.ts';
import { changesOf, updatedChanges } from '../../../../src/history/store/changes.ts';
import type { HistoryEntry } from '../../../../src/history/store/entry.ts';
import { entryOf } from '../../../../src/history/store/run-entry.ts';
import { appendedAll, readSegment } from '../../../../src/history/store/segment.ts';
import { judgeByStored } from '../../../../src/judge/stored/judge.ts';
import { DEFAULT_POLICY } from '../../../../src/model/policy.ts';
import type { InstructionsRecord } from '../../../../src/model/run/instructions.ts';
import { keptCounts } from '../../../../src/model/run/kept-counts.ts';
import type { Run } from '../../../../src/model/run/run.ts';
import { FINGERPRINT, SLOWER_STARTS, sampleCounts, withHeadCounts } from '../../../support/sample-counts.ts';
import { sampleEntries, sampleSeries } from '../../../support/sample-history.ts';
import { sampleRounds } from '../../../support/sample-rounds.ts';
import { sampleRun } from '../../../support/sample-run.ts';

const RUN = withHeadCounts(sampleRun({ rounds: 3 }));
const COUNTS = keptCounts(RUN.instructions as InstructionsRecord);
const FACTS = { run: 'a', branch: 'main' };

const figureOf = ({ series, values }: HistoryEntry, operation: string, metric: string) => {
  const place = series.findIndex(
    (one) => one.operation === operation && one.metric === metric && one.service === 'rest',
  );
  return { series: series[place], value: values[place] };
};

test('queries of each operation are a series of a history', () => {
  const counts = { connections: [0], roundTrips: [9], bytes: [9], commands: { 'select 1': [30] } };
  const operations = [{ operation: 'GetUser', need: 'db', requests: 10, ...counts }];
  const start = { service: 'rest', side: 'head' as const, start: 1, idle: [], unread: [] };
  const calls = { starts: [{ ...start, operations }], failures: [] };

  expect(figureOf(entryOf({ ...RUN, calls }, FACTS), 'GetUser', 'queriesPerRequest')).toMatchObject({
    series: { tier: 'all', unit: 'count' },
    value: 3,
  });
});

test('bytes that a JVM allocates are a series of a history, and their regression has a verdict', () => {
  const start = { service: 'rest', operations: [], idle: [], unread: [] };
  const starts = [1, 2].flatMap((number) => [
    { ...start, side: 'base' as const, start: number, allocated: 10_000 },
    { ...start, side: 'head' as const, start: number, allocated: 15_000 },
  ]);
  const entry = entryOf({ ...sampleRounds({ services: ['rest'] }), calls: { starts, failures: [] } }, FACTS);

  expect(figureOf(entry, 'all', 'allocatedBytesPerRequest')).toMatchObject({ series: { unit: 'B' }, value: 15_000 });
  expect(entry.verdicts).toContainEqual(expect.objectContaining({ verdict: 'regressed', change: 0.5 }));
});

const SIZES = { rest: { bytes: 60 * 2 ** 20, layers: [] } };

test('start-up, first requests and sizes are series of a history, of a run and of a comparison', () => {
  const ofStart = { all: { startUpMs: 420 }, GetUser: { firstRequestMs: 75 } } as const;
  const started = <Any extends Run>(run: Any): Any => ({
    ...run,
    samples: run.samples.map((sample) => ({
      ...sample,
      values: { ...sample.values, ...ofStart[sample.cell.operation as keyof typeof ofStart] },
    })),
  });
  const compared = sampleRounds({ services: ['rest'] });
  const rounds = { ...compared.rounds, head: { ...compared.rounds.head, sizes: SIZES } };
  const entries = [started({ ...RUN, sizes: SIZES }), started({ ...compared, rounds })].map((run) =>
    entryOf(run, FACTS),
  );

  for (const entry of entries) {
    expect(figureOf(entry, 'all', 'startUpMs')).toMatchObject({ series: { tier: 'all' }, value: 420 });
    expect(figureOf(entry, 'GetUser', 'firstRequestMs')).toMatchObject({ series: { tier: 'all' }, value: 75 });
    expect(figureOf(entry, 'all', 'sizeMiB')).toMatchObject({ series: { tier: 'all', unit: 'MiB' }, value: 60 });
    expect(readSegment(appendedAll('', [entry], 'x'), 'x')).toEqual([entry]);
  }
});

const entriesOf = (runAt: (index: number) => Partial<Run>) =>
  Array.from({ length: 20 }, (_, index) => {
    const startedAt = new Date(Date.UTC(2026, 0, 1 + index)).toISOString();
    return entryOf({ ...RUN, startedAt, ...runAt(index) } as Run, { ...FACTS, run: String(index) });
  });

test('a larger build is a change of level on the trend page, for any machine and counter', () => {
  const entries = entriesOf((index) => ({
    runner: { ...RUN.runner, cpuModel: index % 2 === 0 ? 'One' : 'Two' },
    sizes: { rest: { ...SIZES.rest, bytes: (index < 10 ? 60 : 66) * 2 ** 20 } },
    ...(index < 10 && { instructions: undefined }),
  }));

  expect(changesOf(entries).filter(({ series }) => series.metric === 'sizeMiB')).toMatchObject([
    { at: entries[10]?.at, shift: expect.closeTo(0.1) },
  ]);
});

test('a build that is 1% larger is not a change of level', () => {
  const sizes = (index: number) => ({ rest: { ...SIZES.rest, bytes: (index < 10 ? 60 : 60.6) * 2 ** 20 } });
  const entries = entriesOf((index) => ({ sizes: sizes(index) }));

  expect(changesOf(entries).filter(({ series }) => series.metric === 'sizeMiB')).toEqual([]);
});

test.each([
  [12, 18, 0],
  [400, 600, 1],
])('a start-up of %i ms that takes %i ms is %i changes of level', (before, after, changes) => {
  const entries = entriesOf((index) => ({
    samples: RUN.samples.map((sample) => ({
      ...sample,
      values: { ...sample.values, startUpMs: index < 10 ? before : after },
    })),
  }));

  expect(
    changesOf(entries).filter(
      ({ series }) => series.metric === 'startUpMs' && series.service === 'rest' && series.operation === 'all',
    ),
  ).toHaveLength(changes);
});

test('a start-up is the median of all starts, of which a run has one for each load', () => {
  const starts = { low: 100, medium: 300, high: 500 } as Record<string, number>;
  const samples = RUN.samples.map((sample) => ({
    ...sample,
    values: { ...sample.values, startUpMs: starts[sample.cell.tier] },
  }));

  expect(figureOf(entryOf({ ...RUN, samples } as Run, FACTS), 'all', 'startUpMs').value).toBe(300);
});

test('memory growth of a comparison is a series of a history, and its regression has a verdict', () => {
  const block = (requests: number, memoryMiB: number[]) => ({ requests: memoryMiB.map(() => requests), memoryMiB });
  const growing = (bytes: number) =>
    block(
      1000,
      Array.from({ length: 20 }, (_, index) => 50 + (index * 1000 * bytes) / 2 ** 20),
    );
  const starts = [1, 2].flatMap((start) => [
    { service: 'rest', side: 'base' as const, start, ...growing(0) },
    { service: 'rest', side: 'head' as const, start, ...growing(400) },
  ]);
  const run = { ...sampleRounds({ services: ['rest'] }), memoryGrowth: { starts, missing: [] } };
  const entry = entryOf(run, FACTS);

  expect(figureOf(entry, 'all', 'memoryGrowthPerRequest')).toMatchObject({ series: { tier: 'all' }, value: 400 });
  expect(entry.verdicts).toContainEqual(expect.objectContaining({ verdict: 'regressed', change: 3 }));
});

describe('counts in a history', () => {
  const entry = entryOf(RUN, FACTS);

  test('are series of each service and operation', () => {
    expect(figureOf(entry, 'all', 'instructionsPerRequest').series).toEqual({
      suite: 'users',
      service: 'rest',
      operation: 'all',
      tier: 'all',
      metric: 'instructionsPerRequest',
      unit: 'count',
      better: 'lower',
    });
    expect(figureOf(entry, 'GetUser', 'instructionsPerRequest').value).toBe(888_650);
    expect(figureOf(entry, 'GetUser', 'syscallsPerRequest').value).toBe(9.4);
  });

  test('are kept with their fingerprint, and read as they were written', () => {
    expect(entry.counts).toEqual(COUNTS);
    expect(readSegment(appendedAll('', [entry], 'x'), 'x')).toEqual([entry]);
    expect(entryOf(sampleRun(), FACTS)).not.toHaveProperty('counts');
  });

  test('of a comparison are those of the head', () => {
    const run = sampleCounts({ head: SLOWER_STARTS });
    const fingerprints = { rest: FINGERPRINT };
    const compared = entryOf(
      { ...run, instructions: { ...(run.instructions as InstructionsRecord), fingerprints } },
      FACTS,
    );

    expect(figureOf(compared, 'GetUser', 'instructionsPerRequest').value).toBe(901_320);
    expect(compared.counts?.[0]?.starts).toHaveLength(2);
    expect(compared.verdicts.find(({ series }) => compared.series[series]?.operation === 'GetUser')?.verdict).toBe(
      'regressed',
    );
  });

  test.each([
    ['no list', { counts: {} }, /counts is not a list/],
    ['without a fingerprint', { counts: [{ service: 'rest', starts: [] }] }, /fingerprint is not an object/],
    [
      'with a count that is none',
      { counts: [{ ...COUNTS[0], starts: [[{ operation: 'a', requests: 1, instructions: [-1], syscalls: [] }]] }] },
      /instructions is not a whole number/,
    ],
  ])('that are %s cannot be read', (_what, change, message) => {
    const text = appendedAll('', [entry], 'x').split('\n');
    const line = JSON.stringify({ ...JSON.parse(text[1] ?? ''), ...change });

    expect(() => readSegment(`${text[0]}\n${line}\n`, 'x')).toThrow(message);
  });

  const runs = storedRunsOf([entry], { suite: 'users', branch: 'main', changes: [] });
  const later = { ...sampleRun({ rounds: 3, change: { startedAt: '2026-12-31T00:00:00Z' } }), suite: RUN.suite };
  const judged = (run: Run, past = runs) => judgeByStored(run, past, DEFAULT_POLICY);

  test('are of the stored runs of a history, and no past of a run that was not counted', () => {
    expect(runs[0]?.counts).toEqual(COUNTS);
    expect(runs[0]?.cells).not.toHaveProperty('rest/GetUser/all');
    expect(judged(later).counts).toEqual([]);
    expect(JSON.stringify(judged(later).verdicts)).not.toContain('nstructions');
  });

  test('compare with those of a later run on any machine if their fingerprints are the same', () => {
    const counted = withHeadCounts(later);
    const elsewhere = { ...counted, runner: { ...counted.runner, cpuModel: 'Another' } };
    const others = runs.map((run) => ({
      ...run,
      counts: COUNTS.map((one) => ({ ...one, fingerprint: { ...one.fingerprint, wiregauge: '0.9.0' } })),
    }));

    expect(judged(elsewhere).past.onMachine).toBe(0);
    expect(judged(elsewhere).counts).toMatchObject([{ service: 'rest', change: 0, differs: [] }]);
    expect(judged(elsewhere, others).counts).toMatchObject([
      { service: 'rest', change: undefined, differs: [expect.stringContaining('the version of Wiregauge')] },
    ]);
  });
});

describe('the change points of counts', () => {
  const random = seededRandom(3);
  const noisy = (value: number) => value * (1 + 0.0006 * (random() - 0.5));
  const levels = Array.from({ length: 40 }, (_, index) => noisy(index < 30 ? 888_500 : 897_400));

  /** On two kinds of machine in turns. */
  const runs = (series: Parameters<typeof sampleSeries>[0], counterOf: (run: number) => string) =>
    sampleEntries(levels).map((one, index) => ({
      ...one,
      series: [sampleSeries(series)],
      runner: { cpuModel: `CPU ${index % 7}`, cores: 2, kernel: '6.1.0', platform: 'linux-x64' },
      counts: [{ service: 'rest', fingerprint: { ...FINGERPRINT, counter: counterOf(index) }, starts: [] }],
    }));
  const COUNTED = { tier: 'all', metric: 'instructionsPerRequest', unit: 'count' };

  test('have a step of 1%, across machines', () => {
    const entries = runs(COUNTED, () => 'valgrind 3.19.0 x64');
    const [change, ...others] = changesOf(entries);
    const last = entries.at(-1);

    expect(others).toEqual([]);
    expect(change).toMatchObject({ run: 'run-30', pending: false });
    expect(change?.shift).toBeCloseTo(0.01, 3);
    expect(last && updatedChanges(changesOf(entries.slice(0, -1)), entries, last)).toEqual([change]);
  });

  test('have none from which on another Valgrind counts', () => {
    expect(changesOf(runs(COUNTED, (run) => `valgrind ${run < 30 ? '3.19.0' : '3.22.0'} x64`))).toEqual([]);
  });

  test('are of counts alone: 1% of time is not worth a mark', () => {
    expect(changesOf(runs({}, () => 'valgrind 3.19.0 x64'))).toEqual([]);
  });
});
