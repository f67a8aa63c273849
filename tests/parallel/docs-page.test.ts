import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Browser, type BrowserContext, chromium } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { BROWSER_ARGUMENTS } from '../../scripts/browser-arguments.ts';
import { buildDocs } from '../../scripts/docs-site.ts';
import { requires } from '../support/requires.ts';
import { accessibilityFindings } from './accessibility.ts';

describe.skipIf(!requires('browser'))('the site of the documents in a browser', () => {
  let folder: string;
  let pages: readonly string[];
  let browser: Browser;
  let context: BrowserContext | undefined;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'docs-page-'));
    pages = await buildDocs(folder);
    browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: [...BROWSER_ARGUMENTS] });
  });
  afterEach(async () => {
    await context?.close();
    context = undefined;
  });
  afterAll(async () => {
    await browser?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  interface View {
    readonly colorScheme?: 'light' | 'dark';
    readonly width?: number;
  }

  async function opened({ colorScheme = 'light', width = 1280 }: View = {}) {
    context = await browser.newContext({ colorScheme, viewport: { width, height: 860 } });
    const page = await context.newPage();
    const [requests, complaints]: [string[], string[]] = [[], []];
    page.on('request', (request) => requests.push(request.url()));
    page.on('console', (message) => complaints.push(message.text()));
    const goTo = (path: string) => page.goto(pathToFileURL(join(folder, path)).href);
    return { page, requests, complaints, goTo };
  }

  it('asks for nothing but its own files and complains of nothing, on any page', async () => {
    const { requests, complaints, goTo } = await opened();
    for (const path of pages) {
      await goTo(path);
    }

    const own = pathToFileURL(folder).href;
    expect(requests.filter((url) => !url.startsWith(own) && !url.startsWith('data:'))).toEqual([]);
    expect(requests.some((url) => url.endsWith('images/comment.png'))).toBe(true);
    expect(complaints).toEqual([]);
  });

  it('never scrolls sideways as a page on a narrow phone', async () => {
    const { page, goTo } = await opened({ width: 360 });
    const wide: string[] = [];
    for (const path of pages) {
      await goTo(path);
      if ((await page.evaluate<number>('document.documentElement.scrollWidth')) > 360) {
        wide.push(path);
      }
    }

    expect(wide).toEqual([]);
  });

  // Every text's contrast is computed, which takes seconds for large tables: other colours and widths on some pages only.
  const SOME = ['index.html', 'tutorial.html', 'metrics.html', 'how-to/self-hosted-runners.html'];

  it.each([
    ['light', 1280, undefined],
    ['light', 390, SOME],
    ['dark', 1280, SOME],
  ] as const)('has no accessibility finding: %s, %i pixels', async (colorScheme, width, some) => {
    const { page, goTo } = await opened({ colorScheme, width });
    const findings: string[] = [];
    for (const path of some ?? pages) {
      await goTo(path);
      findings.push(...(await accessibilityFindings(page)).map((finding) => `${path}: ${finding}`));
    }

    expect(findings).toEqual([]);
  });

  it('is read with the keyboard: past the head to the text, and on a phone to all pages', async () => {
    const { page, goTo } = await opened({ width: 390 });
    await goTo('how-to/tls.html');

    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to the text');
    await page.keyboard.press('Enter');
    expect(await page.evaluate('document.activeElement.id')).toBe('main');
    await page.getByRole('link', { name: 'All pages' }).press('Enter');
    await page.getByRole('navigation').getByRole('link', { name: 'Metrics' }).press('Enter');
    expect(await page.locator('h1').textContent()).toBe('Metrics');
  });
});
