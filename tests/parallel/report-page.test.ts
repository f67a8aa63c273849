import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import type { Judgment } from '../../src/report/views/judgment.ts';
import { openFolds, pagesInBrowser } from '../support/browser-pages.ts';
import { hostileJudgment } from '../support/hostile-run.ts';
import { REPORTS } from '../support/reports.ts';
import { requires } from '../support/requires.ts';
import {
  comparedJudgment,
  comparisonResult,
  everythingFound,
  hostileComparison,
} from '../support/sample-comparison.ts';
import { FINDINGS, wideFindings } from '../support/sample-findings.ts';
import { judgedAgainstBaseline, sampleJudgment, sampleRun } from '../support/sample-run.ts';
import { sweepJudgment } from '../support/sample-sweep.ts';
import { accessibilityFindings, contrastFindings } from './accessibility.ts';

const CASES: Readonly<Record<string, () => Judgment>> = {
  'two services': () => judgedAgainstBaseline(),
  'three services in two rounds, with failures': () =>
    judgedAgainstBaseline(
      sampleRun({
        services: ['rest', 'rest-development', 'grpc'],
        rounds: 2,
        without: ['grpc/high'],
        change: {
          failures: [{ suite: 'users', service: 'grpc', tier: 'high', round: 1, message: 'never became ready' }],
        },
      }),
    ),
  'a hostile run': () => hostileJudgment(),
  'a comparison of two versions': () => comparedJudgment(everythingFound()),
  'sixty comparisons': () => comparedJudgment(comparisonResult({ findings: wideFindings(60) })),
  'a hostile comparison': () => hostileComparison(),
  'six services over the size of an answer': () => sweepJudgment(),
};

