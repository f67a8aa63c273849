import { cleanText, documentAddress, escapeMarkdown, escapeSummary, printedLines } from '../../foundation/text.ts';
import {
  type Block,
  blocksIn,
  type Cell,
  cellTexts,
  type Document,
  type Section,
  sectionsIn,
  type Table,
  type Text,
  type TextPart,
  tableIn,
  tableOfTiles,
} from '../document.ts';
import { relativeAddress } from './markup.ts';

/** Part of a Markdown report; it can be truncated after any of its lines. */
export interface MarkdownSection {
  /** Title of the fold; undefined for a part that is always open. */
  readonly title: string | undefined;
  readonly lines: readonly string[];
}

/** Document as GitHub's Markdown: the outcome first, then its sections, some folded; always under 60,000 characters. */
export function markdownOf(document: Document): string {
  return joinSections([...markdownParts(document.summary), ...sectionsIn('markdown', document).flatMap(sectionParts)]);
}

function sectionParts({ title, blocks, isFolded = false }: Section): readonly MarkdownSection[] {
  const head = `### ${escapeMarkdown(title)}`;
  const [first, ...others] = markdownParts(blocks);
  if (isFolded !== false || first === undefined) {
    return [{ title, lines: markdownLines(blocks) }];
  }
  return first.title === undefined
    ? [{ ...first, lines: [head, '', ...first.lines] }, ...others]
    : [{ title: undefined, lines: [head] }, first, ...others];
}

/** Blocks as parts of a report: each fold is a separate part, so that it can be truncated or left out. */
export function markdownParts(blocks: readonly Block[]): readonly MarkdownSection[] {
  const parts: MarkdownSection[] = [];
  let open: Block[] = [];
  const close = () => {
    parts.push({ title: undefined, lines: markdownLines(open) });
    open = [];
  };
  for (const block of blocksIn('markdown', blocks)) {
    if (block.kind === 'fold') {
      close();
      parts.push({ title: block.title, lines: markdownLines(block.blocks) });
    } else {
      open.push(block);
    }
  }
  close();
  return parts.filter(({ lines }) => lines.length > 0);
}

/** GitHub refuses comments over 65,536 characters; the rest is reserved for text that others add around a report. */
export const MAX_COMMENT_CHARACTERS = 60_000;

const CUT_NOTE = '_Shortened to fit; see the HTML report or run.json for everything._';

/** Sections in sequence, truncated at a line end with a note if they would be too long. */
export function joinSections(sections: readonly MarkdownSection[]): string {
  let text = '';
  for (const section of sections.filter(({ lines }) => lines.length > 0)) {
    const room = MAX_COMMENT_CHARACTERS - text.length;
    const whole = renderSection(section);
    if (whole.length + CUT_NOTE.length + 2 > room) {
      return `${text}${renderSection({ ...section, lines: cutLines(section, room) })}`;
    }
    text += whole;
  }
  return text;
}

function cutLines(section: MarkdownSection, room: number): readonly string[] {
  const note = ['', CUT_NOTE];
  const kept: string[] = [];
  let left = room - renderSection({ ...section, lines: note }).length;
  for (const line of section.lines) {
    left -= line.length + 1;
    if (left < 0) {
      break;
    }
    kept.push(line);
  }
  return [...kept, ...closing(kept), ...note];
}

