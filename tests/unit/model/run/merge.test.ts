import { describe, expect, test } from 'vitest';
import { mergeRuns } from '../../../../src/model/run/merge.ts';
import { sampleRounds } from '../../../support/sample-rounds.ts';
import { sampleRun } from '../../../support/sample-run.ts';

const rest = { file: 'a/run.json', run: sampleRun({ services: ['rest'] }) };
const grpc = { file: 'b/run.json', run: sampleRun({ services: ['grpc'] }) };

describe('mergeRuns', () => {
  test('makes one run of shards with different services', () => {
    const merged = mergeRuns([rest, grpc]);

    expect(merged.services.map(({ name }) => name)).toEqual(['rest', 'grpc']);
    expect(merged.samples).toHaveLength(rest.run.samples.length + grpc.run.samples.length);
    expect(new Set(merged.samples.map(({ round }) => round))).toEqual(new Set([1]));
    expect(merged.spent.totalSeconds).toBe(rest.run.spent.totalSeconds + grpc.run.spent.totalSeconds);
  });

  test('numbers the rounds on where a cell was measured again', () => {
    const merged = mergeRuns([rest, { ...rest, file: 'c/run.json' }, { ...rest, file: 'd/run.json' }]);

    expect(new Set(merged.samples.map(({ round }) => round))).toEqual(new Set([1, 2, 3]));
  });

  test('is incomplete where a part is', () => {
    expect(mergeRuns([rest, { ...grpc, run: { ...grpc.run, complete: false } }]).complete).toBe(false);
  });

  test('refuses rounds of two versions', () => {
    expect(() => mergeRuns([{ file: 'a/run.json', run: sampleRounds() }])).toThrow(/a\/run.json compares two versions/);
  });

  test.each([
    ['version of Wiregauge', { wiregauge: '9.9.9' }],
    ['configuration', { configHash: 'other' }],
    ['CPU model', { runner: { ...grpc.run.runner, cpuModel: 'other' } }],
    ['commit', { commit: { head: 'other', dirty: false } }],
  ])('refuses runs that differ in their %s, and names both files', (what, change) => {
    const other = { file: 'b/run.json', run: { ...grpc.run, ...change } };

    expect(() => mergeRuns([rest, other])).toThrow(
      new RegExp(`a/run.json and b/run.json do not belong together: ${what}`),
    );
  });
});
