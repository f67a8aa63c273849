import { describe, expect, it } from 'vitest';
import { ConfigError } from '../../../../src/foundation/errors.ts';
import { judgedRun, judgeRun } from '../../../../src/judge/verdict/judge.ts';
import { shownRows, withAcceptedRows } from '../../../../src/judge/verdict/label.ts';
import { type CommentContext, comparisonComment } from '../../../../src/report/comment/comment.ts';
import { commentMarker } from '../../../../src/report/comment/state.ts';
import {
  CONTEXT,
  commentOf,
  commentOn,
  committed,
  DEARER,
  firstLines,
  fold,
  foldTitles,
  QUIET,
} from '../../../support/sample-comment.ts';
import { everythingFound } from '../../../support/sample-comparison.ts';
import { FINDINGS } from '../../../support/sample-findings.ts';
import { sampleRounds } from '../../../support/sample-rounds.ts';

describe('the first lines of a comment', () => {
  it('say what regressed, by how much and in which rounds', () => {
    expect(firstLines(commentOn(DEARER))).toMatchInlineSnapshot(`
      "<!-- wiregauge:comment performance -->
      ### 🔴 Regression: REST 8.0% slower at saturation

      1 regressed · 7 unaffected · 4 min

      |  | change | base → head |
      | --- | ---: | ---: |
      | REST, saturation<br><sub>CPU per request; also p50 +8.2%, requests/s −7.4%</sub> | ▇▇▇▇ **\\+8.0%**<br><sub>\\[+7.3, +8.7\\]</sub> | 220 → 238 µs |

      Intended? Comment \`/wiregauge accept 9%\`, or add the label \`wiregauge: accepted\`. [How to accept](https://wiregauge.github.io/wiregauge/docs/how-to/accept-a-regression.html)
      "
    `);
  });

  it.each([
    ['command', 'Comment `/wiregauge accept 9%`, or add the label `wiregauge: accepted`.'],
    ['label', 'Add the label `wiregauge: accepted`, then re-run the failed jobs.'],
    ['file', 'Accept it in `.wiregauge/accepted.yml`.'],
  ] as const)('offer what works there to accept a regression: %s', (accept, sentence) => {
    const run = committed(DEARER);

    expect(comparisonComment(run, judgeRun(run), { ...CONTEXT, accept })).toContain(
      `Intended? ${sentence} [How to accept](`,
    );
  });

  it('say what improved', () => {
    const run = { ...QUIET, worse: [{ service: 'grpc', tier: 'saturation', by: -0.1 }] };

    expect(firstLines(commentOn(run))).toMatchInlineSnapshot(`
      "<!-- wiregauge:comment performance -->
      ### ✅ No regression. A 3.4% CPU slowdown would have been found.

      1 improved · 7 unaffected · 4 min

      |  | change | base → head |
      | --- | ---: | ---: |
      | gRPC, saturation<br><sub>CPU per request, improved; also p95 −10.3%, requests/s +11.1%</sub> | ▇▇▇▇ −9.9%<br><sub>\\[−10.6, −9.4\\]</sub> | 119 → 107 µs |
      "
    `);
  });

  it('say in one line that nothing changed, and what would have been seen', () => {
    expect(firstLines(commentOn(QUIET))).toMatchInlineSnapshot(`
      "<!-- wiregauge:comment performance -->
      ### ✅ No regression. A 3.4% CPU slowdown would have been found.

      8 unaffected · 4 min
      "
    `);
  });

  it('say what inconclusive', () => {
    expect(firstLines(commentOn({ noise: 2.5, services: ['rest'] }))).toMatchInlineSnapshot(`
      "<!-- wiregauge:comment performance -->
      ### 🟡 Inconclusive: REST, saturation is too noisy; about 25 more rounds would do

      1 unaffected · 3 too noisy · 4 min

      |  | change | base → head |
      | --- | ---: | ---: |
      | REST, saturation<br><sub>CPU per request, too noisy</sub> | \\+0.3%<br><sub>\\[−4.9, +5.8\\]</sub> | 216 → 216 µs |
      "
    `);
  });

  it('name a service that only head has', () => {
    expect(firstLines(commentOn({ ...QUIET, without: ['base/grpc'] }))).toMatchInlineSnapshot(`
      "<!-- wiregauge:comment performance -->
      ### 🟡 No regression. A 3.4% CPU slowdown would have been found.

      4 unaffected · 1 new · 4 min
      "
    `);
  });

  it('name a service that fails in head only', () => {
    const run = { ...QUIET, failed: [{ service: 'rest', side: 'head', times: 2 }] } as const;

    expect(firstLines(commentOn(run))).toMatchInlineSnapshot(`
      "<!-- wiregauge:comment performance -->
      ### ❌ Failed in head only: REST (2 rounds failed: rest exited under tier high)

      1 failed · 4 unaffected · 4 min

      **Failed in head only**

      - Read what it printed.

      A version that fails cannot be accepted. Its full output is in the log of the workflow run.
      "
    `);
  });

  it('say who accepted a regression, when, why and until when', () => {
    const judged = judgedRun(sampleRounds(DEARER));
    const shown = { head: CONTEXT.head, rows: shownRows(judged.result) };
    const run = withAcceptedRows(judged, {
      by: 'a-maintainer',
      at: '2026-11-21T00:59:00Z',
      how: 'label "wiregauge: accepted"',
      shown: shown,
    });

    expect(firstLines(comparisonComment(run, judgeRun(run), CONTEXT))).toMatchInlineSnapshot(`
      "<!-- wiregauge:comment performance -->
      ### ✅ No new regression: REST 8.0% slower at saturation, accepted until 2026-11-21. A 3.4% CPU slowdown would have been found.

      1 accepted · 7 unaffected · 4 min

      |  | change | base → head |
      | --- | ---: | ---: |
      | REST, saturation<br><sub>CPU per request, accepted by a-maintainer on 2026-11-21: label "wiregauge: accepted", when 1df183b was shown, until 2026-11-21; also p50 +8.2%, requests/s −7.4%</sub> | ▇▇▇▇ \\+8.0%<br><sub>\\[+7.3, +8.7\\]</sub> | 220 → 238 µs |
      "
    `);
  });

  it('say that there were too few rounds', () => {
    expect(firstLines(commentOn({ ...QUIET, rounds: 5, services: ['grpc'] }))).toMatchInlineSnapshot(`
      "<!-- wiregauge:comment performance -->
      ### ⚪ Not judged: too few rounds (gRPC has 5; a verdict needs 8)

      4 not judged · 4 min

      A verdict needs 8 rounds of each service: raise \`budget\`, or compare fewer services at once.
      "
    `);
  });
});

