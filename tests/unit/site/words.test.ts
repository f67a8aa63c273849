import { describe, expect, it } from 'vitest';
import { seriesGroups } from '../../../site/model/grouping.ts';
import { EMPTY_STORE, lineOf, withSegment } from '../../../site/model/store.ts';
import { lineLabel, seriesLabel, sharedTierLabel, tierLabel } from '../../../site/model/words.ts';
import { seriesKey } from '../../../src/history/store/entry.ts';
import { tierTitle } from '../../../src/model/suite/tier-words.ts';
import { usersSuite } from '../../support/suite.ts';
import { anEntry, aSeries } from './runs.ts';

const MEDIUM = aSeries({ tier: 'medium', load: '500 users' });

describe('a tier', () => {
  it('is called as reports call it', () => {
    const [tier] = usersSuite().tiers.filter(({ name }) => name === 'medium');

    expect(tierLabel(MEDIUM)).toBe('500 users (medium)');
    expect(tier && tierTitle(tier)).toBe('500 users (medium)');
    expect(seriesLabel(MEDIUM)).toBe('REST, all operations, 500 users (medium): p95 latency');
    expect(lineLabel(MEDIUM)).toBe('REST, 500 users (medium)');
  });

  it('has its name alone where its runs do not say what it asks for', () => {
    expect(tierLabel({ tier: 'medium' })).toBe('medium');
    expect(tierLabel({ tier: 'saturation' })).toBe('saturation');
    expect(seriesLabel(aSeries({ tier: 'medium' }))).toBe('REST, all operations, medium: p95 latency');
  });

  it('of several series has the words that all of them have which say any', () => {
    const unknown = aSeries({ tier: 'medium', service: 'grpc' });

    expect(sharedTierLabel('medium', [unknown, MEDIUM])).toBe('500 users (medium)');
    expect(sharedTierLabel('medium', [MEDIUM, { ...unknown, load: '50 users' }])).toBe('medium');
    expect(sharedTierLabel('high', [MEDIUM])).toBe('high');
    expect(sharedTierLabel('saturation', [MEDIUM])).toBe('saturation');
  });

  it('shows no text from outside as more than a text', () => {
    expect(tierLabel({ tier: 'a\u001b[31m', load: `\u202e${'x'.repeat(500)}` })).toMatch(/^x{159}… \(a \[31m\)$/);
  });
});

it('names the service and the share of a planted slowdown, which has a table of its own', () => {
  const plant = aSeries({ operation: 'all', tier: 'all', metric: 'planted 5% slowdown', unit: 's' });

  expect(seriesLabel(plant)).toBe('REST: time to find a planted 5% slowdown');
  expect(seriesGroups([plant, MEDIUM]).map(({ title }) => title)).toEqual([
    'REST, all operations',
    'Planted slowdowns',
  ]);
});

describe('what a tier asks for', () => {
  const KEY = seriesKey(aSeries());
  const day = (number: number) => `2026-11-0${number}T00:00:00.000Z`;
  const loaded = (load: string) => [aSeries({ load })];
  const old = anEntry('old', '2026-10-03T00:00:00.000Z', { series: loaded('100 users') });

  it('is that of the newest runs, even if older ones differ', () => {
    const newest = withSegment(EMPTY_STORE, '2026-11.jsonl', [
      anEntry('a', day(1)),
      anEntry('b', day(2), { series: loaded('400 users') }),
      anEntry('c', day(3), { series: loaded('500 users') }),
    ]);

    const store = withSegment(newest, '2026-10.jsonl', [old]);

    expect(store.series.get(KEY)).toEqual(aSeries({ load: '500 users' }));
    expect(store.series.size).toBe(1);
    expect([...lineOf(store, KEY).values]).toEqual([10, 10, 10, 10]);
  });

  it('is not known of runs that do not say it', () => {
    expect(withSegment(EMPTY_STORE, 'a', [anEntry('a', day(1))]).series.get(KEY)).toEqual(aSeries());
    expect(withSegment(EMPTY_STORE, '2026-10.jsonl', [old]).series.get(KEY)?.load).toBe('100 users');
  });
});
