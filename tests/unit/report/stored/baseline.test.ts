import { describe, expect, it } from 'vitest';
import { judgeByStored } from '../../../../src/judge/stored/judge.ts';
import { judgeRun } from '../../../../src/judge/verdict/judge.ts';
import { DEFAULT_POLICY } from '../../../../src/model/policy.ts';
import type { RunInRounds } from '../../../../src/model/run/run.ts';
import { comparisonComment } from '../../../../src/report/comment/comment.ts';
import { baselineSentence } from '../../../../src/report/stored/against.ts';
import { REPORTS } from '../../../support/reports.ts';
import { CONTEXT, committed, QUIET } from '../../../support/sample-comment.ts';
import { withHeadCounts } from '../../../support/sample-counts.ts';
import { storedRunOf } from '../../../support/stored-run.ts';

const RUN = withHeadCounts(committed(QUIET));

/** As many runs like this one, the days before. */
function past(run: RunInRounds, days: number) {
  const stored = storedRunOf(run);
  return Array.from({ length: days }, (_, day) => ({
    ...stored,
    startedAt: new Date(Date.UTC(2026, 0, 1 + day)).toISOString(),
  }));
}

function judged(stored: RunInRounds, days = 24) {
  const result = judgeByStored(RUN, past(stored, days), DEFAULT_POLICY);
  const against = { ...result, file: 'baselines', store: 'wiregauge baseline update' };
  const run = { ...RUN, rounds: { ...RUN.rounds, baseline: baselineSentence(RUN, against) } };
  return { run, against };
}

function commentOn({ run }: ReturnType<typeof judged>): string {
  return comparisonComment(run, judgeRun(run), CONTEXT).replaceAll('\\', '');
}

describe('the comment of a pull request that is judged by stored runs, too', () => {
  it('has a line for each', () => {
    const text = commentOn(judged(RUN));

    expect(text).toMatch(/^- Against base 4f2d9c1: no regression\.$/m);
    expect(text).toMatch(
      /^- Against the stored baseline of 1df183b, 2026-01-24 00:00 UTC: Nothing suspicious in \d+ comparisons with the stored runs;.* Instructions per request: rest 0% since 1df183b\.$/m,
    );
  });

  it('says that no stored run is of this kind of machine, and compares counts alone', () => {
    const elsewhere = { ...RUN, runner: { ...RUN.runner, cpuModel: 'Another processor' } };
    const text = commentOn(judged(elsewhere));

    expect(text).toMatch(
      /Not judged: none of 24 runs is of this kind of machine, so only instruction counts are compared\. Instructions per request: rest 0% since/,
    );
  });

  it('has neither line without stored runs', () => {
    expect(comparisonComment(RUN, judgeRun(RUN), CONTEXT)).not.toMatch(/Against (base|the stored)/);
  });
});

it('a report has both lines and what they come from', () => {
  const { run, against } = judged(RUN);
  const text = REPORTS.markdown({ run, against, compared: judgeRun(run) });

  expect(text).toContain('Against base 4f2d9c1');
  expect(text).toContain('Against the stored baseline of 1df183b');
  expect(text).toContain('## Against the baseline');
});
