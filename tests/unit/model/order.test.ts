import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { blockTurns, roundOrder } from '../../../src/model/rounds.ts';

const TIERS = ['100', '500', '1000'];

describe('roundOrder', () => {
  test('gives the same for the same attempt, and saturation first', () => {
    const name = { seed: 7, service: 'rest', round: 3 };
    expect(roundOrder(name, TIERS)).toEqual(roundOrder(name, TIERS));
    expect(roundOrder(name, TIERS).loads[0]).toBe('saturation');
  });

  test('is a fair coin over rounds, services and seeds, with every order of the tiers', () => {
    const orders = Array.from({ length: 3000 }, (_, index) =>
      roundOrder({ seed: index % 50, service: index % 2 === 0 ? 'rest' : 'grpc', round: index }, TIERS),
    );
    const heads = orders.filter(({ first }) => first === 'head').length;
    // Five standard deviations of a fair coin.
    expect(Math.abs(heads - 1500)).toBeLessThan(137);
    const seen = new Map<string, number>();
    for (const { loads } of orders) {
      const key = loads.join();
      seen.set(key, (seen.get(key) ?? 0) + 1);
    }
    expect(seen.size).toBe(6);
    expect(Math.min(...seen.values())).toBeGreaterThan(400);
  });

  test('neighboring rounds are not alike more often than chance has it', () => {
    const firsts = Array.from(
      { length: 2000 },
      (_, round) => roundOrder({ seed: 1, service: 'rest', round }, TIERS).first,
    );
    const alike = firsts.filter((first, index) => index > 0 && first === firsts[index - 1]).length;
    expect(Math.abs(alike - 1000)).toBeLessThan(112);
  });
});

describe('blockTurns', () => {
  test('mirrors: first, second, second, first, and then the other way round', () => {
    expect(blockTurns('base', 4).map((side) => side[0])).toEqual([...'bhhbhbbh']);
    expect(blockTurns('head', 2)).toEqual(['head', 'base', 'base', 'head']);
  });

  test('gives both versions as many blocks, with the same mean place for an even number', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 20 }),
        fc.constantFrom('base' as const, 'head' as const),
        (blocks, first) => {
          const turns = blockTurns(first, blocks);
          expect(turns.filter((side) => side === first)).toHaveLength(blocks);
          if (blocks % 2 === 0) {
            const places = (required: string) =>
              turns.reduce((sum, side, index) => sum + (side === required ? index : 0), 0);
            expect(places('base')).toBe(places('head'));
          }
        },
      ),
    );
  });
});
