import { describe, expect, it } from 'vitest';
import type { Calibration } from '../../../../src/model/run/calibration.ts';
import { calibrationLine, calibrationText, steadinessText } from '../../../../src/report/stored/calibration.ts';
import { calibrationOf } from '../../judge/calibration/calibrations.ts';
import { recordedRounds } from '../../judge/calibration/recorded-rounds.ts';

const CALIBRATION = calibrationOf(recordedRounds({ rounds: 40, sd: 0.04, seed: 1 }), 50);

describe('the report of a calibration', () => {
  it('says what the machine can see, and how soon', () => {
    expect(calibrationText(CALIBRATION)).toMatchInlineSnapshot(`
      "Calibrated: 2026-11-20 09:30 UTC, suite users, profile standard, Wiregauge 0.1.0
      Machine: linux-x64-2core, Intel(R) Xeon(R) Processor @ 2.60GHz, kernel 6.18.5
      Rounds: 40 rounds of one build against itself, 22 s each

      False alarms: 0 of 1 comparison as measured; 0 of 50 drawn from the rounds with fresh labels: 0%,
        95% bounds 0% to 7.1%; designed for at most 2.0%.

      - Noise: how far head and base of one build differ in one round (robust standard deviation).
      - Smallest: the smallest slowdown that fails in 95 of 100 comparisons of 30 rounds.
      - Under each slowdown: the rounds, and minutes, after which it fails in 95 of 100.
      - A * means: not above the threshold, so it never fails; by then it is significant in 95 of 100.
      - If a tier has several operations, the noisiest of them is shown.

      Detectable changes
                               noise  smallest        +3%        +5%       +10%      +20%
      rest, saturation
        CPU per request  3.3% medium      4.5%  82, 30 m*  23, 8.4 m   8, 2.9 m  8, 2.9 m
        requests/s       3.2% medium      4.3%  76, 28 m*  22, 8.1 m   8, 2.9 m  8, 2.9 m
      rest, low
        GetUser p50      5.7% medium      7.0%  over 100*  62, 23 m*  16, 5.9 m  8, 2.9 m
      grpc, saturation
        CPU per request  4.6% medium      5.8%  over 100*   41, 15 m  11, 4.0 m  8, 2.9 m
        requests/s       4.6% medium      5.8%  over 100*   42, 15 m  11, 4.0 m  8, 2.9 m
      grpc, low
        GetUser p50      4.1% medium      6.4%  over 100*  33, 12 m*  10, 3.7 m  8, 2.9 m

      Not gating, unless set in the policy
                           noise  smallest        +3%         +5%        +10%      +20%
      rest, low
        GetUser p99  3.1% medium     11.1%  56, 21 m*  16, 5.9 m*   8, 2.9 m*  8, 2.9 m
      grpc, low
        GetUser p99  4.8% medium     11.7%  over 100*   36, 13 m*  10, 3.7 m*  8, 2.9 m
      "
    `);
  });

  it('keeps to the width of a terminal', () => {
    const widths = calibrationText(CALIBRATION)
      .split('\n')
      .map((line) => [...line].length);

    expect(Math.max(...widths)).toBeLessThanOrEqual(100);
  });

  it('fits into one line of another report', () => {
    expect(calibrationLine(CALIBRATION)).toMatchInlineSnapshot(
      `"On this machine, calibrated on 2026-11-20 09:30 UTC with 40 rounds of one build against itself: 0 false alarms in 50 comparisons drawn from them; the smallest slowdown that it finds is 4.3% at saturation, 6.2% at low."`,
    );
  });

  it('shows no control characters of a machine that another wrote', () => {
    const hostile: Calibration = {
      ...CALIBRATION,
      wiregauge: '0.1\u001b[31m\u202e',
      runner: { ...CALIBRATION.runner, cpuModel: 'a\nb\u001b[2J', kernel: '6\r7' },
    };

    const lines = calibrationText(hostile).split('\n');

    expect(lines[1]).toBe('Machine: linux-x64-2core, a b [2J, kernel 6 7');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there.
    expect(calibrationText(hostile)).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u202e]/);
  });
});

describe('what a calibration says of instructions', () => {
  const rest = { service: 'rest', perRequest: 955_000, starts: 2, threshold: 0.01, detectable: 0.0113 };

  it('is whether the threshold holds', () => {
    const text = steadinessText([
      { ...rest, spread: 0.0012, supported: 0.004 },
      { ...rest, service: 'node', spread: 0.04, starts: 4, supported: 0.061 },
    ]);

    expect(text).toMatchInlineSnapshot(`
      "rest: 955k instructions/request; starts differ by up to 0.1%; a threshold of 1.0% is high enough, and finds a regression of 1.1%
      node: 955k instructions/request; starts differ by up to 4.0%; a threshold of 1.0% is too low for 4 starts of each version: use more than 6.1%
      "
    `);
  });

  it('is nothing if nothing was counted', () => {
    expect(steadinessText([])).toBe('');
  });
});
