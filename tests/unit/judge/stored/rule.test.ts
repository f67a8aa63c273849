import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Random, seededRandom, shuffled } from '../../../../src/foundation/random.ts';
import {
  boundOf,
  criticalValue,
  type HistoryRule,
  levelOf,
  type StoredLevel,
  type StoredValue,
  windowOf,
} from '../../../../src/judge/stored/bound.ts';
import { normalValue, normalValues } from './histories.ts';

const RULE: HistoryRule = { critical: 3.5, threshold: 0.05 };

function past(values: readonly number[], logControls: readonly number[] = []): StoredValue[] {
  return values.map((y, index) => ({ y, logControl: logControls[index], rounds: 3, at: String(index) }));
}

function level(...strata: readonly (readonly number[])[]): StoredLevel {
  return levelOf(
    strata.map((values) => past(values)),
    undefined,
  );
}

/** -0.10, -0.09, ... 0.10 about a center. */
const steps = (center: number) => Array.from({ length: 21 }, (_, index) => center + (index - 10) / 100);

describe('the prediction bound', () => {
  test('is what the formula gives by hand', () => {
    // MAD 0.05, so s = 0.07413; sqrt(1 + pi / 42) = 1.036725.
    const { bound, detectable } = boundOf(3, level(steps(3)), RULE);

    expect(bound - 3).toBeCloseTo(3.5 * 0.07413 * 1.036725, 5);
    // t(0.9, 20) = 1.325341
    expect(Math.log1p(detectable)).toBeCloseTo((3.5 + 1.325341) * 0.07413 * 1.036725, 5);
  });

  test('takes noise for at least 1%, also where nothing ever moved', () => {
    const constant = level(Array.from({ length: 30 }, () => 5));

    expect(constant).toMatchObject({ center: 5, spread: 0.01, worst: 5 });
    expect(boundOf(5, constant, RULE).status).toBe('within-bound');
    expect(boundOf(5.06, constant, RULE).status).toBe('suspicious');
  });

  test.each([
    { what: 'above bound and threshold is suspicious', y: 0.2, size: 0.02, status: 'suspicious' },
    { what: 'below the bound is not', y: 0.1, size: 0.06, status: 'inconclusive' },
    { what: 'below the threshold is not', y: 0.048, size: 0.001, status: 'inconclusive' },
  ])('a run $what', ({ y, size, status }) => {
    const values = Array.from({ length: 30 }, (_, index) => (index % 2 === 0 ? size : -size));

    expect(boundOf(y, level(values), RULE).status).toBe(status);
  });

  test('needs a run that is worse than any before by half the threshold', () => {
    const quiet = Array.from({ length: 29 }, (_, index) => ((index % 3) - 1) / 1000);
    const once = level([...quiet, 0.1]);

    expect(boundOf(0.11, level([...quiet, 0]), RULE).status).toBe('suspicious');
    expect(boundOf(0.11, once, RULE).status).toBe('inconclusive');
    expect(boundOf(0.1 + Math.log(1.05) / 2 + 0.001, once, RULE).status).toBe('suspicious');
  });

  test('says no regression only where a slowdown of the threshold is excluded', () => {
    const quiet = level(Array.from({ length: 30 }, (_, index) => ((index % 3) - 1) / 1000));

    expect(boundOf(0.02, quiet, RULE).status).toBe('within-bound');
    // Not above the bound of 3.7%, but not far enough below 5% either.
    expect(boundOf(0.034, quiet, RULE).status).toBe('inconclusive');
    // The bound itself is above 3%.
    expect(boundOf(0, quiet, { ...RULE, threshold: 0.03 }).status).toBe('inconclusive');
    expect(boundOf(0, level(steps(0)), RULE).status).toBe('inconclusive');
  });
});

describe('the level of pooled strata', () => {
  test('is that of the own stratum, with the noise of all', () => {
    const pooled = level([1, 1.01, 1.02, 0.99, 0.98], [2, 2.04, 2.08, 1.96, 1.92], [7, 7.04, 6.96, 7.08, 6.92]);

    expect(pooled).toMatchObject({ center: 1, runs: 15, strata: 3 });
    expect(pooled.worst).toBeCloseTo(1.08, 9);
    // The three medians deviate by nothing and are left out: the median of 12 sizes, 0.01 to 0.08, is 0.04.
    expect(pooled.spread).toBeCloseTo(1.4826 * 0.04, 9);
  });

  test('makes the bound wider for the few runs of its own stratum', () => {
    const noise = (count: number) => Array.from({ length: count }, (_, index) => (index % 2 === 0 ? 0.03 : -0.03));
    const many = boundOf(0, level(noise(10), noise(10)), RULE);
    const few = boundOf(0, level(noise(6), noise(14)), RULE);

    expect(few.bound).toBeGreaterThan(many.bound);
  });
});

