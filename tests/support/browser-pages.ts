import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll } from 'vitest';
import { BROWSER_ARGUMENTS } from '../../scripts/browser-arguments.ts';

/** How a page is looked at. */
interface View {
  readonly colorScheme?: 'light' | 'dark';
  readonly width?: number;
  readonly javaScriptEnabled?: boolean;
  /** Behind the address: "#service=gRPC". */
  readonly fragment?: string;
}

/** A browser for the tests of a group, which shows pages of such subjects: it is started before them, and what each test opened is closed behind it. */
export function pagesInBrowser<Subject>(markupOf: (subject: Subject) => string) {
  let browser: Browser | undefined;
  let folder: string | undefined;
  const contexts: BrowserContext[] = [];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'wiregauge-page-'));
    browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: [...BROWSER_ARGUMENTS] });
  });

  afterEach(async () => {
    await Promise.all(contexts.splice(0).map((context) => context.close()));
  });

  afterAll(async () => {
    await browser?.close();
    if (folder !== undefined) {
      await rm(folder, { recursive: true, force: true });
    }
  });

  /** Opens the page of a subject from a file, and keeps what it asked for and complained of. */
  async function open(subject: Subject, view: View = {}) {
    if (browser === undefined || folder === undefined) {
      throw new Error('a page is opened by a test, not before');
    }
    const { colorScheme = 'light', width = 1280, javaScriptEnabled = true, fragment = '' } = view;
    const context = await browser.newContext({ colorScheme, javaScriptEnabled, viewport: { width, height: 800 } });
    contexts.push(context);
    const page = await context.newPage();
    const [requests, complaints]: [string[], string[]] = [[], []];
    page.on('request', (request) => requests.push(request.url()));
    page.on('console', (message) => complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(error.message));
    const file = join(folder, 'page.html');
    await writeFile(file, markupOf(subject));
    await page.goto(`${pathToFileURL(file).href}${fragment}`);
    return { page, requests, complaints };
  }

  return { open };
}

/** Opens whatever a page folds. */
export async function openFolds(page: Page): Promise<void> {
  await page.evaluate("for (const fold of document.querySelectorAll('details')) fold.open = true");
}
