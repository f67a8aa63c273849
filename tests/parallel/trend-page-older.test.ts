import { describe, expect, it } from 'vitest';
import { appendedAll } from '../../src/history/store/segment.ts';
import { requires } from '../support/requires.ts';
import { sampleEntry, sampleSeries } from '../support/sample-history.ts';
import { shopHistory } from '../support/site-history.ts';
import { type OpenedTrend, trendSite } from './trend-site.ts';

const SEPTEMBER = 'history/2026-09.jsonl';
const SERIES = 'users/soap/all/low/cpuMicrosPerRequest/µs';

/** A service that is gone since: only a segment that the page does not read at first has runs of it. */
function withRetiredService(): ReadonlyMap<string, string> {
  const series = [sampleSeries({ service: 'soap', tier: 'low' })];
  const days = [27, 28, 29].map((day) => `2026-09-${day}T01:00:00.000Z`);
  const entries = days.map((at, place) => sampleEntry({ run: `soap-${place}`, at, series, values: [300 + place] }));
  const files = shopHistory();
  const text = entries.reduce(
    (segment, entry) => appendedAll(segment, [{ ...entry, spreads: [null] }], SEPTEMBER),
    files.get(SEPTEMBER) ?? '',
  );
  return new Map([...files, [SEPTEMBER, text]]);
}

describe.skipIf(!requires('browser'))('a change that only older runs show', () => {
  const site = trendSite();

  it('is read and shown at a click', async () => {
    const { page } = await site.open(shopHistory({ runs: 450 }));
    const link = page.locator('.changes a[data-series*="/rest/"]').first();
    const run = await link.getAttribute('data-run');
    const isShown = () => page.locator('.gaps').textContent();
    const marks = async () => (await page.locator('.legend .key li').allTextContents()).join();
    expect(await marks()).not.toContain('▲▼');

    await link.click();
    await expect.poll(() => page.locator('.panel').textContent()).toContain('Render answers with the new serializer');
    await expect.poll(isShown).toBe('');
    expect(await marks()).toContain('▲▼');
    expect(await page.locator('#plot').getAttribute('aria-valuetext')).toContain('Render answers');
    expect(new URLSearchParams(new URL(page.url()).hash.slice(1)).get('run')).toBe(run);
  });
});

describe.skipIf(!requires('browser'))('a series that only older runs have', () => {
  const site = trendSite();

  const row = ({ page }: OpenedTrend) => page.locator('.groups a[href*="/soap/"]');
  const choice = ({ page }: OpenedTrend) => page.locator('#filter-service option[value="soap"]');

  it('joins the list, its filters and the count when they are read, and has a chart', async () => {
    const opened = await site.open(withRetiredService());
    const { page } = opened;
    expect([await row(opened).count(), await choice(opened).count()]).toEqual([0, 0]);
    expect(await page.locator('#facts').textContent()).toContain('120 series');

    await page.getByRole('button', { name: 'All', exact: true }).click();

    await expect.poll(() => row(opened).count()).toBe(1);
    expect(await choice(opened).count()).toBe(1);
    expect(await page.locator('#facts').textContent()).toContain('121 series');
    await page.locator('#filter-service').selectOption('soap');
    await expect.poll(() => page.locator('.groups tbody tr:visible').count()).toBe(1);
    await row(opened).click();
    await expect.poll(() => page.locator('#plot').getAttribute('aria-label')).toContain('Chart of soap');
  });

  it('is listed at once where a link names it or a filter its service, and the filter stays', async () => {
    const opened = await site.open(withRetiredService(), { hash: `series=${SERIES}&service=soap` });
    const { page } = opened;

    await expect.poll(() => row(opened).count()).toBe(1);
    expect(await page.locator('#filter-service').inputValue()).toBe('soap');
    expect(await row(opened).getAttribute('aria-current')).toBe('true');
  });

  it('has its group open on a phone where a link names it, and groups that were there stay as they were', async () => {
    const opened = await site.open(withRetiredService(), { hash: `series=${SERIES}`, width: 390 });

    await expect.poll(() => row(opened).isVisible()).toBe(true);
    expect(await opened.page.locator('details.group[open]').count()).toBe(1);
  });
});
