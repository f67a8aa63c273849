import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DEFAULT_POLICY } from '../../../../src/model/policy.ts';
import { mergeRuns } from '../../../../src/model/run/merge.ts';
import type { RunFile } from '../../../../src/model/run/run.ts';
import { formatRun, parseRun } from '../../../../src/model/run/run.ts';
import { CHANGED_ANSWERS } from '../../../support/sample-answers.ts';
import { sampleRounds } from '../../../support/sample-rounds.ts';
import { sampleRun } from '../../../support/sample-run.ts';
import { sampleShard, THREE, threeShards } from '../../../support/sample-shards.ts';

const FILES = threeShards([{}, { rounds: 12, record: { ended: 'budget' } }, {}]);
const merge = (files: readonly RunFile[]) => mergeRuns(files as [RunFile, ...RunFile[]]);
const [one, two, three] = FILES as [RunFile, RunFile, RunFile];

const COUNTS = { counter: { name: 'valgrind', version: '3.19.0', architecture: 'x64' }, starts: [], failures: [] };

/** A shard whose run or record differs. */
function changed({ file, run }: RunFile, change: object, record: object = {}): RunFile {
  return { file, run: { ...run, ...change, rounds: { ...run.rounds, ...record } } as RunFile['run'] };
}

describe('shards of a comparison', () => {
  test('become one run with all their rounds and samples, and remember what each had of its own', () => {
    const merged = merge(FILES);

    const { rounds } = merged;
    expect(rounds?.head.services).toEqual(['one', 'two', 'three']);
    expect(rounds?.rounds).toHaveLength(32);
    expect(merged.samples).toHaveLength(FILES.reduce((sum, { run }) => sum + run.samples.length, 0));
    expect(merged.services.map(({ name }) => name)).toEqual(['one', 'two', 'three']);
    expect(merged.spent.totalSeconds).toBe(3 * one.run.spent.totalSeconds);
    expect(merged.complete).toBe(true);
    expect(rounds?.ended).toBe('budget');
    expect(rounds?.shards).toMatchObject({
      kind: 'merged',
      of: 3,
      services: THREE,
      measured: [
        { index: 1, seed: 1, ended: 'decided' },
        { index: 2, seed: 2, ended: 'budget' },
        { index: 3, seed: 3, ended: 'decided' },
      ],
    });
    expect(parseRun(formatRun(merged), 'out/run.json')).toEqual(merged);
  });

  test('have the drift of the default branch once, from a shard that could read it', () => {
    const stored = { anchor: { name: 'v1.4.0', commit: 'a'.repeat(40) }, ratios: [], recent: { runs: 3, ratios: [] } };
    const collecting = { ratios: [], recent: { runs: 0, ratios: [] } };

    expect(merge([one, changed(two, {}, { stored }), three]).rounds?.stored).toEqual(stored);
    expect(merge([changed(one, {}, { stored: collecting }), changed(two, {}, { stored })]).rounds?.stored).toEqual(
      stored,
    );
    expect(merge([changed(one, {}, { stored: collecting }), two]).rounds?.stored).toEqual(collecting);
    expect(merge(FILES).rounds?.stored).toBeUndefined();
  });

  test('are the same run for any order of the files, with and without lost ones', () => {
    fc.assert(
      fc.property(fc.shuffledSubarray([...FILES], { minLength: 1 }), (files) => {
        const sorted = FILES.filter((file) => files.includes(file));

        expect(formatRun(merge(files))).toBe(formatRun(merge(sorted)));
      }),
      { numRuns: 20 },
    );
  });

  test('bring all answers that changed along, as many as a file may name', () => {
    const answersOf = ({ file, run }: RunFile, count: number): RunFile => {
      const changed = CHANGED_ANSWERS.changed.flatMap((change) => Array.from({ length: count }, () => change));
      return { file, run: { ...run, rounds: { ...run.rounds, answers: { requests: 5, changed } } } as RunFile['run'] };
    };

    const merged = merge([one, answersOf(two, 1), answersOf(three, 1)]);

    expect(merged.rounds?.answers).toEqual({
      requests: 10,
      changed: [...CHANGED_ANSWERS.changed, ...CHANGED_ANSWERS.changed],
    });
    expect(merge(FILES).rounds?.answers).toBeUndefined();
    const many = merge([one, answersOf(two, 60), answersOf(three, 60)]);
    expect(parseRun(formatRun(many), 'out/run.json').rounds?.answers?.changed).toHaveLength(200);
  });

  test('have a service of the suite each in turn, in the order of the suite when they are merged', () => {
    const services = [['a', 'c'], ['b']];
    const files = [2, 1].map((index) => ({ file: `${index}.json`, run: sampleShard({ index, services }) }));

    expect(merge(files).rounds?.base.services).toEqual(['a', 'b', 'c']);
  });

  test('are incomplete where one is missing, and where one was not ended by its plan', () => {
    const interrupted = changed(two, { complete: false }, { ended: 'interrupted' });

    expect(merge([one, three]).complete).toBe(false);
    expect(merge([one, interrupted, three])).toMatchObject({ complete: false, rounds: { ended: 'interrupted' } });
  });

  test('may come from different machines, which is kept', () => {
    const other = changed(two, { runner: { ...two.run.runner, cpuModel: 'another' } });

    expect(merge([one, other, three]).rounds?.shards).toMatchObject({
      measured: [{}, { runner: { cpuModel: 'another' } }, {}],
    });
  });

  test.each([
    ['version of Wiregauge', changed(two, { wiregauge: '9.9.9' })],
    ['configuration', changed(two, { configHash: 'other' })],
    ['runtime', changed(two, { runtime: { name: 'process', reason: '' } })],
    ['suite', changed(two, { suite: { ...two.run.suite, name: 'other' } })],
    ['base', changed(two, {}, { base: { ...two.run.rounds?.base, commit: 'e'.repeat(40) } })],
    ['head', changed(two, {}, { head: { ...two.run.rounds?.head, commit: 'e'.repeat(40) } })],
    ['policy', changed(two, {}, { policy: { ...DEFAULT_POLICY, alpha: 0.1 } })],
    ['profile', changed(two, {}, { profile: { ...two.run.rounds?.profile, name: 'quick' } })],
    ['counter of instructions', changed(two, { instructions: COUNTS })],
    ['number of shards', { file: two.file, run: sampleShard({ index: 2, services: [['one'], ['two']] }) }],
    ['division into shards', { file: two.file, run: sampleShard({ index: 2, services: [['x'], ['two'], ['three']] }) }],
  ])('are refused where they differ in their %s, naming both files', (what, other) => {
    const [mine, theirs] = [one.file, other.file];

    expect(() => merge([one, other, three])).toThrow(
      `${mine} and ${theirs} are not shards of the same comparison: ${what} is`,
    );
  });

  test('are refused where two are the same shard, as a file that is given twice', () => {
    const again = { file: 'again/run.json', run: two.run };

    expect(() => merge([one, two, again])).toThrow('shard-2/run.json and again/run.json are both shard 2/3');
    expect(() => merge([one, one])).toThrow('shard-1/run.json and shard-1/run.json are both shard 1/3');
  });

  test.each([
    ['a plain run', sampleRun(), /other\.json is not a shard of a comparison/],
    ['rounds of one job', sampleRounds(), /other\.json is not a shard of a comparison/],
    ['what is merged already', merge(FILES), /other\.json is merged already/],
  ])('do not merge with %s', (_what, run, message) => {
    expect(() => merge([one, { file: 'other.json', run }])).toThrow(message);
    expect(() => merge([{ file: 'other.json', run }, one])).toThrow(message);
  });
});
