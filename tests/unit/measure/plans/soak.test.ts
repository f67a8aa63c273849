import { expect, test } from 'vitest';
import { planSoak } from '../../../../src/measure/plans/soak.ts';
import { usersSuite } from '../../../support/suite.ts';

const suite = usersSuite();
const soak = (change: object = {}) => planSoak({ suite, seconds: 600, modes: undefined, seed: 1, ...change });

test('a soak loads each service once, at the middle tier, for its time', () => {
  const { trials, suite: loaded, profile, modes } = soak();

  expect(trials.map(({ service }) => service).toSorted()).toEqual([...suite.services].toSorted());
  expect(loaded.tiers.map(({ name }) => name)).toEqual(['medium']);
  expect(trials.every(({ measureSeconds }) => measureSeconds === 600)).toBe(true);
  expect([profile.name, profile.rounds, modes]).toEqual(['soak', 1, ['open']]);
});

test('or in a closed loop: on request, and if no tier has a rate', () => {
  const closed = { ...suite, tiers: [] };

  for (const { trials } of [soak({ modes: ['saturate'] }), soak({ suite: closed })]) {
    expect(new Set(trials.map(({ pace }) => pace.kind))).toEqual(new Set(['saturate']));
    expect(trials.every(({ measureSeconds }) => measureSeconds === 600)).toBe(true);
  }
  expect(() => soak({ suite: closed, modes: ['open'] })).toThrow('no tier has a rate');
});

test('a time in which memory shows nothing is refused', () => {
  expect(() => soak({ seconds: 19 })).toThrow('--for 19s: shows no growth of memory, which takes at least 20 s');
});

test('a time whose records fill the memory is refused', () => {
  expect(() => soak({ seconds: 3601 })).toThrow('--for 3601s: the limit is 3600 s');
});

test('a tier of some operations is loaded only if there is no other', () => {
  const [first, ...others] = suite.tiers.map((tier) => ({ ...tier, operations: ['GetUser'] }));
  const [whole] = suite.tiers;

  expect(soak({ suite: { ...suite, tiers: [first, ...others, whole] } }).suite.tiers).toEqual([whole]);
  expect(soak({ suite: { ...suite, tiers: [first] } }).suite.tiers).toEqual([first]);
});
