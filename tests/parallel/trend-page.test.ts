import { describe, expect, it } from 'vitest';
import { encodeHistogram } from '../../src/foundation/histogram.ts';
import { requires } from '../support/requires.ts';
import { LOADS, shopHistory } from '../support/site-history.ts';
import { trendSite } from './trend-site.ts';

const CPU = 'users/rest/all/saturation/cpuMicrosPerRequest/µs';
const chosen = (series: string) => `series=${encodeURIComponent(series).replaceAll('%2F', '/')}`;

describe.skipIf(!requires('browser'))('the trend page', () => {
  const site = trendSite();
  const history = shopHistory();

  it('opens on the verdict and on what changed, with its commit, and draws the worst of it', async () => {
    const { page, complaints } = await site.open(history);

    expect(await page.locator('.summary').textContent()).toContain(
      'Passed: 120 series, none over its limit; pending: gRPC, GetUser, high: p50 latency +7.0% and 2 more series.',
    );
    expect(await page.locator('.changes .commit').first().textContent()).toContain('Log every request with its user');
    expect(await page.locator('.changes > li').first().textContent()).toContain('pending: only 3 runs since');
    expect(await page.locator('.changes > li').nth(1).textContent()).toContain('15% slower');
    expect(await page.locator('#chart').textContent()).toBe('Service CPU time per request, all operations');
    expect(await page.locator('#plot canvas').count()).toBe(1);
    expect(new URL(page.url()).hash).toContain('cpuMicrosPerRequest');
    expect(complaints).toEqual([]);
  });

  it('reads the newest segments at first and the older ones on request, and sends no other request', async () => {
    const { page, requests } = await site.open(shopHistory({ runs: 450 }));
    const segments = () => requests.filter((url) => url.endsWith('.jsonl')).length;
    const [first, all] = [
      segments(),
      JSON.parse(shopHistory({ runs: 450 }).get('history/index.json') ?? '').segments.length,
    ];

    await page.getByRole('button', { name: 'All', exact: true }).click();
    await page.locator('.older button').waitFor({ state: 'hidden' });

    expect(first).toBeLessThan(all);
    expect(segments()).toBe(all);
    await expect.poll(() => page.locator('#plot').getAttribute('aria-valuemax')).toBe('450');
    expect(
      requests.filter((url) => !url.startsWith('data:') && new URL(url).host !== new URL(page.url()).host),
    ).toEqual([]);
  });

  it('filters and searches, and keeps that in the address', async () => {
    const { page } = await site.open(history);
    const rows = page.locator('.group tbody tr:visible');

    expect(await rows.count()).toBe(120);
    await page.locator('#filter-service').selectOption('grpc');
    expect(await rows.count()).toBe(60);
    await page.locator('#query').fill('p95 saturation');
    expect(await rows.count()).toBe(3);
    expect(page.url()).toContain('q=p95%20saturation&service=grpc');

    await page.reload();
    await page.locator('#progress').waitFor({ state: 'detached' });
    expect(await rows.count()).toBe(3);
    await page.getByRole('button', { name: 'Show all' }).click();
    expect(await rows.count()).toBe(120);
  });

  it('calls tiers as reports do: in the filter, in the list and next to the chart', async () => {
    const { page } = await site.open(shopHistory({ loads: LOADS }), {
      hash: chosen('users/rest/all/medium/latencyP95Ms/ms'),
    });

    expect((await page.locator('#filter-tier option').allTextContents()).toSorted()).toEqual(
      ['all', '100 users (low)', '500 users (medium)', '1,000 users (high)', 'saturation'].toSorted(),
    );
    expect(await page.locator('.group tbody').first().textContent()).toContain('500 users (medium)');
    expect(await page.locator('.line-key').first().textContent()).toContain('500 users (medium)');
    await page.locator('#query').fill('500 users');
    expect(await page.locator('.group tbody tr:visible').count()).toBe(30);
  });

  it('shows a filter with one name only while a link has set it', async () => {
    const { page } = await site.open(shopHistory({ operations: ['all'] }), { hash: 'operation=all' });

    expect(await page.locator('#filter-operation').isVisible()).toBe(true);
    await page.getByRole('button', { name: 'Show all' }).click();
    expect(await page.locator('#filter-operation').isVisible()).toBe(false);
  });

  it('zooms by dragging, by keys and by the wheel, and out again', async () => {
    const { page } = await site.open(history);
    const box = await page.locator('#plot .u-over').boundingBox();
    const [x, y, width] = [box?.x ?? 0, (box?.y ?? 0) + 50, box?.width ?? 0];
    const stretch = () => {
      const fields = new URLSearchParams(new URL(page.url()).hash.slice(1));
      return Number(fields.get('to')) - Number(fields.get('from'));
    };

    await page.mouse.move(x + width * 0.25, y);
    await page.mouse.down();
    await page.mouse.move(x + width * 0.75, y, { steps: 4 });
    await page.mouse.up();
    // The address follows the chart when the browser finds time.
    await expect.poll(stretch).toBeGreaterThan(0);
    const dragged = stretch();
    await page.locator('#plot').focus();
    await page.keyboard.press('+');
    const closer = stretch();
    await page.keyboard.down('Control');
    await page.mouse.wheel(0, 200);
    await page.keyboard.up('Control');
    await expect.poll(stretch).toBeGreaterThan(closer);

    expect(closer).toBeLessThan(dragged);
    await page.keyboard.press('Escape');
    expect(stretch()).toBe(0);
  });

  it('shows a run under the cursor, and goes from there to its commit, pull request and workflow run', async () => {
    const { page } = await site.open(history, { hash: `${chosen(CPU)}&run=run-000128` });
    const panel = page.locator('.run');

    expect(await panel.textContent()).toContain('Render answers with the new serializer');
    expect(await panel.textContent()).toContain('change for the worse: +15%');
    const links = await page.evaluate<string[]>("[...document.querySelectorAll('.run a')].map((link) => link.href)");
    expect(links).toEqual([
      expect.stringMatching(/^https:\/\/github\.com\/example\/shop\/commit\/[0-9a-f]{40}$/),
      'https://github.com/example/shop/pull/228',
      'https://github.com/example/shop/actions/runs/7000128',
    ]);

    const box = await page.locator('#plot .u-over').boundingBox();
    await page.mouse.move((box?.x ?? 0) + 5, (box?.y ?? 0) + 60);
    await expect.poll(() => panel.textContent()).not.toContain('Render answers');
    await page.mouse.click((box?.x ?? 0) + 5, (box?.y ?? 0) + 60);
    await expect.poll(() => page.url()).not.toContain('run-000128');
    await page.goBack();
    await expect.poll(() => page.url()).toContain('run-000128');
  });

  it('restores a deep link: series, stretch, axis, hidden lines, also where its runs are in old segments', async () => {
    const long = shopHistory({ runs: 450 });
    const hidden = 'users/rest/all/low/cpuMicrosPerRequest/µs';
    const hash = `${chosen(CPU)}&hide=${encodeURIComponent(hidden)}&axis=logarithmic&run=run-000010`;
    const { page } = await site.open(long, { hash });

    await expect.poll(() => page.locator('#plot').getAttribute('aria-valuenow')).not.toBe('0');
    await expect.poll(() => page.locator('.older button').isHidden()).toBe(true);
    expect(await page.locator('#axis').inputValue()).toBe('logarithmic');
    expect(await page.locator('.legend input:not(:checked)').count()).toBe(1);
    expect(await page.locator('.legend [aria-pressed="true"]').textContent()).toBe('REST, saturation');
    expect(await page.locator('#plot').getAttribute('aria-valuenow')).toBe('11');
  });

  it('compares two runs, those that differ most first, and the state says which', async () => {
    const { page } = await site.open(history, { hash: 'base=run-000120&head=run-000140' });
    const first = page.locator('#compare ~ div .scroll tbody tr').first();

    expect(await first.textContent()).toMatch(/REST.*\+1\d%, worse/s);
    await page.getByRole('button', { name: 'Swap' }).click();
    expect(page.url()).toContain('base=run-000140&head=run-000120');
    await expect.poll(() => page.locator('.latency').textContent()).toContain('no latency distributions');
  });

  it('goes to the comparison once both runs are chosen in the chart', async () => {
    const { page } = await site.open(history, { hash: 'run=run-000120' });

    await page.getByRole('button', { name: 'Compare from here' }).click();
    expect(await page.locator('.run .actions').textContent()).toContain('Now choose the other run.');
    await page.locator('#plot').focus();
    await page.keyboard.press('ArrowRight');
    await page.getByRole('button', { name: 'Compare to here' }).click();

    expect(page.url()).toContain('base=run-000120&head=run-000121');
    expect(await page.evaluate('document.activeElement.id')).toBe('compare-base');
  });

  it('lays the latency distributions of two runs over each other, where they were kept', async () => {
    const line = (run: string, slower: number) => {
      const latencies = Array.from({ length: 2000 }, (_, place) => slower * (1 + place / 500));
      return JSON.stringify({ schema: 1, run, cells: { 'rest/all/high': encodeHistogram(latencies) } });
    };
    const kept = `${line('run-000120', 1)}\n${line('run-000140', 2)}\n`;
    const { page, complaints } = await site.open(new Map([...history, ['history/2026-11.histograms.jsonl', kept]]), {
      hash: 'base=run-000120&head=run-000140',
    });
    await page.locator('.latency canvas').waitFor();

    expect(await page.locator('#latency-cell').textContent()).toBe('REST, all operations, high');
    expect(await page.locator('.latency tbody tr').first().textContent()).toMatch(/^p503\.0\d ms6\.0\d ms$/);
    expect(await page.locator('.latency tbody tr').count()).toBe(5);
    expect(complaints).toEqual([]);
  });

  it('is used with the keyboard alone', async () => {
    const { page } = await site.open(history);

    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to the results');
    await page.keyboard.press('Enter');
    expect(await page.evaluate('document.activeElement.id')).toBe('main');
    await page.locator('#plot').focus();
    await page.keyboard.press('End');
    await page.keyboard.press('ArrowLeft');
    const last = await page.locator('#plot').getAttribute('aria-valuetext');
    await page.keyboard.press('ArrowLeft');
    expect(await page.locator('#plot').getAttribute('aria-valuetext')).not.toBe(last);
    await page.keyboard.press('Enter');
    expect(page.url()).toContain('run=run-000147');
  });

  it('has every chart as a table', async () => {
    const { page } = await site.open(history);

    await page.locator('#chart-table summary').click();
    const rows = page.locator('#chart-table tbody tr');

    await expect.poll(() => rows.count()).toBe(100);
    expect(await rows.first().textContent()).toContain('2026-11-21 08:40 UTC');
    expect(await page.locator('#chart-table').textContent()).toContain('worse: +15%');
  });
});
