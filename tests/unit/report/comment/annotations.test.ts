import { describe, expect, it } from 'vitest';
import { DEFAULT_POLICY } from '../../../../src/model/policy.ts';
import type { SourcePlaces } from '../../../../src/project/places.ts';
import { annotationsOf } from '../../../../src/report/comment/annotations.ts';
import type { ResultChange } from '../../../support/result-lists.ts';
import {
  comparisonResult,
  hostileComparison,
  MORE_ERRORS,
  OVER_BUDGET,
  SUITE_PLACES,
  UNCOMPARED,
} from '../../../support/sample-comparison.ts';
import { cellAt, FINDINGS } from '../../../support/sample-findings.ts';
import { sampleRounds } from '../../../support/sample-rounds.ts';

function annotationsFor(change: ResultChange) {
  return annotationsOf(sampleRounds({ rounds: 1 }), comparisonResult(change), SUITE_PLACES);
}

const RED = { outcome: 'regressed', exitCode: 1 } as const;

describe('the annotations of a comparison', () => {
  it('are a single notice where it passed', () => {
    expect(annotationsFor({})).toEqual([
      {
        level: 'notice',
        title: 'Wiregauge',
        message: 'No regression. A 3.4% CPU slowdown would have been found.',
        path: 'suites/users.yml',
      },
    ]);
  });

  it('are an error for the verdict and one for each regression, more errors and budget', () => {
    const found = annotationsFor({
      ...RED,
      findings: [FINDINGS.regressed],
      errors: [MORE_ERRORS],
      budgets: [OVER_BUDGET],
    });

    expect(found.map(({ level, title, message }) => [level, title, message])).toEqual([
      [
        'error',
        'Wiregauge',
        'Regression: REST fails 2.10% of its requests for GetUser at 500 users (base 0.01%, p < 0.001), and 2 more',
      ],
      ['error', 'Regression', 'REST fails 2.10% of its requests for GetUser at 500 users (base 0.01%, p < 0.001).'],
      ['error', 'Regression', 'REST 6.1% more CPU per request at saturation, 211 → 224 µs [+5.2, +7.0].'],
      ['error', 'Over budget', "REST's p95 at 1,000 users is 61.2 ms, over the budget of 50.0 ms."],
    ]);
  });

  it('say nothing of what is accepted or only watched', () => {
    const findings = [FINDINGS.accepted, { ...FINDINGS.regressed, family: 'watch' as const }];

    expect(annotationsFor({ findings })).toHaveLength(1);
  });

  it('warn of what failed in head and of what inconclusive', () => {
    const uncompared = UNCOMPARED.filter(({ reason }) => reason === 'head-failed');

    const found = annotationsFor({
      outcome: 'failed',
      exitCode: 1,
      findings: [FINDINGS.inconclusive],
      uncompared,
    });

    expect(found.map(({ level, title, message }) => [level, title, message]).slice(1)).toEqual([
      ['warning', 'Failed in head only', 'gRPC (it exited in 2 rounds of 2).'],
      [
        'warning',
        'Inconclusive',
        'REST, p95, 1,000 users: +6.2% [−3.1, +16.4], inconclusive: about 12 more rounds would do; noise high.',
      ],
    ]);
  });

  it.each([
    ['inconclusive', 0, 'warning'],
    ['inconclusive', 1, 'error'],
    ['incomplete', 2, 'error'],
  ] as const)('give %s with exit code %i as %s', (outcome, exitCode, level) => {
    expect(annotationsFor({ outcome, exitCode, findings: [FINDINGS.inconclusive] })[0]?.level).toBe(level);
  });

  it.each([
    [
      'error',
      {
        ...RED,
        findings: Array.from({ length: 30 }, (_, tier) => ({
          ...FINDINGS.regressed,
          cell: cellAt({ tier: `t${tier}` }),
        })),
      },
      10,
    ],
    ['warning', { findings: Array.from({ length: 30 }, () => FINDINGS.inconclusive) }, 9],
  ] as const)(
    'are of the level %s no more than GitHub shows, and the last one says how many more',
    (level, change, most) => {
      const found = annotationsFor(change).filter((one) => one.level === level);
      // The headline is one of them, too: what inconclusive is no plain pass.
      const all = 31;

      expect(found).toHaveLength(most);
      expect(found.at(-1)?.message).toBe(`${all - most + 1} more are in the report.`);
    },
  );

  it('stand on the lines of what they are about', () => {
    const budgets = [
      { metric: 'latencyP95Ms', limit: 9 },
      { metric: 'latencyP95Ms', tier: 'high', limit: 50 },
    ];
    const accepted = [
      { service: 'gone', metric: 'latencyP95Ms', upTo: 0.1, until: '2027-01-01', why: 'wanted' },
      { metric: 'cpuMicrosPerRequest', upTo: 0.1, until: '2026-10-01', why: 'wanted' },
    ];
    const run = sampleRounds({ rounds: 1, record: { policy: { ...DEFAULT_POLICY, budgets, accepted } } });
    const result = comparisonResult({
      ...RED,
      findings: [FINDINGS.regressed, { ...FINDINGS.inconclusive, cell: cellAt({ operation: 'GetUser', tier: 'low' }) }],
      budgets: [OVER_BUDGET],
      uncompared: UNCOMPARED,
    });
    const places: SourcePlaces = {
      suite: { path: 'suite' },
      cell: ({ service, operation, tier }) => ({ path: `${service} ${operation} ${tier}`, line: 1 }),
      budget: (index) => ({ path: 'budgets', line: index }),
      acceptance: (index) => ({ path: 'accepted', line: index }),
    };

    const found = annotationsOf(run, result, places);

    expect(found.map(({ title, path, line }) => [title, path, line])).toEqual([
      ['Wiregauge', 'suite', undefined],
      ['Regression', 'rest all saturation', 1],
      ['Over budget', 'budgets', 1],
      ['Failed in head only', 'grpc all all', 1],
      ['Not compared', 'graph all all', 1],
      ['Acceptance', 'accepted', 0],
      ['Acceptance', 'accepted', 1],
      ['Inconclusive', 'rest GetUser low', 1],
      ['Not compared', 'grpc all high', 1],
      ['Not compared', 'rest all low', 1],
      ['Not compared', 'rest all medium', 1],
      ['Not compared', 'grpc all saturation', 1],
    ]);
    expect(found.map(({ message }) => message).filter((message) => /^The acceptance/.test(message))).toEqual([
      expect.stringMatching(/of gone\/.* matches no comparison\.$/),
      expect.stringMatching(/EXPIRED on 2026-10-01/),
    ]);
  });

  it('are single lines without control characters, for hostile texts', () => {
    const { run, compared } = hostileComparison();

    for (const { title, message } of annotationsOf(run, compared, SUITE_PLACES)) {
      // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there.
      expect(`${title}${message}`).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e]/);
    }
  });
});
