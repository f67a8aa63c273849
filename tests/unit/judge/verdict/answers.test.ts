import { describe, expect, test } from 'vitest';
import { judgedRun, judgeRun } from '../../../../src/judge/verdict/judge.ts';
import { shownRows, withAcceptedRows } from '../../../../src/judge/verdict/label.ts';
import { DEFAULT_POLICY, type Policy } from '../../../../src/model/policy.ts';
import type { AnswersRecord } from '../../../../src/model/run/rounds.ts';
import { listsOf } from '../../../support/result-lists.ts';
import { CHANGED_ANSWERS } from '../../../support/sample-answers.ts';
import { sampleRounds } from '../../../support/sample-rounds.ts';

const judged = (policy: Policy['answers'], answers: AnswersRecord | undefined = CHANGED_ANSWERS) =>
  listsOf(
    judgeRun(sampleRounds({ record: { policy: { ...DEFAULT_POLICY, answers: policy }, ...(answers && { answers }) } })),
  );

const plain = listsOf(judgeRun(sampleRounds()));

describe('answers that changed', () => {
  test('are one finding for all services of which that is so', () => {
    const { answers } = judged('warn');

    expect(answers).toEqual([
      {
        operation: 'GetUser',
        services: ['rest', 'grpc'],
        arguments: '{"id":1}',
        path: '$.users[0].extra',
        requests: 10,
        changedRequests: 3,
        verdict: 'warns',
      },
      expect.objectContaining({ operation: 'ListUsers', services: ['rest'] }),
    ]);
  });

  test('leave the outcome as it is where the policy warns', () => {
    expect(judged('warn')).toMatchObject({ outcome: plain.outcome, exitCode: plain.exitCode });
    expect({ ...judged('warn'), answers: [] }).toEqual(plain);
  });

  test('make it regressed where the policy says so', () => {
    const result = judged('fail');

    expect(result).toMatchObject({ outcome: 'regressed', exitCode: 1 });
    expect(result.answers.map(({ verdict }) => verdict)).toEqual(['fails', 'fails']);
  });

  test('are not a regression that a label could accept', () => {
    const run = sampleRounds({ record: { policy: { ...DEFAULT_POLICY, answers: 'fail' }, answers: CHANGED_ANSWERS } });
    const judged = judgedRun(run);
    const shown = { head: run.rounds.head.commit ?? '', rows: shownRows(judged.result) };
    const accepted = withAcceptedRows(judged, {
      by: 'someone',
      at: '2026-11-21T00:00:00Z',
      how: 'label "wiregauge: accepted"',
      shown: shown,
    });

    expect(judgeRun(accepted)).toMatchObject({ outcome: 'regressed', exitCode: 1 });
  });

  test('are ignored if the policy ignores them, or if services are compared with each other', () => {
    expect(judged('ignore')).toEqual(plain);
    const versus = { reference: 'rest' };
    expect(listsOf(judgeRun(sampleRounds({ record: { answers: CHANGED_ANSWERS, versus } }))).answers).toEqual([]);
  });

  test.each([
    ['no record of them', undefined],
    ['none that were compared', { requests: 0, changed: [] }],
  ])('that must not change are noted where there is %s', (_what, answers) => {
    const result = judgeRun(
      sampleRounds({
        record: { policy: { ...DEFAULT_POLICY, answers: 'fail' }, ...(answers !== undefined && { answers }) },
      }),
    );

    expect(result.outcome).toBe(plain.outcome);
    expect(result.notes).toContainEqual({ kind: 'answers-not-compared' });
    expect(plain.notes).not.toContainEqual({ kind: 'answers-not-compared' });
  });
});
