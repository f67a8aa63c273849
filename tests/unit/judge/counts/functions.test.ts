import { describe, expect, test } from 'vitest';
import { grownFunctions } from '../../../../src/judge/counts/functions.ts';
import { ALL_OPERATIONS } from '../../../../src/model/metric.ts';
import { ALL_TIERS } from '../../../../src/model/policy.ts';
import { type ExecutedFunction, MAX_FUNCTIONS } from '../../../../src/model/run/functions.ts';
import { sampleCounts } from '../../../support/sample-counts.ts';

const executed = (name: string, self: number, inclusive: number): ExecutedFunction => ({
  name,
  object: 'shop',
  self,
  inclusive,
});

/** What grew in the REST service, of 888,000 instructions: a growth of 888 is none yet. */
const grownFrom = (base: readonly ExecutedFunction[], head: readonly ExecutedFunction[]) =>
  grownFunctions(sampleCounts({ functions: { base, head } }), {
    cell: { suite: 'users', service: 'rest', operation: ALL_OPERATIONS, tier: ALL_TIERS },
    base: 888_000,
  });

describe('the functions that grew', () => {
  test('are those that execute more than two checkouts differ by, the most first', () => {
    const base = [executed('serve', 1000, 800_000), executed('encode', 90_000, 300_000), executed('read', 500, 500)];
    const head = [executed('serve', 1000, 813_000), executed('encode', 98_000, 312_000), executed('read', 1387, 1387)];

    expect(grownFrom(base, head)).toEqual([
      { name: 'serve', object: 'shop', base: 800_000, head: 813_000, more: 13_000, moreSelf: 0 },
      { name: 'encode', object: 'shop', base: 300_000, head: 312_000, more: 12_000, moreSelf: 8000 },
    ]);
  });

  test('leave out those that call nearly all of the service, unless they grew by themselves', () => {
    const base = [executed('main', 10, 888_000), executed('loop', 9000, 887_000), executed('serve', 1000, 800_000)];
    const head = [executed('main', 10, 901_000), executed('loop', 11_000, 900_000), executed('serve', 1000, 811_000)];

    expect(grownFrom(base, head).map(({ name }) => name)).toEqual(['loop', 'serve']);
  });

  test('are distinguished by the file that they come from', () => {
    const base = [executed('copy', 9000, 9000), { ...executed('copy', 2000, 2000), object: 'libc.so.6' }];
    const head = [executed('copy', 9000, 9000), { ...executed('copy', 5000, 5000), object: 'libc.so.6' }];

    expect(grownFrom(base, head)).toMatchObject([{ object: 'libc.so.6', more: 3000 }]);
  });

  test('are new ones, too', () => {
    expect(grownFrom([executed('serve', 1, 1)], [executed('check', 5000, 6000), executed('serve', 1, 1)])).toEqual([
      { name: 'check', object: 'shop', base: 0, head: 6000, more: 6000, moreSelf: 5000 },
    ]);
  });

  test('grew by at least what they exceed the last by that is known of base, if they are not', () => {
    const base = Array.from({ length: MAX_FUNCTIONS }, (_, index) => executed(`f${index}`, 10, 9000 - index));
    const head = [...base.slice(0, -1), executed('check', 12_000, 12_000)];

    expect(grownFrom(base, head)).toEqual([
      { name: 'check', object: 'shop', base: undefined, head: 12_000, more: 3099, moreSelf: 3099 },
    ]);
  });

  test('are eight, with those that grew most by themselves', () => {
    const callers = Array.from({ length: 20 }, (_, index) => executed(`caller${index}`, 100, 700_000 - index));
    const base = [...callers, executed('copy', 50_000, 50_000)];
    const head = [
      ...callers.map((one) => ({ ...one, inclusive: one.inclusive + 10_000 })),
      executed('copy', 59_000, 59_000),
    ];

    const names = grownFrom(base, head).map(({ name }) => name);

    expect(names).toHaveLength(8);
    expect(names.slice(0, 2)).toEqual(['caller0', 'caller1']);
    expect(names.at(-1)).toBe('copy');
  });

  test('are none if a version lists none', () => {
    expect(grownFrom([], [executed('serve', 1, 900_000)])).toEqual([]);
    expect(grownFrom([executed('serve', 1, 900_000)], [])).toEqual([]);
    expect(
      grownFunctions(sampleCounts(), { cell: { suite: '', service: 'rest', operation: '', tier: '' }, base: 1 }),
    ).toEqual([]);
  });
});
