import { expect, test } from 'vitest';
import { compareVersions } from '../../../../src/measure/plans/compare.ts';
import { fakeRounds, type RoundsBehavior } from '../../../support/fake-rounds.ts';
import { restService } from '../../../support/suite.ts';

/** The service `first`, compared with another one, which keeps its name. */
async function comparedWith(behavior: RoundsBehavior) {
  const { bench, head, started } = fakeRounds(behavior);
  const suite = { ...bench.suite, services: ['first'] };
  const base = { ...bench.versions.base, services: new Map([['first', restService('reference')]]) };
  const run = await compareVersions({ ...bench, suite, versions: { ...bench.versions, base } }, head);
  return { run, started };
}

test('samples of a reference are of the cells of the service that is compared with it', async () => {
  const { run, started } = await comparedWith({});

  expect(started.filter((name) => name.startsWith('base')).every((name) => name === 'base reference')).toBe(true);
  const sides = new Set(run.samples.map(({ cell, side }) => `${side} ${cell.service}`));
  expect([...sides].toSorted()).toEqual(['base first', 'head first']);
});

test('the failure of a reference names it', async () => {
  const { run } = await comparedWith({ base: { endsUnderLoad: ['reference'] } });

  const failed = run.rounds.rounds.find(({ outcome }) => outcome === 'failed');
  expect(failed).toMatchObject({ service: 'first', failure: { side: 'base' } });
  expect(failed?.failure?.message).toMatch(/^reference exited under load/);
});
