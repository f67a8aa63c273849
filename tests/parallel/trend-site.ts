import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll } from 'vitest';
import { buildSite } from '../../scripts/build-site.ts';
import { sharedBrowser } from '../support/browser.ts';
import { answeredSite } from './answered-site.ts';

/** The trend page as its source makes it, in a browser, over a history of files. */
interface TrendSite {
  /** With the page alone. */
  readonly folder: string;
  open(files: ReadonlyMap<string, string>, view?: TrendView): Promise<OpenedTrend>;
  /** Opens the address of a file. */
  visit(address: string): Promise<OpenedTrend>;
}

interface TrendView {
  readonly hash?: string;
  readonly colorScheme?: 'light' | 'dark';
  readonly width?: number;
}

export interface OpenedTrend {
  readonly page: Page;
  /** Addresses that were asked for, and what the browser complained of. */
  readonly requests: readonly string[];
  readonly complaints: readonly string[];
}

/** Such a page for the tests of a group. */
export function trendSite(): TrendSite {
  let folder = '';
  let context: BrowserContext | undefined;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'wiregauge-trend-'));
    await buildSite(folder);
  });

  afterAll(async () => {
    await context?.close();
    await rm(folder, { recursive: true, force: true });
  });

  async function fresh(view: TrendView) {
    await context?.close();
    context = await newContext(await sharedBrowser(), view);
    return watched(await context.newPage());
  }

  return {
    get folder() {
      return folder;
    },
    async open(files, view = {}) {
      const opened = await fresh(view);
      const address = await answeredSite(opened.page.context(), { folder, files });
      await opened.page.goto(`${address}/${view.hash === undefined ? '' : `#${view.hash}`}`);
      await opened.page.locator('#progress').waitFor({ state: 'detached' });
      return opened;
    },
    async visit(address) {
      const opened = await fresh({});
      await opened.page.goto(address);
      return opened;
    },
  };
}

function newContext(browser: Browser, { colorScheme = 'light', width = 1280 }: TrendView): Promise<BrowserContext> {
  const isPhone = width < 500;
  return browser.newContext({ colorScheme, viewport: { width, height: 860 }, hasTouch: isPhone, isMobile: isPhone });
}

function watched(page: Page): OpenedTrend {
  const [requests, complaints]: [string[], string[]] = [[], []];
  page.on('request', (request) => requests.push(request.url()));
  page.on('console', (message) => complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(error.message));
  return { page, requests, complaints };
}
