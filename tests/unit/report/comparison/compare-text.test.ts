import { describe, expect, it } from 'vitest';
import { judgmentPage } from '../../../../src/commands/runs/report.ts';
import type { Finding } from '../../../../src/judge/verdict/finding.ts';
import { comparisonPage, comparisonText } from '../../../../src/report/comparison/document.ts';
import { viewComparison } from '../../../../src/report/comparison/view.ts';
import { ANSI } from '../../../../src/report/render/lines.ts';
import { terminalOf } from '../../../../src/report/render/terminal.ts';
import { REPORTS } from '../../../support/reports.ts';
import {
  comparedJudgment,
  comparisonResult,
  everythingFound,
  hostileComparison,
} from '../../../support/sample-comparison.ts';
import { cellAt, FINDINGS, finding, wideFindings } from '../../../support/sample-findings.ts';
import { sampleRounds } from '../../../support/sample-rounds.ts';
import { calibrationOf } from '../../judge/calibration/calibrations.ts';
import { recordedRounds } from '../../judge/calibration/recorded-rounds.ts';

describe('the terminal report of a comparison', () => {
  it('says what this machine was found to see, where it was calibrated', () => {
    const calibration = calibrationOf(recordedRounds({ rounds: 10, sd: 0.02, seed: 1 }), 0);
    const run = sampleRounds({ record: { calibration } });

    const text = REPORTS.terminal({ run, against: undefined, compared: comparisonResult() });

    expect(text.replace(/\s+/g, ' ')).toContain('On this machine, calibrated on ');
  });

  it('says how long a round took, and what part of it was measured', () => {
    const sample = sampleRounds();
    const around = { control: 0.3, start: 0.4, ready: 0.4, verify: 0.01, warmUp: 0.7, growth: 0.04, records: 0.2 };
    const blocks = { measured: 5.8, dropped: 0.6, drain: 1.3, counters: 0.1, turns: 0.4 };
    const seconds = { total: 10.6, ...blocks, ...around, stop: 0.3, other: 0.05 };
    const rounds = sample.rounds.rounds.map((round) => ({ ...round, seconds }));
    const run = { ...sample, rounds: { ...sample.rounds, rounds } };

    const text = REPORTS.terminal({ run, against: undefined, compared: comparisonResult() });

    expect(text).toContain('Time of a round: 10.6 s on average, 73% of it measured');
    expect(REPORTS.html({ run, against: undefined, compared: comparisonResult() })).not.toContain('neither warm-up');
  });

  it('distinguishes, once, what the load tool hid from services that are not judged', () => {
    const hidden = {
      cell: cellAt({ service: 'grpc', tier: 'medium' }),
      reason: 'generator-limited' as const,
      detail: {
        ...{ kind: 'load-tool' as const, count: 4, rounds: 10, isDisturbed: false },
        ...{ more: undefined, isBeyond: false, isCpuLeft: false },
      },
      rows: 0,
      hidden: 2,
    };
    const few = finding(
      { verdict: 'inconclusive', reason: 'too-few-rounds', moreRounds: undefined, rounds: 3 },
      { service: 'grpc' },
    );
    const counts = { discarded: 0, failed: 0 };
    const compared = comparisonResult({
      findings: [FINDINGS.unchanged, few],
      uncompared: [hidden],
      rounds: [
        { service: 'rest', kept: 10, ...counts },
        { service: 'grpc', kept: 3, ...counts },
      ],
    });

    const textOf = (result: ReturnType<typeof comparisonResult>) =>
      REPORTS.terminal(comparedJudgment(result)).replace(/\s+/g, ' ');
    const text = textOf(compared);

    expect(text).toContain('Left out Not judged - gRPC has 3 rounds, and a verdict needs 8.');
    expect(text).not.toContain('What changed');
    expect(text).toContain('- gRPC, 500 users: the load tool was at its limit in 4 of 10 rounds.');
    expect(text.split('at its limit')).toHaveLength(2);
    expect(text.split('3 rounds, and')).toHaveLength(2);
    const rounds = [
      { service: 'rest', kept: 10, ...counts },
      { service: 'grpc', kept: 8, ...counts },
    ];
    expect(textOf({ ...compared, rounds })).toMatch(
      /- gRPC: [^.]+, saturation could be compared in 3 of 8 rounds, and a verdict needs 8\./,
    );
    // Interrupted before its first test, which a note says.
    const enough = [FINDINGS.unchanged, { ...few, rounds: 8 }];
    expect(textOf(comparisonResult({ findings: enough, rounds }))).not.toContain('a verdict needs');
  });

  it.each([
    [0.2, /GetUser p95, 500 users not seen at this tier [^a-z]*low \+20\.0%/],
    [undefined, /GetUser p95, 500 users not seen at this tier [^a-z]*low –/],
  ])('says of a row that was not seen which change would have been: %j', (size, words) => {
    const hidden = [0.1, size].map((detectable, index) =>
      finding(
        {
          verdict: 'inconclusive',
          reason: 'not-seen',
          moreRounds: undefined,
          family: 'watch',
          metric: 'latencyP95Ms',
          detectable,
        },
        { operation: index === 0 ? 'all' : 'GetUser', tier: 'medium' },
      ),
    );

    const text = REPORTS.terminal(comparedJudgment(comparisonResult({ findings: [FINDINGS.unchanged, ...hidden] })));

    expect(text.replace(/\s+/g, ' ')).toMatch(words);
  });

  it('says nothing about changes if there are none, or nothing was judged', () => {
    const few = finding({ verdict: 'inconclusive', reason: 'too-few-rounds', moreRounds: undefined, rounds: 3 });
    const unjudged = comparisonResult({ outcome: 'incomplete', exitCode: 2, findings: [few] });

    expect(REPORTS.terminal(comparedJudgment(unjudged))).not.toContain('What changed');
    expect(REPORTS.terminal(comparedJudgment(comparisonResult()))).not.toContain('What changed');
  });

  it('shows the changed comparisons, then all of them', () => {
    const findings = [FINDINGS.regressed, FINDINGS.inconclusive, { ...FINDINGS.improved, family: 'watch' as const }];

    const text = REPORTS.terminal(comparedJudgment(comparisonResult({ outcome: 'regressed', exitCode: 1, findings })));

    expect(text.slice(0, text.indexOf('\nRounds and confidence\n'))).toMatchInlineSnapshot(`
      "Regression: REST 6.1% more CPU per request at saturation

      1 regressed · 1 too noisy · 4 min

      - Base: origin/main 4f2d9c1 (Give the REST service its own pool)
      - Head: working tree 1df183b (Look users up by name), with uncommitted changes

      What changed
      - REST, saturation: change: +6.1% [+5.2, +7.0]; base → head: 211 → 224 µs (CPU per request; also CPU
        per request −6.2%)

      All 3 comparisons
      comparison                   verdict                      change [95%]  threshold  noise  detectable
      CPU per request, saturation  regressed              +6.1% [+5.2, +7.0]      +3.0%    low       +3.4%
      p95, 1,000 users             inconclusive          +6.2% [−3.1, +16.4]     +10.0%   high      +21.0%
      CPU per request, saturation  improved               −6.2% [−7.1, −5.0]      +3.0%    low       +3.4%
                                   (not gating)
      "
    `);
  });

  it('says how the rounds went and how sure the verdicts are', () => {
    const text = REPORTS.terminal(comparedJudgment(comparisonResult({ looks: [10, 15] })));

    expect(text.slice(text.indexOf('\nRounds and confidence\n'))).toMatchInlineSnapshot(`
      "
      Rounds and confidence
            kept  discarded  failed
      REST    10          0       0
      gRPC    10          1       0

      Ended: early, because the result was clear
      Drift of the machine: up to 3.5% within kept rounds, up to 18.0% within discarded ones

      Confidence
      - At most 2% of pull requests in which nothing is worse by more than 1% fail, across 2 comparisons.
        The 2% is split across tests after 10 and 15 rounds.
      - Each of the 2 services is tested separately, with an equal part of that rate.
      - “Detectable” is the smallest slowdown that these rounds would have found 9 times in 10. Each
        interval is a 95% interval over all tests.
      - How verdicts are decided: https://wiregauge.github.io/wiregauge/docs/statistics.html
      "
    `);
  });

  it.each([
    ['at an early test', 10, true],
    ['at the last look', 30, false],
  ])('says what to think of the estimate of what regressed %s', (_name, rounds, isSaid) => {
    const findings = [{ ...FINDINGS.regressed, rounds }];

    const text = REPORTS.terminal(comparedJudgment(comparisonResult({ findings }))).replace(/\s+/g, ' ');

    expect(text.includes('tend to be overestimated')).toBe(isSaid);
  });

  it.each([
    ['everything', comparedJudgment(everythingFound())],
    ['sixty comparisons', comparedJudgment(comparisonResult({ findings: wideFindings(60) }))],
    ['hostile texts', hostileComparison()],
  ])('keeps to 100 columns for %s', (_name, judgment) => {
    const lines = [
      REPORTS.terminal(judgment),
      comparisonText(judgment.compared ?? comparisonResult(), 'x'.repeat(300)),
    ];

    const widths = lines.flatMap((text) => text.split('\n').map((line) => [...line].length));

    expect(Math.max(...widths)).toBeLessThanOrEqual(100);
  });

  it('gives a comparison with a long name a line of its own and cuts nothing', () => {
    const operation = 'FindUsersByTheirFirstAndLastName';

    const text = REPORTS.terminal(comparedJudgment(comparisonResult({ findings: [finding({}, { operation })] })));

    expect(text).toContain(`${operation} CPU per request, saturation\n`);
  });

  it('says the same in colors', () => {
    const judgment = comparedJudgment(everythingFound());

    const colored = terminalOf(judgmentPage(judgment), ANSI);

    // biome-ignore lint/suspicious/noControlCharactersInRegex: the sequences begin with one.
    expect(colored.replaceAll(/\u001b\[\d+m/g, '')).toBe(REPORTS.terminal(judgment));
    expect(colored).toContain('\u001b[31mregressed');
    expect(colored).toContain('\u001b[32mimproved');
  });
});

describe('figures of a comparison', () => {
  it.each([
    [0.0612, '+6.1%'],
    [-0.0412, '−4.1%'],
    [0.00042, '+0.04%'],
    [0.00096, '+0.1%'],
    [0, '0%'],
    [0.0000001, '0%'],
    [0.1284, '+12.8%'],
    [1.284, '+128%'],
    [-0.99996, '−99.9%'],
    [11.4, '12x'],
    [123456, '>9,999x'],
  ])('shows a change of %f as %s', (estimate, words) => {
    const text = comparisonText(comparisonResult({ findings: [finding({ change: { estimate } })] }));

    expect(text).toMatch(new RegExp(`saturation +(?:same|not slower) +${words.replace('+', '\\+')} `));
  });

  it.each([
    [{ estimate: 0.0004, low: -0.0006, high: 0.003 }, '0% [−0.1, +0.3]'],
    [{ estimate: 0.0012, low: 0.0004, high: 0.002 }, '+0.1% [0, +0.2]'],
    [{ estimate: -0.0001, low: -0.0007, high: 0.0006 }, '−0.01% [−0.07, +0.06]'],
    [{ estimate: 0.4, low: -0.052, high: 1.2 }, '+40% [−5, +120]'],
    [{ estimate: 0.2, low: -0.9999, high: 1.2 }, '+20% [−99, +120]'],
  ])('gives a change and both ends of its interval with the same decimals: %o', (change, words) => {
    const text = comparisonText(comparisonResult({ findings: [finding({ change: { ...change } })] }));

    expect(text.replace(/ +/g, ' ')).toContain(` ${words} `);
  });

  it('gives what could have been seen of a rate as a fall', () => {
    const rate = finding({ metric: 'achievedRps', better: 'higher', detectable: 0.05, verdict: 'regressed' });

    expect(shown([rate])).toContain('base → head: 211 → 212/s');
    expect(shown([rate])).toMatch(/low −4\.8%/);
  });

  it('shows figures of an unknown metric without a unit', () => {
    const change = { estimate: -0.9999, low: -0.99995, high: -0.999 };
    const own = finding({ metric: 'allocations', verdict: 'improved', base: 123456.7, change });

    expect(shown([own])).toContain('base → head: 123500 → 12.35');
  });

  it('shows figures of an unknown metric with the unit that they came with', () => {
    expect(shown([finding({ metric: 'time', unit: 'ns/op', base: 4200, verdict: 'improved' })])).toContain(
      'base → head: 4200 → 4217 ns/op',
    );
  });

  it('promises no share of false alarms if one version was measured after the other', () => {
    const text = (interleaved?: false) => {
      const result = { ...comparisonResult({ findings: [finding()] }), gateSize: 1 };
      return comparisonText({ ...result, interleaved }).replaceAll(/\s+/g, ' ');
    };

    expect(text()).toContain('fail, across 1 comparison.');
    expect(text(false)).toContain('Here, one was measured after the other, so there may be more.');
    expect(text(false)).not.toContain('across 1 comparison.');
  });
});

/** The text without its line breaks. */
function shown(findings: readonly Finding[]): string {
  return comparisonText(comparisonResult({ findings })).replaceAll(/\s+/g, ' ');
}

it('is one page for all reports, and another for another result', () => {
  const { run, compared } = comparedJudgment();
  const page = comparisonPage(viewComparison(compared, run));

  expect(comparisonPage(viewComparison(compared, run))).toBe(page);
  expect(comparisonPage(viewComparison({ ...compared }, run))).not.toBe(page);
  expect(comparisonPage(viewComparison(compared, { ...run }))).not.toBe(page);
});
