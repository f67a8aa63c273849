import { escapeHtml } from '../../foundation/index.ts';
import type { Run } from '../../model/index.ts';
import { startOf } from '../views/facts.ts';
import { PAGE_STYLE } from './html-style.ts';

/** Markup that is safe to put into a page: only `html` makes it, and it escapes whatever it is given. */
export interface Html {
  readonly markup: string;
}

type Part = string | number | Html | readonly Html[] | undefined;

/** A template whose inserted texts are escaped; inserted markup stays as it is, undefined leaves nothing. */
export function html(texts: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return { markup: texts.map((text, index) => text + markupOf(parts[index])).join('') };
}

function markupOf(part: Part): string {
  if (part === undefined) {
    return '';
  }
  if (typeof part === 'string' || typeof part === 'number') {
    return escapeHtml(String(part));
  }
  return 'markup' in part ? part.markup : part.map(({ markup }) => markup).join('');
}

/** A sentence in which no line breaks between a figure and its unit. */
export function sentence(text: string): Html {
  return html`${text.replace(/(?<=\d) (?=(?:ms|µs|MiB|B|s|users)\b|%)/g, '\u00a0')}`;
}

/** What stands under a heading of the second level, reachable by its id. */
export interface PageSection {
  readonly id: string;
  readonly title: string;
  readonly body: Html;
}

/** A part of a table's head that spans `span` columns. */
export interface HeadCell {
  readonly text: string;
  readonly span?: number;
}

/** A column's head; columns of text are set flush left, columns of figures flush right. */
export interface Column {
  readonly text: string;
  readonly isText: true;
}

/** A table with a caption; the first cell of each row is its header. */
export interface TableContent {
  readonly caption: string;
  /** For a caption that only repeats the heading above it: read out, not shown. */
  readonly isCaptionQuiet?: boolean;
  /** Above the columns, where they come in groups; the first cell stands over the row headers. */
  readonly groups?: readonly HeadCell[];
  /** A text stands for a column of figures. */
  readonly columns: readonly (string | Column)[];
  readonly rows: readonly TableRow[];
}

export interface TableRow {
  readonly head: string;
  readonly cells: readonly Html[];
}

/** A table that scrolls sideways by itself, also with the keyboard, so that the page never does. */
export function table({ caption, isCaptionQuiet = false, groups, columns, rows }: TableContent): Html {
  const groupRow = groups === undefined ? undefined : html`<tr>${groups.map(groupCell)}</tr>`;
  const head = html`<tr>${columns.map(columnCell)}</tr>`;
  const body = rows.map((row) => html`<tr><th scope="row">${row.head}</th>${row.cells}</tr>`);
  return html`<div class="scroll" role="region" tabindex="0" aria-label="${caption}"><table>
<caption${isCaptionQuiet ? html` class="quiet"` : undefined}>${caption}</caption>
<thead>${groupRow}${head}</thead>
<tbody>${joinLines(body)}</tbody>
</table></div>`;
}

function columnCell(column: string | Column): Html {
  if (typeof column === 'string') {
    return column === '' ? html`<td></td>` : html`<th scope="col">${column}</th>`;
  }
  return column.text === '' ? html`<td class="text"></td>` : html`<th scope="col" class="text">${column.text}</th>`;
}

function groupCell({ text, span = 1 }: HeadCell): Html {
  return text === '' ? html`<td></td>` : html`<th scope="colgroup" colspan="${span}" class="group">${text}</th>`;
}

/** Markup folded behind a line that opens it. */
export function folded(summary: string, body: Html): Html {
  return html`<details><summary>${summary}</summary>
${body}
</details>`;
}

/** A bulleted list of sentences; nothing for none. */
export function bullets(sentences: readonly string[]): Html {
  return sentences.length === 0 ? html`` : html`<ul>${sentences.map((text) => html`<li>${sentence(text)}</li>`)}</ul>`;
}

/** Pieces on lines of their own, so that the page's source can be read and compared. */
export function joinLines(pieces: readonly Html[]): Html {
  return { markup: pieces.map(({ markup }) => markup).join('\n') };
}

/** Nothing is loaded and nothing runs: the page can be opened from anywhere, also from a stranger's artifact. */
const CONTENT_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'";

/** What a page says, whatever was measured. */
export interface PageContent {
  readonly title: string;
  readonly facts: readonly string[];
  readonly summary: Html;
  readonly sections: readonly PageSection[];
  /** Beside the style of every page. */
  readonly style?: string;
}

/** What measured, and when. */
type PageOrigin = Pick<Run, 'wiregauge' | 'startedAt'>;

/** A whole page, self-contained: without scripts and without the network. */
export function pageOf(origin: PageOrigin, { title, facts, summary, sections, style = '' }: PageContent): Html {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${{ markup: CONTENT_POLICY }}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · Wiregauge</title>
<link rel="icon" href="data:,">
<style>${{ markup: PAGE_STYLE + style }}</style>
</head>
<body>
<a class="skip" href="#main">Skip to the report</a>
${header(title, facts, sections)}
<main id="main" tabindex="-1">
<section class="summary" aria-label="Summary">${summary}</section>
${joinLines(sections.map(sectionMarkup))}
</main>
<footer><p>Wiregauge ${origin.wiregauge} · ${startOf(origin)}</p></footer>
</body>
</html>
`;
}

function header(title: string, facts: readonly string[], sections: readonly PageSection[]): Html {
  const links = sections.map(({ id, title: name }) => html`<li><a href="#${id}">${name}</a></li>`);
  return html`<header>
<h1>${title}</h1>
<ul class="facts">${facts.map((fact) => html`<li>${fact}</li>`)}</ul>
<nav aria-label="Sections"><ul>${links}</ul></nav>
</header>`;
}

function sectionMarkup({ id, title, body }: PageSection): Html {
  return html`<section aria-labelledby="${id}">
<h2 id="${id}">${title}</h2>
${body}
</section>`;
}
