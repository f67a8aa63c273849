import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, posix, resolve } from 'node:path';
import { promisify } from 'node:util';
import type { Browser, BrowserContext } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { readDocument } from '../../scripts/docs/document.ts';
import { CODES_FILE, codePage, codeSections } from '../../scripts/docs/error-codes.ts';
import { GALLERY, ON_SITE, pageOf as pageOfReport } from '../../scripts/docs/gallery/reports.ts';
import { siteDocuments } from '../../scripts/docs/links.ts';
import { ERROR_CODES } from '../../src/foundation/errors.ts';
import { sharedBrowser } from '../support/browser.ts';
import { requires } from '../support/requires.ts';
import { accessibilityFindings, contrastFindings } from './accessibility.ts';
import { answeredSite } from './answered-site.ts';

const VITEPRESS = resolve('node_modules/vitepress/bin/vitepress.js');
const BLOB = 'https://github.com/wiregauge/wiregauge/blob/main/';
const documents = [...siteDocuments().keys()];
const pageOf = (file: string) => file.replace(/^docs\//, '').replace(/\.md$/, '.html');
const sections = codeSections(readFileSync(CODES_FILE, 'utf8'));
const pages = [...documents, ...sections.map(({ code }) => codePage(code))].map(pageOf);

/** What `npm run docs` does in a repository once the reports of the gallery are made, to another folder. */
function buildSite(folder: string, repository = '.') {
  return promisify(execFile)(process.execPath, [VITEPRESS, 'build', 'docs', '--outDir', folder], { cwd: repository });
}

let folder = '';
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'docs-site-'));
  await promisify(execFile)(resolve('node_modules/.bin/tsx'), ['scripts/docs/gallery/make.ts']);
  await buildSite(folder);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const htmlOf = (page: string) => readFileSync(join(folder, page), 'utf8');
const idsOf = (page: string) => [...htmlOf(page).matchAll(/ id="([^"]*)"/g)].map(([, id = '']) => id);

