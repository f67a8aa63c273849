import { describe, expect, it } from 'vitest';
import { encodeHistogram } from '../../src/foundation/histogram.ts';
import { requires } from '../support/requires.ts';
import { shopHistory } from '../support/site-history.ts';
import { trendSite } from './trend-site.ts';

const SHOP = shopHistory();
const NEWEST = 'history/2026-11.jsonl';
const BROKEN = new Map([...SHOP, [NEWEST, `${SHOP.get(NEWEST)}{"schema":1,`]]);

/** The latency distributions of two runs of the newest segment. */
const KEPT = ['run-000120', 'run-000140']
  .map((run) => JSON.stringify({ schema: 1, run, cells: { 'rest/all/high': encodeHistogram([1, 2, 3, 4]) } }))
  .map((line) => `${line}\n`)
  .join('');

describe.skipIf(!requires('browser'))('the trend page over a history of which a part cannot be read', () => {
  const site = trendSite();

  it('says that runs are gone, with the commit that had them', async () => {
    const index = SHOP.get('history/index.json') ?? '';
    const lost = { runs: 57, from: '2026-01-02T00:00:00.000Z', to: '2026-02-03T00:00:00.000Z', commit: '<b>' };
    const { page } = await site.open(
      new Map([...SHOP, ['history/index.json', index.replace('{', `{"lost":${JSON.stringify(lost)},`)]]),
    );

    const said = await page.locator('.failures').textContent();
    expect(said).toContain('57 runs that were in this history are gone: measured from 2026-01-02 to 2026-02-03.');
    expect(said).toContain('They are in commit <b>');
    expect(await page.locator('.failures b').count()).toBe(0);
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
    await expect.poll(() => page.locator('.gaps').textContent()).toContain('starts with a run that cannot be read');
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

    expect(await page.locator('.changes > li').nth(1).textContent()).toContain('15% slower REST, all operations');
    expect(await page.locator('.changes a[data-series], #plot, #compare').count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  it('shows what it has when the network goes away', async () => {
    const { page } = await site.open(shopHistory({ runs: 450 }));
    await page.route('**', (route) => route.abort('internetdisconnected'));

    await page.getByRole('button', { name: 'All', exact: true }).click();

    await expect.poll(() => page.locator('.failures').textContent()).toContain('Part of this history cannot be read.');
    expect(await page.locator('#plot canvas').count()).toBe(1);
    expect(Number(await page.locator('#plot').getAttribute('aria-valuemax'))).toBeGreaterThan(50);
  });

  it('marks runs that are missing in the midst of a chart', async () => {
    const { page } = await site.open(new Map([...SHOP, ['history/2026-10.jsonl', '{']]));

    expect(await page.locator('.gaps').textContent()).toBe(
      'Runs in between are missing, because they cannot be read (82 runs from 2026-10-01 to 2026-10-31).',
    );
    expect(await page.locator('#plot').getAttribute('aria-label')).toContain('1 gap');
  });

  it('says that a segment has fewer runs than the index names, and shows those that it has', async () => {
    const shorter = (SHOP.get(NEWEST) ?? '').replace(/[^\n]*\n$/, '');
    const { page } = await site.open(new Map([...SHOP, [NEWEST, shorter]]));

    expect(await page.locator('.failures li').textContent()).toBe(
      'history/2026-11.jsonl:55: has 54 of the 55 runs that the index names, so it was cut short',
    );
    expect(await page.locator('.summary').textContent()).toContain('Latest run that can be read: ');
    expect(await page.locator('.gaps').textContent()).toBe(
      'The newest runs cannot be read (1 run from 2026-11-01 to 2026-11-21): this chart ends on 2026-11-20, before them.',
    );
    expect(await page.locator('#plot').getAttribute('aria-valuemax')).toBe('136');
  });

  it('says that a segment has lost some of its text, though every run is there', async () => {
    const shorter = (SHOP.get(NEWEST) ?? '').replace('Update dependencies', 'Update');
    const { page } = await site.open(new Map([...SHOP, [NEWEST, shorter]]));

    expect(await page.locator('.failures li').textContent()).toMatch(/has \d+ of the \d+ bytes that the index names/);
    expect(await page.locator('.summary').textContent()).toContain('Latest run: ');
    expect(await page.locator('.gaps').textContent()).toBe('');
  });

  it.each([
    ['fewer runs than the index names', KEPT, 'histograms.jsonl:2: has distributions of 2 of the 3 runs', 1],
    [
      'no run, as their file is gone',
      undefined,
      'histograms.jsonl:1: is missing, and the index names distributions of 3',
      0,
    ],
  ])('says that distributions are of %s, and compares what there is', async (...[, kept, words, canvases]) => {
    const index = (SHOP.get('history/index.json') ?? '').replace(
      /"file":"2026-11\.jsonl","runs":\d+,"bytes":\d+/,
      '$&,"distributions":3',
    );
    const files = new Map([...SHOP, ['history/index.json', index]]);
    if (kept !== undefined) {
      files.set('history/2026-11.histograms.jsonl', kept);
    }
    const { page } = await site.open(files, { hash: 'base=run-000120&head=run-000140' });

    await expect.poll(() => page.locator('.latency .failures').allTextContents()).toHaveLength(1);
    expect(await page.locator('.latency .failures').textContent()).toContain(words);
    await expect.poll(() => page.locator('.latency canvas').count()).toBe(canvases);
  });
});
