import { describe, expect, it } from 'vitest';
import { storedComment, storedComparison } from '../../../../scripts/docs/pictures/comment.ts';
import { type ComparisonResult, isRegression } from '../../../../src/judge/verdict/finding.ts';
import { judgedRun } from '../../../../src/judge/verdict/judge.ts';
import { shownRows, withAcceptedRows } from '../../../../src/judge/verdict/label.ts';
import { type EarlierResult, resultsIn } from '../../../../src/report/comment/state.ts';
import { listsOf } from '../../../support/result-lists.ts';
import { CONTEXT, commentOf, firstLines, fold, foldTitles } from '../../../support/sample-comment.ts';
import { OVER_BUDGET, UNCOMPARED } from '../../../support/sample-comparison.ts';
import { FINDINGS } from '../../../support/sample-findings.ts';

describe('what to do', () => {
  it.each([
    [14, { estimate: 0.116, low: 0.098, high: 0.131 }],
    [7, { estimate: 0.061, low: 0.052, high: 0.07 }],
    [64, { estimate: -0.571, low: -0.64, high: -0.526 }],
    [12, { estimate: 0.116 }],
  ])('names the size that accepts the change at hand, measured again: %d %% for %j', (percent, change) => {
    const findings = [FINDINGS.improved, { ...FINDINGS.regressed, change }];
    const body = commentOf({ outcome: 'regressed', exitCode: 1, findings });

    expect(firstLines(body)).toContain(`Intended? Comment \`/wiregauge accept ${percent}%\`, or `);
  });

  it('offers no size for a change that none accepts', () => {
    const findings = [{ ...FINDINGS.regressed, change: { estimate: 12, low: 11, high: 13 } }];
    const body = commentOf({ outcome: 'regressed', exitCode: 1, findings });

    expect(body).not.toContain('/wiregauge accept');
    expect(firstLines(body)).toContain('A change of over 1000% cannot be accepted: set `gate: false`');
  });

  it('names one size that accepts all regressions of a stored comparison', () => {
    const judged = storedComparison();
    const event = { by: 'a-maintainer', at: judged.run.startedAt };
    const red = (result: ComparisonResult) =>
      listsOf(result).findings.filter((one) => one.family === 'gate' && isRegression(one));

    const sizes = [...storedComment().matchAll(/`\/wiregauge accept (\d+)%`/g)].map(([, size]) => Number(size) / 100);

    expect(sizes).toEqual([2.2]);
    const ends = red(judged.result).map(({ change: { low = 0, high = 0 } }) => Math.max(-low, high));
    expect(ends).toHaveLength(5);
    expect(Math.max(...ends)).toBeGreaterThan(2.19);
    expect(Math.max(...ends)).toBeLessThanOrEqual(2.2);
    expect(
      red(
        judgedRun(
          withAcceptedRows(judged, {
            ...event,
            how: 'comment "/wiregauge accept"',
            upTo: 2.2,
            shown: { head: judged.run.rounds.head.commit ?? '', rows: shownRows(judged.result) },
          }),
        ).result,
      ),
    ).toEqual([]);
  });

  it('is not said where nothing has to be done', () => {
    expect(commentOf({ findings: [FINDINGS.improved] })).not.toContain('Intended?');
  });

  it('does not offer to accept what cannot be accepted', () => {
    const failed = UNCOMPARED.filter(({ reason }) => reason === 'head-failed');
    const change = { outcome: 'failed', exitCode: 1, uncompared: failed, budgets: [OVER_BUDGET] } as const;

    const text = firstLines(commentOf(change));

    expect(text).toContain('cannot be accepted. Its full output is in the log');
    expect(text).toContain('A budget cannot be accepted');
    expect(text).not.toContain('Intended?');
  });

  it('says how more rounds come about if the policy fails inconclusive results', () => {
    const change = { outcome: 'inconclusive', exitCode: 1, findings: [FINDINGS.inconclusive] } as const;

    expect(firstLines(commentOf(change))).toContain('Raise `budget`');
  });
});

describe('earlier results of the same pull request', () => {
  const EARLIER: readonly EarlierResult[] = Array.from({ length: 14 }, (_, index) => ({
    head: `${'0'.repeat(38)}${10 + index}`,
    finishedAt: `2026-11-20T10:${59 - index}:00Z`,
    outcome: index % 2 === 0 ? 'passed' : 'regressed',
    headline: `Result ${index}.`,
    runUrl: `https://github.example/shop/actions/runs/${index}`,
  }));

  it('are folded, ten of them, the newest first, each with its outcome and its run', () => {
    const lines = fold(commentOf({}, { earlier: EARLIER }), 'Earlier results of this pull request')
      .trim()
      .split('\n');

    expect(lines).toHaveLength(10);
    expect(lines[0]).toBe(
      '- ✅ 2026-11-20 10:59 UTC, 0000000 ([run](https://github.example/shop/actions/runs/0)): Result 0.',
    );
    expect(lines[1]).toMatch(/^- 🔴 /);
  });

  it('are remembered by the comment, this one before them', () => {
    const body = commentOf({ findings: [FINDINGS.improved] }, { earlier: EARLIER });

    const [own, ...others] = resultsIn(body);
    expect(own).toMatchObject({ head: CONTEXT.head, finishedAt: CONTEXT.finishedAt, outcome: 'passed' });
    expect(own?.headline).toMatch(/^No regression/);
    expect(others).toEqual(EARLIER.slice(0, 10));
  });

  it('do not hold the same result twice when it is judged again', () => {
    const first = commentOf({}, { earlier: EARLIER.slice(0, 2) });
    const again = commentOf({ outcome: 'inconclusive' }, { earlier: resultsIn(first) });

    expect(resultsIn(again)).toHaveLength(3);
    expect(resultsIn(commentOf({}, { earlier: [...EARLIER.slice(0, 2), ...EARLIER.slice(0, 2)] }))).toHaveLength(3);
    expect(resultsIn(again)[0]?.outcome).toBe('inconclusive');
    expect(fold(again, 'Earlier results of this pull request').trim().split('\n')).toHaveLength(2);
  });

  it('are not spoken of where there are none', () => {
    expect(foldTitles(commentOf({}))).not.toContain('Earlier results of this pull request');
  });
});