describe('the site of the documents', () => {
  it('has a page for each document, and one for addresses that lead nowhere', () => {
    expect(pages).toEqual(expect.arrayContaining(['index.html', 'tutorial.html', 'how-to/tls.html', 'config.html']));
    expect([...pages, '404.html'].filter((page) => !existsSync(join(folder, page)))).toEqual([]);
  });

  it('has a page for each code of an error', () => {
    const [first] = sections;
    const html = htmlOf(pageOf(codePage(first?.code ?? '')));

    expect(sections.length).toBe(Object.keys(ERROR_CODES).length);
    expect(html).toContain(`<title>${first?.code}: ${first?.title} | Wiregauge</title>`);
    expect(html).toContain('<strong>Fix</strong>');
    // There is no such file to edit, and no order in which one reads codes.
    expect(html).not.toMatch(/Edit this page|Next page/);
  });

  it.each(documents)('has the anchors that GitHub gives %s', (file) => {
    const anchors = readDocument(readFileSync(file, 'utf8')).headings.map(({ id }) => id);

    expect(idsOf(pageOf(file))).toEqual(expect.arrayContaining(anchors));
  });

  it('has no link that leads nowhere, and no id twice', () => {
    const broken = pages.flatMap((page) => {
      const links = [...htmlOf(page).matchAll(/<(?:a|img|link|script) [^>]*?(?:href|src)="([^"]*)"/g)];
      const dead = links.filter(([, target = '']) => !isThere(page, target)).map(([, target]) => `${page}: ${target}`);
      const ids = idsOf(page);
      return [...dead, ...ids.filter((id, place) => ids.indexOf(id) < place).map((id) => `${page}: id ${id}`)];
    });

    expect(broken).toEqual([]);
  });

  function isThere(page: string, target: string): boolean {
    if (target.startsWith(BLOB)) {
      return existsSync(target.slice(BLOB.length).replace(/#.*/, '') || '.');
    }
    if (/^[a-z]+:/.test(target)) {
      return /^(https:\/\/|data:,$)/.test(target);
    }
    const [path = '', anchor] = target.split('#', 2);
    const file = path === '' ? page : posix.join(posix.dirname(page), path);
    return existsSync(join(folder, file)) && (anchor === undefined || idsOf(file).includes(anchor));
  }

  it.each(pages)('shows on %s no comment that is for tests, and allows no script from elsewhere', (page) => {
    expect(htmlOf(page)).not.toMatch(/<!-- ?\w|&lt;!--/);
    expect(htmlOf(page)).toMatch(/<head>\s*<meta http-equiv="Content-Security-Policy" content="default-src 'self'; /);
    expect(htmlOf(page)).not.toMatch(/script-src[^;]*(unsafe|https?:|\*)/);
  });

  it.each([
    ['a-run', /gRPC serves [\d.]+ times as many requests/],
    ['a-regression', /Regression: [^<]*% [^<]* at saturation/],
    ['an-unchanged-comparison', /No regression\. A/],
    ['a-study', /Findings of the study/],
  ])('has the whole report of the gallery: %s', (name, words) => {
    expect(htmlOf(`${ON_SITE}/${name}.html`)).toMatch(words);
    expect(htmlOf('gallery.html')).toContain(`href="${ON_SITE}/${name}.html" target="_self"`);
  });

  it('has the trend page of the gallery with its history', () => {
    const page = `${ON_SITE}/a-trend-page`;

    expect(htmlOf('gallery.html')).toContain(`href="${page}/index.html" target="_self"`);
    expect(JSON.parse(htmlOf(`${page}/history/index.json`)).segments).not.toEqual([]);
  });

  it('has a picture of each report of the gallery, and the report', () => {
    expect(GALLERY.map((report) => existsSync(join(folder, ON_SITE, pageOfReport(report))))).not.toContain(false);
    expect(htmlOf('gallery.html').match(/<img [^>]*\.webp"/g)).toHaveLength(GALLERY.length);
  });

  it('keeps what GitHub shows as it is written', () => {
    expect(htmlOf('troubleshooting.html')).toContain('${{ github.token }}');
  });

  it('highlights YAML and shell', () => {
    const [, yaml = ''] =
      htmlOf('how-to/tls.html').match(/class="language-yaml"[\s\S]*?<code>([\s\S]*?)<\/code>/) ?? [];

    expect(yaml).toMatch(/<span style="--shiki-light:#[0-9A-F]{6};--shiki-dark:#[0-9A-F]{6};">services<\/span>/i);
    expect(htmlOf('how-to/tls.html')).toContain('class="language-sh"');
  });
});

it('is not built if a link leads to a heading that is not there', async () => {
  const repository = mkdtempSync(join(tmpdir(), 'docs-wrong-'));
  try {
    for (const path of ['docs/.vitepress', 'scripts/docs', 'package.json']) {
      cpSync(path, join(repository, path), { recursive: true });
    }
    symlinkSync(resolve('node_modules'), join(repository, 'node_modules'));
    writeFileSync(join(repository, 'docs/index.md'), '# Index\n\n[x](#no-such)\n');

    await expect(buildSite(join(repository, 'out'), repository)).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining('docs/index.md:3: #no-such leads to no heading'),
    });
  } finally {
    rmSync(repository, { recursive: true, force: true });
  }
});

describe.skipIf(!requires('browser'))('the site of the documents in a browser', () => {
  let browser: Browser;
  let context: BrowserContext | undefined;

  beforeAll(async () => {
    browser = await sharedBrowser();
  });
  afterEach(async () => {
    await context?.close();
    context = undefined;
  });

  interface View {
    readonly colorScheme?: 'light' | 'dark';
    readonly width?: number;
  }

  async function opened({ colorScheme = 'light', width = 1280 }: View = {}) {
    context = await browser.newContext({ colorScheme, viewport: { width, height: 860 } });
    const site = await answeredSite(context, { folder });
    const page = await context.newPage();
    const [requests, complaints]: [string[], string[]] = [[], []];
    page.on('request', (request) => requests.push(request.url()));
    page.on('console', (message) => complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(error.message));
    const goTo = async (path: string) => {
      await page.goto(`${site}/${path}`);
      const runs = () => page.evaluate('document.querySelector("#app").__vue_app__ !== undefined');
      await expect.poll(runs, { interval: 20 }).toBe(true);
    };
    return { page, site, requests, complaints, goTo };
  }

  it('asks for nothing but its own files, complains of nothing, and never scrolls sideways on a phone, on any page', async () => {
    const { page, site, requests, complaints, goTo } = await opened({ width: 360 });
    const wide: string[] = [];
    // The pages of the codes are alike.
    for (const path of pages.slice(0, documents.length + 1)) {
      await goTo(path);
      if ((await page.evaluate<number>('document.documentElement.scrollWidth')) > 360) {
        wide.push(path);
      }
    }

    expect(requests.filter((url) => !url.startsWith(site) && !url.startsWith('data:'))).toEqual([]);
    expect(requests.some((url) => /\/comment\.\w+\.webp$/.test(url))).toBe(true);
    expect(complaints).toEqual([]);
    expect(wide).toEqual([]);
  });

  it('shows the findings of the results on a phone in full, with nothing to scroll to', async () => {
    const { page, goTo } = await opened({ width: 390 });
    await goTo('results.html');

    const tables = await page.evaluate<readonly (readonly [needed: number, shown: number])[]>(
      "[...document.querySelectorAll('.vp-doc h2 ~ table')].filter(({ textContent }) => textContent.includes('confirmed?')).map(({ scrollWidth, clientWidth }) => [scrollWidth, clientWidth])",
    );

    expect(tables).toHaveLength(5);
    expect(tables.filter(([needed, shown]) => needed > shown)).toEqual([]);
  });

  it.each([
    ['light', 1280],
    ['light', 390],
    ['dark', 1280],
  ] as const)('has no accessibility finding: %s, %i pixels', async (colorScheme, width) => {
    const { page, goTo } = await opened({ colorScheme, width });
    const findings: string[] = [];
    for (const path of [
      'index.html',
      'tutorial.html',
      'metrics.html',
      'gallery.html',
      'how-to/self-hosted-runners.html',
    ]) {
      await goTo(path);
      const found = colorScheme === 'dark' ? await contrastFindings(page) : await accessibilityFindings(page);
      findings.push(...found.map((finding) => `${path}: ${finding}`));
    }

    expect(findings).toEqual([]);
  });

  it('is read with the keyboard past the head, and on a phone by its menu', async () => {
    const { page, site, goTo } = await opened({ width: 390 });
    await goTo('how-to/tls.html');

    await page.keyboard.press('Tab');
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('Skip to content');
    await page.getByRole('button', { name: 'All pages' }).press('Enter');
    await page.getByRole('navigation').getByRole('link', { name: 'Metrics' }).press('Enter');
    await page.waitForURL(`${site}/metrics.html`);
    await expect.poll(() => page.locator('h1').textContent()).toContain('Metrics');
  });

  it('leads from the gallery to a report', async () => {
    const { page, site, complaints, goTo } = await opened();
    await goTo('gallery.html');

    await page.getByRole('link', { name: 'Open the whole report' }).nth(1).click();
    await page.waitForURL(`${site}/${ON_SITE}/a-regression.html`);

    expect(await page.locator('body').textContent()).toContain('Regression');
    expect(complaints).toEqual([]);
  });

  it('finds a word in all documents, without asking a service', async () => {
    const { page, site, requests, goTo } = await opened();
    await goTo('how-to/tls.html');

    await page.keyboard.press('Control+k');
    await page.locator('#localsearch-input').fill('inconclusive');
    await page.getByRole('option').first().waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(/\.html#/);

    await expect.poll(() => page.locator('main').textContent()).toContain('inconclusive');
    expect(requests.filter((url) => !url.startsWith(site) && !url.startsWith('data:'))).toEqual([]);
  });

  it('copies a block', async () => {
    const { page, goTo } = await opened();
    await context?.grantPermissions(['clipboard-read', 'clipboard-write']);
    await goTo('how-to/tls.html');
    await page.locator('.language-yaml').first().hover();
    await page.locator('.language-yaml button.copy').first().click();

    expect(await page.evaluate('navigator.clipboard.readText()')).toMatch(/^services:\n {2}shop:\n/);
  });
});
