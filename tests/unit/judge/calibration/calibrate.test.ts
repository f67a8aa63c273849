import { describe, expect, it } from 'vitest';
import { ConfigError, MeasurementError } from '../../../../src/foundation/errors.ts';
import { calibrationOfRounds } from '../../../../src/judge/calibration/calibrate.ts';
import type { Compared } from '../../../../src/judge/verdict/finding.ts';
import { DEFAULT_POLICY } from '../../../../src/model/policy.ts';
import { formatCalibration, parseCalibration } from '../../../../src/model/run/calibration.ts';
import { calibrationInput, calibrationOf } from './calibrations.ts';
import { recordedRounds } from './recorded-rounds.ts';

describe('the calibration of a machine', () => {
  it('finds the noise that is there', () => {
    const { comparisons } = calibrationOf(recordedRounds({ rounds: 300, sd: 0.04, seed: 1 }));

    for (const { sd, level, rounds } of comparisons) {
      expect(sd).toBeGreaterThan(0.033);
      expect(sd).toBeLessThan(0.047);
      expect({ level, rounds }).toEqual({ level: 'medium', rounds: 300 });
    }
  });

  // Specification of the statistics, section 4: 36 comparisons, alpha 1%, by the normal distribution.
  it.each([
    { sd: 0.02, five: 8, ten: 8 },
    { sd: 0.03, five: 19, ten: 8 },
    { sd: 0.04, five: 32, ten: 10 },
    { sd: 0.06, five: 68, ten: 16 },
    { sd: 0.08, five: 119, ten: 27 },
    { sd: 0.1, five: 184, ten: 40 },
  ])(
    'wants the rounds of that approximation and at most 7 more or 1.17² times as many, sd $sd: $five and $ten',
    (row) => {
      const policy = { ...DEFAULT_POLICY, alpha: 0.01 };
      const [first] = calibrationOfRounds({ ...calibrationInput(sameNoise(36, row.sd)), policy }).comparisons;
      const wanted = (effect: number) => first?.wanted.find((one) => one.effect === effect)?.rounds ?? 101;

      expect(first?.sd).toBeCloseTo(row.sd, 10);
      for (const [rounds, approximated] of [
        [wanted(0.05), row.five],
        [wanted(0.1), row.ten],
      ] as const) {
        expect(rounds).toBeGreaterThanOrEqual(Math.min(approximated, 101));
        expect(rounds).toBeLessThanOrEqual(Math.max(approximated + 7, approximated * 1.17 ** 2));
      }
    },
  );

  it('names no rounds for a slowdown that wants over 100 of them', () => {
    const { comparisons } = calibrationOf(sameNoise(10, 0.1));

    expect(comparisons[0]?.wanted.map(({ effect, rounds }) => [effect, rounds === undefined])).toEqual([
      [0.03, true],
      [0.05, true],
      [0.1, false],
      [0.2, false],
    ]);
  });

  it('names the smallest slowdown that fails: at least the threshold, less with less noise', () => {
    const smallest = [0.01, 0.03, 0.08].map((sd) => calibrationOf(sameNoise(3, sd)).comparisons[0]?.detectable ?? 0);

    expect(smallest[0]).toBeGreaterThan(0.03);
    expect(smallest).toEqual([...smallest].sort((left, right) => left - right));
    expect(smallest[2]).toBeGreaterThan(0.08);
  });

  it('has few false alarms where head is base', () => {
    const { falseAlarms } = calibrationOf(recordedRounds({ rounds: 60, sd: 0.03, seed: 2 }), 100);

    expect(falseAlarms.measured).toMatchObject({ compares: 2, alarms: 0 });
    expect(falseAlarms.drawn.compares).toBe(100);
    expect(falseAlarms.drawn.alarms).toBeLessThanOrEqual(4);
    expect(falseAlarms.drawn.high).toBeGreaterThan(falseAlarms.drawn.alarms / 100);
  });

  it('alarms as measured, and not with fresh labels, where something makes one side slower', () => {
    const { falseAlarms } = calibrationOf(recordedRounds({ rounds: 60, sd: 0.03, seed: 2, slowdown: 0.15 }), 100);

    expect(falseAlarms.measured).toMatchObject({ compares: 2, alarms: 2 });
    expect(falseAlarms.drawn.alarms).toBeLessThanOrEqual(4);
  });

  it('makes do with fewer rounds than a whole comparison, but not with fewer than its first look', () => {
    const short = calibrationOf(recordedRounds({ rounds: 12, sd: 0.03, seed: 2 }));

    expect(short).toMatchObject({ rounds: 12, mostRounds: 30, falseAlarms: { measured: { compares: 1 } } });
    expect(() => calibrationOf(recordedRounds({ rounds: 9, sd: 0.03, seed: 2 }))).toThrow(MeasurementError);
    expect(() => calibrationOf([])).toThrow('needs 10 rounds of every service, but there are 0');
  });
});

describe('the record of a calibration', () => {
  const calibration = calibrationOf(recordedRounds({ rounds: 20, sd: 0.12, seed: 4 }), 10);

  it('reads what it wrote', () => {
    expect(parseCalibration(formatCalibration(calibration), 'calibration.json')).toEqual(calibration);
  });

  it.each([
    ['cut short', formatCalibration(calibration).slice(0, 100), 'is not valid JSON, or is truncated'],
    ['of another version', '{"schema": 7}', 'has schema 7, and this version reads schema 1'],
    ['no object', 'null', 'has no readable schema'],
    [
      'malformed',
      formatCalibration(calibration).replace('"rounds": 20', '"rounds": "many"'),
      'calibration.json: rounds',
    ],
  ])('is refused where it is %s', (_, content, message) => {
    expect(() => parseCalibration(content, 'calibration.json')).toThrow(ConfigError);
    expect(() => parseCalibration(content, 'calibration.json')).toThrow(message);
  });
});

/** Comparisons of 11 rounds whose robust standard deviation is exactly `sd`. */
function sameNoise(count: number, sd: number): readonly Compared[] {
  const step = sd / 1.4826;
  const logs = [-3, -2, -1, -1, -1, 0, 1, 1, 1, 2, 3].map((steps) => steps * step);
  return Array.from({ length: count }, (_, index) => ({
    cell: { suite: 'users', service: `service-${index}`, operation: 'all', tier: 'saturation' },
    metric: 'cpuMicrosPerRequest',
    better: 'lower',
    gate: true,
    base: logs.map(() => 100),
    head: logs.map((log) => 100 * Math.exp(log)),
  }));
}
