import { describe, expect, it } from 'vitest';
import { changesOf, formatChanges } from '../../src/history/store/changes.ts';
import type { HistoryEntry } from '../../src/history/store/entry.ts';
import { CHANGES_PATH } from '../../src/history/store/segments.ts';
import { requires } from '../support/requires.ts';
import { shopHistory } from '../support/site-history.ts';
import { trendSite } from './trend-site.ts';

const FIRST = 140;

/** A shop in which half of REST's requests fail at its highest tier from a run on, with the change points that follow. */
function failingShop(): ReadonlyMap<string, string> {
  const entries: HistoryEntry[] = [];
  const edit = (entry: HistoryEntry, place: number): HistoryEntry => {
    const failing = entry.series.findIndex(
      ({ service, tier, metric }) => service === 'rest' && tier === 'high' && metric === 'errorRate',
    );
    const edited: HistoryEntry = {
      ...entry,
      spreads: entry.spreads.map(() => null),
      ...(place >= FIRST && {
        values: entry.values.map((value, index) => (index === failing ? 0.5 : value)),
        outcome: 'suspicious' as const,
        verdicts: [{ series: failing, verdict: 'suspicious' as const }],
      }),
    };
    entries.push(edited);
    return edited;
  };
  const files = shopHistory({ operations: ['all'], metrics: ['latencyP95Ms', 'errorRate'], steps: [], edit });
  return new Map([...files, [CHANGES_PATH, formatChanges(changesOf(entries))]]);
}

describe.skipIf(!requires('browser'))('an error rate that rose, on the trend page', () => {
  const site = trendSite();

  it('is red in the summary, the changes, the chart and the list, in shares and points', async () => {
    const { page, complaints } = await site.open(failingShop());
    const row = page.locator('.group tr', { hasText: 'error rate' }).filter({ hasText: '50.0%' });

    expect(await page.locator('.summary').textContent()).toContain(
      'Suspicious: REST, all operations, high: error rate 50.0%.',
    );
    expect(await page.locator('.summary').textContent()).toContain('50 points worse since 2026-11-17');
    expect(await page.locator('.changes .worse-item').first().textContent()).toContain('50 points worse');
    expect(await page.locator('.changes .worse').allTextContents()).toEqual(['50 points worse']);
    expect(await page.locator('.changes .levels').allTextContents()).toEqual(['0% → 50%; 10 runs since']);
    expect(await row.locator('.worse').allTextContents()).toEqual(['+50 points', '0% → 50%', '']);
    expect(await page.locator('#plot').getAttribute('aria-label')).toContain('1 change point');
    expect(complaints).toEqual([]);
  });

  it('is what differs most between the runs before and after', async () => {
    const { page } = await site.open(failingShop(), { hash: 'base=run-000139&head=run-000140' });

    expect(await page.locator('td.worse', { hasText: 'worse' }).first().textContent()).toBe('+50 points, worse');
  });
});