describe('the window', () => {
  const runs = (count: number) => past(Array.from({ length: count }, (_, index) => index));
  const sizes = (own: number, ...others: number[]) =>
    windowOf({ own: runs(own), others: others.map(runs) }).map(({ length }) => length);

  test.each([
    ['the newest 30 of its own stratum', [45, 30], [30]],
    ['its own stratum alone from 20 runs on', [20, 30], [20]],
    ['all strata of at least 5 runs where it is thin', [19, 30, 4, 5], [19, 30, 5]],
    ['advice from 10 runs on', [10], [10]],
    ['a thin stratum with help', [5, 5], [5, 5]],
    ['nothing below 10 runs', [9, 4], []],
    ['nothing where its own level is unknown', [4, 30], []],
  ])('takes %s', (_what, counts, expected) => {
    const [own = 0, ...others] = counts;

    expect(sizes(own, ...others)).toEqual(expected);
  });

  test('keeps the newest runs', () => {
    const [own] = windowOf({ own: runs(45), others: [] });

    expect(own?.map(({ y }) => y)).toEqual(Array.from({ length: 30 }, (_, index) => index + 15));
  });
});

const values = fc.array(fc.double({ min: -0.2, max: 0.2, noNaN: true }), { minLength: 10, maxLength: 30 });

describe('the rule, for any figures', () => {
  test('does not hang on the unit', () => {
    fc.assert(
      fc.property(values, fc.double({ min: -20, max: 20, noNaN: true }), (noise, unit) => {
        const one = boundOf(0.1, level(noise), RULE);
        const other = boundOf(0.1 + unit, level(noise.map((y) => y + unit)), RULE);

        expect(other.bound - unit).toBeCloseTo(one.bound, 9);
        expect(other.detectable).toBeCloseTo(one.detectable, 9);
      }),
    );
  });

  test('does not hang on the order of the runs', () => {
    fc.assert(
      fc.property(values, values, fc.nat(), (own, other, seed) => {
        const mixed = (noise: number[]) => shuffled(noise, seededRandom(seed));

        expect(boundOf(0.1, level(mixed(own), mixed(other)), RULE)).toEqual(boundOf(0.1, level(own, other), RULE));
      }),
    );
  });

  test('finds a worse run at least as suspicious', () => {
    const rank = { 'within-bound': 0, inconclusive: 1, suspicious: 2 };
    fc.assert(
      fc.property(
        values,
        fc.double({ min: -1, max: 1, noNaN: true }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (noise, y, more) => {
          const [less, worse] = [y, y + more].map((now) => rank[boundOf(now, level(noise), RULE).status]);

          expect(worse).toBeGreaterThanOrEqual(less ?? 0);
        },
      ),
    );
  });
});

/** Unchanged runs of four kinds of noise. */
const NOISE: Readonly<Record<string, (random: Random) => number>> = {
  'quiet normal': (random) => 0.01 * normalValue(random),
  'loud normal': (random) => 0.05 * normalValue(random),
  'heavy tails (Student, 3 degrees)': (random) => {
    const squares = normalValues(random, 3, 1).reduce((sum, value) => sum + value * value, 0);
    return (0.02 * normalValue(random)) / Math.sqrt(squares / 3);
  },
  'two levels 8% apart': (random) => 0.01 * normalValue(random) + (random() < 0.3 ? 0.08 : 0),
};

describe.each(Object.entries(NOISE))('with noise that is %s', (_name, noise) => {
  const random = seededRandom(20261121);
  const draw = (count: number) => Array.from({ length: count }, () => noise(random));
  const drawn = (...counts: readonly number[]) =>
    Array.from({ length: 250 }, () => ({ past: level(...counts.map(draw)), now: noise(random) }));
  const drawnFamily = (size: number) =>
    Array.from({ length: size }, () => ({ past: level(draw(25)), now: noise(random) }));
  const share = (found: readonly boolean[]) => found.filter(Boolean).length / found.length;

  test('the slowdown that it claims to see is seen in 9 of 10 runs, and one of the threshold seldom passes', () => {
    const runs = drawn(30).map(({ past: before, now }) => ({
      before,
      now,
      rule: { critical: criticalValue([before], 0.02), threshold: 0.05 },
    }));
    const seen = runs.map(({ before, now, rule }) => {
      const effect = Math.log1p(boundOf(now, before, rule).detectable);
      return boundOf(now + effect, before, rule).status === 'suspicious';
    });
    const passed = runs.map(
      ({ before, now, rule }) => boundOf(now + Math.log1p(rule.threshold), before, rule).status === 'within-bound',
    );

    expect(share(seen)).toBeGreaterThanOrEqual(0.85);
    expect(share(passed)).toBeLessThanOrEqual(0.05);
  });

  test.each([1, 5])('at most 3% of unchanged runs have a suspicion in a family of %i', (size) => {
    const runs = Array.from({ length: 250 }, () => drawnFamily(size));

    const alarms = runs.map((family) => {
      const critical = criticalValue(
        family.map(({ past: before }) => before),
        0.02,
      );
      return family.some(
        ({ past: before, now }) => boundOf(now, before, { critical, threshold: 0.05 }).status === 'suspicious',
      );
    });

    expect(share(alarms)).toBeLessThanOrEqual(0.03);
  });
});