describe('a comment', () => {
  it('folds the rest', () => {
    const body = commentOn(DEARER);

    expect(foldTitles(body)).toEqual(['All checks', 'How it was measured']);
    expect(fold(body, 'All checks')).toContain('| 220\u00a0→ 238\u00a0µs |');
  });

  it('has the names of the tiers in the configuration once, with what the rows call them', () => {
    expect(fold(commentOn(DEARER), 'How it was measured')).toContain(
      '100 users (low), 500 users (medium), 1,000 users (high)',
    );
  });

  it('leaves out who accepted a regression where the file of the repository does not say so', () => {
    const body = commentOf({ findings: [FINDINGS.accepted] });

    expect(body).toContain('accepted: Every answer is signed now, until 2026-12-24</sub>');
  });

  it('has at most eight rows, and says how many more there are', () => {
    const findings = Array.from({ length: 11 }, (_, index) => ({
      ...FINDINGS.regressed,
      cell: { ...FINDINGS.regressed.cell, tier: `tier${index}` },
    }));

    const body = commentOf({ outcome: 'regressed', exitCode: 1, findings });

    expect(body.match(/^\| rest, tier\d+<br>/gm)).toHaveLength(8);
    expect(body).toContain('\n3 more changes under “All checks”.\n');
    expect(firstLines(commentOn(QUIET))).not.toContain('| change |');
  });

  it('shows what a reader must know besides, open', () => {
    const body = commentOf({ notes: ['The acceptance of p95 has EXPIRED on 2026-10-01.'] });

    expect(firstLines(body)).toContain('\n- The acceptance of p95 has EXPIRED on 2026-10-01.');
  });

  it('leads to the series of the surest regression on the trend page, and to the page if nothing regressed', () => {
    expect(commentOn(DEARER)).toContain(
      '[Trend](https://shop.example/performance/#series=users%2Frest%2Fall%2Fsaturation%2FlatencyP50Ms%2Fms)',
    );
    expect(commentOn(QUIET)).toContain('[Trend](https://shop.example/performance/)');
  });

  it('leads to the series of a build that grew', () => {
    const run = committed(QUIET);
    const versionOf = (mebibytes: number) => ({ sizes: { rest: { bytes: mebibytes * 2 ** 20, layers: [] } } });
    const grown = {
      ...run,
      rounds: {
        ...run.rounds,
        base: { ...run.rounds.base, ...versionOf(10) },
        head: { ...run.rounds.head, ...versionOf(20) },
      },
    };

    expect(judgeRun(grown).outcome).toBe('regressed');
    expect(comparisonComment(grown, judgeRun(grown), CONTEXT)).toContain(
      '[Trend](https://shop.example/performance/#series=users%2Frest%2Fall%2Fall%2FsizeMiB%2FMiB)',
    );
  });

  it('links the run, the report and the trend, and nothing that is not a safe address', () => {
    const line = (links: CommentContext['links']) =>
      commentOf({}, { links })
        .split('\n')
        .find((text) => text.startsWith('1df183b'));

    expect(line(CONTEXT.links)).toBe(
      '1df183b · [Report](https://github.example/shop/actions/runs/77/artifacts/5) · [Trend](https://shop.example/performance/) · [Workflow run](https://github.example/shop/actions/runs/77)',
    );
    expect(line({ run: 'http://127.0.0.1:8080/runs/1', report: 'http://plain.example/', trend: 'nonsense' })).toBe(
      '1df183b · [Workflow run](http://127.0.0.1:8080/runs/1)',
    );
    expect(line({ run: 'https://user:secret@x.example/', report: 'javascript:alert(1)', trend: '' })).toBe('1df183b');
    expect(line({ run: 'https://x.example/a)b](c)|$x$ `d`?e=[1]&f' })).toBe(
      '1df183b · [Workflow run](https://x.example/a%29b%5D%28c%29%7C%24x%24%20%60d%60?e=%5B1%5D&amp;f)',
    );
  });

  it('names both commits where it knows them', () => {
    expect(commentOn(QUIET)).toContain('4f2d9c1 → 1df183b · ');
  });

  it('refuses an id that could not be found again', () => {
    expect(() => commentOf({}, { id: 'two words' })).toThrow(ConfigError);
  });

  it('is the same for the same comparison, byte for byte', () => {
    expect(commentOn(DEARER)).toBe(commentOn(DEARER));
  });
});

