import { cleanText, documentAddress, printedLines } from '../../foundation/text.ts';
import {
  type Block,
  blocksIn,
  type Cell,
  type Chip,
  type Column,
  cellTexts,
  type Detail,
  type Document,
  type Fold,
  type Section,
  sectionsIn,
  type Table,
  type TableShown,
  type Text,
  type TextPart,
  tableIn,
  tableOfTiles,
} from '../document.ts';
import { COLUMNS, GLUE, glued, type Paint, widthOf, wrapped } from './lines.ts';

/** Document as lines within the width of the paint; the outcome comes first. Its texts cannot control the terminal. */
export function terminalOf(document: Document, paint: Paint): string {
  return textOf([
    ...partsOf(blocksIn('terminal', document.summary), 'terminal', paint),
    ...sectionsIn('terminal', document).flatMap((section) => titledParts(section, 'terminal', paint)),
  ]);
}

/**
 * The same in at most `most` lines, for the end of a command: the outcome, then what is not folded elsewhere, as far as it fits. A list is truncated,
 * a table is shown only in full.
 */
export function briefTerminalOf(document: Document, paint: Paint, most = 18): string {
  const open = sectionsIn('brief', document).filter(({ isFolded = false }) => isFolded === false);
  const parts = [
    ...partsOf(blocksIn('brief', document.summary), 'brief', paint),
    ...open.flatMap((section) => titledParts(section, 'brief', paint)),
  ];
  const shown: Part[] = [];
  let room = most;
  for (const part of parts) {
    const cut = cutTo(part, room);
    if (cut !== undefined) {
      shown.push(cut);
      room -= cut.lines.length + 1;
    }
  }
  return textOf(shown);
}

/** Fewer lines of a list are not useful. */
const FEWEST_LINES = 3;

function cutTo(part: Part, room: number): Part | undefined {
  const { lines, isWhole } = part;
  if (lines.length <= room) {
    return part;
  }
  const left = lines.length - room + 1;
  return isWhole || room < FEWEST_LINES
    ? undefined
    : { ...part, lines: [...lines.slice(0, room - 1), `  (${left} more lines)`] };
}

interface Part {
  readonly lines: Lines;
  /** True if its first lines alone would be misleading. */
  readonly isWhole: boolean;
}

type Lines = readonly string[];

type TerminalMedium = 'terminal' | 'brief';

function textOf(parts: readonly Part[]): string {
  return `${parts.map(({ lines }) => lines.join('\n')).join('\n\n')}\n`;
}

/** Blocks with their lines; a heading, and the note of a table, belong to the block after them. Blocks that are folded elsewhere are not brief. */
function partsOf(blocks: readonly Block[], medium: TerminalMedium, paint: Paint): readonly Part[] {
  const parts: Part[] = [];
  let above: Lines = [];
  for (const [place, block] of blocks.entries()) {
    if (block.kind === 'heading') {
      above = headingLines(block.text, paint);
      continue;
    }
    if (block.kind === 'paragraph' && block.weight === 'note' && blocks[place + 1]?.kind === 'table') {
      above = [...above, ...linesOf(block, medium, paint), ''];
      continue;
    }
    const [first, ...others] = ownParts(block, medium, paint);
    if (first !== undefined) {
      parts.push({ ...first, lines: [...above, ...first.lines] }, ...others);
    }
    above = [];
  }
  return parts;
}

function ownParts(block: Exclude<Block, { kind: 'heading' }>, medium: TerminalMedium, paint: Paint): readonly Part[] {
  if (block.kind === 'fold') {
    return medium === 'brief' ? [] : titledParts(block, medium, paint);
  }
  const isWhole = block.kind === 'table' && block.isList !== true;
  return [{ lines: linesOf(block, medium, paint), isWhole }];
}

function titledParts({ title, blocks }: Section | Fold, medium: TerminalMedium, paint: Paint): readonly Part[] {
  const [first, ...others] = partsOf(blocks, medium, paint);
  const above = headingLines(title, paint);
  return first === undefined ? [] : [{ ...first, lines: [...above, ...first.lines] }, ...others];
}

function headingLines(title: string, paint: Paint): Lines {
  return wrapped(cleanText(title, 300), '  ', paint.columns).map(paint.strong);
}

function linesOf(block: Exclude<Block, { kind: 'heading' | 'fold' }>, medium: TerminalMedium, paint: Paint): Lines {
  switch (block.kind) {
    case 'paragraph': {
      const lines = wrapped(plain(block.text), '  ', paint.columns);
      return block.weight === 'strong' ? lines.map(paint.strong) : lines;
    }
    case 'list':
      return block.items.flatMap((item) => wrapped(`- ${plain(item)}`, '  ', paint.columns));
    case 'alert':
      return [...headingLines(block.title, paint), ...linesOf({ kind: 'list', items: block.items }, medium, paint)];
    case 'facts':
      return block.facts.flatMap(({ name, value }) => wrapped(plain(`${name}: ${value}`), '  ', paint.columns));
    case 'table':
      return terminalTable(block, medium, paint);
    case 'printed':
      return printedLines(block.text).map((line) => `    ${line}`);
    case 'tiles':
      return terminalTable(tableOfTiles(block), medium, paint);
    case 'figures':
      return [];
  }
}

