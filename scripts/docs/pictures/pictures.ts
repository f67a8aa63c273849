import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { type Browser, chromium } from 'playwright-core';
import { judgedByItself, judgmentPage } from '../../../src/commands/runs/report.ts';
import { parseRun } from '../../../src/model/run/run.ts';
import { htmlOf } from '../../../src/report/render/html.ts';
import { BROWSER_ARGUMENTS } from '../../browser-arguments.ts';
import { buildSite } from '../../build-site.ts';
import { benchmarkData } from '../gallery/benchmark-data.ts';
import { GALLERY, type GalleryReport } from '../gallery/reports.ts';
import { commentPage, PICTURE_WIDTH, storedComment } from './comment.ts';

/** Chromium for the pictures. */
export const CHROMIUM = '/usr/bin/chromium';

/** View of a page, whose picture is committed. */
export interface Picture {
  /** "comment", or a report of the gallery. */
  readonly of: string;
  readonly width: number;
  readonly colorScheme: 'light' | 'dark';
}

const PHONE = 390;

/** Pages with one picture each, wide and light. */
const ONCE: ReadonlySet<string> = new Set(['an-unchanged-comparison', 'a-study']);

/** Pictures of the comment and of the pages of the gallery, wide and on a phone, light and dark. */
export const PICTURES: readonly Picture[] = ['comment', ...GALLERY.map(({ name }) => name)].flatMap((of) => {
  const views = [of === 'comment' ? PICTURE_WIDTH : 1280, PHONE].flatMap((width) =>
    (['light', 'dark'] as const).map((colorScheme) => ({ of, width, colorScheme })),
  );
  return ONCE.has(of) ? views.slice(0, 1) : views;
});

/** File of a picture: "a-run.webp", "a-run-390-dark.webp". */
export function fileOf({ of, width, colorScheme }: Picture): string {
  return `docs/images/${of}${width === PHONE ? `-${width}` : ''}${colorScheme === 'dark' ? '-dark' : ''}.webp`;
}

const ORIGIN = 'http://pages.invalid';

/** Font of the pictures on every machine, from the package that builds the documents. */
const FONT = 'node_modules/vitepress/dist/client/theme-default/fonts/inter-roman-latin.woff2';

/** The trend page shows the days since a run; its newest run is of October 10. */
const SEEN_AT = '2024-10-12T12:00:00Z';

/** Loads the fonts, even before the layout needs them, and waits until a frame with them is drawn. */
const PAINTED = `(async () => {
  await Promise.all([...document.fonts].map((font) => font.load()));
  await new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)));
})()`;

/** Shows the pages built from their sources; a test may add style that spoils them. */
export interface Studio extends AsyncDisposable {
  readonly browser: Browser;
  take(picture: Picture, style?: string): Promise<Buffer>;
}

/** Opens a browser and builds all pages. */
export async function openStudio(): Promise<Studio> {
  const folder = await mkdtemp(join(tmpdir(), 'wiregauge-pictures-'));
  await writePage(folder, 'comment', commentPage(storedComment()));
  for (const report of GALLERY) {
    await makePage(folder, report);
  }
  const font = (await readFile(FONT)).toString('base64');
  const fixed = `@font-face { font-family: Fixed; font-weight: 100 900; src: url(data:font/woff2;base64,${font}) }
:root body, text, select, button { font-family: Fixed, sans-serif !important }`;
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: [...BROWSER_ARGUMENTS] });
  return {
    browser,
    async take({ of, width, colorScheme }, style = '') {
      const viewport = { width, height: width === PHONE ? 844 : 800 };
      const options = { viewport, colorScheme, locale: 'en-US', timezoneId: 'UTC', bypassCSP: true };
      const context = await browser.newContext(options);
      try {
        await context.route('**/*', async (route) => {
          const path = join(folder, new URL(route.request().url()).pathname);
          const isPage = /\.(?:css|js|html)$/.test(path);
          const body = await readFile(path).catch(() => undefined);
          await route.fulfill(body === undefined ? { status: 404 } : isPage ? { path } : { body });
        });
        await context.addInitScript(
          `addEventListener('DOMContentLoaded', () => { const style = document.createElement('style'); style.textContent = ${JSON.stringify(fixed + style)}; document.head.append(style) })`,
        );
        const page = await context.newPage();
        await page.clock.setFixedTime(SEEN_AT);
        await page.goto(`${ORIGIN}/${of}/index.html`, { waitUntil: 'networkidle' });
        // For the trend page, while it reads the history.
        await page.locator('#progress').waitFor({ state: 'detached' });
        await page.evaluate(PAINTED);
        const clip = of === 'comment' ? await page.locator('article').boundingBox() : undefined;
        const session = await context.newCDPSession(page);
        const { data } = await session.send('Page.captureScreenshot', {
          ...{ format: 'webp', quality: 80 },
          ...(clip && { clip: { ...clip, scale: 1 } }),
        });
        return Buffer.from(data, 'base64');
      } finally {
        await context.close();
      }
    },
    async [Symbol.asyncDispose]() {
      await browser.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function makePage(folder: string, { name, kind, from }: GalleryReport): Promise<void> {
  const stored = await readFile(from);
  if (kind === 'run') {
    const run = parseRun(gunzipSync(stored).toString('utf8'), from);
    await writePage(folder, name, htmlOf(judgmentPage(judgedByItself({ run, against: undefined }))));
    return;
  }
  const data = join(folder, 'data.js');
  await writeFile(data, benchmarkData(stored.toString('utf8')));
  const words = ['history', 'import', data, '--format', 'github-action-benchmark', '--folder', join(folder, name)];
  execFileSync(process.execPath, ['dist/cli.js', ...words], { stdio: ['ignore', 'ignore', 'inherit'] });
  await buildSite(join(folder, name));
}

async function writePage(folder: string, name: string, page: string): Promise<void> {
  await mkdir(join(folder, name));
  await writeFile(join(folder, name, 'index.html'), page);
}

/** Share of pixels that differ clearly at an eighth of the size, where edges of letters do not count; 1 if the sizes differ. */
export async function difference({ browser }: Pick<Studio, 'browser'>, pictures: readonly Buffer[]): Promise<number> {
  const page = await browser.newPage();
  try {
    const urls = pictures.map((picture) => `data:image/webp;base64,${picture.toString('base64')}`);
    return await page.evaluate<number>(`(async () => {
      const pixels = async (url) => {
        const image = new Image();
        image.src = url;
        await image.decode();
        const [width, height] = [Math.ceil(image.width / 8), Math.ceil(image.height / 8)];
        const context = new OffscreenCanvas(width, height).getContext('2d');
        context.imageSmoothingQuality = 'high';
        context.drawImage(image, 0, 0, width, height);
        return context.getImageData(0, 0, width, height).data;
      };
      const [one, other] = await Promise.all(${JSON.stringify(urls)}.map(pixels));
      const differs = one.filter((value, index) => Math.abs(value - other[index]) > 24).length;
      return one.length === other.length ? differs / one.length : 1;
    })()`);
  } finally {
    await page.close();
  }
}
