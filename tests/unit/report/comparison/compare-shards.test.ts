import { describe, expect, test } from 'vitest';
import { comparisonOutputs } from '../../../../src/commands/action/outcome.ts';
import { judgeRun } from '../../../../src/judge/verdict/judge.ts';
import { mergeRuns } from '../../../../src/model/run/merge.ts';
import type { RunFile, RunInRounds } from '../../../../src/model/run/run.ts';
import { annotationsOf } from '../../../../src/report/comment/annotations.ts';
import { comparisonComment } from '../../../../src/report/comment/comment.ts';
import { REPORTS } from '../../../support/reports.ts';
import { SUITE_PLACES } from '../../../support/sample-comparison.ts';
import { sampleShard, THREE, threeShards } from '../../../support/sample-shards.ts';

const SLOWER = { rounds: 15, worse: [{ tier: 'saturation', by: 0.1 }] };
const merged = (files: readonly RunFile[]) => mergeRuns(files as [RunFile, ...RunFile[]]) as RunInRounds;
const lost = merged(threeShards().slice(0, 2));
const lostAndSlower = merged(threeShards([SLOWER]).slice(0, 1));
const whole = merged(threeShards());
const [first = sampleShard({ index: 1, services: THREE })] = threeShards().map(({ run }) => run as RunInRounds);

const context = { id: 'job', head: 'a'.repeat(40), finishedAt: '2026-11-21T10:00:00Z', links: {}, earlier: [] };
const commentOf = (run: RunInRounds) => comparisonComment(run, judgeRun(run), context);
const reportOf = (name: keyof typeof REPORTS, run: RunInRounds) =>
  REPORTS[name]({ run, against: undefined, compared: judgeRun(run) }).replace(/\s+/g, ' ');

describe('a lost shard', () => {
  test.each(['terminal', 'markdown', 'html'] as const)(
    'is in the first line of the %s report, and in its list',
    (name) => {
      const text = reportOf(name, lost);

      expect(text).toMatch(/Incomplete: .{0,40}three.{0,40} is not judged: its shard was lost/);
      expect(text).toMatch(/three.{0,40}: shard 3\/3 has no run\.json/);
    },
  );

  test('is in the first line of the comment, with what to do', () => {
    const [, line = ''] = commentOf(lost).split('\n');

    expect(line).toMatch(/^### ⚪ Incomplete: three is not judged: its shard was lost/);
    expect(commentOf(lost)).toMatch(/Re-run the failed jobs/);
    expect(commentOf(lost)).not.toMatch(/A verdict needs \d+ rounds/);
  });

  test('is next to a regression, which goes first', () => {
    const [, line = '', , counts = ''] = commentOf(lostAndSlower).split('\n');

    expect(line).toMatch(/^### 🔴 Regression: /);
    expect(counts).toContain('2 not measured');
  });

  test('is an error among the annotations, and a warning of its own', () => {
    const annotations = annotationsOf(lost, judgeRun(lost), SUITE_PLACES);

    expect(annotations[0]).toMatchObject({ level: 'error', message: expect.stringContaining('its shard was lost') });
    expect(annotations).toContainEqual(
      expect.objectContaining({ level: 'warning', title: 'Not compared', message: expect.stringContaining('3/3') }),
    );
  });

  test('leaves open how small a change would have been seen', () => {
    expect(comparisonOutputs({ run: lost, result: judgeRun(lost) })).toMatchObject({
      outcome: 'incomplete',
      detectable: '',
    });
    expect(comparisonOutputs({ run: whole, result: judgeRun(whole) })['detectable']).toMatch(/^\d+\.\d$/);
  });
});

describe('shards', () => {
  test('are each reported with their machine, seed, end and share of alpha', () => {
    const text = reportOf('markdown', whole);

    for (const [index, name] of THREE.flat().entries()) {
      expect(text).toContain(`Shard ${index + 1}/3 (${name})`);
    }
    expect(text).toContain('* **Shard 2/3 (two):** early, because the result was clear');
    expect(text).toContain('Each of the 3 jobs is tested separately');
    expect(text).toContain('with 0.2% on top for all services and loads together');
  });

  test('are not compared with each other, since their machines differ', () => {
    const two = [['one'], ['two']];
    const both = merged([1, 2].map((index) => ({ file: `${index}`, run: sampleShard({ index, services: two }) })));

    expect(commentOf(both)).toContain('base → head');
    expect(commentOf(both)).not.toMatch(/against (the )?(one|REST)/i);
  });

  test('one alone says that it is one', () => {
    expect(reportOf('markdown', first)).toMatch(/Shard 1\/3 \(one\); the other jobs/);
  });
});