function plain(text: Text): string {
  return cleanText(typeof text === 'string' ? text : text.map(plainPart).join(''), 1000);
}

function plainPart(part: TextPart): string {
  if (typeof part === 'string') {
    return part;
  }
  if ('code' in part) {
    return `\`${part.code}\``;
  }
  return 'strong' in part ? part.strong : `${part.words}: ${documentAddress(part.document)}`;
}

const GAP = 2;

/** Minimum width of labels; a table that leaves them less does not fit. */
const LEAST_LABEL = 18;

/** Maximum label width next to words that wrap. */
const MAX_LABEL = 32;

const LEAST_WORDS = 20;

const MAX_TEXT = 400;

interface Line {
  readonly indent: string;
  readonly label: string;
  readonly cells: readonly Detail[];
}

/** Lines of one row, and the group that they begin. */
interface RowLines {
  readonly group: string | undefined;
  readonly lines: readonly Line[];
}

/** Table in columns, or as a list if it does not fit: in a narrow terminal with a line for each figure. Overlong labels are on separate lines. */
function terminalTable(table: Table, medium: TerminalMedium, paint: Paint): Lines {
  const shown = tableIn(medium, table);
  const columns: readonly Column[] = shown.columns.map(({ group, text, ...column }) => ({
    ...column,
    text: cleanText(`${group} ${text}`.trim(), MAX_TEXT),
  }));
  const blocks = blocksOf(shown, table.detailNames ?? []);
  const widths = table.isList ? undefined : widthsOf(columns, blocks, paint.columns);
  const caption = table.isCaptioned
    ? wrapped(cleanText(table.caption, MAX_TEXT), '  ', paint.columns).map(paint.strong)
    : [];
  if (widths === undefined) {
    const { isList = false } = table;
    const named = isList && medium === 'brief' ? columns.map((column) => ({ ...column, text: '' })) : columns;
    const isInline = isList || paint.columns >= COLUMNS;
    return [...caption, ...(isInline ? listed(shown, named, paint) : stacked(blocks, columns, paint))];
  }
  const head = { indent: '', label: columns[0]?.text ?? '', cells: columns.slice(1).map(({ text }) => ({ text })) };
  return [
    ...caption,
    ...lineTexts(head, columns, widths, paint).map(paint.strong),
    ...blocks.flatMap(({ group, lines: own }, index) => [
      ...groupLines(group, blocks[index - 1]?.group, paint),
      ...own.flatMap((line) => lineTexts(line, columns, widths, paint)),
    ]),
  ];
}

/**
 * Width of each column, the labels first; undefined if the table does not fit. Heads wrap if there is no room; labels and words of cells do so
 * only in the full width of a report.
 */
function widthsOf(
  columns: readonly Column[],
  blocks: readonly RowLines[],
  most: number,
): readonly number[] | undefined {
  const lines = blocks.flatMap((block) => block.lines);
  const textAt = ({ indent, label, cells }: Line, column: number) =>
    column === 0 ? `${indent}${label}` : (cells[column - 1]?.text ?? '');
  const widthsWith = (partsOf: (head: string) => readonly string[]) =>
    columns.map(({ text }, index) =>
      Math.max(...[...partsOf(text), ...lines.map((line) => textAt(line, index))].map(widthOf)),
    );
  const whole = widthsWith((head) => [head]);
  if (whole.reduce((sum, width) => sum + width + GAP, -GAP) <= most) {
    return whole;
  }
  const [label = 0, ...others] = widthsWith((head) => glued(head).split(' '));
  const room = most - others.reduce((sum, width) => sum + width + GAP, 0);
  if (room < label && most < COLUMNS) {
    return undefined;
  }
  const widest = Math.max(...others.filter((_, index) => columns[index + 1]?.isText));
  const words = others.findIndex((width, index) => columns[index + 1]?.isText && width === widest);
  // Words wrap within their own column, if it has room for some.
  const given = words < 0 ? 0 : Math.max(0, Math.min(Math.min(label, MAX_LABEL) - room, widest - LEAST_WORDS));
  const left = Math.min(label, room + given);
  return left < Math.min(LEAST_LABEL, label)
    ? undefined
    : [left, ...others.map((width, index) => (index === words ? width - given : width))];
}

/** Name of a group above its first row. */
function groupLines(group: string | undefined, before: string | undefined, paint: Paint): Lines {
  return group === undefined || group === before ? [] : wrapped(cleanText(group, MAX_TEXT), '  ', paint.columns);
}

