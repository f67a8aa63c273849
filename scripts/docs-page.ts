import { posix } from 'node:path';
import packageFile from '../package.json' with { type: 'json' };
import { escapeHtml } from '../src/foundation/index.ts';
import { DOCS, pageOf } from './docs-address.ts';
import type { Heading } from './docs-document.ts';

/** A group of pages, as the index lists them. */
export interface DocsGroup {
  readonly title: string;
  /** Paths of documents from the root of the repository, with their titles. */
  readonly pages: readonly DocsEntry[];
}

export interface DocsEntry {
  readonly file: string;
  readonly title: string;
}

/** What a page is made of. */
export interface DocsPage extends DocsEntry {
  readonly headings: readonly Heading[];
  readonly content: string;
}

const INDEX = `${DOCS}/index.md`;

/** Nothing is loaded from elsewhere, and no script runs. */
const POLICY = "default-src 'none'; style-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'";

/** The whole page of a document. */
export function docsPage(page: DocsPage, groups: readonly DocsGroup[]): string {
  const to = (file: string): string => posix.relative(posix.dirname(page.file), pageOf(file));
  const title = page.file === INDEX ? page.title : `${page.title} · Wiregauge`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>${escapeHtml(title)}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${to(`${DOCS}/docs.css`)}">
</head>
<body>
<a class="skip" href="#main">Skip to the text</a>
<header><a class="home" href="${to(INDEX)}">Wiregauge</a> <a class="menu" href="#pages">All pages</a></header>
<div class="columns">
<main id="main" tabindex="-1">
${page.content}${neighbours(page, groups, to)}</main>
<nav id="pages" tabindex="-1" aria-label="All pages">
${groups.map((group) => groupList(group, page, to)).join('')}</nav>
</div>
<footer>Wiregauge ${escapeHtml(packageFile.version)} · <a href="${escapeHtml(packageFile.homepage)}">source</a></footer>
</body>
</html>
`;
}

type To = (file: string) => string;

function groupList({ title, pages }: DocsGroup, page: DocsPage, to: To): string {
  const entries = pages.map((entry) => {
    const isHere = entry.file === page.file;
    const link = `<a href="${to(entry.file)}"${isHere ? ' aria-current="page"' : ''}>${escapeHtml(entry.title)}</a>`;
    return `<li>${link}${isHere ? sectionList(page.headings) : ''}</li>\n`;
  });
  return `<h2>${escapeHtml(title)}</h2>\n<ul>\n${entries.join('')}</ul>\n`;
}

/** The sections of the page that is shown. */
function sectionList(headings: readonly Heading[]): string {
  const sections = headings.filter(({ level }) => level === 2);
  const entries = sections.map(({ id, text }) => `<li><a href="#${id}">${escapeHtml(text)}</a></li>`);
  return entries.length === 0 ? '' : `\n<ul>${entries.join('')}</ul>`;
}

/** Links to the page before and the one after, in the order of the index. */
function neighbours({ file }: DocsEntry, groups: readonly DocsGroup[], to: To): string {
  const all = groups.flatMap(({ pages }) => pages);
  const place = all.findIndex((entry) => entry.file === file);
  const [before, after] = [place > 0 ? all[place - 1] : undefined, all[place + 1]];
  const link = (word: string, entry: DocsEntry | undefined): string =>
    entry === undefined ? '' : `<span>${word}: <a href="${to(entry.file)}">${escapeHtml(entry.title)}</a></span>`;
  return `<p class="neighbours">${link('Before', before)}${link('Next', after)}</p>\n`;
}
