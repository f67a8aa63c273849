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
      🔴 **Regression: REST's p50 is 8.2% higher at saturation (95% interval +7.9 to +8.5%, 10 rounds), and 2 more findings.**

      |  | verdict | change (95% CI) | limit | base → head |
      | --- | --- | ---: | ---: | ---: |
      | REST, p50, saturation | **regressed** | \\+8.2 % \\[+7.9, +8.5\\] | \\+3.0 % | 11.2 → 12.1 ms |
      | REST, CPU per request, saturation | **regressed** | \\+8.0 % \\[+7.3, +8.7\\] | \\+3.0 % | 220 → 238 µs |
      | REST, requests/s, saturation | **regressed** | −7.4 % \\[−8.0, −6.8\\] | −2.9 % | 4,501 → 4,168/s |
      | REST, p95, saturation | slower, below the threshold (not gating) | \\+8.1 % \\[+7.0, +9.6\\] | \\+10.0 % | 18.2 → 19.7 ms |
      | REST, peak memory | slower, below the threshold (not gating) | \\+7.9 % \\[+7.8, +8.0\\] | \\+10.0 % | 66.3 → 71.6 MiB |

      All 24 gating rows were seen. Intended? Add the label \`wiregauge: accepted\`, or comment \`/wiregauge accept 9%\`.

      Head 1df183b0c4 against base 4f2d9c1b7a · [Workflow run](https://github.example/shop/actions/runs/77) · [Full report](https://github.example/shop/actions/runs/77/artifacts/5) · [Trend](https://shop.example/performance/#series=users%2Frest%2Fall%2Fsaturation%2FlatencyP50Ms%2Fms)
      "
    `);
  });

  it.each([
    ['command', 'Add the label `wiregauge: accepted`, or comment `/wiregauge accept 9%`.'],
    ['label', 'Add the label `wiregauge: accepted`, then re-run the failed jobs of the workflow run.'],
    ['file', 'Accept it in `.wiregauge/accepted.yml`.'],
  ] as const)('offer what works there to accept a regression: %s', (accept, sentence) => {
    const run = committed(DEARER);

    expect(comparisonComment(run, judgeRun(run), { ...CONTEXT, accept })).toContain(`Intended? ${sentence}\n`);
  });

  it('say what improved', () => {
    const run = { ...QUIET, worse: [{ service: 'grpc', tier: 'saturation', by: -0.1 }] };

    expect(firstLines(commentOn(run))).toMatchInlineSnapshot(`
      "<!-- wiregauge:comment performance -->
      ✅ **No regression in 24 comparisons; 3 improved; smallest detectable change: +3.4% CPU per request (REST) and +3.2% (gRPC).**

      |  | verdict | change (95% CI) | limit | base → head |
      | --- | --- | ---: | ---: | ---: |
      | gRPC, CPU per request, saturation | improved | −9.9 % \\[−10.6, −9.4\\] | \\+3.0 % | 119 → 107 µs |
      | gRPC, requests/s, saturation | improved | \\+11.1 % \\[+10.1, +11.9\\] | −2.9 % | 8,284 → 9,203/s |
      | gRPC, p50, saturation | improved | −10.0 % \\[−10.3, −9.7\\] | \\+3.0 % | 6.01 → 5.41 ms |
      | gRPC, p95, saturation | improved (not gating) | −10.3 % \\[−11.2, −9.1\\] | \\+10.0 % | 9.06 → 8.13 ms |

      All 24 gating rows were seen.

      Head 1df183b0c4 against base 4f2d9c1b7a · [Workflow run](https://github.example/shop/actions/runs/77) · [Full report](https://github.example/shop/actions/runs/77/artifacts/5) · [Trend](https://shop.example/performance/)
      "
    `);
  });

  it('say in one line that nothing changed, and what would have been seen', () => {
    expect(firstLines(commentOn(QUIET))).toMatchInlineSnapshot(`
      "<!-- wiregauge:comment performance -->
      ✅ **No regression in 24 comparisons; smallest detectable change: +3.4% CPU per request (REST) and +3.2% (gRPC).**

      All 24 gating rows were seen.

      Head 1df183b0c4 against base 4f2d9c1b7a · [Workflow run](https://github.example/shop/actions/runs/77) · [Full report](https://github.example/shop/actions/runs/77/artifacts/5) · [Trend](https://shop.example/performance/)
      "
    `);
  });

  it('say what inconclusive', () => {
    expect(firstLines(commentOn({ noise: 2.5, services: ['rest'] }))).toMatchInlineSnapshot(`
      "<!-- wiregauge:comment performance -->
      🟡 **Inconclusive: no proven slowdown, but 3 of 4 comparisons are inconclusive (mainly REST, CPU per request, saturation: noise medium; about 25 more rounds would do).**

      |  | verdict | change (95% CI) | limit | base → head |
      | --- | --- | ---: | ---: | ---: |
      | REST, CPU per request, saturation | inconclusive: about 25 more rounds would do | \\+0.3 % \\[−4.9, +5.8\\] | \\+3.0 % | 216 → 216 µs |
      | REST, requests/s, saturation | inconclusive: about 8 more rounds would do | \\+0.1 % \\[−5.4, +5.3\\] | −2.9 % | 4,585 → 4,589/s |
      | REST, p50, saturation | inconclusive: about 13 more rounds would do | \\+1.4 % \\[−1.1, +3.6\\] | \\+3.0 % | 11.1 → 11.3 ms |
      "
    `);
  });

  it('name a service that only head has', () => {
    expect(firstLines(commentOn({ ...QUIET, without: ['base/grpc'] }))).toMatchInlineSnapshot(`
      "<!-- wiregauge:comment performance -->
      🟡 **No regression in 12 comparisons; in one version only: gRPC (new); smallest detectable change: +3.4% CPU per request (REST).**

      **Not compared**

      - gRPC: new (the base does not have it).

      In one version only: gRPC (new).

      Head 1df183b0c4 against base 4f2d9c1b7a · [Workflow run](https://github.example/shop/actions/runs/77) · [Full report](https://github.example/shop/actions/runs/77/artifacts/5) · [Trend](https://shop.example/performance/)
      "
    `);
  });

  it('name a service that fails in head only', () => {
    const run = { ...QUIET, failed: [{ service: 'rest', side: 'head', times: 2 }] } as const;

    expect(firstLines(commentOn(run))).toMatchInlineSnapshot(`
      "<!-- wiregauge:comment performance -->
      ❌ **Failed in head only: REST (2 rounds failed: rest exited under tier high); 12 of 24 gating rows seen.**

      **Failed in head only**

      - REST (2 rounds failed: rest exited under tier high). Read what it printed.

      12 of 24 gating rows seen.

      Head 1df183b0c4 against base 4f2d9c1b7a · [Workflow run](https://github.example/shop/actions/runs/77) · [Full report](https://github.example/shop/actions/runs/77/artifacts/5) · [Trend](https://shop.example/performance/)
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
      ✅ **No new regression: REST needs 8.0% more CPU per request at saturation, accepted until 2026-11-21 (label "wiregauge: accepted", when 1df183b0c4 was shown), and 2 more accepted; smallest detectable change: +3.4% CPU per request (REST) and +3.2% (gRPC).**

      |  | verdict | change (95% CI) | limit | base → head |
      | --- | --- | ---: | ---: | ---: |
      | REST, CPU per request, saturation | accepted by a-maintainer on 2026-11-21: label "wiregauge: accepted", when 1df183b0c4 was shown, until 2026-11-21 | \\+8.0 % \\[+7.3, +8.7\\] | \\+3.0 % | 220 → 238 µs |
      | REST, requests/s, saturation | accepted by a-maintainer on 2026-11-21: label "wiregauge: accepted", when 1df183b0c4 was shown, until 2026-11-21 | −7.4 % \\[−8.0, −6.8\\] | −2.9 % | 4,501 → 4,168/s |
      | REST, p50, saturation | accepted by a-maintainer on 2026-11-21: label "wiregauge: accepted", when 1df183b0c4 was shown, until 2026-11-21 | \\+8.2 % \\[+7.9, +8.5\\] | \\+3.0 % | 11.2 → 12.1 ms |
      | REST, p95, saturation | slower, below the threshold (not gating) | \\+8.1 % \\[+7.0, +9.6\\] | \\+10.0 % | 18.2 → 19.7 ms |
      | REST, peak memory | slower, below the threshold (not gating) | \\+7.9 % \\[+7.8, +8.0\\] | \\+10.0 % | 66.3 → 71.6 MiB |

      All 24 gating rows were seen.

      Head 1df183b0c4 against base 4f2d9c1b7a · [Workflow run](https://github.example/shop/actions/runs/77) · [Full report](https://github.example/shop/actions/runs/77/artifacts/5) · [Trend](https://shop.example/performance/)
      "
    `);
  });

  it('say that there were too few rounds', () => {
    expect(firstLines(commentOn({ ...QUIET, rounds: 5, services: ['grpc'] }))).toMatchInlineSnapshot(`
      "<!-- wiregauge:comment performance -->
      ⚪ **Not judged: too few rounds (gRPC has 5; a verdict needs 8).**

      Head 1df183b0c4 against base 4f2d9c1b7a · [Workflow run](https://github.example/shop/actions/runs/77) · [Full report](https://github.example/shop/actions/runs/77/artifacts/5) · [Trend](https://shop.example/performance/)
      "
    `);
  });
});