function blocksOf({ rows }: TableShown, names: readonly string[]): readonly RowLines[] {
  return rows.map(({ head, chips, cells, group }) => {
    const indent = group === undefined ? '' : '  ';
    const below = names.map((name, place) => ({
      indent: `${indent}  `,
      label: cleanText(name, MAX_LABEL),
      cells: cells.map(({ details }) => cleaned(details[place] ?? { text: '' })),
    }));
    const own = {
      indent,
      label: cleanText(withChips(head, chips), MAX_TEXT),
      cells: cells.map(names.length > 0 ? cleaned : joined),
    };
    const filled = below.filter((line) => line.cells.some(({ text }) => text !== ''));
    return { group, lines: [own, ...filled] };
  });
}

function cleaned({ text, tone }: Detail): Detail {
  return { text: cleanText(text, MAX_TEXT), tone };
}

/** "REST [disturbed]". */
function withChips(head: string, chips: readonly Chip[]): string {
  return [head, ...chips.map(({ text }) => `[${text}]`)].join(' ');
}

/** Cell on one line, or broken between its parts. */
function joined(cell: Cell): Detail {
  const [text = '', ...details] = cellTexts(cell);
  const whole = details.map((detail) => detail.replaceAll(' ', GLUE));
  return cleaned({ text: [text, ...whole].join(' '), tone: cell.tone });
}

/** Line in columns of these widths, the first of which is for the labels. */
function lineTexts(
  { indent, label, cells }: Line,
  columns: readonly Column[],
  widths: readonly number[],
  paint: Paint,
): readonly string[] {
  const [width = 0, ...others] = widths;
  const broken = cells.map(({ text }, index) => wrapped(text, '', Math.max(1, others[index] ?? 0)));
  const height = Math.max(1, ...broken.map(({ length }) => length));
  const lines = Array.from({ length: height }, (_, line) =>
    cells.map(({ tone }, index) => {
      const text = broken[index]?.[line] ?? '';
      const space = ' '.repeat((others[index] ?? 0) - widthOf(text));
      const painted = tone === undefined || text === '' ? text : paint[tone](text);
      return `${' '.repeat(GAP)}${columns[index + 1]?.isText ? `${painted}${space}` : `${space}${painted}`}`;
    }),
  );
  const start = `${indent}${label}`;
  const [first = '', ...below] = lines.map((figures) => `${' '.repeat(width)}${figures.join('')}`.trimEnd());
  // Figures usually leave room before them.
  return widthOf(start) <= paint.columns && first.slice(0, widthOf(start) + 1).trim() === ''
    ? [`${start}${first.slice(widthOf(start))}`, ...below]
    : [...indented(label, indent, paint), first, ...below];
}

function indented(text: string, indent: string, paint: Paint): Lines {
  return wrapped(text, '  ', paint.columns - indent.length).map((line) => `${indent}${line}`);
}

/** Each row as its label, with a line for each figure below: "p99: 4.03 ms, range 3.9 to 4.2 ms". */
function stacked(blocks: readonly RowLines[], columns: readonly Column[], paint: Paint): Lines {
  return blocks.flatMap(({ group, lines: [own, ...below] }, index) => {
    const { indent = '', label = '', cells = [] } = own ?? {};
    const figures = cells.flatMap(({ text, tone }, place) => {
      const name = columns[place + 1]?.text ?? '';
      const details = below
        .map((line) => [line.label, line.cells[place]?.text ?? ''])
        .filter(([, detail]) => detail !== '');
      const value = [text, ...details.map((detail) => detail.join(' '))].join(', ');
      const lines = text === '' ? [] : indented(name === '' ? value : `${name}: ${value}`, `${indent}  `, paint);
      return tone === undefined ? lines : lines.map(paint[tone]);
    });
    return [...groupLines(group, blocks[index - 1]?.group, paint), ...indented(label, indent, paint), ...figures];
  });
}

/** Each row as an item below its group: its head, and the contents of its columns. */
function listed({ rows }: TableShown, columns: readonly Column[], paint: Paint): readonly string[] {
  return rows.flatMap(({ head: name, note, chips, cells, group }, index) => {
    const head = withChips(name, chips);
    const parts = cells.flatMap((cell, index) => {
      const { text } = joined(cell);
      const name = columns[index + 1]?.text ?? '';
      return text === '' ? [] : [columns[index + 1]?.isText || name === '' ? text : `${name}: ${text}`];
    });
    const start = `- ${cleanText(head, MAX_TEXT)}`;
    const below = note === '' ? '' : ` (${cleanText(note, MAX_TEXT)})`;
    const [first = '', ...others] = wrapped(`${start}: ${parts.join('; ')}${below}`, '  ', paint.columns);
    const tone = cells.find((cell) => cell.tone !== undefined)?.tone;
    const isWhole = tone !== undefined && first.startsWith(start);
    return [
      ...groupLines(group, rows[index - 1]?.group, paint),
      isWhole ? `${paint[tone](start)}${first.slice(start.length)}` : first,
      ...others,
    ];
  });
}
