import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import reportPage from '../../../../generated/report-page.json' with { type: 'json' };
import { documentAddress } from '../../../../src/foundation/text.ts';
import type { Finding } from '../../../../src/judge/verdict/finding.ts';
import { REPORTS } from '../../../support/reports.ts';
import {
  comparedJudgment,
  comparisonResult,
  everythingFound,
  hostileComparison,
} from '../../../support/sample-comparison.ts';
import { FINDINGS, finding, wideFindings } from '../../../support/sample-findings.ts';

describe('the HTML report of a comparison', () => {
  it('has one entry of the legend for each shape, and no column of equal rounds', () => {
    const slower = { estimate: -0.06, low: -0.19, high: 0.02 };
    const findings = [finding(), finding({ change: slower }), finding({ verdict: 'regressed' })];
    const textOf = (all: readonly Finding[]) => REPORTS.html(comparedJudgment(comparisonResult({ findings: all })));

    expect(textOf(findings)).toContain('same, not slower</li>');
    expect(textOf(findings)).not.toContain('>rounds<');
    expect(textOf([...findings, finding({ rounds: 8 })])).toContain('>rounds<');
  });

  it('draws estimate, interval and threshold in the row of each comparison, on one axis', () => {
    const page = REPORTS.html(comparedJudgment(comparisonResult({ findings: wideFindings(60) })));

    const rows = page
      .slice(page.indexOf('id="all"'))
      .split('<tr ')
      .filter((part) => part.startsWith('data-at='));
    expect(rows).toHaveLength(60);
    for (const row of rows) {
      for (const name of ['estimate ', 'interval ', 'limit"']) {
        expect(row.split(`class="${name}`)).toHaveLength(2);
      }
    }
    expect(new Set(rows.map((row) => /class="axis" d="([^"]+)"/.exec(row)?.[1])).size).toBe(1);
  });

  it('folds the rows without a change if they are many, and keeps the others open', () => {
    const unchanged = ['latencyP50Ms', 'latencyP95Ms', 'latencyP99Ms', 'achievedRps', 'peakMemoryMiB', 'startUpMs'];
    const findings = [FINDINGS.regressed, ...unchanged.map((metric) => finding({ metric }))];

    const [open = '', folded = ''] =
      REPORTS.html(comparedJudgment(comparisonResult({ findings })))
        .split('id="all"')[1]
        ?.split('<summary>6 comparisons without a clear change</summary>') ?? [];

    expect(open.split('<tr data-at=')).toHaveLength(2);
    expect(folded.split('</details>')[0]?.split('<tr data-at=')).toHaveLength(7);
    const few = REPORTS.html(comparedJudgment(comparisonResult({ findings: findings.slice(0, 6) })));
    expect(few).not.toContain('without a clear change');
  });

  it('puts worse to the right, also for a rate that falls', () => {
    const fewer = {
      metric: 'achievedRps',
      better: 'higher',
      change: { estimate: -0.05, low: -0.06, high: -0.04 },
    } as const;

    const [rate, time] = [finding(fewer), FINDINGS.regressed].map((one) => {
      const page = REPORTS.html(comparedJudgment(comparisonResult({ findings: [one] })));
      const plot = plotOf(page);
      return {
        zero: Number(/class="axis" d="M([\d.]+)/.exec(plot)?.[1]),
        estimate: Number(/class="estimate [^>]+translate\(([\d.]+)/.exec(plot)?.[1]),
      };
    });

    expect(rate?.estimate).toBeGreaterThan(rate?.zero ?? Number.NaN);
    expect(time?.estimate).toBeGreaterThan(time?.zero ?? Number.NaN);
  });

  it('draws no interval where there is none, and an arrow where it leaves the axis', () => {
    const short = REPORTS.html(comparedJudgment(comparisonResult({ findings: [FINDINGS['too few rounds']] })));
    const wide = { ...FINDINGS.inconclusive, change: { estimate: 0.2, low: -2 / 3, high: 9 } };
    const noisy = REPORTS.html(comparedJudgment(comparisonResult({ findings: [wide] })));

    expect(plotOf(short)).not.toContain('class="interval');
    expect(plotOf(noisy)).toMatch(/class="interval [^>]+l-5 4l5 4M[^>]+l5 4l-5 4/);
  });

  it('keeps its marks on the plot, for any figures', () => {
    const change = fc
      .tuple(fc.double({ min: -0.999, max: 50, noNaN: true }), fc.double({ min: 0, max: 50, noNaN: true }))
      .map(([estimate, half]) => ({ estimate, low: Math.max(-0.999, estimate - half), high: estimate + half }));
    fc.assert(
      fc.property(
        change,
        fc.constantFrom('lower', 'higher'),
        fc.double({ min: 0.001, max: 5, noNaN: true }),
        (...drawn) => {
          const [shift, better, threshold] = drawn;
          const findings = [finding({ change: shift, better, threshold })];

          const plot = plotOf(REPORTS.html(comparedJudgment(comparisonResult({ findings }))));

          const x = [...plot.matchAll(/class="(?:limit|interval [^"]*|estimate [^"]*)"[^>]*?[M(](-?[\d.]+)/g)].map(
            ([, at]) => Number(at),
          );
          expect(x.length).toBe(3);
          expect(Math.min(...x)).toBeGreaterThanOrEqual(0);
          expect(Math.max(...x)).toBeLessThanOrEqual(460);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('has one title, headings in order, and ids that are unique', () => {
    const page = REPORTS.html(comparedJudgment(everythingFound()));

    const levels = [...page.matchAll(/<h(\d)/g)].map(([, level]) => Number(level));
    const ids = [...page.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id);
    expect(levels.filter((level) => level === 1)).toHaveLength(1);
    expect(levels.every((level, index) => index === 0 || level - (levels[index - 1] ?? 0) <= 1)).toBe(true);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('shows hostile texts as text, and holds no script but its own, no handler, and no address but that of a document', () => {
    const [hostile, page] = [hostileComparison(), comparedJudgment(everythingFound())].map((judgment) =>
      REPORTS.html(judgment)
        .replace(`<script>${reportPage.script}</script>`, '')
        .replace(`<a href="${documentAddress('docs/statistics.md')}" rel="noreferrer">`, '<a>'),
    );

    expect(hostile).not.toMatch(/<script|<img/i);
    expect(page).not.toMatch(/<script|\son\w+=|https?:|url\(|@import|src=/i);
  });
});

function plotOf(page: string): string {
  const row = page.slice(page.indexOf('<tr data-at', page.indexOf('id="all"')));
  const plot = row.slice(row.indexOf('<svg class="row"'));
  return plot.slice(0, plot.indexOf('</svg>'));
}
