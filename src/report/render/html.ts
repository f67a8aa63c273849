import page from '../../../generated/report-page.json' with { type: 'json' };
import { cleanText, documentAddress, printedLines } from '../../foundation/text.ts';
import type {
  Block,
  Cell,
  Chip,
  Column,
  Detail,
  Document,
  Figures,
  List,
  Section,
  Table,
  TableShown,
  Text,
  TextPart,
  Tiles,
} from '../document.ts';
import { blocksIn, sectionsIn, tableIn } from '../document.ts';
import { aboutAttribute, filterForm } from './filters.ts';
import { type Html, html, joinLines, relativeAddress, sentence } from './markup.ts';

/** Maximum number of columns of a group for which the style has a rule. Larger groups, or groups of different widths, mark their first cells. */
const MAX_SPAN = 12;

/** The page loads nothing, and runs only its own script: it can be opened from anywhere, even from an untrusted artifact. */
const CONTENT_POLICY = `default-src 'none'; script-src '${page.scriptHash}'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'`;

/** Document as a whole page, self-contained: with inline charts and a script, without the network. It is complete without the script. */
export function htmlOf(document: Document): string {
  const { title, facts, summary, status, origin } = document;
  const sections = sectionsIn('html', document);
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${{ markup: CONTENT_POLICY }}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · Wiregauge</title>
<link rel="icon" href="data:,">
<style>${{ markup: page.style }}</style>
</head>
<body>
<a class="skip" href="#main">Skip to the report</a>
<header>
<h1>${title}</h1>
<ul class="facts">${facts.map((fact) => html`<li>${fact}</li>`)}</ul>
</header>
<main id="main" tabindex="-1">
<section class="${status === undefined ? 'summary' : `summary ${status}`}" aria-label="Summary">${blocksMarkup(blocksIn('html', summary))}</section>
${navigation(sections)}
${filterForm(document, sections)}
${joinLines(sections.map(sectionMarkup))}
</main>
${origin && html`<footer><p>Wiregauge ${origin.wiregauge}</p></footer>`}
<script>${{ markup: page.script }}</script>
</body>
</html>
`.markup;
}

/** Links to the sections; none on a short page. */
function navigation(sections: readonly Section[]): Html | undefined {
  const parts = sections.flatMap(({ blocks }) => blocks.filter(({ kind }) => kind === 'heading' || kind === 'fold'));
  return sections.length + parts.length < FEWEST_HEADINGS
    ? undefined
    : html`<nav aria-label="Sections"><details><summary>Sections</summary><ul>${sectionLinks(sections)}</ul></details></nav>`;
}

const FEWEST_HEADINGS = 6;

function sectionLinks(sections: readonly Section[]): readonly Html[] {
  return sections.flatMap((section) => {
    const { kin } = section;
    const all = kin === undefined ? [] : sections.filter((other) => other.kin === kin);
    if (all.length <= 3) {
      return [sectionLink(section)];
    }
    const fold = html`<li><details><summary>${all.length} ${kin}</summary><ul>${all.map(sectionLink)}</ul></details></li>`;
    return section === all[0] ? [fold] : [];
  });
}

function sectionLink({ id, title }: Section): Html {
  return html`<li><a href="#${id}">${title}</a></li>`;
}

function sectionMarkup({ id, title, blocks, isFolded }: Section): Html {
  const [head, body] = [html`<h2 id="${id}">${title}</h2>`, blocksMarkup(blocks)];
  const markup =
    isFolded === true ? html`<details><summary>${head}</summary>\n${body}\n</details>` : html`${head}\n${body}`;
  return html`<section aria-labelledby="${id}">\n${markup}\n</section>`;
}

function blocksMarkup(blocks: readonly Block[]): Html {
  return joinLines(blocks.map(blockMarkup));
}

function blockMarkup(block: Block): Html {
  switch (block.kind) {
    case 'paragraph':
      return block.weight === 'strong'
        ? html`<p><strong>${words(block.text)}</strong></p>`
        : html`<p${block.weight === 'note' ? html` class="note"` : undefined}>${words(block.text)}</p>`;
    case 'heading':
      return html`<h3${identifier(block)}>${block.text}</h3>`;
    case 'list':
      return listMarkup(block);
    case 'alert':
      return html`<div class="alert" role="note"><p><strong>${block.title}</strong></p>${listMarkup({ kind: 'list', items: block.items })}</div>`;
    case 'facts':
      return html`<dl>${joinLines(block.facts.map(({ name, value }) => html`<dt>${name}</dt><dd>${sentence(value)}</dd>`))}</dl>`;
    case 'fold':
      return html`<details${identifier(block)}><summary>${block.title}</summary>
${blocksMarkup(block.blocks)}
</details>`;
    case 'tiles':
      return tilesMarkup(block);
    case 'table':
      return tableMarkup(block);
    case 'printed':
      return html`<pre>${joinLines(printedLines(block.text).map((line) => html`${line}`))}</pre>`;
    case 'figures':
      return figuresMarkup(block);
  }
}

function identifier({ id }: { readonly id?: string }): Html | undefined {
  return id === undefined ? undefined : html` id="${id}"`;
}

function words(text: Text): Html {
  const parts = typeof text === 'string' ? [text] : text;
  return html`${parts.map(partMarkup)}`;
}

function partMarkup(part: TextPart): Html {
  if (typeof part === 'string') {
    return sentence(part);
  }
  if ('code' in part) {
    return html`<code>${part.code}</code>`;
  }
  return 'strong' in part
    ? html`<strong>${part.strong}</strong>`
    : html`<a href="${documentAddress(part.document)}" rel="noreferrer">${part.words}</a>`;
}

function listMarkup({ items, tone }: List): Html {
  const style = tone === 'worse' ? html` class="failures"` : undefined;
  return html`<ul${style}>${items.map((item) => html`<li>${words(item)}</li>`)}</ul>`;
}

function tilesMarkup({ groups }: Tiles): Html {
  // Further services are only in the tables.
  const markup = groups.slice(0, 4).map(({ title, chips: shared, tiles }) => {
    const own = tiles.map(
      ({ name, value, chips }) =>
        html`<div><dt>${name}</dt><dd>${sentence(value)}${chips.length === 0 ? undefined : html`<p>${chipsMarkup(chips)}`}</dd></div>`,
    );
    return html`<div class="tiles"><p>${title}${shared.length === 0 ? undefined : html` ${chipsMarkup(shared)}`}</p><dl>${joinLines(own)}</dl></div>`;
  });
  return joinLines(markup);
}

function figuresMarkup({ key, charts }: Figures): Html {
  const grid = html`<div class="charts">${joinLines(charts)}</div>`;
  return joinLines([...(key === undefined ? [] : [key]), ...(charts.length === 0 ? [] : [grid])]);
}

/** Table that scrolls sideways, also with the keyboard, so that the page never does. */
function tableMarkup(table: Table): Html {
  const { caption, isCaptioned = false, groups, about: whole } = table;
  const { columns, rows } = tableIn('html', table);
  const isList = columns.slice(1).every(({ isText }) => isText);
  const span = evenSpan(groups ?? []);
  const kinds = ['cards', ...(isList ? ['list'] : []), ...(span === undefined ? [] : [`g${span}`])];
  const groupRow = groups && html`<tr>${groups.map(groupCell)}</tr>`;
  const starts = groupStarts(span === undefined ? (groups ?? []) : []);
  const isAbout = rows.some(({ about }) => about !== undefined);
  const lines = rows.map(({ head, note, chips, cells, group, about }, line) => {
    const own = cells.map((cell, index) => {
      const { text = '', isText = false } = columns[index + 1] ?? {};
      return dataCell(cell, isText, starts.has(index + 1), isList ? text : '');
    });
    const isFirst = group !== undefined && group !== rows[line - 1]?.group;
    return html`${isFirst ? groupHead(group, columns.length, line) : undefined}<tr${isAbout ? aboutAttribute(about) : undefined}><th scope="row">${head}${chips.length === 0 ? undefined : html` ${chipsMarkup(chips)}`}${note === '' ? undefined : html`<p>${note}`}${own}`;
  });
  return html`<div class="scroll" role="region" tabindex="0" aria-label="${caption}"${whole && aboutAttribute(whole)}><table${classes(kinds)}${isList ? undefined : columnNames(columns)}>
<caption${isCaptioned ? undefined : html` class="quiet"`}>${caption}</caption>
<thead>${groupRow}<tr>${columns.map(columnHead)}</tr></thead>
<tbody>${joinLines(lines)}</tbody>
</table></div>`;
}

/** Names of the columns for the style of a narrow screen, which has no table head: they are written once, since a report has thousands of cells. */
function columnNames(columns: TableShown['columns']): Html {
  const names = columns.map(({ text, group }, index) => {
    const name = cleanText([group, text].filter(Boolean).join(' '), 80);
    const escaped = name.replace(/[^\w ]/gu, (letter) => `\\${letter.codePointAt(0)?.toString(16)} `);
    return index === 0 || name === '' ? '' : `--c${index + 1}:"${escaped}"`;
  });
  return html` style="${names.filter((name) => name !== '').join(';')}"`;
}

function dataCell(cell: Cell, isText: boolean, isStart: boolean, name: string): Html {
  const { tone } = cell;
  const styles = [...(isText ? ['text'] : []), ...(isStart ? ['start'] : []), ...(tone === undefined ? [] : [tone])];
  const column = name === '' ? undefined : html` data-column="${name}"`;
  // Cells and rows have no end tags, since reports have thousands of them.
  return html`<td${classes(styles)}${column}>${cellMarkup(cell)}`;
}

function groupHead(group: string, columns: number, line: number): Html {
  const before = line === 0 ? undefined : html`</tbody>\n<tbody>`;
  return html`${before}<tr><th scope="rowgroup" colspan="${columns}" class="rows">${group}</th></tr>\n`;
}

/** Columns of each group except the first, if all have the same number, and no more than the style has a rule for. */
function evenSpan(groups: NonNullable<Table['groups']>): number | undefined {
  const [first, ...others] = groups.map(({ span = 1 }) => span);
  const [span = 0] = others;
  return first === 1 && span > 0 && span <= MAX_SPAN && others.every((one) => one === span) ? span : undefined;
}

function classes(names: readonly string[]): Html | undefined {
  return names.length === 0 ? undefined : html` class="${names.join(' ')}"`;
}

/** Columns at which a group begins, except that of the row heads. */
function groupStarts(groups: NonNullable<Table['groups']>): ReadonlySet<number> {
  let at = 0;
  const starts = groups.map(({ span = 1 }) => {
    at += span;
    return at - span;
  });
  return new Set(starts.filter((start) => start > 0));
}

function groupCell({ text, span = 1 }: NonNullable<Table['groups']>[number]): Html {
  return text === '' ? html`<td></td>` : html`<th scope="colgroup" colspan="${span}">${text}`;
}

function columnHead({ text, chart: axis, isText = false }: Column, index: number): Html {
  const kind = isText ? 'text' : undefined;
  const name = index === 0 ? 'first' : kind;
  const style = name && html` class="${name}"`;
  return text === '' ? html`<td${style}>${axis}</td>` : html`<th scope="col"${style}>${sentence(text)}${axis}`;
}

function chipsMarkup(chips: readonly Chip[]): Html {
  return html`${chips.map(
    ({ text, meaning }, index) =>
      html`${index === 0 ? '' : ' '}<span class="chip"${meaning && html` title="${meaning}"`}>${text}</span>`,
  )}`;
}

function cellMarkup({ text, file, chart: small, details = [] }: Cell): Html {
  const below = details.filter((detail) => detail.text !== '').map(detailMarkup);
  return html`${file === undefined ? text : html`<a href="${relativeAddress(file)}">${text}</a>`}${small}${below}`;
}

/** Faint by default. It ends with its cell, or where another one begins. */
function detailMarkup({ text, tone }: Detail): Html {
  return html`<p${classes(tone === undefined || tone === 'faint' ? [] : [tone])}>${text}`;
}
