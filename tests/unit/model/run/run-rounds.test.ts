import { describe, expect, test } from 'vitest';
import type { AnswersRecord, RoundsRecord } from '../../../../src/model/run/rounds.ts';
import { formatRun, parseRun } from '../../../../src/model/run/run.ts';
import { CHANGED_ANSWERS } from '../../../support/sample-answers.ts';
import { sampleRounds } from '../../../support/sample-rounds.ts';

const run = sampleRounds({ rounds: 3, discarded: 1, failed: [{ service: 'rest', side: 'head', times: 1 }] });

const [CHANGE] = CHANGED_ANSWERS.changed as [AnswersRecord['changed'][number]];

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

  test('of an earlier version has no answers, and a policy that warns of them', () => {
    const { answers: _answers, ...policy } = run.rounds.policy;
    const text = formatRun({ ...run, rounds: { ...run.rounds, policy: policy as RoundsRecord['policy'] } });

    const { rounds } = parseRun(text, 'out/run.json');

    expect(rounds?.answers).toBeUndefined();
    expect(rounds?.policy.answers).toBe('warn');
  });

  test.each([
    ['more changed answers than any comparison leaves', { changed: Array.from({ length: 201 }, () => CHANGE) }],
    ['a path that is too long', { changed: [{ ...CHANGE, path: 'x'.repeat(301) }] }],
    ['arguments that are too long', { changed: [{ ...CHANGE, arguments: 'x'.repeat(301) }] }],
    ['an operation that is no name', { changed: [{ ...CHANGE, operation: '<b>' }] }],
  ])('is refused with %s', (_what, answers) => {
    expect(parsedWith({ answers: { requests: 1, ...answers } })).toThrow(/rounds\.answers\.changed/);
  });

  test('is refused where a service has a round twice', () => {
    const rounds = [...run.rounds.rounds, ...run.rounds.rounds.slice(0, 1)];

    expect(parsedWith({ rounds })).toThrow(/out\/run\.json: rounds\.rounds: a service has a round twice/);
  });
});