function closing(lines: readonly string[]): readonly string[] {
  const start = lines.findLastIndex((line) => /^`{3,}text$/.test(line));
  const fence = lines[start]?.replace(/text$/, '') ?? '';
  return start === -1 || lines.includes(fence, start + 1) ? [] : [fence];
}

/** Part of the report, followed by an empty line. */
export function renderSection({ title, lines }: MarkdownSection): string {
  const body = lines.join('\n');
  return title === undefined
    ? `${body}\n\n`
    : `<details>\n<summary>${escapeSummary(title)}</summary>\n\n${body}\n\n</details>\n\n`;
}

/** Blocks with an empty line between them; everything in them is escaped. */
export function markdownLines(blocks: readonly Block[]): readonly string[] {
  return blocksIn('markdown', blocks).flatMap((block, index) => [...(index === 0 ? [] : ['']), ...linesOf(block)]);
}

function linesOf(block: Block): readonly string[] {
  switch (block.kind) {
    case 'heading':
      return [titled(block.text)];
    case 'paragraph':
      return [block.weight === 'strong' ? `**${escaped(block.text)}**` : escaped(block.text)];
    case 'list':
      return block.items.map((item) => `- ${escaped(item)}`);
    case 'alert':
      return [
        `[!${block.level.toUpperCase()}]`,
        titled(block.title),
        '',
        ...linesOf({ kind: 'list', items: block.items }),
      ].map((line) => `> ${line}`.trimEnd());
    case 'facts':
      // Another sign than that of a list, so that a list below does not continue this one.
      return block.facts.map(({ name, value }) => `* **${escaped(name)}:** ${escaped(value)}`);
    case 'fold':
      return [titled(block.title), '', ...markdownLines(block.blocks)];
    case 'table':
      return markdownTable(block);
    case 'printed':
      return fenced(printedLines(block.text));
    case 'tiles':
      return markdownTable(tableOfTiles(block));
    case 'figures':
      return [];
  }
}

/** Raw lines between fences longer than any in them: nothing there becomes markup, a mention, a reference or a link. */
function fenced(lines: readonly string[]): readonly string[] {
  const runs = lines.flatMap((line) => [...line.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(Math.max(2, ...runs) + 1);
  return [`${fence}text`, ...lines, fence];
}

function titled(title: string): string {
  return `**${escapeMarkdown(title)}**`;
}

/** Table below its caption. Row groups have a separate first column, with the name in their first row. */
function markdownTable(table: Table): readonly string[] {
  const { columns, rows } = tableIn('markdown', table);
  const isGrouped = rows.some(({ group }) => group !== undefined);
  const heads = columns.map(({ text, group }) => escapeMarkdown(`${group} ${text}`.trim()));
  const cells = rows.map(({ head, note, chips, cells: own, group = '' }, index) => [
    ...(isGrouped ? [escapeMarkdown(group === rows[index - 1]?.group ? '' : group)] : []),
    `${escapeMarkdown(head)}${chips.length === 0 ? '' : ` ${small(escapeMarkdown(chips.map(({ text }) => text).join(', ')))}`}${note === '' ? '' : `<br>${small(escapeMarkdown(note, MAX_SENTENCE))}`}`,
    ...own.map((cell, place) => (columns[place + 1]?.isText ? wordsOf(cell) : figuresOf(cell))),
  ]);
  const isRight = columns.map(({ isText = false }, index) => index > 0 && !isText);
  const lines = isGrouped
    ? tableLines([escapeMarkdown(table.groupHead ?? ''), ...heads], cells, [false, ...isRight])
    : tableLines(heads, cells, isRight);
  return table.isCaptioned ? [titled(table.caption), '', ...lines] : lines;
}

/** Table of escaped cells. */
export function tableLines(
  heads: readonly string[],
  rows: readonly (readonly string[])[],
  isRight: readonly boolean[],
): readonly string[] {
  const rule = heads.map((_, index) => (isRight[index] ? '---:' : '---'));
  return [heads, rule, ...rows].map((cells) => `| ${cells.join(' | ')} |`);
}

function wordsOf(cell: Cell): string {
  const [text = '', ...details] = cellTexts(cell).map((part) => escapeMarkdown(part, MAX_SENTENCE));
  const own = linked(text, cell);
  return [cell.tone === 'worse' ? `**${own}**` : own, ...details].join(' ');
}

/** Keeps figures with their units, since narrow columns break anywhere: breaks only between the ends of an interval, and after an arrow. */
function figuresOf(cell: Cell): string {
  const [text = '', ...details] = cellTexts(cell).map((part) =>
    escapeMarkdown(part).replaceAll(/(?<![,→]) /g, '\u00a0'),
  );
  if (cell.bar === undefined) {
    return [linked(text, cell), ...details].join(' ');
  }
  const bar = cell.bar === 0 ? '' : `${'▇'.repeat(Math.max(1, Math.round(cell.bar * LONGEST_BAR)))}\u00a0`;
  return `${bar}${cell.tone === 'worse' ? `**${text}**` : text}${details.map((one) => `<br>${small(one)}`).join('')}`;
}

/** Characters of the longest bar; more would not fit on a phone. */
const LONGEST_BAR = 4;

function small(escapedText: string): string {
  return `<sub>${escapedText}</sub>`;
}

/** Escaped words, as a link if they name a file. */
function linked(words: string, { file }: Cell): string {
  return file === undefined ? words : `[${words}](${relativeAddress(file)})`;
}

const MAX_SENTENCE = 1000;

function escaped(text: Text): string {
  const parts = typeof text === 'string' ? [text] : text;
  return parts.map(escapedPart).join('');
}

function escapedPart(part: TextPart): string {
  if (typeof part === 'string') {
    return spaced(part);
  }
  if ('code' in part) {
    return `\`${cleanText(part.code, MAX_SENTENCE)}\``;
  }
  return 'strong' in part
    ? `**${escapeMarkdown(part.strong, MAX_SENTENCE)}**`
    : `[${escapeMarkdown(part.words)}](${documentAddress(part.document)})`;
}

/** A part with the spaces that separate it from its neighbors. */
function spaced(part: string): string {
  const [before, after] = [part.startsWith(' ') ? ' ' : '', part.endsWith(' ') ? ' ' : ''];
  return `${before}${escapeMarkdown(part, MAX_SENTENCE)}${after}`;
}

/** Longer addresses are not linked: they would take the room of the comment's content. */
const MAX_ADDRESS = 500;

/** Only tests and private servers have addresses without encryption. */
const PLAIN_HOSTS: ReadonlySet<string> = new Set(['localhost', '127.0.0.1']);

/**
 * Markdown link; undefined for an address that is unsafe for readers: not https (http for this machine only), with a user name or password, or longer
 * than 500 characters. The words must be escaped.
 */
export function markdownLink(words: string, address: string | undefined): string | undefined {
  if (address === undefined || address.length > MAX_ADDRESS || !URL.canParse(address)) {
    return undefined;
  }
  const url = new URL(address);
  const isSafe = url.protocol === 'https:' || (url.protocol === 'http:' && PLAIN_HOSTS.has(url.hostname));
  const isBare = url.username === '' && url.password === '' && !url.hostname.startsWith('[');
  return isSafe && isBare ? `[${words}](${withoutMarkup(url.href)})` : undefined;
}

/** A parsed address is ASCII, but may contain brackets, dollars and asterisks, which Markdown or its renderers interpret. */
function withoutMarkup(href: string): string {
  return href
    .replace(/[^A-Za-z0-9\-._~:/?#@!&+,;=%]/g, (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll('&', '&amp;');
}
