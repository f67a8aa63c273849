import { describe, expect, it } from 'vitest';
import { joinSections, MAX_COMMENT_CHARACTERS } from '../../../../src/report/render/markdown.ts';
import { hostileJudgment } from '../../../support/hostile-run.ts';
import { REPORTS } from '../../../support/reports.ts';
import { judgedAgainstBaseline, sampleJudgment, sampleRun } from '../../../support/sample-run.ts';

describe('markdownReport', () => {
  it('leads with the summary and one table', () => {
    expect(REPORTS.markdown(sampleJudgment()).split('<details>')[0]).toMatchInlineSnapshot(`
      "|  | capacity | CPU per request | p99 at 500 users |
      | --- | ---: | ---: | ---: |
      | REST | 4,490/s | 221 µs | 5.08 ms |
      | gRPC | 8,260/s | 119 µs | 3.01 ms |

      ### Figures at each load

      Changes are against REST, between single starts, and are not judged; “same” is under 2% or 0.1 ms.

      |  | service | p50 | p90 | p99 | requests/s | error rate | CPU per request |
      | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |
      | 100 users (low), offered 333/s | REST | 0.51 ms | 1.42 ms | 3.27 ms | 333/s | 0% | 331 µs |
      |  | gRPC | 0.44 ms (same) | 0.95 ms (−33%) | 1.77 ms (−46%) | 333/s | 0% | 302 µs (−8.8%) |
      | 500 users (medium), offered 1,667/s | REST | 0.56 ms | 1.89 ms | 5.08 ms | 1,667/s | 0% | 284 µs |
      |  | gRPC | 0.47 ms (same) | 1.31 ms (−31%) | 3.01 ms (−41%) | 1,667/s | 0% | 204 µs (−28%) |
      | 1,000 users (high), offered 3,333/s | REST | 1.92 ms | 7.37 ms | 22.0 ms | 3,330/s | 0% | 238 µs |
      |  | gRPC <sub>ahead</sub> | 0.74 ms (−61%) | 2.34 ms (−68%) | 5.98 ms (−73%) | 3,333/s (same) | 0% | 161 µs (−32%) |
      | Saturation | REST | 11.2 ms | 16.4 ms | 22.5 ms | 4,490/s | 0% | 221 µs |
      |  | gRPC | 6.01 ms (−46%) | 8.28 ms (−50%) | 10.7 ms (−52%) | 8,260/s (+84%) | 0% | 119 µs (−46%) |

      "
    `);
  });

  it('shows ranges and marks where there are any', () => {
    const text = REPORTS.markdown(sampleJudgment({ rounds: 3, shapes: { 'grpc/low': { marks: ['disturbed'] } } }));

    expect(text.split('\n').find((line) => line.startsWith('|  | gRPC'))).toMatchInlineSnapshot(
      `"|  | gRPC <sub>disturbed</sub> | 0.44 ms (0.43–0.47) (same) | 0.95 ms (0.93–1.01) (−33%) | 1.77 ms (1.74–1.88) (−46%) | 333/s | 0% | 302 µs (301–306) (−8.8%) |"`,
    );
  });

  it('keeps every table row whole, for any names in a run', () => {
    const rows = REPORTS.markdown(hostileJudgment())
      .split('\n')
      .filter((line) => line.startsWith('|'));

    for (const row of rows) {
      expect(row.endsWith(' |')).toBe(true);
    }
    expect(rows.length).toBeGreaterThan(20);
    expect(everyTableIsEven(REPORTS.markdown(hostileJudgment()))).toBe(true);
  });

  it('lets no mention, reference, link, HTML or control sequence of a run through', () => {
    const text = REPORTS.markdown(hostileJudgment());

    expect(text).not.toMatch(/<(script|img)/i);
    expect(text).not.toMatch(/@everyone|#12\b|GH-3|https:\/\//);
    expect(text).not.toMatch(/(?<!\\)`/);
    expect(text).not.toMatch(/(?<!\\)\]\(/);
    expect(text.match(/<\/details>/g)?.length).toBe(text.match(/<details>/g)?.length);
  });

  it('stays under 60,000 characters and says where it was cut', () => {
    const run = sampleRun();
    const failures = Array.from({ length: 400 }, (_, index) => ({
      suite: 'users',
      service: 'rest',
      tier: 'low',
      round: index,
      message: 'no answer '.repeat(80),
    }));

    const text = REPORTS.markdown({ ...judgedAgainstBaseline(), run: { ...run, failures } });

    expect(text.length).toBeLessThanOrEqual(MAX_COMMENT_CHARACTERS);
    expect(text.trimEnd().endsWith('_Shortened to fit; see the HTML report or run.json for everything._')).toBe(true);
    expect(text.match(/<\/details>/g)?.length).toBe(text.match(/<details>/g)?.length);
  });
});

describe('joinSections', () => {
  it('closes a fold that had to be cut', () => {
    const lines = Array.from({ length: 900 }, () => 'x'.repeat(99));

    const text = joinSections([
      { title: undefined, lines: ['first'] },
      { title: 'Long', lines },
      { title: 'Never reached', lines: ['last'] },
    ]);

    expect(text.length).toBeLessThanOrEqual(MAX_COMMENT_CHARACTERS);
    expect(text.length).toBeGreaterThan(MAX_COMMENT_CHARACTERS - 300);
    expect(text.trimEnd().endsWith('</details>')).toBe(true);
    expect(text).not.toContain('Never reached');
  });
});

function tableWidths(rows: readonly string[]): readonly number[] {
  return rows.map((row) => row.split(/(?<!\\)\|/).length);
}

/** Whether all rows of each table have as many cells as its head. */
function everyTableIsEven(text: string): boolean {
  const tables = text.split('\n\n').map((part) => part.split('\n').filter((line) => line.startsWith('|')));
  return tables.every((rows) => new Set(tableWidths(rows)).size <= 1);
}
