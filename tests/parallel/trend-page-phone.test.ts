import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { requires } from '../support/requires.ts';
import { LOADS, shopHistory } from '../support/site-history.ts';
import { trendSite } from './trend-site.ts';

interface Point {
  readonly x: number;
  readonly y: number;
}

const WIDTH = 390;
const P95 = 'series=users/rest/ListUsers/high/latencyP95Ms/ms';

/** Fingers go from one place to the next and are lifted at the end, as the browser's own input. */
async function touch(page: Page, path: readonly (readonly Point[])[]): Promise<void> {
  const session = await page.context().newCDPSession(page);
  for (const [step, touchPoints] of path.entries()) {
    await session.send('Input.dispatchTouchEvent', {
      type: step === 0 ? 'touchStart' : 'touchMove',
      touchPoints: touchPoints.map((point, id) => ({ ...point, id })),
    });
  }
  await session.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
}

/** Places between two, in small steps: what every one of them rounds off would add up. */
function steps(from: readonly Point[], to: readonly Point[], count = 24): readonly (readonly Point[])[] {
  return Array.from({ length: count + 1 }, (_, step) =>
    from.map((start, finger) => {
      const end = to[finger] ?? start;
      return { x: start.x + ((end.x - start.x) * step) / count, y: start.y + ((end.y - start.y) * step) / count };
    }),
  );
}

