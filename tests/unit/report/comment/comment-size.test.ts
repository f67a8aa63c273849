import { describe, expect, it } from 'vitest';
import type { Finding } from '../../../../src/judge/verdict/finding.ts';
import { type CommentContext, comparisonComment } from '../../../../src/report/comment/comment.ts';
import { hasMarker, resultsIn } from '../../../../src/report/comment/state.ts';
import { MAX_COMMENT_CHARACTERS } from '../../../../src/report/render/markdown.ts';
import { comparisonWith } from '../../../support/hostile-comment.ts';
import { listsOf, type ResultChange, withLists } from '../../../support/result-lists.ts';
import { comparisonResult, UNCOMPARED } from '../../../support/sample-comparison.ts';
import { cellAt, FINDINGS, wideFindings } from '../../../support/sample-findings.ts';
import { sampleRounds } from '../../../support/sample-rounds.ts';

const RUN = sampleRounds();

const CONTEXT: CommentContext = {
  id: 'performance',
  head: '1df183b0c4a7e2f9d8b6a5c4e3f2019876543210',
  finishedAt: '2026-11-21T01:02:03Z',
  links: { report: 'https://github.example/artifacts/5' },
  earlier: Array.from({ length: 12 }, (_, index) => ({
    head: '0f'.repeat(20),
    finishedAt: `2026-11-20T10:${59 - index}:00Z`,
    outcome: 'passed',
    headline: `Result ${index}. ${'word '.repeat(30)}`,
  })),
};

function many<Item>(count: number, items: readonly Item[]): readonly Item[] {
  return Array.from({ length: count }, (_, index) => items[index % items.length]).flatMap((item) => item ?? []);
}

function commentOf(result: ResultChange): string {
  return comparisonComment(RUN, comparisonResult(result), CONTEXT);
}

function rowsOfChanged(body: string): number {
  const table = body.split('|  | change | base → head |')[1]?.split('\n\n')[0] ?? '';
  return table.split('\n').length - 2;
}

function foldTitles(body: string): readonly string[] {
  return [...body.matchAll(/<summary>(.*)<\/summary>/g)].map(([, title = '']) => title);
}

/** What every comment has, however much had to go. */
function expectSound(body: string): void {
  expect(body.length).toBeLessThan(MAX_COMMENT_CHARACTERS);
  expect(hasMarker(body, 'performance')).toBe(true);
  expect(body.split('\n')[1]).toMatch(/^### \S+ .+$/);
  expect(resultsIn(body)).toHaveLength(11);
  expect(body.match(/<\/details>/g)?.length).toBe(body.match(/<details>/g)?.length);
}

const red = (index: number): Finding => ({ ...FINDINGS.regressed, cell: cellAt({ tier: `tier${index}` }) });

describe('the size of a comment', () => {
  it('needs no cut for sixty comparisons', () => {
    const body = commentOf({ findings: wideFindings(60) });

    expectSound(body);
    expect(body).not.toContain('Left out');
  });

  it('leaves out whole folds that do not fit, and says which and where they are', () => {
    const body = commentOf({ findings: many(600, wideFindings(60)) });

    expectSound(body);
    expect(foldTitles(body)).toEqual(['How it was measured', 'Earlier results of this pull request']);
    expect(body).toContain('_Left out for length: “All checks”; see the full report or run.json._');
  });

  it('keeps the first rows of what changed, and leaves out the fold of all', () => {
    const findings = Array.from({ length: 700 }, (_, index) => red(index));

    const body = commentOf({ outcome: 'regressed', exitCode: 1, findings });

    expectSound(body);
    expect(rowsOfChanged(body)).toBe(8);
    expect(body).toContain('692 more changes under “All checks”.');
    expect(body).toContain('_Left out for length: “All checks”');
    expect(body).toContain('| REST, tier0<br><sub>CPU per request</sub> |');
  });

  it('keeps the first rows and sentences of every kind where there are hundreds of each', () => {
    const failed = UNCOMPARED.filter(({ reason }) => reason === 'head-failed');
    const lost = UNCOMPARED.filter(({ reason }) => reason === 'missing');

    const body = commentOf({
      outcome: 'failed',
      exitCode: 1,
      findings: Array.from({ length: 500 }, (_, index) => red(index)),
      uncompared: [...many(1500, failed), ...many(1500, lost)].map((one) => ({ ...one })),
      notes: Array.from({ length: 300 }, (_, index) =>
        `The acceptance of p95 ${index} matches no comparison. `.repeat(8),
      ),
    });

    expectSound(body);
    expect(rowsOfChanged(body)).toBeGreaterThanOrEqual(5);
    expect(body.match(/^- gRPC \(it exited/gm)?.length).toBeGreaterThanOrEqual(3);
    expect(body.match(/^- The acceptance of p95/gm)?.length).toBeGreaterThanOrEqual(3);
    expect(body).toContain('- 1,491 more items in the report.');
    expect(body).toContain('- 292 more items in the report.');
    expect(body).toContain('“All checks”');
  });

  it.each([
    ['dollars', '$'.repeat(5000)],
    ['brackets', '['.repeat(5000)],
    ['angles', '<'.repeat(5000)],
    ['letters of two units', '😀'.repeat(5000)],
    ['mentions', '@a'.repeat(2500)],
  ])('holds where every text is full of %s', (_kind, text) => {
    const { run, compared: result } = comparisonWith(text);
    const address = `https://x.example/?${'&'.repeat(480)}`;
    const body = comparisonComment(
      run,
      withLists(result, { findings: many(300, listsOf(result).findings), notes: many(50, [text]) }),
      { ...CONTEXT, links: { run: address, report: address, trend: address } },
    );

    expect(body.length).toBeLessThan(MAX_COMMENT_CHARACTERS);
    expect(hasMarker(body, 'performance')).toBe(true);
    expect(resultsIn(body).length).toBeGreaterThan(1);
    expect(rowsOfChanged(body)).toBeGreaterThanOrEqual(1);
    expect(body.match(/<\/details>/g)?.length).toBe(body.match(/<details>/g)?.length);
  });
});
