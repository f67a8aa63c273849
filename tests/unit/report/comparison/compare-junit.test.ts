import { describe, expect, it } from 'vitest';
import { junitOf } from '../../../../src/report/comparison/junit.ts';
import { withLists } from '../../../support/result-lists.ts';
import { comparisonResult, everythingFound, hostileComparison } from '../../../support/sample-comparison.ts';
import { FINDINGS, finding } from '../../../support/sample-findings.ts';
import { sampleRounds } from '../../../support/sample-rounds.ts';

const RUN = sampleRounds();

describe('the JUnit file of a comparison', () => {
  it('has a test for everything that may fail a pull request, and what became of it', () => {
    const findings = [
      FINDINGS.unchanged,
      FINDINGS.regressed,
      FINDINGS.inconclusive,
      { ...FINDINGS.improved, family: 'watch' as const },
    ];

    expect(junitOf(comparisonResult({ outcome: 'regressed', exitCode: 1, findings }), RUN)).toMatchInlineSnapshot(`
      "<?xml version="1.0" encoding="UTF-8"?>
      <testsuites name="wiregauge" tests="3" failures="1" errors="0" skipped="1">
        <testsuite name="REST" tests="3" failures="1" errors="0" skipped="1">
          <testcase classname="REST" name="CPU per request, saturation"/>
          <testcase classname="REST" name="CPU per request, saturation">
            <failure message="regressed: +6.1% [+5.2, +7.0], threshold +3.0%, 211 → 224 µs, 10 rounds"/>
          </testcase>
          <testcase classname="REST" name="p95, 1,000 users">
            <skipped message="inconclusive: about 12 more rounds would do: +6.2% [−3.1, +16.4], threshold +10.0%, 4.10 → 4.35 ms, 10 rounds"/>
          </testcase>
        </testsuite>
      </testsuites>
      "
    `);
  });

  it('has what failed besides: errors, budgets, answers, a head that does not start', () => {
    const answer = { operation: 'GetUser', services: ['rest'], arguments: '{"id":1}', path: '$.users', requests: 2 };
    const answers = [{ ...answer, changedRequests: 1, verdict: 'fails' as const }];
    const text = junitOf(withLists(everythingFound(), { answers }), RUN);

    for (const name of ['failed requests, ', 'budget, ', 'answers, ']) {
      expect(text).toContain(`name="${name}`);
    }
    expect(text).toMatch(/<failure message="[^"]+"\/>/);
    expect(text).toMatch(/<skipped message="[^"]+"\/>/);
  });

  it('has an error if nothing was judged', () => {
    const few = finding({ verdict: 'inconclusive', reason: 'too-few-rounds', moreRounds: undefined, rounds: 3 });

    const text = junitOf(comparisonResult({ outcome: 'incomplete', exitCode: 2, findings: [few] }), RUN);

    expect(text).toContain('tests="2" failures="0" errors="1" skipped="1"');
    expect(text).toContain('<error message="Not judged: too few rounds');
  });

  it('is well-formed for any names and messages', () => {
    const { run, compared } = hostileComparison();

    const text = junitOf(compared, run);

    const plain = text.replaceAll(/"[^"<>]*"/g, '""').replaceAll(/&(amp|lt|gt|quot|#39);/g, '');
    expect(plain).not.toMatch(/[^\x20-\x7e\n]/);
    expect(
      plain.replaceAll(
        /<\/?(testsuites|testsuite|testcase|failure|skipped|error)( [a-z]+="")*\/?>|<\?xml( [a-z]+="")*\?>|\s/g,
        '',
      ),
    ).toBe('');
  });
});
