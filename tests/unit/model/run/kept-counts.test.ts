import { describe, expect, test } from 'vitest';
import {
  countedWindows,
  counterLevel,
  fingerprintDifferences,
  type InstructionsRecord,
  unitedCounts,
} from '../../../../src/model/run/instructions.ts';
import { keptCounts, startsOfBase } from '../../../../src/model/run/kept-counts.ts';
import { mergeRuns } from '../../../../src/model/run/merge.ts';
import { FINGERPRINT, REST_STARTS, sampleCounts, WINDOW, withHeadCounts } from '../../../support/sample-counts.ts';
import { sampleRun } from '../../../support/sample-run.ts';

const COUNTS = withHeadCounts(sampleRun()).instructions as InstructionsRecord;

describe('counts that are kept', () => {
  test('are the windows that count, of every start of the head', () => {
    const [kept, ...others] = keptCounts(COUNTS);

    expect(others).toEqual([]);
    expect(kept).toMatchObject({ service: 'rest', fingerprint: FINGERPRINT });
    expect(kept?.starts.map(([operation]) => operation)).toEqual(
      REST_STARTS.map((windows) => ({
        operation: 'GetUser',
        requests: WINDOW,
        instructions: windows.map((one) => one * WINDOW),
        syscalls: [1880, 1880, 1880],
      })),
    );
  });

  test('are without warm-up, and without what the service does by itself', () => {
    const warm = COUNTS.starts.map((start) => ({
      ...start,
      warmFrom: 1,
      idle: { seconds: 2, instructions: 3000, syscalls: 3 },
      operations: start.operations.map((one) => ({
        ...one,
        instructions: [9e9, ...one.instructions],
        syscalls: [9e9, ...one.syscalls],
        seconds: [1, 1, 1, 1],
      })),
    }));
    const [kept] = keptCounts({ ...COUNTS, starts: warm });
    const [first] = kept === undefined ? [] : startsOfBase(kept);

    expect(first).toMatchObject({ service: 'rest', side: 'base', start: 1 });
    expect(first?.operations[0]?.instructions).toEqual(REST_STARTS[0].map((one) => one * WINDOW - 1500));
    // System calls are whole again.
    expect(first?.operations[0]?.syscalls).toEqual([1879, 1879, 1879]);
    expect(first && countedWindows(first, { instructions: [1, 2, 3], syscalls: [1, 2, 3] }).instructions).toEqual([
      1, 2, 3,
    ]);
  });

  test('are none of a service that did not get steady, or that has no fingerprint', () => {
    const [first, ...others] = COUNTS.starts;
    const { warmFrom: _warmFrom, ...cold } = first ?? COUNTS.starts[0] ?? ({} as never);
    const { fingerprints: _fingerprints, ...unnamed } = COUNTS;

    expect(keptCounts({ ...COUNTS, starts: [cold, ...others] })).toEqual([]);
    expect(keptCounts(unnamed)).toEqual([]);
  });
});

describe('fingerprints', () => {
  test('say by name what they differ in, and hashes only that', () => {
    const stored = { ...FINGERPRINT, counter: 'valgrind 3.22.0 x64', requests: 'r2', runnerImage: 'ubuntu24-1' };

    expect(fingerprintDifferences(stored, FINGERPRINT)).toEqual([
      'the counter (valgrind 3.22.0 x64, here valgrind 3.19.0 x64)',
      'the image of the runner (ubuntu24-1, here none)',
      'the requests',
    ]);
    expect(fingerprintDifferences(FINGERPRINT, { ...FINGERPRINT })).toEqual([]);
  });

  test.each([
    ['the environment of its service', { environment: 'e2' }, true],
    ['the image of its runner', { runnerImage: 'ubuntu24-2' }, true],
    ['its counter', { counter: 'valgrind 3.22.0 x64' }, false],
    ['its runtime', { runtime: 'docker' }, false],
  ])('are of one level or not by %s', (_what, change, isSame) => {
    expect(counterLevel({ ...FINGERPRINT, ...change }) === counterLevel(FINGERPRINT)).toBe(isSame);
  });
});

describe('counts of several runs', () => {
  test('are those of all of them, with what they were stored with', () => {
    const stored = [{ service: 'rest', commit: 'a1', source: 'history' }];
    const other = { ...COUNTS, fingerprints: { grpc: FINGERPRINT }, starts: [], stored };

    expect(unitedCounts([undefined, COUNTS, other])).toEqual({
      ...COUNTS,
      fingerprints: { rest: FINGERPRINT, grpc: FINGERPRINT },
      stored,
    });
    expect(unitedCounts([undefined])).toBeUndefined();
    expect(sampleCounts().instructions).toEqual(unitedCounts([sampleCounts().instructions]));
  });

  test('are those of the first counter if there are two', () => {
    const other = { ...COUNTS, counter: { ...COUNTS.counter, version: '3.22.0' } };

    expect(unitedCounts([COUNTS, other])).toEqual(COUNTS);
  });

  test('say of a service that only another counter counted why it has no counts', () => {
    const counter = { ...COUNTS.counter, version: '3.22.0' };
    const starts = COUNTS.starts.map((start) => ({ ...start, service: 'grpc' }));

    const { failures = [] } = unitedCounts([COUNTS, { ...COUNTS, counter, starts }]) ?? {};

    expect(failures).toEqual([
      {
        service: 'grpc',
        side: 'head',
        message:
          'its counts come from a different counter (valgrind 3.22.0 x64) than those of other jobs (valgrind 3.19.0 x64)',
      },
    ]);
  });

  test('stay with plain runs of different services that are merged', () => {
    const [rest, grpc] = (['rest', 'grpc'] as const).map((name) => sampleRun({ services: [name] }));
    const merged = mergeRuns([
      { file: 'a.json', run: grpc ?? sampleRun() },
      { file: 'b.json', run: withHeadCounts(rest ?? sampleRun()) },
    ]);

    expect(merged.instructions).toEqual(COUNTS);
  });
});
