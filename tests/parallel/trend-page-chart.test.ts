import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { encodeHistogram } from '../../src/foundation/histogram.ts';
import { requires } from '../support/requires.ts';
import { SHOP, shopHistory } from '../support/site-history.ts';
import { trendSite } from './trend-site.ts';

const REPORT = 'https://github.com/example/shop/actions/runs/7000149/artifacts/31';

describe.skipIf(!requires('browser'))('a chart of the trend page', () => {
  const site = trendSite();
  const history = shopHistory({
    edit: (entry, place) => {
      const edited = SHOP.edit?.(entry, place) ?? entry;
      return { ...edited, links: { ...edited.links, report: REPORT } };
    },
  });

  const texts = (page: Page, selector: string) => page.locator(selector).allTextContents();

  it('has all tiers of both services, and says what is marked in it', async () => {
    const { page } = await site.open(history);

    expect(await texts(page, '.line-key li')).toEqual(['REST', 'gRPC', 'low', 'medium', 'high', 'saturation']);
    expect(await page.locator('.legend input:checked').count()).toBe(8);
    expect(await texts(page, '.legend .key li')).toEqual([
      '▲▼ change for the worse',
      '▲▼ change for the better',
      '┊ release',
      '╎ accepted regression',
      '▃ another CPU model',
      '▒ band: spread over the rounds of a run',
      '— level between changes',
    ]);
    expect(await page.locator('#plot').getAttribute('aria-label')).toContain(
      'Marked: 1 change point, 2 releases, 1 accepted regression, 1 change of machine.',
    );
  });

  it('has a logarithmic axis where tiers are far apart, unless another one is chosen', async () => {
    const { page } = await site.open(history, { hash: 'series=users/rest/all/high/latencyP95Ms/ms' });
    const drawn = () => page.evaluate<string>("document.querySelector('#plot canvas').toDataURL()");
    const logarithmic = await drawn();

    expect(await texts(page, '.legend .key li')).toContain('logarithmic axis');
    await page.locator('#axis').selectOption('linear');
    expect(await texts(page, '.legend .key li')).not.toContain('logarithmic axis');
    await expect.poll(() => page.url()).toContain('axis=linear');
    await expect.poll(drawn).not.toBe(logarithmic);
  });

  it.each(['0c14d16', 'Pull request #249', 'Report', 'Workflow run'])(
    'goes to a run’s %s without a referrer, and comes back to what was shown',
    async (name) => {
      const { page } = await site.open(history, { hash: 'run=run-000149' });
      const requested: (string | undefined)[] = [];
      await page.route('https://github.com/**', async (route) => {
        requested.push(route.request().headers()['referer']);
        await route.fulfill({ contentType: 'text/html', body: '<title>There</title>' });
      });
      const shown = page.url();
      const link = page.locator('.run').getByRole('link', { name, exact: true });
      const address = await link.getAttribute('href');

      await link.click();
      await page.waitForURL('https://github.com/**');
      expect([page.url(), requested]).toEqual([address, [undefined]]);
      await page.goBack();
      expect(page.url()).toBe(shown);
    },
  );

  it('is zoomed by the wheel step by step, in and out again, also where few runs are left', async () => {
    const { page } = await site.open(history);
    const box = await page.locator('#plot .u-over').boundingBox();
    const hours = () => {
      const fields = new URLSearchParams(new URL(page.url()).hash.slice(1));
      return (Number(fields.get('to')) - Number(fields.get('from'))) / 3_600_000;
    };
    const turn = async (deltaY: number) => {
      const before = hours();
      await page.mouse.wheel(0, deltaY);
      await expect.poll(hours).not.toBe(before);
    };
    await page.mouse.move((box?.x ?? 0) + (box?.width ?? 0) / 2, (box?.y ?? 0) + 60);
    await page.keyboard.down('Control');
    for (let step = 0; step < 14; step += 1) {
      await turn(-100);
    }
    const narrow = hours();

    await turn(100);
    await turn(100);

    expect(hours() / narrow).toBeCloseTo(1.25 * 1.25, 1);
  });

  it('of two latency distributions is of the cell that the address names', async () => {
    const cell = (slower: number) => encodeHistogram(Array.from({ length: 500 }, (_, place) => slower + place / 500));
    const line = (run: string) =>
      JSON.stringify({ schema: 1, run, cells: { 'rest/all/high': cell(1), 'rest/all/low': cell(2) } });
    const kept = `${line('run-000120')}\n${line('run-000140')}\n`;
    const { page } = await site.open(new Map([...history, ['history/2026-11.histograms.jsonl', kept]]), {
      hash: 'base=run-000120&head=run-000140',
    });

    await page.locator('#latency-cell').selectOption('rest/all/low');
    await expect.poll(() => page.url()).toContain('cell=rest/all/low');
    await page.reload();

    await page.locator('.latency canvas').waitFor();
    expect(await page.locator('#latency-cell').inputValue()).toBe('rest/all/low');
    expect(await page.locator('.latency caption').textContent()).toContain('REST, all operations, low');
  });
});
