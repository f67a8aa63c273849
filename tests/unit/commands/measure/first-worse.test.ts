import { describe, expect, test } from 'vitest';
import { firstWorse, type Tried } from '../../../../src/commands/measure/first-worse.ts';

const seen = (worse: number, half = 0.01): Tried => ({ kind: 'seen', worse, low: worse - half, high: worse + half });

/** A history in which the commits from one place on are 5% worse; `told` says otherwise of some comparisons. */
function history(first: number, reported: (place: number, again: number) => Tried | undefined = () => undefined) {
  const requested: number[] = [];
  const compareAt = async (place: number) => {
    const again = requested.filter((one) => one === place).length;
    requested.push(place);
    return reported(place, again) ?? seen(place >= first ? 0.05 : 0.001);
  };
  return { requested, compareAt };
}

describe('firstWorse', () => {
  test.each([1, 2, 7, 16, 31, 32])('finds commit %s of 32', async (first) => {
    const { requested, compareAt } = history(first);

    const found = await firstWorse(32, compareAt);

    expect(found).toMatchObject({ outcome: 'found', suspects: { from: first, to: first } });
    expect(found.suspects.probability).toBeGreaterThan(0.95);
    expect(found.comparisons).toBe(requested.length);
    expect(requested[0]).toBe(32);
    expect(requested.length).toBeLessThan(10);
  });

  test('is not led astray by one comparison that was disturbed', async () => {
    const { requested, compareAt } = history(20, (place, again) =>
      place === 16 && again === 0 ? seen(0.05) : undefined,
    );

    const found = await firstWorse(32, compareAt);

    expect(found).toMatchObject({ outcome: 'found', suspects: { from: 20, to: 20 } });
    expect(requested.filter((place) => place === 16).length).toBeGreaterThan(1);
  });

  test('passes commits that cannot be compared, and names them with the one after them', async () => {
    const broken = new Set([7, 8, 9]);
    const { compareAt } = history(8, (place) =>
      broken.has(place) ? { kind: 'unmeasurable', why: 'it does not build' } : undefined,
    );

    const found = await firstWorse(16, compareAt);

    expect(found).toMatchObject({ outcome: 'found', suspects: { to: 10 } });
    expect([...found.skipped.values()]).toContain('it does not build');
    for (const place of found.skipped.keys()) {
      expect(broken.has(place)).toBe(true);
    }
  });

  test('searches nothing if the bad commit is not worse', async () => {
    const { requested, compareAt } = history(99);

    expect(await firstWorse(32, compareAt)).toMatchObject({ outcome: 'same' });
    expect(new Set(requested)).toEqual(new Set([32]));
  });

  test('measures a noisy change of the bad commit again before it searches', async () => {
    const { requested, compareAt } = history(3, (place) => (place === 4 ? seen(0.05, 0.05) : undefined));

    expect(await firstWorse(4, compareAt)).toMatchObject({ outcome: 'found', suspects: { from: 3, to: 3 } });
    expect(requested.slice(0, 4)).toEqual([4, 4, 4, 2]);
  });

  test('gives up on comparisons that remain inconclusive', async () => {
    const { requested, compareAt } = history(3, (place) => (place < 8 ? seen(0.025, 0.5) : undefined));

    expect(await firstWorse(8, compareAt)).toMatchObject({ outcome: 'unsure' });
    expect(requested.length).toBeLessThan(30);
  });

  test('says what is likeliest if it ends early, and nothing if nothing was compared', async () => {
    const ended: Tried = { kind: 'ended' };
    const early = await firstWorse(8, history(7, (place) => (place === 6 ? ended : undefined)).compareAt);
    const none = await firstWorse(8, async () => ended);

    expect(early).toMatchObject({ outcome: 'ended', comparisons: 2 });
    expect(early.suspects.from).toBeGreaterThan(4);
    expect(none).toMatchObject({ outcome: 'ended', effect: undefined, comparisons: 0 });
  });
});
