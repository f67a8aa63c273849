import { describe, expect, test } from 'vitest';
import { suspicionsOf } from '../../../../src/judge/stored/comparison.ts';
import { confirmationBase } from '../../../../src/judge/stored/judge.ts';
import type { StoredRun } from '../../../../src/judge/stored/stored-run.ts';
import { sampleRounds } from '../../../support/sample-rounds.ts';
import {
  baselineOf,
  CPU,
  commitOf,
  judge,
  kindsOf,
  QUIET,
  runNow,
  SLOW_GRPC,
  storedRun,
  verdictOn,
} from './histories.ts';

describe('what counts as the past', () => {
  const all = baselineOf(QUIET);
  const counts = (baseline: readonly StoredRun[], run = runNow()) => judge(run, baseline).past;

  test.each<[string, Partial<StoredRun['configuration']>]>([
    ['runtime', { runtime: 'process' }],
    ['profile', { profile: 'smoke' }],
    ['configuration', { configHash: 'another' }],
    ['load tool', { tools: 'ghz 0.120.0, vegeta 12.13.0' }],
  ])('no run with another %s', (_what, change) => {
    const { configuration } = storedRun(0, 0);
    const result = judge(runNow(), baselineOf(QUIET, { configuration: { ...configuration, ...change } }));

    expect(result.past).toMatchObject({ stored: 30, configured: 0, newest: undefined });
    expect(new Set(result.verdicts.map((verdict) => 'reason' in verdict && verdict.reason))).toEqual(new Set(['new']));
  });

  test('no run that was measured later, nor the run itself', () => {
    const run = runNow({ change: { startedAt: all[12]?.startedAt ?? '' } });

    expect(counts(all, run)).toMatchObject({ stored: 12, newest: { commit: commitOf(11) } });
    expect(judge(run, all)).toEqual(judge(run, all.slice(0, 12)));
  });

  test('no value that was suspicious in its own run, while the others of that run count', () => {
    const quiet = Array.from({ length: 20 }, (_, day) => storedRun(day, (day % 3) / 1000));
    const slow = Array.from({ length: 4 }, (_, day) => storedRun(20 + day, 0.3, { suspicious: [CPU] }));
    const { verdicts } = judge(runNow(), [...quiet, ...slow]);

    expect(verdictOn(verdicts, CPU)).toMatchObject({ runs: 20 });
    expect(verdictOn(verdicts, 'grpc/all/saturation achievedRps')).toMatchObject({ runs: 24 });
  });

  test('no value that has no logarithm', () => {
    const runs = all.map((run, day) =>
      day < 5 ? { ...run, cells: { ...run.cells, 'grpc/all/saturation': { cpuMicrosPerRequest: 0 } } } : run,
    );

    expect(verdictOn(judge(runNow(), runs).verdicts, CPU)).toMatchObject({ kind: 'judged', runs: 25 });
  });

  test('of two versions the head, in the rounds that were kept', () => {
    const run = sampleRounds({ discarded: 3, change: { startedAt: '2026-12-31T00:00:00Z' } });
    const { verdicts, past } = judge(run, all);

    expect(past).toMatchObject({ stored: 30, configured: 0 });
    expect(kindsOf(verdicts)).toEqual(['unmeasured']);
  });
});

describe('with too little past', () => {
  test.each([
    [0, ['unmeasured']],
    [1, ['collecting']],
    [9, ['collecting']],
    [10, ['advisory']],
    [19, ['advisory']],
    [20, ['judged']],
  ])('%i runs make it %j', (count, kinds) => {
    expect(kindsOf(judge(runNow(), baselineOf(QUIET.slice(0, count))).verdicts)).toEqual(kinds);
  });

  test('a collected difference is stated against the median', () => {
    const found = verdictOn(judge(runNow(SLOW_GRPC), baselineOf([0, 0.1, 0.2])).verdicts, CPU);

    expect(found).toMatchObject({ kind: 'collecting', runs: 3 });
    expect(found?.kind === 'collecting' && found.comparison.change).toBeCloseTo(143 / (119 * Math.exp(0.1)) - 1, 2);
  });

  test.each([
    [1, 1, 'few-rounds'],
    [2, 1, 'few-rounds'],
    [3, 7, 'few-rounds'],
    [3, 6, undefined],
    [3, 1, undefined],
  ])('%i rounds against a past of %i give advice because of %s', (rounds, past, reason) => {
    const result = judge(runNow({ ...SLOW_GRPC, rounds }), baselineOf(QUIET, { rounds: past }));
    const found = verdictOn(result.verdicts, CPU);

    expect(found).toMatchObject({ status: 'suspicious' });
    expect(found?.kind === 'advisory' ? found.reason : undefined).toBe(reason);
    expect(suspicionsOf(result)).toHaveLength(reason === undefined ? 1 : 0);
  });
});

