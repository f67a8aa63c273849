import { describe, expect, test } from 'vitest';
import { judgedRun } from '../../../../src/judge/verdict/judge.ts';
import type { ProfilerRecord } from '../../../../src/model/run/functions.ts';
import { formatRun, parseRun } from '../../../../src/model/run/run.ts';
import { comparisonComment } from '../../../../src/report/comment/comment.ts';
import { comparisonDocument } from '../../../../src/report/comparison/document.ts';
import { htmlOf } from '../../../../src/report/render/html.ts';
import { CONTEXT, fold } from '../../../support/sample-comment.ts';
import { sampledProfile } from '../../../support/sample-profiler.ts';
import { sampleRounds } from '../../../support/sample-rounds.ts';

const MORE_CPU = [{ metric: 'cpuMicrosPerRequest', by: 0.5 }] as const;

const judged = (profiler: ProfilerRecord) =>
  judgedRun(sampleRounds({ services: ['rest'], noise: 0, worse: MORE_CPU, change: { profiler } }));

const commentOn = (profiler: ProfilerRecord) => {
  const { run, result } = judged(profiler);
  return comparisonComment(run, result, CONTEXT);
};

const seen = (base: Readonly<Record<string, number>>, head: Readonly<Record<string, number>>): ProfilerRecord => ({
  sampled: [sampledProfile('base', base), sampledProfile('head', head)],
  missing: [],
});

const GROWN = seen({ work: 400, render: 600 }, { work: 900, render: 600 });

const TITLE = 'Functions of REST that take more CPU time';

describe('functions that a profiler saw', () => {
  test('the comment folds those that grew most, with the stacks behind them', () => {
    const reported = fold(commentOn(GROWN), TITLE);
    expect(reported).toContain('py-spy 0.4.3 sampled 1,000 stacks in base and 1,500 in head.');
    expect(reported).toMatch(/\| work \| app\.py \|.*µs \|.*µs \| \\\+.*µs.* \| 400.→.900 \|/);
    expect(reported).not.toContain('| render |');
  });

  test('the page draws a flame graph of head, with what grew in red', () => {
    const { run, result } = judged(GROWN);
    const page = htmlOf(comparisonDocument(run, result));
    expect(page).toContain(TITLE);
    expect(page).toMatch(/<g class="more"><title>work \(app\.py\): [\d.,]+ µs → [\d.,]+ µs<\/title>/);
    expect(page).toMatch(/<g class="alike"><title>render/);
  });

  test('growth within chance does not count as growth', () => {
    expect(fold(commentOn(seen({ work: 4, render: 6 }, { work: 9, render: 6 })), TITLE)).toContain(
      'No function grew by more than chance can explain.',
    );
  });

  test('what keeps a profiler from looking is one line, with what to do', () => {
    const missing = [
      { service: 'rest', message: 'perf <is> not on this machine', next: 'Install it: `pip install py-spy`.' },
    ];
    const reported = fold(commentOn({ sampled: [], missing }), 'No profile of REST');
    expect(reported).toContain('perf &lt;is&gt; not on this machine. Install it: `pip install py-spy`.');
  });

  test('names of functions are text of others', () => {
    const hostile = commentOn(seen({ 'a|<b>`@you': 100 }, { 'a|<b>`@you': 100, 'x|<b>': 900 }));
    expect(hostile).not.toContain('<b>');
  });

  test('run.json keeps it', () => {
    const { run } = judged(GROWN);
    expect(parseRun(formatRun(run), 'run.json').profiler).toEqual(GROWN);
  });
});