describe('a comment', () => {
  it('folds the rest, what to do first', () => {
    const body = commentOn(DEARER);

    expect(foldTitles(body)).toEqual([
      'What to do',
      'REST against gRPC',
      'All 46 comparisons, with noise and smallest detectable change',
      'Rounds and confidence',
      'How it was measured',
    ]);
    expect(fold(body, 'REST against gRPC')).toMatchInlineSnapshot(`
      "

      | base → head | REST | gRPC | gRPC against REST |
      | --- | ---: | ---: | ---: |
      | CPU per request, saturation | 220 → 238 µs | 119 → 119 µs | −50.1 % |
      | requests/s, saturation | 4,501 → 4,168/s | 8,284 → 8,283/s | \\+98.7 % |
      | p50, 100 users | 0.51 → 0.51 ms | 0.44 → 0.44 ms | −14.6 % |
      | p50, 500 users | 0.56 → 0.56 ms | 0.47 → 0.47 ms | −16.2 % |
      | p50, 1,000 users | 1.90 → 1.92 ms | 0.74 → 0.73 ms | −61.9 % |

      Base is the median over the kept rounds, head the same with the estimated change. Verdicts compare base and head of one service, never two services.

      "
    `);
  });

  it('has the names of the tiers in the configuration once, with what the rows call them', () => {
    expect(fold(commentOn(DEARER), 'How it was measured')).toContain(
      '100 users (low), 500 users (medium), 1,000 users (high)',
    );
  });

  it('does not compare services where there is one', () => {
    expect(commentOn({ ...QUIET, services: ['rest'] })).not.toContain('against gRPC');
  });

  it('has a hole where only one version has a service', () => {
    const services = fold(commentOn({ ...QUIET, without: ['base/grpc'] }), 'REST against gRPC');

    expect(services).toMatch(/\| CPU per request, saturation \| 22\d\s→\s22\d\sµs \| –\s→\s1\d\d\sµs \|/);
  });

  it('leaves out who accepted a regression where the file of the repository does not say so', () => {
    const body = commentOf({ findings: [FINDINGS.accepted] });

    expect(body).toContain('| accepted: Every answer is signed now, until 2026-12-24 |');
  });

  it('has at most eight rows, and says how many more there are', () => {
    const findings = Array.from({ length: 11 }, (_, index) => ({
      ...FINDINGS.regressed,
      cell: { ...FINDINGS.regressed.cell, operation: `Operation${index}` },
    }));

    const body = commentOf({ outcome: 'regressed', exitCode: 1, findings });

    expect(body.match(/^\| rest, Operation\d+ CPU per request, saturation \| \*\*regressed\*\* \| /gm)).toHaveLength(8);
    expect(body).toContain('\n3 more rows in the list of all comparisons.\n');
    expect(firstLines(commentOn(QUIET))).not.toContain('| verdict |');
  });

  it('says what was covered, and how to accept what was intended', () => {
    expect(commentOn(QUIET)).toContain('\nAll 24 gating rows were seen.\n');
    expect(commentOn(DEARER)).toMatch(
      /\nAll 24 gating rows were seen\. Intended\? Add the label `wiregauge: accepted`, or comment `\/wiregauge accept 9%`\.\n/,
    );
    expect(commentOn({ ...QUIET, rounds: 5 })).not.toContain('gating rows');
  });

  it('shows what a reader must know besides, open', () => {
    const body = commentOf({ notes: ['The acceptance of p95 has EXPIRED on 2026-10-01.'] });

    expect(firstLines(body)).toContain('**Notes**\n\n- The acceptance of p95 has EXPIRED on 2026-10-01.');
  });

  it('leads to the series of the surest regression on the trend page, and to the page if nothing regressed', () => {
    expect(commentOn(DEARER)).toContain(
      '[Trend](https://shop.example/performance/#series=users%2Frest%2Fall%2Fsaturation%2FlatencyP50Ms%2Fms)',
    );
    expect(commentOn(QUIET)).toContain('[Trend](https://shop.example/performance/)');
  });

  it('links the run, the report and the trend, and nothing that is no safe address', () => {
    const line = (links: CommentContext['links']) =>
      commentOf({}, { links })
        .split('\n')
        .find((text) => text.startsWith('Head '));

    expect(line(CONTEXT.links)).toBe(
      'Head 1df183b0c4 · [Workflow run](https://github.example/shop/actions/runs/77) · [Full report](https://github.example/shop/actions/runs/77/artifacts/5) · [Trend](https://shop.example/performance/)',
    );
    expect(line({ run: 'http://127.0.0.1:8080/runs/1', report: 'http://plain.example/', trend: 'nonsense' })).toBe(
      'Head 1df183b0c4 · [Workflow run](http://127.0.0.1:8080/runs/1)',
    );
    expect(line({ run: 'https://user:secret@x.example/', report: 'javascript:alert(1)', trend: '' })).toBe(
      'Head 1df183b0c4',
    );
    expect(line({ run: 'https://x.example/a)b](c)|$x$ `d`?e=[1]&f' })).toBe(
      'Head 1df183b0c4 · [Workflow run](https://x.example/a%29b%5D%28c%29%7C%24x%24%20%60d%60?e=%5B1%5D&amp;f)',
    );
  });

  it('names both commits where it knows them', () => {
    expect(commentOn(QUIET)).toContain('Head 1df183b0c4 against base 4f2d9c1b7a · ');
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
    expect(lines[1]).toMatch(/^❌ \*\*Failed in head only: gRPC/);
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

  it('names the file that judges in its place', () => {
    const text = commentOn({ rounds: 10, record: { rules: { file: 'own.yml', pending: [], applied: [] } } });

    expect(text).toContain('The policy file own.yml judges');
  });
});
