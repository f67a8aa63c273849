import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { requires } from '../requires.ts';
import { shopHistory } from '../site-history.ts';
import { openTrendSite, type TrendSite } from './trend-site.ts';

const SHOP = shopHistory();
const NEWEST = 'history/2026-11.jsonl';
const BROKEN = new Map([...SHOP, [NEWEST, `${SHOP.get(NEWEST)}{"schema":1,`]]);

describe.skipIf(!requires('browser'))('the trend page over a history of which a part cannot be read', () => {
  let site: TrendSite;

  beforeAll(async () => {
    site = await openTrendSite();
  });

  afterAll(async () => {
    await site?.[Symbol.asyncDispose]();
  });

  it('shows the rest of a history of which a segment is broken', async () => {
    const { page } = await site.open(BROKEN);

    expect(await page.locator('.failures').textContent()).toContain('cut short');
    expect(await page.locator('.summary').textContent()).toContain('Latest run that can be read: ');
    expect(await page.locator('#plot canvas').count()).toBe(1);
    expect(Number(await page.locator('#plot').getAttribute('aria-valuemax'))).toBeGreaterThan(50);
  });

  it('opens the chart on a change that can be read where the newest runs cannot, and says what is missing', async () => {
    const { page } = await site.open(BROKEN);

    expect(await page.locator('.gaps').textContent()).toBe(
      'The newest runs cannot be read (55 runs from 2026-11-01 to 2026-11-21): this chart ends on 2026-10-31, before them.',
    );
    expect(await page.locator('.legend [aria-pressed="true"]').textContent()).toBe('gRPC, saturation');
    expect(await page.locator('#plot').getAttribute('aria-label')).toContain('to 2026-10-31. Marked: 1 change point');
    expect(await page.locator('.changes > li').nth(1).textContent()).toContain('its run cannot be read');
    await page.locator('.changes > li').nth(1).locator('a[data-series]').first().click();
    expect(await page.locator('.gaps').textContent()).toContain('begins with a run that cannot be read');
  });

  it('reads on to older runs where the newest segments cannot be read', async () => {
    const long = shopHistory({ runs: 450, hoursBetween: 4 });
    const isLate = (path: string) => path >= 'history/2026-10' && path.endsWith('.jsonl');
    const { page } = await site.open(new Map([...long].map(([path, text]) => [path, isLate(path) ? '{' : text])));

    expect(await page.locator('.failures li').count()).toBe([...long.keys()].filter(isLate).length);
    expect(await page.locator('#plot canvas').count()).toBe(1);
    expect(await page.locator('.gaps').textContent()).toContain('this chart ends on 2026-09-30');
  });

  it('has no chart and leads to none where no run can be read, and still says what changed', async () => {
    const files = [...SHOP].map(([path, text]) => [path, path.endsWith('.jsonl') ? '{' : text] as const);
    const { page, complaints } = await site.open(new Map(files));

    expect(await page.locator('.changes > li').nth(1).textContent()).toContain('15 % slower REST, all operations');
    expect(await page.locator('.changes a[data-series], #plot, #compare').count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  it('shows what it has when the network goes away', async () => {
    const { page } = await site.open(shopHistory({ runs: 450 }));
    await page.context().setOffline(true);

    await page.getByRole('button', { name: 'All', exact: true }).click();

    await expect.poll(() => page.locator('.failures').textContent()).toContain('Part of this history cannot be read.');
    expect(await page.locator('#plot canvas').count()).toBe(1);
    expect(Number(await page.locator('#plot').getAttribute('aria-valuemax'))).toBeGreaterThan(50);
  });

  it('marks runs that are missing in the midst of a chart', async () => {
    const { page } = await site.open(new Map([...SHOP, ['history/2026-10.jsonl', '{']]));

    expect(await page.locator('.gaps').textContent()).toBe(
      'Runs are missing in between, as they cannot be read (82 runs from 2026-10-01 to 2026-10-31).',
    );
    expect(await page.locator('#plot').getAttribute('aria-label')).toContain('1 gap');
  });
});
