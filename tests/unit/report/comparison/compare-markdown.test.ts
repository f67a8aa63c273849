import { describe, expect, it } from 'vitest';
import { REPORTS } from '../../../../src/commands/runs/reports.ts';
import { documentAddress } from '../../../../src/foundation/text.ts';
import { MOST_COMMENT_CHARACTERS } from '../../../../src/report/render/markdown.ts';
import {
  comparedJudgement,
  comparisonResult,
  everythingFound,
  hostileComparison,
  UNCOMPARED,
} from '../../../support/sample-comparison.ts';
import { FINDINGS, wideFindings } from '../../../support/sample-findings.ts';

describe('the Markdown report of a comparison', () => {
  it('has the outcome, one table and nothing else above the first fold', () => {
    const findings = [FINDINGS.unchanged, FINDINGS.regressed, FINDINGS.inconclusive, FINDINGS.improved];
    const result = comparisonResult({
      outcome: 'regressed',
      exitCode: 1,
      findings,
      uncompared: UNCOMPARED.slice(0, 1),
    });

    expect(REPORTS.markdown(comparedJudgement(result)).split('<details>')[0]).toMatchInlineSnapshot(`
      "**Regression: REST needs 6.1% more CPU per request at saturation (95% interval +5.2 to +7.0%, 10 rounds); 1 of 4 comparisons is inconclusive; in one version only: REST, FindUser (new).**

      - Base: origin/main 4f2d9c1b7a (Give the REST service its own pool)
      - Head: working tree 1df183b0c4 (Look users up by name), with uncommitted changes

      ### What changed

      |  | verdict | change (95% CI) | limit | base → head |
      | --- | --- | ---: | ---: | ---: |
      | REST, CPU per request, saturation | **regressed** | \\+6.1 % \\[+5.2, +7.0\\] | \\+3.0 % | 211 → 224 µs |
      | REST, CPU per request, saturation | improved | −6.2 % \\[−7.1, −5.0\\] | \\+3.0 % | 211 → 198 µs |
      | REST, p95, 1,000 users | inconclusive: about 12 more rounds would do | \\+6.2 % \\[−3.1, +16.4\\] | \\+10.0 % | 4.10 → 4.35 ms |

      **Not compared**

      - REST, FindUser: new (only head has it).

      "
    `);
  });

  it('stays under 60,000 characters with a clean cut', () => {
    const detail = 'it ended by itself '.repeat(20);
    const uncompared = Array.from({ length: 900 }, () => ({
      cell: { suite: 'users', service: 'grpc', operation: 'all', tier: 'all' },
      reason: 'head-failed' as const,
      detail,
      rows: 9,
    }));

    const text = REPORTS.markdown(comparedJudgement({ ...everythingFound(), uncompared }));

    expect(text.length).toBeLessThanOrEqual(MOST_COMMENT_CHARACTERS);
    expect(text.trimEnd()).toMatch(/_Shortened to fit; see the HTML report or run.json for everything._$/);
    expect(text.match(/<\/details>/g)?.length).toBe(text.match(/<details>/g)?.length);
  });

  it('needs a quarter of that for sixty comparisons', () => {
    const text = REPORTS.markdown(comparedJudgement(comparisonResult({ findings: wideFindings(60) })));

    expect(text.length).toBeLessThan(MOST_COMMENT_CHARACTERS / 4);
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
