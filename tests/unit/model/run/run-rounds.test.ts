import { describe, expect, test } from 'vitest';
import type { RoundsRecord } from '../../../../src/model/run/rounds.ts';
import { formatRun, parseRun } from '../../../../src/model/run/run.ts';
import { sampleRounds } from '../../../support/sample-rounds.ts';

const run = sampleRounds({ rounds: 3, discarded: 1, failed: [{ service: 'rest', side: 'head', times: 1 }] });

const parsedWith = (record: Partial<RoundsRecord>) => () =>
  parseRun(formatRun({ ...run, rounds: { ...run.rounds, ...record } }), 'out/run.json');

describe('a run in rounds', () => {
  test('is read as it was written', () => {
    expect(parsedWith({})()).toEqual(run);
  });

  test.each([
    ['looks at the same rounds', [0.2, 0.5], [10, 10]],
    ['looks that go back', [0.2, 0.5], [15, 10]],
    ['looks that spend less', [0.5, 0.2], [10, 15]],
  ])('is refused with %s', (_what, spent, rounds) => {
    const looks = rounds.map((count, index) => ({ rounds: count, spent: spent[index] ?? 0 }));

    expect(parsedWith({ profile: { ...run.rounds.profile, looks } })).toThrow(
      /rounds\.profile\.looks: looks must go on/,
    );
  });

  test('is refused where a service has a round twice', () => {
    const rounds = [...run.rounds.rounds, ...run.rounds.rounds.slice(0, 1)];

    expect(parsedWith({ rounds })).toThrow(/out\/run\.json: rounds\.rounds: a service has a round twice/);
  });
});
