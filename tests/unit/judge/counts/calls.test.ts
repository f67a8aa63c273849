import { describe, expect, test } from 'vitest';
import { comparedCalls, grownFunctions } from '../../../../src/judge/counts/functions.ts';
import { ALL_OPERATIONS } from '../../../../src/model/metric.ts';
import { ALL_TIERS } from '../../../../src/model/policy.ts';
import { type ExecutedCall, type ExecutedFunction, MAX_CALLS } from '../../../../src/model/run/functions.ts';
import { sampleCounts } from '../../../support/sample-counts.ts';

const call = (name: string, inclusive: number, parent = -1): ExecutedCall => ({
  name,
  object: 'shop',
  inclusive,
  parent,
});

const BASE = [call('serve', 700_000), call('get', 400_000, 0), call('list', 200_000, 0), call('encode', 100_000, 1)];

const HEAD = [
  call('serve', 712_000),
  call('get', 411_900, 0),
  call('list', 200_000, 0),
  call('encode', 104_000, 1),
  call('sort', 7900, 1),
  call('encode', 4000, 2),
];

const functionsOf = (calls: readonly ExecutedCall[]): readonly ExecutedFunction[] =>
  [...new Set(calls.map(({ name }) => name))].map((name) => {
    const inclusive = calls.filter((one) => one.name === name).reduce((sum, one) => sum + one.inclusive, 0);
    return { name, object: 'shop', self: 0, inclusive };
  });

const run = sampleCounts({
  functions: { base: functionsOf(BASE), head: functionsOf(HEAD) },
  calls: { base: BASE, head: HEAD },
});

test('calls of both versions stand side by side, by the functions that led to them', () => {
  const same = { object: 'shop', calls: [] };

  expect(comparedCalls(run, 'rest')).toEqual([
    {
      ...{ name: 'serve', object: 'shop', base: 700_000, head: 712_000, more: 12_000 },
      calls: [
        {
          ...{ name: 'get', object: 'shop', base: 400_000, head: 411_900, more: 11_900 },
          calls: [
            { ...same, name: 'encode', base: 100_000, head: 104_000, more: 4000 },
            { ...same, name: 'sort', base: undefined, head: 7900, more: 7900 },
          ],
        },
        {
          ...{ name: 'list', object: 'shop', base: 200_000, head: 200_000, more: 0 },
          calls: [{ ...same, name: 'encode', base: undefined, head: 4000, more: 4000 }],
        },
      ],
    },
  ]);
});

test('a call that base does not list executed no more there than the last listed one', () => {
  const base = Array.from({ length: MAX_CALLS }, (_, place) => call(`f${place}`, 900 - place));
  const head = [call('new', 1000), call('small', 500)];
  const compared = comparedCalls(sampleCounts({ functions: { base: [], head: [] }, calls: { base, head } }), 'rest');

  expect(compared.map(({ name, base: before, more }) => [name, before, more])).toEqual([
    ['new', undefined, 1000 - 601],
    ['small', undefined, 0],
  ]);
});

test('nothing is compared without the calls of base', () => {
  expect(
    comparedCalls(sampleCounts({ calls: { base: [], head: HEAD }, functions: { base: [], head: [] } }), 'rest'),
  ).toEqual([]);
  expect(comparedCalls(sampleCounts(), 'rest')).toEqual([]);
});

describe('the functions that grew', () => {
  const whole = {
    cell: { suite: 'users', service: 'rest', operation: ALL_OPERATIONS, tier: ALL_TIERS },
    base: 888_000,
  };

  test('leave out one that grew only by another that it calls', () => {
    expect(grownFunctions(run, whole).map(({ name, more }) => [name, more])).toEqual([
      ['get', 11_900],
      ['encode', 8000],
      ['sort', 7900],
    ]);
  });

  test('keep it if who called whom is not known', () => {
    const old = sampleCounts({ functions: { base: functionsOf(BASE), head: functionsOf(HEAD) } });

    expect(grownFunctions(old, whole).map(({ name }) => name)).toEqual(['serve', 'get', 'encode', 'sort']);
  });
});