describe('everything at once', () => {
  it('begins with the marker and the verdict and ends with the hidden results', () => {
    const body = comparisonComment(sampleRounds(), everythingFound(), CONTEXT);

    const lines = body.trimEnd().split('\n');
    expect(lines[0]).toBe(commentMarker('performance'));
    expect(lines[1]).toMatch(/^### ❌ Failed in head only: gRPC/);
    expect(lines.at(-1)).toMatch(/^<!-- wiregauge:results [\w-]+ -->$/);
    expect(body).not.toMatch(/undefined|NaN|Infinity|\[object|null/);
  });
});

describe('a changed policy', () => {
  const rules = {
    pending: [{ metric: 'cpuMicrosPerRequest', what: 'at saturation', from: '3%', to: '900%' }],
    applied: [{ what: 'inconclusive', from: 'warn', to: '<b>fail</b>' }],
  };

  it('is a section of the comment, escaped', () => {
    const text = commentOn({ rounds: 10, record: { rules } });

    expect(text).toContain(
      'This pull request changes the policy: CPU per request at saturation 3% → 900%. It applies after the merge.',
    );
    expect(text).toContain('This pull request makes the policy stricter, which applies already: inconclusive warn → ');
    expect(text).not.toContain('<b>fail');
  });

  it('names what changed of the load', () => {
    const load = [{ what: 'tier low', from: '10 users', to: '<b>1 user</b>' }];
    const text = commentOn({ rounds: 10, record: { rules: { pending: [], applied: [], load } } });

    expect(text).toContain('This pull request changes what is measured: tier low 10 users → ');
    expect(text).not.toContain('<b>1 user');
  });

  it('does not say that settings of each version are those of the base', () => {
    const load = [{ what: 'headers of shop', from: 'X-Key', to: 'changed' }];
    const text = commentOn({ rounds: 10, record: { rules: { pending: [], applied: [], load } } });

    expect(text).toContain('headers of shop X-Key → changed. Each version is measured with its own.');
    expect(text).not.toContain('Until the merge');
  });

  it('names the file that judges in its place', () => {
    const text = commentOn({ rounds: 10, record: { rules: { file: 'own.yml', pending: [], applied: [] } } });

    expect(text).toContain('The policy file own.yml judges');
  });
});
