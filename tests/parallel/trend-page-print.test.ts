import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { encodeHistogram } from '../../src/foundation/histogram.ts';
import { requires } from '../support/requires.ts';
import { shopHistory } from '../support/site-history.ts';
import { trendSite } from './trend-site.ts';

const CHARTS = ['#plot canvas', '.latency canvas'];

/** A4 without margins of 12 mm. */
const PAPER = { format: 'A4', margin: { left: '12mm', right: '12mm', top: '12mm', bottom: '12mm' } } as const;

/** What of a page reaches beyond its width. */
const BEYOND = `[...document.querySelectorAll('main canvas, main table, main p, main svg')]
  .filter((node) => node.getBoundingClientRect().right > document.documentElement.clientWidth + 1.5)
  .map((node) => node.outerHTML.slice(0, 80))`;

function printedHistory(): ReadonlyMap<string, string> {
  const latencies = Array.from({ length: 2000 }, (_, place) => 1 + place / 500);
  const line = (run: string) =>
    JSON.stringify({ schema: 1, run, cells: { 'rest/all/high': encodeHistogram(latencies) } });
  const kept = `${line('run-000120')}\n${line('run-000140')}\n`;
  return new Map([...shopHistory(), ['history/2026-11.histograms.jsonl', kept]]);
}

describe.skipIf(!requires('browser'))('the trend page on paper', () => {
  const site = trendSite();
  const files = printedHistory();

  async function compared(view: { readonly colorScheme?: 'dark' | 'light'; readonly width?: number }): Promise<Page> {
    const { page } = await site.open(files, { ...view, hash: 'base=run-000120&head=run-000140' });
    await page.locator('.latency canvas').waitFor();
    return page;
  }

  /** What both charts look like, once the page has heard of it. */
  async function drawnAs(page: Page, media: Parameters<Page['emulateMedia']>[0]): Promise<readonly string[]> {
    await page.emulateMedia(media);
    await page.evaluate('new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))');
    return page.evaluate<string[]>(
      `${JSON.stringify(CHARTS)}.map((chart) => document.querySelector(chart).toDataURL())`,
    );
  }

  it('has the colors of paper, also from a dark screen, in both charts', async () => {
    const page = await compared({ colorScheme: 'light' });
    const light = await drawnAs(page, { media: 'print' });
    const screen = await drawnAs(page, { media: 'screen', colorScheme: 'dark' });
    const dark = await drawnAs(page, { media: 'print', colorScheme: 'dark' });

    expect(screen.filter((one) => light.includes(one))).toEqual([]);
    expect(dark).toEqual(light);
    expect(await page.evaluate('getComputedStyle(document.body).backgroundColor')).toBe('rgb(255, 255, 255)');
  });

  it.each([390, 1600])('is as wide as the paper and not as a screen of %i pixels', async (width) => {
    const page = await compared({ width });
    await page.evaluate(
      `matchMedia('print').addEventListener('change', ({ matches }) => {
        if (matches) {
          const widths = ${JSON.stringify(CHARTS)}.map((chart) => document.querySelector(chart).clientWidth);
          window.printed = { page: document.documentElement.clientWidth, widths, beyond: ${BEYOND} };
        }
      })`,
    );

    const pdf = await page.pdf(PAPER);

    const printed = await page.evaluate<{ page: number; widths: number[]; beyond: string[] }>('printed');
    // 186 mm at 96 pixels an inch: where anything is wider, a browser makes all of it small.
    expect(Math.abs(printed.page - 703)).toBeLessThan(3);
    expect(printed.widths.every((one) => Math.abs(one - printed.page) < 3)).toBe(true);
    expect(printed.beyond).toEqual([]);
    expect(pdf.subarray(0, 5).toString()).toBe('%PDF-');
    await expect
      .poll(() => page.evaluate<number>("document.querySelector('#plot canvas').clientWidth"))
      .toBeLessThan(width);
  });

  it('leaves out what only a screen can do, and tears no chart in two', async () => {
    const page = await compared({});
    await page.emulateMedia({ media: 'print' });

    expect(await page.locator('button:visible, select:visible, input[type="search"]:visible').count()).toBe(
      await page.locator('.legend button').count(),
    );
    const breaks = await page.evaluate<string[]>(
      "[...document.querySelectorAll('.plot')].map((plot) => getComputedStyle(plot).breakInside)",
    );
    expect(breaks).toEqual(['avoid', 'avoid']);
    expect(await page.locator('.group tbody tr:visible').count()).toBe(120);
  });
});
