import { describe, expect, test } from 'vitest';
import { judgedRun } from '../../../../src/judge/verdict/judge.ts';
import { comparisonComment } from '../../../../src/report/comment/comment.ts';
import { comparisonDocument } from '../../../../src/report/comparison/document.ts';
import { headline } from '../../../../src/report/comparison/sentences.ts';
import { viewComparison } from '../../../../src/report/comparison/view.ts';
import { markdownOf } from '../../../../src/report/render/markdown.ts';
import { CONTEXT, firstLines, fold } from '../../../support/sample-comment.ts';
import {
  NOISY_STARTS,
  type SampleCounts,
  SLOWER_STARTS,
  sampleCounts,
  withCounts,
} from '../../../support/sample-counts.ts';
import { sampleRounds } from '../../../support/sample-rounds.ts';

const judged = (options: SampleCounts) => judgedRun(sampleCounts(options));

const lineOf = (options: SampleCounts) => {
  const { run, result } = judged(options);
  return headline(viewComparison(result, run));
};

const reportOf = (options: SampleCounts) => {
  const { run, result } = judged(options);
  return markdownOf(comparisonDocument(run, result));
};

describe('a comparison of counts', () => {
  test('says in one line what got more', () => {
    expect(lineOf({ head: SLOWER_STARTS })).toMatch(/^Regression: REST 1\.4% more instructions per request/);
  });

  test('says of which commit the base is, if its counts were stored', () => {
    const { run, result } = judged({});
    const stored = [{ service: 'rest', commit: 'abc1234'.padEnd(40, '0'), source: 'gh-pages' }];
    const instructions = run.instructions && { ...run.instructions, stored };

    expect(markdownOf(comparisonDocument({ ...run, instructions }, result))).toContain(
      '* **Base counts of REST:** stored ones of commit abc1234 (gh-pages)\n',
    );
  });

  test('has the figures, the threshold and what would have been seen', () => {
    const report = reportOf({ head: SLOWER_STARTS });

    expect(report).toMatch(/REST<br><sub>instructions\/request.*\*\*\\\+1\.4\d?%\*\*.* \| 889k.→.901k \|/);
    expect(report).toMatch(/889k.→.901k/);
    expect(report).toContain('Valgrind 3.19.0 (x64)');
    expect(report).toContain('Counts do not show kernel time, waiting, locks, cache misses or parallelism');
    expect(report).not.toMatch(/False-alarm rate|0 rounds|maximum number of rounds/);
  });

  test('says that what varies gates nothing', () => {
    expect(reportOf({ base: NOISY_STARTS, head: NOISY_STARTS.toReversed() })).toMatch(
      /instructions\/request.*it varies by 19\.8%.*not gating/,
    );
  });

  test('says which version could not be counted, and why', () => {
    const failures = [{ service: 'rest', side: 'head' as const, message: 'it ended by itself', next: 'Look.' }];
    const options = { head: [], failures };

    expect(lineOf(options)).toContain('head could not be counted: it ended by itself');
    expect(reportOf(options)).toContain('Not counted: REST, head: it ended by itself. Look.');
  });
});

describe('the comment on counts and rounds', () => {
  const commentOn = (services: readonly ('rest' | 'grpc')[]) => {
    const run = withCounts(sampleRounds({ services, rounds: 12, noise: 0.3 }), { head: SLOWER_STARTS });
    return comparisonComment(run, judgedRun(run).result, CONTEXT);
  };

  test('has one row for a service whose operations changed alike, and explains the rounds', () => {
    const first = firstLines(commentOn(['rest']));

    const rows = first.match(/^\|.*instructions\/request.*$/gm) ?? [];

    expect(rows).toHaveLength(1);
    expect(rows[0]).toMatch(/REST.*\*\*\\\+1\.4/);
    expect(first).not.toContain('REST, GetUser instructions/request');
    expect(first).toContain('REST: instructions per request ');
  });

  test('has the counts of both versions next to the figures of time', () => {
    expect(fold(commentOn(['rest', 'grpc']), 'All checks')).toMatch(/instructions\/request.*889k?.→.901k/);
  });
});
