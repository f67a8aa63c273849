import { expect, test } from 'vitest';
import { memberOf, memberOperation } from '../../../src/model/metric.ts';
import { DEFAULT_POLICY, isGate, rowsOf, thresholdOf } from '../../../src/model/policy.ts';

const metric = 'cpuMicrosPerRequest';
const cell = { suite: 'main', service: 'shop', operation: memberOperation('back'), tier: 'saturation' };
const whole = { ...cell, operation: 'all' };

test('a member is distinguished from an operation by its name alone', () => {
  expect(memberOf(cell)).toBe('back');
  expect(memberOf(whole)).toBeUndefined();
});

test('only the CPU time of a member is compared, and it does not gate', () => {
  expect(rowsOf(cell)).toEqual([{ metric, gate: false }]);
});

test('a line about all places is about whole services, and one that names a member about that alone', () => {
  const everywhere = { ...DEFAULT_POLICY, thresholds: [{ gate: true, threshold: 0.2 }] };
  const named = { ...DEFAULT_POLICY, thresholds: [{ operation: '.back', gate: true, threshold: 0.2 }] };

  expect([isGate(everywhere, { cell, metric }, false), thresholdOf(everywhere, { cell, metric })]).toEqual([
    false,
    0.03,
  ]);
  expect([
    isGate(everywhere, { cell: whole, metric }, false),
    thresholdOf(everywhere, { cell: whole, metric }),
  ]).toEqual([true, 0.2]);
  expect([isGate(named, { cell, metric }, false), thresholdOf(named, { cell, metric })]).toEqual([true, 0.2]);
  expect(isGate(named, { cell: whole, metric }, false)).toBe(false);
});