describe.skipIf(!requires('browser'))('the HTML report in a browser', () => {
  const { open } = pagesInBrowser(REPORTS.html);

  describe.each(Object.entries(CASES))('with %s', (_name, judgmentOf) => {
    it('asks for nothing but itself, complains of nothing, and never scrolls sideways on a narrow phone, folds open', async () => {
      const { page, requests, complaints } = await open(judgmentOf(), { width: 360 });
      await openFolds(page);

      expect(await page.locator('script[src], img, iframe, link[href^="http"]').count()).toBe(0);
      const widths = await page.evaluate<number[]>('[document.documentElement.scrollWidth, document.body.scrollWidth]');

      expect(Math.max(...widths)).toBeLessThanOrEqual(360);
      const wide =
        "[...document.querySelectorAll('.cards')].filter((one) => one.scrollWidth > one.parentElement.clientWidth + 1).length";
      expect(await page.evaluate(wide)).toBe(0);
      expect(requests.filter((url) => !url.startsWith('data:'))).toEqual([page.url()]);
      expect(complaints).toEqual([]);
    });
  });

  // Every text's contrast is computed, which takes seconds for the tables behind the charts: not for every case.
  it.each([
    ['two services', ['light', 'dark']],
    ['three services in two rounds, with failures', ['light']],
    ['a comparison of two versions', ['light', 'dark']],
    ['sixty comparisons', ['light']],
  ] as const)('has no accessibility finding with %s in %j mode, folds open', async (name, [, dark]) => {
    const { page } = await open((CASES[name] ?? sampleJudgment)());
    await openFolds(page);

    expect(await accessibilityFindings(page)).toEqual([]);
    if (dark !== undefined) {
      await page.emulateMedia({ colorScheme: dark });
      expect(await contrastFindings(page)).toEqual([]);
    }
  });

  // The tables and charts of the other sections are those of other cases: what is new here is the section over an argument.
  it('has no accessibility finding over an argument in light and dark mode', async () => {
    const { page } = await open(sweepJudgment());
    const charts = page.locator('.charts:has([id^="sweep-"]) svg[role="img"]');
    await openFolds(page);

    expect(await accessibilityFindings(page, NEW_PARTS)).toEqual([]);
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await contrastFindings(page, NEW_PARTS)).toEqual([]);
    expect(await charts.locator(':scope > title:not(:empty)').count()).toBe(30);
    expect(await charts.locator('desc:not(:empty)').count()).toBe(30);
  });

  it.each([360, 1280])(
    'draws labels next to lines within their charts at %d pixels, none over another',
    async (width) => {
      const { page } = await open(sweepJudgment(), { width });

      const charts = await page.evaluate<readonly ChartBoxes[]>(
        `[...document.querySelectorAll('section > .charts .chart svg:has([id^="sweep-"])')].map((svg) => ({
        right: svg.getBoundingClientRect().right,
        labels: [...svg.querySelectorAll('.direct')].map((text) => {
          const { right, top, bottom } = text.getBoundingClientRect();
          return { right, top, bottom };
        }),
      }))`,
      );

      expect(charts).toHaveLength(15);
      for (const { right, labels } of charts) {
        expect(Math.max(...labels.map((label) => label.right))).toBeLessThanOrEqual(right);
        const sorted = labels.toSorted((one, other) => one.top - other.top);
        const gaps = sorted.slice(1).map((label, index) => label.top - (sorted[index]?.bottom ?? 0));
        // Boxes of text are higher than their letters.
        expect(Math.min(0, ...gaps)).toBeGreaterThan(-4);
      }
    },
  );

  it('is reached in full with the keyboard: skip link, folded sections, tables that scroll, folds', async () => {
    const { page } = await open(sampleJudgment(), { width: 660 });
    await page.addStyleTag({ content: '.scroll { max-width: 12rem }' });

    await page.keyboard.press('Tab');
    expect(await focused(page)).toBe('Skip to the report');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    expect(await page.evaluate("document.activeElement.closest('nav')?.getAttribute('aria-label')")).toBe('Sections');
    await page.keyboard.press('Enter');
    const role = () => page.evaluate("document.activeElement.getAttribute('role')");
    for (let tabs = 0; tabs < 60 && (await role()) !== 'region'; tabs += 1) {
      await page.keyboard.press('Tab');
    }
    expect(await role()).toBe('region');
    await page.keyboard.press('ArrowRight');
    await expect.poll(() => page.evaluate<number>('document.activeElement.scrollLeft')).toBeGreaterThan(0);

    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    expect(await focused(page)).toBe('At saturation');
    await page.keyboard.press('Enter');
    expect(await page.evaluate("document.activeElement.closest('details').open")).toBe(true);

    const regions = await page.locator('.scroll').count();
    expect(await page.locator('.scroll[tabindex="0"][role="region"][aria-label]').count()).toBe(regions);
  });

  it.each([390, 1280])(
    'has its verdict in the first half of a screen of %d pixels, before its sections',
    async (width) => {
      const { page } = await open(judgedAgainstBaseline(), { width });

      const [verdict, sections] = await page.evaluate<readonly { readonly top: number; readonly bottom: number }[]>(
        `['.summary', 'nav'].map((name) => {
        const { top, bottom } = document.querySelector(name).getBoundingClientRect();
        return { top, bottom };
      })`,
      );

      expect(verdict?.top).toBeLessThan(400);
      expect(verdict?.bottom).toBeLessThanOrEqual(sections?.top ?? 0);
    },
  );

  it.each([
    ['a run', () => sampleJudgment()],
    ['a comparison', () => comparedJudgment(comparisonResult({ findings: [FINDINGS.regressed, ...wideFindings(60)] }))],
  ])('has the first figures of %s within the first screen of a phone, below what is folded', async (_, judgmentOf) => {
    const { page } = await open(judgmentOf(), { width: 390 });

    const [first, folds] = await page.evaluate<readonly [number, readonly boolean[]]>(
      `[
        document.querySelector('main .tiles, main table, main .chart').getBoundingClientRect().top,
        [...document.querySelectorAll('nav > details, .filters')].map(({ open }) => open),
      ]`,
    );

    expect(first).toBeLessThan(750);
    expect(folds).toEqual([false, false]);
  });

  it('folds its sections, and opens them without JavaScript, too', async () => {
    const sections = (page: Page) => page.locator('nav a').filter({ visible: true }).count();
    const { page } = await open(sampleJudgment());
    const without = await open(sampleJudgment(), { width: 390, javaScriptEnabled: false });

    expect(await sections(page)).toBe(0);
    await page.getByText('Sections', { exact: true }).click();
    expect(await sections(page)).toBe(4);
    await without.page.getByText('Sections', { exact: true }).click();
    expect(await sections(without.page)).toBe(await sections(page));
    await page.setViewportSize({ width: 390, height: 800 });
    await page.setViewportSize({ width: 1280, height: 800 });
    await expect.poll(() => page.locator('.filters select').first().isVisible()).toBe(true);
  });

  it('shows all columns of the settings of a service on a screen of 1,100 pixels', async () => {
    const run = sampleRun();
    const environment = {
      SERVER: 'gunicorn',
      WORKER_CLASS: 'uvicorn.workers.UvicornWorker',
      WORKERS: '2',
      THREADS: '4',
    };
    const services = run.services.map((service) => ({
      ...service,
      variant: { of: 'api', name: service.name, environment },
    }));
    const { page } = await open({ run: { ...run, services }, against: undefined }, { width: 1100 });

    const [needed, shown] = await page.evaluate<readonly [number, number]>(
      `(() => { const { scrollWidth, clientWidth } = document.querySelector('[aria-labelledby="settings-1"] .scroll'); return [scrollWidth, clientWidth]; })()`,
    );

    expect(shown).toBeGreaterThan(900);
    expect(needed).toBeLessThanOrEqual(shown);
  });

  it('shows where the focus is', async () => {
    const { page } = await open(sampleJudgment());
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');

    const outline = await page.evaluate('getComputedStyle(document.activeElement).outlineStyle');

    expect(outline).toBe('solid');
  });

  it('names every chart and every table', async () => {
    const { page } = await open(judgedAgainstBaseline());

    const charts = page.locator('svg[role="img"]');
    const tables = page.locator('table');

    expect(await charts.count()).toBe(18);
    expect(await charts.locator(':scope > title:not(:empty)').count()).toBe(18);
    expect(await charts.locator('desc:not(:empty)').count()).toBe(18);
    expect(await tables.locator('caption:not(:empty)').count()).toBe(await tables.count());
  });

  it('lets the tables of a comparison scroll by themselves', async () => {
    const { page } = await open(comparedJudgment(comparisonResult({ findings: wideFindings(60) })), { width: 400 });
    await openFolds(page);

    const regions = await page.locator('.scroll').count();
    expect(await page.locator('.scroll[tabindex="0"][role="region"][aria-label]').count()).toBe(regions);
    expect(regions).toBeGreaterThanOrEqual(2);
  });
});

const NEW_PARTS = 'section[aria-labelledby="services"]';

interface ChartBoxes {
  readonly right: number;
  readonly labels: readonly { readonly right: number; readonly top: number; readonly bottom: number }[];
}

async function focused(page: Page): Promise<string> {
  return page.evaluate<string>('document.activeElement.textContent');
}
