import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll } from 'vitest';
import { sharedBrowser } from './browser.ts';

/** How a page is looked at. */
interface View {
  readonly colorScheme?: 'light' | 'dark';
  readonly width?: number;
  readonly javaScriptEnabled?: boolean;
  /** Behind the address: "#service=gRPC". */
  readonly fragment?: string;
}

/** Pages of such subjects in a browser, for the tests of a group: what each test opened is closed behind it. */
export function pagesInBrowser<Subject>(markupOf: (subject: Subject) => string) {
  let folder: string | undefined;
  const contexts: BrowserContext[] = [];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'wiregauge-page-'));
  });

  afterEach(async () => {
    await Promise.all(contexts.splice(0).map((context) => context.close()));
  });

  afterAll(async () => {
    if (folder !== undefined) {
      await rm(folder, { recursive: true, force: true });
    }
  });

  /** Opens the page of a subject from a file, and keeps what it asked for and complained of. */
  async function open(subject: Subject, view: View = {}) {
    if (folder === undefined) {
      throw new Error('a page is opened by a test, not before');
    }
    const { colorScheme = 'light', width = 1280, javaScriptEnabled = true, fragment = '' } = view;
    const browser = await sharedBrowser();
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