describe.skipIf(!requires('browser'))('the trend page on a phone', () => {
  const site = trendSite();
  const history = shopHistory();

  /** A share of the chart's width as a point on it. */
  async function onChart(page: Page): Promise<(share: number, down?: number) => Point> {
    await page.locator('#plot').scrollIntoViewIfNeeded();
    const box = await page.locator('#plot .u-over').boundingBox();
    const { x, y, width } = box ?? { x: 0, y: 0, width: 0 };
    return (share, down = 0) => ({ x: x + share * width, y: y + 80 + down });
  }

  /** The stretch that the address says, in hours. */
  async function stretchOf(page: Page): Promise<readonly [number, number]> {
    const fields = new URLSearchParams((await page.evaluate<string>('location.hash')).slice(1));
    return [Number(fields.get('from')) / 3_600_000, Number(fields.get('to')) / 3_600_000];
  }

  async function hoursOf(page: Page): Promise<number> {
    const [from, to] = await stretchOf(page);
    return to - from;
  }

  const openGroups = (page: Page) => page.locator('.group[open] h3').allTextContents();

  it('folds the list of all series, which says how they stand and opens by key', async () => {
    const { page } = await site.open(history, { width: WIDTH });
    const height = () => page.evaluate<number>('document.documentElement.scrollHeight');
    const folded = await height();

    expect(await openGroups(page)).toEqual([]);
    expect(await page.locator('.group summary').allTextContents()).toContain('gRPC, GetUser 20 series, 1 worse');
    await page.locator('.group summary').nth(1).focus();
    await page.keyboard.press('Enter');
    expect(await openGroups(page)).toEqual(['REST, GetUser']);
    await page.evaluate("for (const fold of document.querySelectorAll('.group')) fold.open = true");
    expect(await height()).toBeGreaterThan(2 * folded);
  });

  it('opens what a search finds, and folds it again when the search ends', async () => {
    const { page } = await site.open(history, { width: WIDTH });
    await page.locator('.group summary').first().click();

    await page.locator('#query').fill('ListUsers saturation');
    expect(await page.locator('.group:visible').count()).toBe(2);
    expect(await page.locator('.group tbody tr:visible').count()).toBe(10);
    expect(await page.locator('.group summary:visible').first().textContent()).toContain('5 of 20 series');
    await page.getByRole('button', { name: 'Show all' }).click();
    expect(await openGroups(page)).toEqual(['REST, all operations']);
  });

  it.each([
    [P95, ['REST, ListUsers']],
    ['service=grpc&q=p95%20GetUser', ['gRPC, GetUser']],
  ])('opens the group of what a link names: %s', async (hash, groups) => {
    const { page } = await site.open(history, { width: WIDTH, hash });

    expect(await page.locator('.group[open]:visible h3').allTextContents()).toEqual(groups);
  });

  it('opens the group of a series that is chosen elsewhere', async () => {
    const { page } = await site.open(history, { width: WIDTH });

    await page.locator('.changes a[data-series*="GetUser"]').first().click();

    expect(await openGroups(page)).toEqual(['gRPC, GetUser']);
  });

  it('lets the browser find what is folded', async () => {
    const { page } = await site.open(history, { width: WIDTH });
    const figure = await page.locator('.group').nth(4).locator('tbody tr').nth(3).locator('td').nth(1).textContent();

    // A link with a text has the browser look for it as its own search does; an address would only until shortly after loading.
    const href = JSON.stringify(`#:~:text=${encodeURIComponent(figure ?? '')}`);
    await page.evaluate(
      `document.body.prepend(Object.assign(document.createElement('a'), { id: 'find', href: ${href}, textContent: 'find' }))`,
    );
    await page.locator('#find').click();

    await expect.poll(() => openGroups(page)).toEqual(['gRPC, GetUser']);
  });

  it('has the chart within the first screen', async () => {
    const { page } = await site.open(history, { width: WIDTH });
    const { y, height } = (await page.locator('#plot').boundingBox()) ?? { y: 0, height: 0 };

    expect(y).toBeGreaterThan(0);
    expect(y + height).toBeLessThan(860);
  });

  it('zooms with two fingers, as far as they go apart, around what is between them', async () => {
    const { page, complaints } = await site.open(history, { width: WIDTH });
    await page.getByRole('button', { name: 'Zoom in' }).click();
    const at = await onChart(page);
    const [first, last] = await stretchOf(page);
    const [whole, middle] = [last - first, (first + last) / 2];
    const [close, apart] = [
      [at(0.4), at(0.6)],
      [at(0.3), at(0.7)],
    ];

    await touch(page, steps(close, apart));
    expect((await hoursOf(page)) / whole).toBeCloseTo(0.5, 1);
    const [from, to] = await stretchOf(page);
    expect(Math.abs((from + to) / 2 - middle)).toBeLessThan(0.05 * whole);

    await touch(page, steps(apart, close));
    expect((await hoursOf(page)) / whole).toBeCloseTo(1, 1);
    expect(await page.evaluate('visualViewport.scale')).toBe(1);
    expect(complaints).toEqual([]);
  });

  it('moves the chart with one finger sideways, and the page with one that goes up', async () => {
    const { page } = await site.open(history, { width: WIDTH });
    await page.getByRole('button', { name: 'Zoom in' }).click();
    const at = await onChart(page);
    const [[from], wide] = [await stretchOf(page), await hoursOf(page)];

    await touch(page, steps([at(0.3)], [at(0.7)]));
    expect((from - (await stretchOf(page))[0]) / wide).toBeCloseTo(0.4, 1);
    expect((await hoursOf(page)) / wide).toBeCloseTo(1, 1);

    const [before, scrolled] = [await stretchOf(page), await page.evaluate<number>('scrollY')];
    await touch(page, steps([at(0.5, 60)], [at(0.52, -60)]));
    await expect.poll(() => page.evaluate<number>('scrollY')).toBeGreaterThan(scrolled);
    expect(await stretchOf(page)).toEqual(before);
  });

  it('has tables that fit, and one of many lines whose names stay in view', async () => {
    const named = shopHistory({ loads: LOADS });
    const { page } = await site.open(named, { width: WIDTH, hash: 'base=run-000100&head=run-000149' });
    await page.locator('.two-runs').waitFor();
    await page.evaluate("for (const fold of document.querySelectorAll('details')) fold.open = true");
    await page.locator('#chart-table tbody tr').first().waitFor();

    const wide = await page.evaluate<readonly string[]>(`[...document.querySelectorAll('.scroll')]
      .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth + 1)
      .map((box) => box.closest('#chart-table') === null ? box.getAttribute('aria-label') : 'the chart as a table')`);
    expect(wide).toEqual(['the chart as a table']);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(WIDTH);
    const left = await page.evaluate(`(() => {
      const box = document.querySelector('#chart-table .scroll');
      box.scrollLeft = 200;
      return box.querySelector('tbody th').getBoundingClientRect().left - box.getBoundingClientRect().left;
    })()`);
    expect(left).toBe(0);
  });

  it('breaks names after their parts', async () => {
    const operation = 'com.example.shop.catalog.v1.CatalogService/ListProductsByCategoryAndPrice';
    const { page } = await site.open(shopHistory({ operations: ['all', operation] }), { width: WIDTH });

    const breaks = await page.evaluate<readonly string[]>(`(() => {
      const name = [...document.querySelectorAll('.group h3')].find(({ textContent }) => textContent.includes('Catalog'));
      const walker = document.createTreeWalker(name, NodeFilter.SHOW_TEXT);
      const letters = [];
      while (walker.nextNode() !== null) {
        const { currentNode: node } = walker;
        for (let place = 0; place < node.length; place += 1) {
          const range = document.createRange();
          range.setStart(node, place);
          range.setEnd(node, place + 1);
          letters.push({ letter: node.data[place], bottom: range.getBoundingClientRect().bottom });
        }
      }
      return letters.flatMap(({ letter, bottom }, place) => {
        const before = letters[place - 1];
        return before !== undefined && bottom > before.bottom + 5 ? [before.letter + letter] : [];
      });
    })()`);

    expect(breaks.length).toBeGreaterThan(1);
    expect(breaks.filter((pair) => !/^(?:[/_.: ].|[a-z\d][A-Z])$/.test(pair))).toEqual([]);
  });

  it('keeps the run that is tapped', async () => {
    const { page } = await site.open(history, { width: WIDTH });
    const { x, y } = (await onChart(page))(0.5);
    expect(await page.locator('.touch-hint').isVisible()).toBe(true);
    expect(await page.locator('#chart-keys').isVisible()).toBe(false);

    await page.touchscreen.tap(x, y);

    await expect.poll(() => page.url()).toContain('run=run-');
    expect(await page.getByRole('button', { name: 'Unpin this run' }).count()).toBe(1);
  });
});
