/**
 * Makes the reports of the gallery, and a picture of each, from what is stored in the repository: `npm run docs` does so before the site is
 * built. The bundle in dist/ makes the reports, so they are those that users get. Without Chromium there are no pictures, which is an error
 * if WIREGAUGE_REQUIRE names `browser`.
 */
import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { chromium, type Route } from 'playwright-core';
import { BROWSER_ARGUMENTS } from '../../browser-arguments.ts';
import { benchmarkData } from './benchmark-data.ts';
import { GALLERY, type GalleryReport, MADE_IN, PICTURE, pageOf, pictureOf } from './reports.ts';

const CHROMIUM = '/usr/bin/chromium';

/** Nobody answers there: every request of a page gets a file. */
const ORIGIN = 'http://reports.invalid';

function makeReport(report: GalleryReport, folder: string): void {
  const stored = readFileSync(report.from);
  if (report.kind === 'history') {
    const file = join(folder, 'data.js');
    writeFileSync(file, benchmarkData(stored.toString('utf8')));
    wiregauge('history', 'import', file, '--format', 'github-action-benchmark', '--folder', join(MADE_IN, report.name));
    return;
  }
  const file = join(folder, 'run.json');
  writeFileSync(file, gunzipSync(stored));
  wiregauge('report', file, '--out', folder);
  copyFileSync(join(folder, 'report.html'), join(MADE_IN, pageOf(report)));
}

function wiregauge(...words: readonly string[]): void {
  execFileSync(process.execPath, ['dist/cli.js', ...words], { stdio: ['ignore', 'ignore', 'inherit'] });
}

async function takePictures(): Promise<void> {
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: [...BROWSER_ARGUMENTS] });
  try {
    const context = await browser.newContext({ viewport: PICTURE, locale: 'en-US', timezoneId: 'UTC' });
    await context.route('**/*', answer);
    for (const report of GALLERY) {
      const page = await context.newPage();
      await page.goto(`${ORIGIN}/${pageOf(report)}`, { waitUntil: 'networkidle' });
      await page.screenshot({ path: join(MADE_IN, pictureOf(report)) });
      await page.close();
    }
  } finally {
    await browser.close();
  }
}

async function answer(route: Route): Promise<void> {
  const path = join(MADE_IN, new URL(route.request().url()).pathname);
  await route.fulfill(existsSync(path) ? { path } : { status: 404 });
}

rmSync(MADE_IN, { recursive: true, force: true });
mkdirSync(MADE_IN, { recursive: true });
for (const report of GALLERY) {
  const folder = mkdtempSync(join(tmpdir(), 'gallery-'));
  try {
    makeReport(report, folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
const isRequired = (process.env['WIREGAUGE_REQUIRE'] ?? '').split(',').includes('browser');
if (isRequired || existsSync(CHROMIUM)) {
  await takePictures();
} else {
  console.log(`${MADE_IN} has no pictures, since ${CHROMIUM} is missing. Install Chromium to get them.`);
}
