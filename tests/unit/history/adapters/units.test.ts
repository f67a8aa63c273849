import { describe, expect, it } from 'vitest';
import { factorBetween } from '../../../../src/history/adapters/units.ts';

describe('a value in another unit', () => {
  it.each([
    ['ns', 'ns', 1],
    ['us', 'ns', 1000],
    ['µs', 's', 1e-6],
    ['us/op', 'ns/op', 1000],
    ['ms/op', 's/op', 1e-3],
    ['ops/ms', 'ops/s', 1000],
    ['ops/s', 'ops/us', 1e-6],
    ['allocs/op', 'allocs/op', 1],
  ])('of %s in %s is %d times as much', (from, to, factor) => {
    expect(factorBetween(from, to)).toBeCloseTo(factor, 12);
  });

  it.each([
    ['ns/op', 'ns/iter'],
    ['ns', 'B'],
    ['ops/s', 'rows/s'],
    ['s', '1/s'],
    ['B/op', 'MB/s'],
    ['', 's'],
    ['constructor', 's'],
  ])('of %j is nothing in %j', (from, to) => {
    expect(factorBetween(from, to)).toBeUndefined();
  });
});
