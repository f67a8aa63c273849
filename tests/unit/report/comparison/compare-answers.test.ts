import { describe, expect, test } from 'vitest';
import { judgeRun } from '../../../../src/judge/verdict/judge.ts';
import { DEFAULT_POLICY, type Policy } from '../../../../src/model/policy.ts';
import { annotationsOf } from '../../../../src/report/comment/annotations.ts';
import { comparisonText } from '../../../../src/report/comparison/document.ts';
import { headline } from '../../../../src/report/comparison/sentences.ts';
import { viewComparison } from '../../../../src/report/comparison/view.ts';
import { HOSTILE } from '../../../support/hostile-run.ts';
import { REPORTS } from '../../../support/reports.ts';
import type { ResultChange } from '../../../support/result-lists.ts';
import { CHANGED_ANSWER, CHANGED_ANSWERS } from '../../../support/sample-answers.ts';
import { commentOn, QUIET } from '../../../support/sample-comment.ts';
import { comparedJudgment, comparisonResult } from '../../../support/sample-comparison.ts';
import { type SampleRoundsOptions, sampleRounds } from '../../../support/sample-rounds.ts';

const ROW = 'GetUser {"id":1}, at $.users[0].extra (REST and gRPC; 3 of 10 requests)';

const lineOf = (change: ResultChange) =>
  headline(viewComparison(comparisonResult(change), sampleRounds({ rounds: 1 })));

const changedWith = (answers: Policy['answers'], record = CHANGED_ANSWERS): SampleRoundsOptions => ({
  ...QUIET,
  record: { policy: { ...DEFAULT_POLICY, answers }, answers: record },
});

describe('a headline', () => {
  test('says that responses changed where everything else passed', () => {
    expect(lineOf({ answers: [CHANGED_ANSWER] })).toMatch('No regression, but responses changed. A ');
  });

  test('is about them where the policy fails them', () => {
    const answers = [{ ...CHANGED_ANSWER, verdict: 'fails' as const }];

    expect(lineOf({ outcome: 'regressed', exitCode: 1, answers })).toMatch(`Responses changed: ${ROW}`);
  });
});

describe('answers that changed', () => {
  test.each(Object.entries(REPORTS))('are in the %s report', (_name, report) => {
    const text = report(comparedJudgment(comparisonResult({ answers: [CHANGED_ANSWER] })));

    expect(text.match(/Responses changed/g)).toHaveLength(1);
    expect(text.match(/at \$\.users|at <span>\$<\/span>\.users/g)).toHaveLength(1);
  });

  test('are in a text by themselves', () => {
    expect(comparisonText(comparisonResult({ answers: [CHANGED_ANSWER] }))).toContain('Responses changed');
  });

  test('leave a comment without the mark of a full pass', () => {
    const comment = commentOn(changedWith('warn'));

    expect(comment.split('\n')[1]).toMatch(/^### 🟡 No regression, but responses changed/);
    expect(comment).toContain('> [!WARNING]\n> **Responses changed**\n>\n> - GetUser ');
    expect(commentOn(QUIET).split('\n')[1]).toMatch(/^### ✅ /);
  });

  test('fail by policy with what to do about it', () => {
    const comment = commentOn(changedWith('fail'));

    expect(comment.split('\n')[1]).toMatch(/^### 🔴 Responses changed: GetUser /);
    expect(comment).toContain('`ignore` of the operation');
  });

  test('are annotations on their operations: warnings, or errors by policy', () => {
    const found = (policy: Policy['answers']) => {
      const run = sampleRounds(changedWith(policy));
      const cells: string[] = [];
      const cell = ({ operation }: { readonly operation: string }) => {
        cells.push(operation);
        return undefined;
      };
      const none = () => undefined;
      const all = annotationsOf(run, judgeRun(run), { suite: undefined, cell, budget: none, acceptance: none });
      return { cells, levels: all.filter(({ title }) => title === 'Responses changed').map(({ level }) => level), all };
    };

    expect(found('warn')).toMatchObject({ cells: ['GetUser', 'ListUsers'], levels: ['warning', 'warning'] });
    expect(found('warn').all[0]).toMatchObject({ level: 'warning', title: 'Wiregauge' });
    expect(found('fail').levels).toEqual(['error', 'error']);
  });

  test('of a stranger are texts in every report, and short ones', () => {
    const long = `${HOSTILE}${'x'.repeat(100)}`.slice(0, 300);
    const row = { service: 'rest', operation: 'GetUser', arguments: long, path: long, requests: 2, changedRequests: 1 };
    const options = changedWith('warn', { requests: 2, changed: [row] });
    const run = sampleRounds(options);

    for (const [name, report] of Object.entries(REPORTS)) {
      const text = report({ run, against: undefined, compared: judgeRun(run) });
      for (const harm of ['\u001b[31m', '\u202e', ...(name === 'terminal' ? [] : ['<script>alert', '<img src=x'])]) {
        expect(text).not.toContain(harm);
      }
    }
    expect(commentOn(options)).not.toMatch(/<script>|<img|@everyone|\u202e/);
    expect(headline(viewComparison(judgeRun(run), run)).length).toBeLessThan(900);
  });
});
