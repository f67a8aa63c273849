import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HOSTILE } from '../support/hostile-run.ts';
import { requires } from '../support/requires.ts';
import { shopHistory } from '../support/site-history.ts';
import { accessibilityFindings } from './accessibility.ts';
import { trendSite } from './trend-site.ts';

type Files = ReadonlyMap<string, string>;

const SHOP = shopHistory();
/** What breaks a history breaks a small one, too. */
const SMALL = shopHistory({ runs: 60, steps: [] });
const NEWEST = 'history/2026-11.jsonl';

const STATES: Readonly<Record<string, { readonly files: Files; readonly says: string }>> = {
  'nothing published': { files: new Map(), says: 'There is no history/index.json next to this page.' },
  'an empty history': {
    files: withFile('history/index.json', '{"schema":1,"wiregauge":"0.1.0","segments":[]}\n'),
    says: 'No runs yet',
  },
  'one run': { files: shopHistory({ runs: 1, steps: [] }), says: 'No series moved to another level.' },
  'a broken segment': { files: withFile(NEWEST, `${SMALL.get(NEWEST)}{"schema":1,`), says: 'history/2026-11.jsonl' },
  'a missing segment': { files: without(NEWEST), says: 'history/2026-11.jsonl is missing' },
  'a newer segment': {
    files: withFile(NEWEST, (SMALL.get(NEWEST) ?? '').replace('"schema":1', '"schema":2')),
    says: 'has schema 2, and this version reads 1',
  },
  'only broken segments': {
    files: new Map([...SMALL].map(([path, text]) => [path, path.endsWith('.jsonl') ? `${text}{` : text])),
    says: 'No run could be read.',
  },
  'broken change points': { files: withFile('history/changes.json', '{'), says: 'history/changes.json' },
  'a broken index': { files: withFile('history/index.json', '{"schema":1}'), says: 'The history cannot be read' },
  'a newer index': {
    files: withFile('history/index.json', '{"schema":2}'),
    says: 'This history is newer than the page',
  },
  'a whole history': { files: SHOP, says: 'Recent changes' },
  'hostile names': { files: hostileHistory(), says: '<script>alert(1)</script>' },
};

function withFile(path: string, text: string): Files {
  return new Map([...SMALL, [path, text]]);
}

function without(path: string): Files {
  return new Map([...SMALL].filter(([name]) => name !== path));
}

/** A history in which every text from outside is hostile, and every address is one of a script. */
function hostileHistory(): Files {
  const hostile = JSON.stringify(HOSTILE);
  const made = shopHistory({
    runs: 40,
    steps: [{ place: 20, factor: 1.2, subject: HOSTILE, of: ({ metric }) => metric === 'latencyP95Ms' }],
    releases: { 30: HOSTILE.slice(0, 300) },
    edit: (entry) => ({
      ...entry,
      commit: { sha: HOSTILE, subject: HOSTILE },
      branch: HOSTILE,
      links: { run: 'javascript:alert(1)', report: 'data:text/html,<script>alert(1)</script>' },
      runner: { cpuModel: HOSTILE, cores: 2, kernel: HOSTILE, platform: HOSTILE },
      tools: {},
    }),
  });
  const spoilt = (text: string) =>
    text
      .replaceAll('"service":"rest"', `"service":${hostile}`)
      .replaceAll('"operation":"GetUser"', `"operation":${hostile}`)
      .replaceAll('"tier":"low"', `"tier":${hostile}`)
      .replaceAll('"metric":"latencyP50Ms","unit":"ms"', `"metric":${hostile},"unit":${hostile}`)
      .replaceAll('"suite":"users","service"', `"suite":${hostile},"service"`)
      .replace('"https://github.com/example/shop"', '"javascript:alert(1)"');
  return new Map([...made].map(([path, text]) => [path, spoilt(text)]));
}

