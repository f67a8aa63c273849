import { describe, expect, it } from 'vitest';
import { NOISE_KINDS } from '../../../bench/rules/noise.ts';
import { PEERS, type Seen, seenOf } from '../../../bench/rules/peers.ts';
import { simulatedSources } from '../../../bench/rules/simulated.ts';
import { FAMILY, placeOf, simulate } from '../../../bench/rules/simulation.ts';
import { promisesOf, tableOf } from '../../../bench/rules/table.ts';
import { type Row, tally } from '../../../bench/rules/tally.ts';
import { seededRandom } from '../../../src/foundation/random.ts';
import { proportion } from '../../../src/judge/calibration/calibrate.ts';
import { logRatios } from '../../../src/judge/inference/family-test.ts';
import { hodgesLehmann } from '../../../src/judge/inference/location.ts';

function slowerBy(name: string, comparisons: readonly Seen[]): readonly number[] {
  return PEERS.find((peer) => peer.name === name)?.slower(comparisons) ?? [Number.NaN];
}

const BASE = [100, 101, 102, 103, 104, 105, 106, 107];

function times(factor: number, base: readonly number[] = BASE): Seen {
  const [seen] = seenOf(
    [{ base: base.map(Math.log), head: base.map((value) => Math.log(value * factor)) }],
    base.length,
  );
  return seen as Seen;
}

describe("the peers' rules", () => {
  const family = [times(1), times(1.015), times(1.05), times(1.2), times(2.5), times(0.5)];

  it.each([
    ['ratio of medians > 200%', [4]],
    ['ratio of medians > 110%', [3, 4]],
    // Standard error of each mean 0.87: t is 1.25 at +1.5%, 4.1 at +5%, 15 at +20%.
    ["Welch's t, p < .05", [2, 3, 4]],
    ['Perfherder (t > 7, 2%)', [3, 4]],
    // 8 against 8: p is 0.23 at +1.5%, 0.003 at +5%, 2 / 12,870 where all of head is above all of base.
    ['Mann-Whitney, p < .05', [2, 3, 4]],
    ['benchstat', [2, 3, 4]],
    ['Mann-Whitney + Holm', [2, 3, 4]],
  ])('%s calls %j slower', (name, slower) => {
    expect([...slowerBy(name, family)].sort()).toEqual(slower);
  });

  it('correct for the size of the family with Holm only', () => {
    const many = [times(1.05), ...Array.from({ length: 35 }, () => times(1))];

    expect(slowerBy('Mann-Whitney, p < .05', many)).toEqual([0]);
    expect(slowerBy('Mann-Whitney + Holm', many)).toEqual([]);
  });

  it('take figures without any spread as they are', () => {
    const [same, other] = [times(1, [5, 5, 5, 5]), times(1.5, [5, 5, 5, 5])];

    expect(PEERS.map(({ slower }) => slower([same, other]))).toEqual([[], [1], [1], [1], [1], [1], [1]]);
  });
});

describe('a simulated pull request', () => {
  it.each(NOISE_KINDS)('is slower where it should be, and nowhere else: $name', (kind) => {
    const medians = Array.from({ length: 40 }, (_, seed) => {
      const { rerun } = simulate(kind, seededRandom(seed), { comparison: 2, effect: 0.1 });
      return rerun.map((paired) => hodgesLehmann(logRatios(paired, 30)));
    });
    const meanOf = (comparison: number) =>
      medians.reduce((sum, one) => sum + (one[comparison] ?? Number.NaN), 0) / medians.length;

    expect(placeOf(2)).toBe('saturation');
    expect(Math.abs(meanOf(2) - Math.log(1.1))).toBeLessThan(0.01);
    expect(Math.abs(meanOf(1))).toBeLessThan(0.01);
    expect(medians[0]).toHaveLength(FAMILY);
  });
});

describe('the table of rules', () => {
  const trial = { unchanged: 100, slowed: 30, effects: [0.1], seed: 2, swaps: 5000, peerRounds: 15 };

  it('shows that Mann-Whitney alarms where ours does not, and that Holm finds less', { timeout: 120_000 }, () => {
    const [, typical] = simulatedSources();
    const rows = typical === undefined ? [] : tally(typical, trial);
    const row = (rule: string) => rows.find((one) => one.rule === rule);

    expect(row('Mann-Whitney, p < .05')?.falseAlarms.count).toBeGreaterThan(10);
    expect(row('Wiregauge')?.falseAlarms.count).toBeLessThanOrEqual(1);
    expect(row('Wiregauge')?.found[0]?.count).toBeGreaterThan(row('Mann-Whitney + Holm')?.found[0]?.count ?? 30);
  });

  const rowOf = (rule: string, alarms: number, found: number): Row => ({
    source: 'typical',
    rule,
    isOurs: rule === 'Wiregauge',
    falseAlarms: proportion(alarms, 1000),
    found: [proportion(found, 1000)],
    rounds: [15, 15],
  });
  const effect = { place: 0, name: '+10%' };
  const kept = (rows: readonly Row[]) => promisesOf(rows, effect).map(({ isKept }) => isKept);

  it('is in Markdown, with bounds', () => {
    expect(tableOf([rowOf('Wiregauge', 0, 950)], [0.1])).toMatchInlineSnapshot(`
      "| noise   | rule      | false alarms per pull request | +10% found         | mean rounds at 0 / +10% |
      | ------- | --------- | ----------------------------- | ------------------ | ----------------------- |
      | typical | Wiregauge | 0.0% [0.0, 0.4]               | 95.0% [93.5, 96.2] | 15 / 15                 |"
    `);
  });

  it('says which promises are kept', () => {
    const alarming = rowOf('Mann-Whitney', 300, 1000);
    const rival = rowOf('Mann-Whitney + Holm', 10, 900);

    expect(kept([rowOf('Wiregauge', 10, 950), alarming, rival])).toEqual([true, true]);
    expect(kept([rowOf('Wiregauge', 11, 950), alarming, rival])).toEqual([false, true]);
    expect(kept([rowOf('Wiregauge', 0, 800), alarming, rival])).toEqual([true, false]);
    expect(kept([rowOf('Wiregauge', 0, 895), alarming, rival])).toEqual([true, true]);
    expect(promisesOf([rowOf('Wiregauge', 0, 895), rival], effect)[1]?.line).toContain('level with');
  });
});
