import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { judgeRun } from '../../../../src/judge/verdict/judge.ts';
import { chartNames, chartsOf, comparisonSummary } from '../../../../src/report/charts/files.ts';
import { HOSTILE } from '../../../support/hostile-run.ts';
import { DEARER, QUIET } from '../../../support/sample-comment.ts';
import { comparisonResult, everythingFound } from '../../../support/sample-comparison.ts';
import { FINDINGS, finding, wideFindings } from '../../../support/sample-findings.ts';
import { sampleRounds } from '../../../support/sample-rounds.ts';

const RUN = sampleRounds(DEARER);
const ARTIFACT = 'https://github.com/one/service/actions/runs/77/artifacts/9';
const CPU = 'rest-all-saturation-cpuMicrosPerRequest.svg';

describe('chartsOf', () => {
  test('draws all that may fail in one, and the rounds of what changed', () => {
    const result = judgeRun(RUN);

    const charts = chartsOf(RUN, result);

    expect(charts.map(({ name }) => name)).toContain(CPU);
    const [overview] = charts;
    expect(overview?.name).toBe('overview.svg');
    expect(overview?.svg.match(/class="estimate /g)?.length).toBeGreaterThanOrEqual(result.gateSize);
    const cpu = charts.find(({ name }) => name === CPU);
    expect(cpu?.svg.match(/class="round"/g)).toHaveLength(10);
    expect(cpu?.svg.match(/class="estimate v-regressed"/g)).toHaveLength(1);
  });

  test('draws no comparison that is unchanged, and none that is only watched and open', () => {
    const watched = finding({ ...FINDINGS.inconclusive, family: 'watch' }, { tier: 'high' });

    const charts = chartsOf(RUN, comparisonResult({ findings: [FINDINGS.unchanged, watched] }));

    expect(charts.map(({ name }) => name)).toEqual(['overview.svg']);
  });

  test('has one entry of the legend for each shape', () => {
    const slower = { estimate: -0.06, low: -0.19, high: 0.02 };
    const findings = [finding(), finding({ change: slower }), finding({ verdict: 'regressed' })];

    const [overview] = chartsOf(RUN, comparisonResult({ findings }));

    const key = [...(overview?.svg ?? '').matchAll(/y="4">([^<]*)<\/text><\/g>/g)].map(([, words]) => words);
    expect(key).toEqual(['same, not slower', 'regressed', 'threshold']);
  });

  test('draws at most twenty besides the overview, what regressed first', () => {
    const improved = Array.from({ length: 30 }, (_, index) =>
      finding({ ...FINDINGS.improved, metric: `metric${index}` }),
    );

    const charts = chartsOf(RUN, comparisonResult({ findings: [...improved, FINDINGS.regressed] }));

    expect(charts).toHaveLength(21);
    expect(charts[1]?.name).toBe(CPU);
  });

  test('draws nothing where nothing was compared', () => {
    expect(chartsOf(RUN, comparisonResult({ findings: [] }))).toEqual([]);
  });

  test('puts a round that got worse to the right of no change, also for a rate', () => {
    const fewer = {
      metric: 'achievedRps',
      better: 'higher',
      change: { estimate: -0.05, low: -0.06, high: -0.04 },
    } as const;

    const charts = chartsOf(RUN, comparisonResult({ findings: [finding({ ...fewer, verdict: 'regressed' })] }));

    const svg = charts[1]?.svg ?? '';
    const zero = Number(/class="axis" d="M([\d.]+)/.exec(svg)?.[1]);
    expect(Number(/class="estimate [^>]+translate\(([\d.]+)/.exec(svg)?.[1])).toBeGreaterThan(zero);
  });

  test('leaves nothing of a stranger unescaped, and nothing that asks for another address', () => {
    const hostile = finding({ ...FINDINGS.regressed, metric: HOSTILE }, { service: HOSTILE, tier: HOSTILE });

    const charts = chartsOf(RUN, comparisonResult({ findings: [hostile] }));

    expect(charts).toHaveLength(2);
    for (const { name, svg } of charts) {
      expect(name).toMatch(/^[\w.-]+\.svg$/);
      const elements = [...svg.matchAll(/<\/?([^\s>]*)/g)].map(([, element = '']) => element);
      expect([...new Set(elements)].toSorted()).toEqual(['desc', 'g', 'path', 'rect', 'style', 'svg', 'text', 'title']);
      expect(svg).not.toMatch(/url\(|@import/);
    }
  });
});

describe('chartNames', () => {
  test('keeps names apart that differ in capitals or signs only, and from the overview', () => {
    const named = (service: string) => ({ cell: { suite: 's', service, operation: 'o', tier: 't' }, metric: 'm' });

    expect(chartNames([named('a'), named('A'), named('a ')], ['A-o-t-m.svg'])).toEqual([
      'a-o-t-m-2.svg',
      'A-o-t-m-3.svg',
      'a-o-t-m-4.svg',
    ]);
  });

  test('gives every comparison a name of its own that every file system takes', () => {
    const text = fc.string({ unit: 'binary', maxLength: 60 });
    const named = fc.record({
      cell: fc.record({ suite: text, service: text, operation: text, tier: text }),
      metric: text,
    });
    fc.assert(
      fc.property(fc.array(named), (all) => {
        const names = chartNames(all, ['overview.svg']);
        expect(new Set(names.map((name) => name.toLowerCase())).size).toBe(all.length);
        for (const name of names) {
          expect(name).toMatch(/^[A-Za-z0-9_][\w.-]*\.svg$/);
          expect(name.length).toBeLessThan(200);
        }
      }),
    );
  });
});

describe('comparisonSummary', () => {
  test('names the charts of the artifact next to the report', () => {
    const summary = comparisonSummary({ run: RUN, result: judgeRun(RUN) }, ARTIFACT);

    expect(summary).toContain(`[the artifact](${ARTIFACT})`);
    expect(summary).toContain(`| charts/${CPU} |`);
    expect(summary).toMatch(/\*\*Regression: /);
  });

  test('leads nowhere where nothing was uploaded', () => {
    expect(comparisonSummary({ run: RUN, result: judgeRun(RUN) }, undefined)).not.toMatch(/artifact|charts\//);
  });

  test.each([
    ['everything that can be found', everythingFound()],
    ['hundreds of comparisons', comparisonResult({ findings: wideFindings(600) })],
  ])('is no longer than a check run takes, with %s', (_what, result) => {
    expect(comparisonSummary({ run: sampleRounds(QUIET), result }, ARTIFACT).length).toBeLessThanOrEqual(65_535);
  });
});
