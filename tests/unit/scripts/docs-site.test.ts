import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { posix } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addressOn } from '../../../scripts/docs-address.ts';
import { buildDocs } from '../../../scripts/docs-site.ts';

const BLOB = 'https://github.com/wiregauge/wiregauge/blob/main/';

describe('the site of the documents', () => {
  let folder = '';
  let pages: readonly string[] = [];

  beforeAll(async () => {
    folder = mkdtempSync(`${tmpdir()}/docs-`);
    pages = await buildDocs(folder);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const html = (page: string) => readFileSync(`${folder}/${page}`, 'utf8');
  const idsOf = (page: string) => [...html(page).matchAll(/ id="([^"]*)"/g)].map(([, id = '']) => id);

  it('has a page for each document', () => {
    expect(pages).toEqual(expect.arrayContaining(['index.html', 'tutorial.html', 'how-to/tls.html', 'config.html']));
    expect(existsSync(`${folder}/docs.css`)).toBe(true);
  });

  it('has no link that leads nowhere, and no id twice', () => {
    const broken = pages.flatMap((page) => {
      const links = [...html(page).matchAll(/ (?:href|src)="([^"]*)"/g)].map(([, target = '']) => target);
      const dead = links.filter((target) => !isThere(page, target)).map((target) => `${page}: ${target}`);
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
    return existsSync(`${folder}/${file}`) && (anchor === undefined || idsOf(file).includes(anchor));
  }

  it('loads nothing from elsewhere, and shows no comment that is for tests', () => {
    for (const page of pages) {
      expect(html(page)).not.toMatch(/<!--|<script|<img[^>]* src="http|<link[^>]* href="http/);
      expect(html(page)).toContain("default-src 'none'");
    }
  });

  it('marks where the reader is, with the sections of the page', () => {
    expect(html('how-to/tls.html')).toContain('<a href="tls.html" aria-current="page">Measure over TLS</a>');
    expect(html('config.html')).toContain('<li><a href="#secrets">Secrets</a></li>');
  });
});

it.each([
  ['docs/a.md', 'b.md#c', 'b.html#c'],
  ['docs/how-to/a.md', '../b.md', '../b.html'],
  ['docs/a.md', '#c', '#c'],
  ['docs/a.md', 'images/x.png', 'images/x.png'],
  ['docs/a.md', '../README.md#x', `${BLOB}README.md#x`],
  ['docs/how-to/a.md', '../../examples/tls/', `${BLOB}examples/tls`],
  ['docs/a.md', 'https://example.org/a.md', 'https://example.org/a.md'],
])('on the page of %s, %s is %s', (file, target, address) => {
  expect(addressOn(file, target)).toBe(address);
});
