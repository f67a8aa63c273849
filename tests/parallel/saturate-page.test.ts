import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Browser, type BrowserContext, chromium } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { BROWSER_ARGUMENTS } from '../../scripts/browser-arguments.ts';
import { kneeDocument } from '../../src/report/knee/document.ts';
import { htmlOf } from '../../src/report/render/html.ts';
import { requires } from '../support/requires.ts';
import { kneeIn, saturateRecord } from '../support/sample-saturate.ts';
import { searched, seenOf } from '../support/simulated-service.ts';
import { accessibilityFindings } from './accessibility.ts';

const RECORD = saturateRecord([
  kneeIn(
    searched((rate) => seenOf({ capacityRps: 4000, baseMs: 1 }, rate)),
    { name: 'rest' },
  ),
  kneeIn(
    searched((rate) => seenOf({ capacityRps: 8000, baseMs: 0.6, toolEndsFrom: 6000 }, rate)),
    { name: 'grpc' },
  ),
]);

describe.skipIf(!requires('browser'))('the page of a search for knees', () => {
  let browser: Browser;
  let folder: string;
  let context: BrowserContext | undefined;

  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: [...BROWSER_ARGUMENTS] });
    folder = await mkdtemp(join(tmpdir(), 'wiregauge-saturate-'));
    await writeFile(join(folder, 'saturate.html'), htmlOf(kneeDocument(RECORD)));
  });

  afterEach(async () => {
    await context?.close();
    context = undefined;
  });

  afterAll(async () => {
    await browser?.close();
    await rm(folder, { recursive: true, force: true });
  });

  it.each([
    ['light', 1280],
    ['dark', 360],
  ] as const)('can be read by everybody and never scrolls sideways: %s, %i wide', async (colorScheme, width) => {
    context = await browser.newContext({ colorScheme, viewport: { width, height: 800 } });
    const page = await context.newPage();
    const complaints: string[] = [];
    page.on('console', (message) => complaints.push(message.text()));
    await page.goto(pathToFileURL(join(folder, 'saturate.html')).href);

    const findings = await accessibilityFindings(page);
    const widest = await page.evaluate<number>('document.documentElement.scrollWidth');

    expect(findings).toEqual([]);
    expect(widest).toBeLessThanOrEqual(width);
    expect(complaints).toEqual([]);
    expect(await page.locator('.chart svg').count()).toBe(2);
  });
});
