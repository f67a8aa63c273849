import { describe, expect, it } from 'vitest';
import { type Kept, KINDS, multipleOf } from '../../../bench/kinds/kind.ts';
import { plotOf } from '../../../bench/kinds/plot.ts';
import { tableOf } from '../../../bench/kinds/table.ts';

const kept: Kept = {
  counts: { 'python/none': 1000, 'python/json': 1220, 'python/sleep': 1001 },
  rounds: { 'python/json': { cpu: 1.1, rate: 0.9 }, 'go/json': { cpu: 0.8, rate: 1.25 } },
};

describe('kinds of changes', () => {
  it('are multiples of the service without the change', () => {
    expect(multipleOf(kept, 'json', ['python', 'instructions'])).toBeCloseTo(1.22);
    expect(multipleOf(kept, 'json', ['go', 'rate'])).toBe(1.25);
    expect(multipleOf(kept, 'tls', ['python', 'cpu'])).toBeUndefined();
    expect(multipleOf({ ...kept, counts: { 'python/json': 1 } }, 'json', ['python', 'instructions'])).toBeUndefined();
  });

  it('have a row each, with nothing for what was not measured', () => {
    const rows = tableOf(kept).split('\n');

    expect(rows).toHaveLength(2 + KINDS.size);
    expect(rows[2]).toBe('| JSON library | +22% | +10% | −10% |  | −20% | +25% |');
    expect(rows.at(-1)).toBe('| sleep | +0.1% |  |  |  |  |  |');
  });

  it('are drawn where their multiples lie: a rate as the time that a request takes', () => {
    const drawn = (measured: Kept): readonly string[] =>
      [...plotOf(measured).matchAll(/translate\(\S+ \S+\)/g)].map(String);
    const legend = drawn({ counts: {}, rounds: {} });
    const placeOf = (rate: number): string | undefined =>
      drawn({ counts: {}, rounds: { 'go/json': { cpu: 1, rate } } }).filter((place) => !legend.includes(place))[0];

    expect(legend).toHaveLength(3);
    expect(drawn(kept)).toHaveLength(3 + 2 + 4);
    expect(Number(placeOf(0.5)?.match(/[\d.]+/)?.[0])).toBeGreaterThan(Number(placeOf(2)?.match(/[\d.]+/)?.[0]));
  });
});