describe('on several kinds of machine', () => {
  const { stratum } = storedRun(0, 0);
  const other = { ...stratum, cpuModel: 'another' };

  test('a run on a new one is not judged', () => {
    const { verdicts, past } = judge(runNow(), baselineOf(QUIET, { stratum: other }));

    expect(kindsOf(verdicts)).toEqual(['other-runner']);
    expect(past).toMatchObject({ configured: 30, onMachine: 0 });
  });

  test.each([
    ['CPU model', { cpuModel: 'another' }],
    ['number of CPUs', { cores: 4 }],
    ['kernel', { kernelMajor: '7' }],
  ])('a machine differs by its %s', (_what, change) => {
    expect(judge(runNow(), baselineOf(QUIET, { stratum: { ...stratum, ...change } })).past.onMachine).toBe(0);
  });

  test('a thin stratum borrows the noise of the others and keeps its own level', () => {
    const runs = QUIET.map((slower, day) =>
      storedRun(day, day < 18 ? slower + 0.5 : slower, day < 18 ? { stratum: other } : {}),
    );
    const found = verdictOn(judge(runNow(), runs).verdicts, CPU);

    expect(found).toMatchObject({ kind: 'judged', runs: 30, strata: 2 });
    expect(found?.kind === 'judged' && found.comparison.before).toBeCloseTo(119, -1);
  });
});

describe('the commit to confirm against', () => {
  const clean = storedRun(1, 0);

  test.each<[string, readonly StoredRun[], string | undefined]>([
    ['the newest', [storedRun(1, 0), storedRun(2, 0)], commitOf(2)],
    ['none that was suspicious', [clean, storedRun(2, 0, { suspicious: [CPU] })], commitOf(1)],
    ['none with changed files', [clean, storedRun(2, 0, { dirty: true })], commitOf(1)],
    ['nothing that is not a commit', [clean, storedRun(2, 0, { commit: '--upload-pack=x' })], commitOf(1)],
    ['none where there is none', [storedRun(1, 0, { commit: undefined })], undefined],
  ])('is %s', (_what, runs, expected) => {
    expect(confirmationBase(runs)).toBe(expected);
  });
});

describe('if no stored run is comparable', () => {
  test('what differs is named, with both values and the nearest runs first', () => {
    const { configuration, stratum } = storedRun(0, 0);
    const otherTool = { ...configuration, tools: 'ghz 0.120.0' };
    const runs = [
      storedRun(1, 0, { configuration: { ...otherTool, profile: 'smoke' }, stratum: { ...stratum, cores: 4 } }),
      storedRun(2, 0, { configuration: otherTool }),
      storedRun(3, 0, { configuration: otherTool }),
      storedRun(4, 0, { configuration: { ...otherTool, runtime: 'process', configHash: 'other' } }),
    ];

    const { unlike } = judge(runNow(), runs).past;

    const tools = { what: 'load tools', here: configuration.tools, stored: 'ghz 0.120.0' };
    expect(unlike).toEqual([
      { runs: 2, newest: expect.objectContaining({ commit: commitOf(3) }), differs: [tools] },
      {
        runs: 1,
        newest: expect.objectContaining({ commit: commitOf(4) }),
        differs: [
          { what: 'runtime', here: 'docker', stored: 'process' },
          { what: 'configuration of the suite', here: '9b1c7d3e', stored: 'other' },
          tools,
        ],
      },
      {
        runs: 1,
        newest: expect.objectContaining({ commit: commitOf(1) }),
        differs: [
          { what: 'profile', here: 'standard', stored: 'smoke' },
          tools,
          { what: 'CPU cores', here: '2', stored: '4' },
        ],
      },
    ]);
  });

  test('another CPU model and kernel are distinguished', () => {
    const { stratum } = storedRun(0, 0);
    const runs = [storedRun(1, 0, { stratum: { ...stratum, cpuModel: 'another', kernelMajor: '5' } })];

    const [only] = judge(runNow(), runs).past.unlike;

    expect(only?.differs.map(({ what }) => what)).toEqual(['CPU model', 'kernel']);
  });

  test('nothing is named if one is comparable, or none is there', () => {
    expect(judge(runNow(), baselineOf([0])).past.unlike).toEqual([]);
    expect(judge(runNow(), baselineOf([])).past.unlike).toEqual([]);
  });
});