describe.skipIf(!requires('browser'))('the trend page in every state', () => {
  const site = trendSite();
  let disk: string;

  beforeAll(async () => {
    disk = await mkdtemp(join(tmpdir(), 'wiregauge-trend-disk-'));
  });

  afterAll(async () => {
    await rm(disk, { recursive: true, force: true });
  });

  describe.each(Object.entries(STATES))('%s', (_name, { files, says }) => {
    // On a phone: as whole pages on a wide screen axe sees the whole history and the hostile one.
    it('says what is the matter, axe finds nothing, and the page never scrolls sideways on a narrow phone', async () => {
      const { page } = await site.open(files, { width: 360, hash: 'base=run-000020&head=run-000040' });
      expect(await page.locator('main').textContent()).toContain(says);
      await openFolds(page);

      const widths = await page.evaluate<number[]>('[document.documentElement.scrollWidth, document.body.scrollWidth]');

      expect(Math.max(...widths)).toBeLessThanOrEqual(360);
      expect(await accessibilityFindings(page)).toEqual([]);
    });
  });

  it('runs no script of a history and links to no address but of the web', async () => {
    const { page, complaints } = await site.open(hostileHistory(), {
      hash: 'run=run-000030&base=run-000010&head=run-000030',
    });
    const dialogs: string[] = [];
    page.on('dialog', (dialog) => dialogs.push(dialog.message()));
    await openFolds(page);
    expect(await accessibilityFindings(page)).toEqual([]);

    const links = await page.evaluate<string[]>(
      "[...document.querySelectorAll('a[href]')].map((link) => link.getAttribute('href'))",
    );
    expect(links.length).toBeGreaterThan(10);
    expect(links.filter((href) => !/^(#|https?:\/\/)/.test(href))).toEqual([]);
    expect(await page.locator('script').count()).toBe(1);
    expect(await page.locator('main img, main iframe, main [onerror], main [style*="expression"]').count()).toBe(0);
    expect(dialogs).toEqual([]);
    expect(complaints.filter((text) => !text.includes('404'))).toEqual([]);
  });

  it('has no accessibility finding in dark mode, and darker colors in the chart, too', async () => {
    const { page } = await site.open(SHOP, { colorScheme: 'dark' });

    expect(await accessibilityFindings(page)).toEqual([]);
    expect(await page.evaluate('getComputedStyle(document.body).backgroundColor')).toBe('rgb(19, 21, 24)');
    const drawn = () => page.evaluate<string>("document.querySelector('#plot canvas').toDataURL()");
    const dark = await drawn();
    await page.emulateMedia({ colorScheme: 'light' });
    await expect.poll(drawn).not.toBe(dark);
  });

  it('has no animations if the user prefers reduced motion', async () => {
    const { page } = await site.open(SHOP);
    const behavior = () => page.evaluate<string>('getComputedStyle(document.documentElement).scrollBehavior');

    expect(await behavior()).toBe('smooth');
    await page.emulateMedia({ reducedMotion: 'reduce' });
    expect(await behavior()).toBe('auto');
  });

  it('opens from a copy on a disk once the folder is chosen, and sends nothing over the network', async () => {
    await mkdir(join(disk, 'history'), { recursive: true });
    for (const [path, text] of SHOP) {
      await writeFile(join(disk, path), text);
    }
    const { page, requests, complaints } = await site.visit(pathToFileURL(join(site.folder, 'index.html')).href);

    await page.locator('#folder').setInputFiles(disk);
    await page.locator('#plot canvas').waitFor();

    expect(await page.locator('.summary').textContent()).toContain('120 series');
    expect(requests.every((url) => url.startsWith('file:') || url.startsWith('data:'))).toBe(true);
    expect(complaints).toEqual([]);
  });

  it('saves a copy in one file, which opens from a disk by itself and allows nothing but what it holds', async () => {
    const { page } = await site.open(hostileHistory());
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Save a copy' }).click(),
    ]);
    const file = join(disk, 'performance.html');
    await download.saveAs(file);
    const whole = await page.locator('.group tbody tr').count();

    const copy = await site.visit(pathToFileURL(file).href);
    await copy.page.locator('#plot canvas').waitFor();

    expect(await copy.page.locator('.group tbody tr').count()).toBe(whole);
    expect(copy.requests.filter((url) => !url.startsWith('data:'))).toEqual([pathToFileURL(file).href]);
    expect(copy.complaints).toEqual([]);
  });

  it('asks for another folder where the chosen one has no history', async () => {
    const { page } = await site.visit(pathToFileURL(join(site.folder, 'index.html')).href);

    await page.locator('#folder').setInputFiles(site.folder);

    await expect
      .poll(() => page.locator('main').textContent())
      .toContain('There is no history/index.json in the chosen folder.');
    expect(await page.locator('#folder').count()).toBe(1);
  });

  it('allows nothing from elsewhere', async () => {
    const { page } = await site.open(SHOP);

    const policy = await page.locator('meta[http-equiv="Content-Security-Policy"]').getAttribute('content');

    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toMatch(/unsafe|https?:|\*/);
    // A text that became markup would be refused by the browser itself.
    expect(policy).toContain("require-trusted-types-for 'script'; trusted-types 'none'");
    const markup =
      "(() => { try { document.createElement('p').innerHTML = '<b>'; return 'made'; } catch (thrown) { return thrown.name; } })()";
    expect(await page.evaluate(markup)).toBe('TypeError');
    expect(
      await page.locator('link[href^="http"], script[src^="http"], [style]:not(#plot *):not(.latency *)').count(),
    ).toBe(0);
  });
});

async function openFolds(page: Page): Promise<void> {
  await page.evaluate("for (const fold of document.querySelectorAll('details')) fold.open = true");
}
