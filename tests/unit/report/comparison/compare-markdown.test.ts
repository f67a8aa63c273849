import { describe, expect, it } from 'vitest';
import { documentAddress } from '../../../../src/foundation/text.ts';
import { judgedRun } from '../../../../src/judge/verdict/judge.ts';
import { comparisonDocument } from '../../../../src/report/comparison/document.ts';
import { MAX_COMMENT_CHARACTERS, markdownOf } from '../../../../src/report/render/markdown.ts';
import { REPORTS } from '../../../support/reports.ts';
import { withLists } from '../../../support/result-lists.ts';
import {
  comparedJudgment,
  comparisonResult,
  everythingFound,
  hostileComparison,
  UNCOMPARED,
} from '../../../support/sample-comparison.ts';
import { FINDINGS, finding, wideFindings } from '../../../support/sample-findings.ts';
import { sampleRounds } from '../../../support/sample-rounds.ts';

describe('the Markdown report of a comparison', () => {
  it('has the outcome, one table and nothing else above the first fold', () => {
    const findings = [FINDINGS.unchanged, FINDINGS.regressed, FINDINGS.inconclusive, FINDINGS.improved];
    const result = comparisonResult({
      outcome: 'regressed',
      exitCode: 1,
      findings,
      uncompared: UNCOMPARED.slice(0, 1),
    });

    expect(REPORTS.markdown(comparedJudgment(result)).split('<details>')[0]).toMatchInlineSnapshot(`
      "**Regression: REST 6.1% more CPU per request at saturation**

      1 regressed · 1 too noisy · 1 new · 4 min

      - Base: origin/main 4f2d9c1 (Give the REST service its own pool)
      - Head: working tree 1df183b (Look users up by name), with uncommitted changes

      ### What changed

      |  | change | base → head |
      | --- | ---: | ---: |
      | REST, saturation<br><sub>CPU per request; also CPU per request −6.2%</sub> | ▇▇▇▇ **\\+6.1%**<br><sub>\\[+5.2, +7.0\\]</sub> | 211 → 224 µs |

      **Not compared**

      - REST, FindUser: new (only head has it).

      "
    `);
  });

  it('names each operation that regressed in the row of its load', () => {
    const of = (operation: string, metric: string, estimate: number, family: 'gate' | 'watch' = 'gate') =>
      finding(
        { metric, family, verdict: 'regressed', change: { estimate, low: estimate / 2, high: 2 * estimate } },
        { operation, tier: 'high' },
      );
    const findings = [
      of('all', 'cpuMicrosPerRequest', 0.3),
      of('GetUser', 'latencyP50Ms', 0.055),
      of('ListUsers', 'latencyP50Ms', 0.4),
      of('ListUsers', 'latencyP95Ms', 0.5, 'watch'),
    ];

    const text = REPORTS.markdown(comparedJudgment(comparisonResult({ outcome: 'regressed', findings })));

    expect(text).toContain('CPU per request; also ListUsers p95 +50%, ListUsers p50 +40.0%, GetUser p50 +5.5%<');
  });

  it('names memory that grew, which no change of the time explains', () => {
    const of = (metric: string, estimate: number) =>
      finding(
        { metric, family: 'gate', verdict: 'regressed', change: { estimate, low: estimate / 2, high: 2 * estimate } },
        { operation: 'all', tier: 'high' },
      );
    const sizes = { cpuMicrosPerRequest: 1.5, latencyP50Ms: 1.6, latencyP95Ms: 1.4, peakMemoryMiB: 0.17 };
    const findings = Object.entries(sizes).map(([metric, size]) => of(metric, size));

    const text = REPORTS.markdown(comparedJudgment(comparisonResult({ outcome: 'regressed', findings })));

    expect(text).toMatch(/CPU per request; also p50 \+160%, p95 \+140%, peak memory \+17/);
  });

  it('calls what is too noisy undecided, and not changed', () => {
    const result = comparisonResult({ outcome: 'inconclusive', findings: [finding({ verdict: 'inconclusive' })] });

    expect(REPORTS.markdown(comparedJudgment(result))).toContain('### Undecided\n');
    expect(REPORTS.markdown(comparedJudgment(result))).not.toContain('What changed');
  });

  it('gives a slowdown that is not yet proven a bar, and a change that is too noisy none, of any size', () => {
    const unproven = finding({ verdict: 'inconclusive', change: { estimate: 0.2, low: 0.1, high: 0.3 } });
    const noisy = finding({ ...FINDINGS.inconclusive, change: { estimate: 4, low: -0.5, high: 9 } }, { tier: 'high' });
    const result = comparisonResult({ outcome: 'inconclusive', findings: [unproven, noisy] });

    const text = REPORTS.markdown(comparedJudgment(result));

    expect(text).toContain('### What changed\n');
    expect(text).toMatch(/CPU per request, not yet proven<\/sub> \| ▇▇▇▇\u00a0?.?\\\+20/);
    expect(text).toMatch(/p95, too noisy<\/sub> \| \\\+400/);
  });

  it('stays under 60,000 characters with a clean cut', () => {
    const detail = 'it ended by itself '.repeat(20);
    const uncompared = Array.from({ length: 900 }, () => ({
      cell: { suite: 'users', service: 'grpc', operation: 'all', tier: 'all' },
      reason: 'head-failed' as const,
      detail,
      rows: 9,
    }));

    const text = REPORTS.markdown(comparedJudgment(withLists(everythingFound(), { uncompared })));

    expect(text.length).toBeLessThanOrEqual(MAX_COMMENT_CHARACTERS);
    expect(text.trimEnd()).toMatch(/_Shortened to fit; see the HTML report or run.json for everything._$/);
    expect(text.match(/<\/details>/g)?.length).toBe(text.match(/<details>/g)?.length);
  });

  it('needs a quarter of that for sixty comparisons', () => {
    const text = REPORTS.markdown(comparedJudgment(comparisonResult({ findings: wideFindings(60) })));

    expect(text.length).toBeLessThan(MAX_COMMENT_CHARACTERS / 4);
    expect(text).toContain('<summary>All 60 comparisons</summary>');
  });

  it('lets no mention, reference, link, HTML or control sequence through, and keeps every row whole', () => {
    const text = REPORTS.markdown(hostileComparison()).replace(`](${documentAddress('docs/statistics.md')})`, ']');

    expect(text).not.toMatch(/<(script|img)/i);
    expect(text).not.toMatch(/@everyone|#12\b|GH-3|https:\/\//);
    expect(text).not.toMatch(/(?<!\\)`/);
    expect(text).not.toMatch(/(?<!\\)\]\(/);
    expect(text.match(/<\/details>/g)?.length).toBe(text.match(/<details>/g)?.length);
    for (const table of text.split('\n\n').filter((part) => part.startsWith('| '))) {
      expect(new Set(table.split('\n').map((row) => row.split(/(?<!\\)\|/).length)).size).toBe(1);
    }
  });
});

it('has how a JVM compiled, and how long it warmed up', () => {
  const run = sampleRounds({ services: ['rest'], rounds: 8 });
  const rounds = run.rounds.rounds.map((round) => ({ ...round, compiler: 'C1' as const }));
  const judged = judgedRun({ ...run, rounds: { ...run.rounds, rounds } });
  const page = comparisonDocument(judged.run, judged.result);

  expect(markdownOf(page)).toMatch(
    /\* \*\*JVM programs of rest:\*\* compile with C1 alone \(-XX:TieredStopAtLevel=1\); warm-up .+ a round$/m,
  );
});
