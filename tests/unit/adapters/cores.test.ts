import { expect, test } from 'vitest';
import { chooseCores, coresOf } from '../../../src/adapters/cores.ts';

test.each([
  ['0', [0]],
  ['0-3', [0, 1, 2, 3]],
  ['2,5-6', [2, 5, 6]],
])('reads the kernel list of cores "%s"', (list, cores) => {
  expect(coresOf(list)).toEqual(cores);
});

test('takes cores that this program may use', () => {
  const { service, load } = chooseCores();

  expect(service).toBeGreaterThanOrEqual(0);
  expect(load).toBeGreaterThanOrEqual(service);
});
