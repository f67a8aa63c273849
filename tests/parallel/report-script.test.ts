import type { Locator, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import type { Finding } from '../../src/judge/verdict/finding.ts';
import { openFolds, pagesInBrowser } from '../support/browser-pages.ts';
import { hostileJudgment } from '../support/hostile-run.ts';
import { REPORTS } from '../support/reports.ts';
import { requires } from '../support/requires.ts';
import { comparedJudgment, comparisonResult } from '../support/sample-comparison.ts';
import { FINDINGS, wideFindings } from '../support/sample-findings.ts';
import { sampleJudgment } from '../support/sample-run.ts';
import { accessibilityFindings } from './accessibility.ts';

/** Of REST, two changed. */
const FOUND: readonly Finding[] = [FINDINGS.regressed, FINDINGS.improved, ...wideFindings(60).filter(isUnchanged)];

const ALL = `All ${FOUND.length} comparisons`;

const COMPARED = comparedJudgment(comparisonResult({ findings: FOUND }));

function isUnchanged({ verdict }: Finding): boolean {
  return verdict === 'unchanged';
}

function countOf(service: string, name?: string): number {
  return FOUND.filter(({ cell, metric }) => cell.service === service && (name ?? metric) === metric).length;
}

describe.skipIf(!requires('browser'))('filters of the HTML report in a browser', () => {
  const { open } = pagesInBrowser(REPORTS.html);

  it('leave the rows of a service, with its plot alone, chosen by keyboard', async () => {
    const { page, complaints } = await open(COMPARED);
    const all = await page.locator('tr[data-at]').count();

    await control(page, 'service').focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await openFolds(page);

    expect(await control(page, 'service').locator('option:checked').textContent()).toBe('gRPC');
    expect(await visible(page, comparisonRows('gRPC'))).toBe(countOf('grpc'));
    expect(await visible(page, comparisonRows('REST'))).toBe(0);
    expect(await page.getByRole('heading', { name: 'gRPC', exact: true }).count()).toBe(1);
    expect(await page.getByRole('heading', { name: 'REST', exact: true }).count()).toBe(0);
    const shown = await visible(page, 'tr[data-at]');
    expect(shown).toBeLessThan(all);
    expect(await page.locator('.filters output').textContent()).toBe(`${shown} of ${all} rows`);
    expect(complaints).toEqual([]);
  });

  it('leave what changed, and say so if there is nothing', async () => {
    const { page } = await open(COMPARED);
    await openFolds(page);

    await control(page, 'changed').press('Space');

    expect(await visible(page, comparisonRows('REST'))).toBe(2);
    expect(await page.getByRole('link', { name: ALL }).isVisible()).toBe(true);

    await control(page, 'service').selectOption('gRPC');

    expect(await page.locator('.filters output').textContent()).toMatch(/^0 of \d+ rows$/);
    expect(await page.getByRole('link', { name: 'What changed' }).isVisible()).toBe(false);
    expect(await page.getByRole('heading', { name: 'What changed' }).isVisible()).toBe(false);
  });

  it('are in the address, which restores them, and which a link to a section keeps', async () => {
    const { page } = await open(COMPARED, { fragment: '#service=gRPC&tier=no+such+tier' });
    await openFolds(page);

    expect(await visible(page, comparisonRows('REST'))).toBe(0);

    await control(page, 'metric').selectOption('p50');
    expect(new URLSearchParams(new URL(page.url()).hash.slice(1)).toString()).toBe('service=gRPC&metric=p50');
    expect(await visible(page, comparisonRows('gRPC'))).toBe(countOf('grpc', 'latencyP50Ms'));

    await page.getByRole('link', { name: ALL }).press('Enter');
    expect(new URL(page.url()).hash).toBe('#all');
    expect(await visible(page, comparisonRows('gRPC'))).toBe(countOf('grpc', 'latencyP50Ms'));

    await page.getByRole('button', { name: 'Show all' }).press('Enter');
    expect(new URL(page.url()).hash).toBe('');
    expect(await page.locator('main [hidden]').count()).toBe(0);
    expect(await page.locator('.filters output').textContent()).toMatch(/^(\d+) of \1 rows$/);
  });

  it('leave the tables of a tier in the report of a run', async () => {
    const { page } = await open(sampleJudgment());
    await openFolds(page);

    await control(page, 'tier').selectOption('500 users');

    const tables = await page.locator('#operations caption').filter({ visible: true }).count();
    const heads = await page
      .locator('section[aria-labelledby="tiers"] > .scroll th.rows')
      .filter({ visible: true })
      .allTextContents();
    expect(heads.map((head) => head.split(',')[0])).toEqual(['500 users (medium)']);
    expect(await page.locator('#operations h3').filter({ visible: true }).allTextContents()).toEqual(['500 users']);
    expect(tables).toBeGreaterThan(0);
    // What is about no tier stays.
    expect(await page.getByRole('heading', { name: 'How it was measured' }).isVisible()).toBe(true);
  });

  it('leave the charts of a tier and of a metric, and what is folded of them', async () => {
    const { page } = await open(sampleJudgment());
    await openFolds(page);
    const shown = (place: string, part: string) =>
      page.locator(`${place} ${part}`).filter({ visible: true }).allTextContents();
    const first = '[aria-labelledby="charts"] > .charts';
    const byLoad = ['p99 latency by load', 'Requests per second by load', 'p50 latency by load'];

    await control(page, 'tier').selectOption('100 users');

    expect(await shown('#latency', 'figcaption')).toEqual(['100 users']);
    expect(await shown('#time', 'figcaption')).toEqual([
      'Requests per second over time at 100 users',
      'p50 latency over time at 100 users',
      'p99 latency over time at 100 users',
    ]);
    expect(await shown('#time', 'summary')).toEqual(['Over time at the other loads', 'Second by second at 100 users']);
    expect(await shown(first, 'figcaption')).toEqual(byLoad);

    await control(page, 'metric').selectOption('p50');

    expect(await shown('#time', 'figcaption')).toEqual(['p50 latency over time at 100 users']);
    expect(await shown(first, 'figcaption')).toEqual(['p50 latency by load']);

    await control(page, 'tier').selectOption('saturation');

    expect(await page.getByText('Over time at the other loads').isVisible()).toBe(false);
  });

  it('leave all lines of a chart, those of other services faint', async () => {
    const { page } = await open(sampleJudgment());
    const faint = page.locator('[aria-labelledby="charts"] .chart .dim');

    await control(page, 'service').selectOption('gRPC');

    expect(await faint.first().getAttribute('class')).toBe('line s0 dim');
    expect(await page.locator('.s1.dim, .key .dim').count()).toBe(0);
    expect(await page.locator('.chart').filter({ visible: true }).count()).toBe(6);

    await page.getByRole('button', { name: 'Show all' }).click();

    expect(await page.locator('.dim').count()).toBe(0);
  });

  it('are folded on a phone, behind a line that says if something is chosen', async () => {
    const { page } = await open(COMPARED, { width: 390, fragment: '#service=gRPC' });
    const line = page.locator('.filters summary');

    expect(await control(page, 'service').isVisible()).toBe(false);
    expect(await line.textContent()).toMatch(/^Filter: \d+ of \d+ rows$/);

    await line.press('Enter');
    await page.getByRole('button', { name: 'Show all' }).press('Enter');

    expect(await control(page, 'service').inputValue()).toBe('');
    expect(await line.textContent()).toBe('Filter');
  });

  it('are not there without JavaScript, and all rows are', async () => {
    const { page } = await open(COMPARED, { javaScriptEnabled: false });

    expect(await page.locator('.filters').isVisible()).toBe(false);
    expect(await page.locator('main tr[hidden], main g[hidden], main section[hidden]').count()).toBe(0);
  });

  it('show hostile names as text', async () => {
    const { page, complaints } = await open(hostileJudgment(), {
      fragment: '#service=%3Cscript%3Ealert(1)%3C/script%3E',
    });
    page.on('dialog', (dialog) => complaints.push(dialog.message()));

    await control(page, 'service').selectOption({ index: 1 });

    expect(await page.locator('script, img').count()).toBe(1);
    expect(complaints).toEqual([]);
  });

  it.each([390, 1280])('have no accessibility finding, and fit into a screen of %d pixels', async (width) => {
    const { page } = await open(COMPARED, { width });
    await openFolds(page);
    await control(page, 'service').selectOption('gRPC');

    const widest = await page.evaluate<number>('document.documentElement.scrollWidth');
    const boxes = await page.locator('.filters :is(select, button, input, output)').all();

    expect(widest).toBeLessThanOrEqual(width);
    expect(boxes).toHaveLength(6);
    for (const box of boxes) {
      const { x = -1, width: own = width } = (await box.boundingBox()) ?? {};
      expect(x).toBeGreaterThanOrEqual(0);
      expect(x + own).toBeLessThanOrEqual(width);
    }
    expect(await accessibilityFindings(page, 'main')).toEqual([]);
  });
});

/** The control of a filter, by what the address calls it. */
function control(page: Page, name: string): Locator {
  return page.locator(`.filters [name="${name}"]`);
}

describe.skipIf(!requires('browser'))('values of the charts of the HTML report in a browser', () => {
  const { open } = pagesInBrowser(REPORTS.html);

  it('are read with the arrow keys, mark by mark', async () => {
    const { page, complaints } = await open(sampleJudgment());
    await openFolds(page);
    const chart = page.locator('#latency .chart').first();
    const titles = await chart.locator('path > title').allTextContents();

    await chart.locator('svg').focus();
    expect(await chart.locator('.value').textContent()).toBe(
      `Use the arrow keys to step through ${titles.length} values.`,
    );

    const reported: (string | null)[] = [];
    for (const key of ['ArrowRight', 'ArrowRight', 'ArrowLeft', 'ArrowLeft', 'End', 'ArrowRight', 'Home']) {
      await page.keyboard.press(key);
      reported.push(await chart.locator('.value').textContent());
    }

    expect(reported).toEqual([0, 1, 0, 0, -1, -1, 0].map((place) => titles.at(place)));
    expect(await chart.locator('.at > title').allTextContents()).toEqual([titles[0]]);
    expect(await chart.locator('.value').getAttribute('aria-live')).toBe('polite');
    await page.keyboard.press('Tab');
    expect(await chart.locator('.value').textContent()).toBe('');
    expect(await chart.locator('.at').count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  it('are read second by second over time, of all services, with a line at the second', async () => {
    const { page } = await open(sampleJudgment());
    await openFolds(page);
    const chart = page.locator('#time .chart').nth(1);
    const row = page.locator('#time table').first().locator('tbody tr').nth(1);
    const [head, ...cells] = await row.locator('th, td').allTextContents();

    await chart.locator('svg').focus();
    await page.keyboard.press('ArrowRight');
    const first = await chart.locator('.cursor').getAttribute('d');
    await page.keyboard.press('ArrowRight');

    // Of each service the rates offered and achieved, p50 and p99.
    expect(await chart.locator('figcaption').textContent()).toBe('p50 latency over time at 100 users');
    expect(await chart.locator('.value').textContent()).toBe(`${head}: REST ${cells[2]}, gRPC ${cells[6]}`);
    expect(await chart.locator('.cursor').getAttribute('d')).toMatch(/^M[\d.]+ 10V182$/);
    expect(await chart.locator('.cursor').getAttribute('d')).not.toBe(first);
  });

  it('leave charts alone that have none, and all without JavaScript', async () => {
    const plots = await open(COMPARED);
    expect(await plots.page.locator('.chart [tabindex], .chart .value').count()).toBe(0);

    const without = await open(sampleJudgment(), { javaScriptEnabled: false });
    expect(await without.page.locator('.chart [tabindex], .chart .value').count()).toBe(0);
  });

  it('have no accessibility finding', async () => {
    const { page } = await open(sampleJudgment());
    await openFolds(page);
    await page.locator('#latency .chart svg').first().press('ArrowRight');

    expect(await accessibilityFindings(page, '[aria-labelledby="charts"] > .charts, #latency')).toEqual([]);
  });
});

/** The rows of a table by its caption. */
/** Rows of the tables of a service, open or folded. */
function comparisonRows(service: string): string {
  return `table:has(caption:has-text("omparisons of ${service}")) tr[data-at]`;
}

async function visible(page: Page, selector: string): Promise<number> {
  return page.locator(selector).filter({ visible: true }).count();
}
