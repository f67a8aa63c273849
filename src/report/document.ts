import { NO_FIGURE } from '../foundation/numbers.ts';
import type { Run } from '../model/run/run.ts';
import type { Html } from './render/markup.ts';
import type { About, Filters } from './views/about.ts';
import type { Fact } from './views/facts.ts';

/** Report, the same for every medium. Its texts are plain and may be untrusted: a renderer escapes all of them. */
export interface Document {
  readonly title: string;
  /** Time, machine and method of the measurement, in a few words each; a page shows them below its title. */
  readonly facts: readonly string[];
  readonly summary: readonly Block[];
  /** Color of the outcome; undefined if nothing was judged. */
  readonly status?: Status | undefined;
  readonly sections: readonly Section[];
  /** Filters of a page, if any. */
  readonly filters?: Filters | undefined;
  /** Version of the program that measured; undefined for figures that were measured elsewhere. */
  readonly origin?: Pick<Run, 'wiregauge'>;
}

export type Status = 'good' | 'bad' | 'open';

/** Place where a report is read; `brief` are the lines that a terminal shows at the end of a command. */
export type Medium = 'terminal' | 'brief' | 'markdown' | 'html';

/** Part that only some media show. Use it for details that would bury the rest elsewhere, never for content that no other block has. */
interface Audience {
  readonly only?: readonly Medium[] | undefined;
}

/** Blocks with a heading; without blocks, the heading is not shown. */
export interface Section extends Audience {
  /** Unique in the document: letters, digits and dashes. */
  readonly id: string;
  readonly title: string;
  readonly blocks: readonly Block[];
  /** True if it is folded behind a line that opens it; in a terminal, it is not brief. `markdown`: open on a page. */
  readonly isFolded?: boolean | 'markdown';
  /** Common name of similar sections, "pairings": a page folds the links to many of them. */
  readonly kin?: string;
}

export type Block = Audience &
  (
    | Paragraph
    | { readonly kind: 'heading'; readonly text: string; readonly id?: string }
    | List
    | Alert
    | Tiles
    | Table
    | { readonly kind: 'facts'; readonly facts: readonly Fact[] }
    | Fold
    | Figures
    /** Output of a program, line by line, as plain text. */
    | { readonly kind: 'printed'; readonly text: string }
  );

/** Text in which some words are emphasized, or link to a document. */
export type Text = string | readonly TextPart[];

/** Words, emphasized words, code, or words that link to a document of Wiregauge by its path: "docs/statistics.md". */
export type TextPart =
  | string
  | { readonly strong: string }
  | { readonly code: string }
  | { readonly words: string; readonly document: string };

type Tone = 'better' | 'worse' | 'faint';

interface Paragraph {
  readonly kind: 'paragraph';
  readonly text: Text;
  /** Outcome, or a remark in small print. */
  readonly weight?: 'strong' | 'note';
}

/** Sentences, one per line; nothing without any. */
export interface List {
  readonly kind: 'list';
  readonly items: readonly Text[];
  /** Bad news is emphasized. */
  readonly tone?: 'worse';
}

/** Title and sentences in a separate box, for what may be a bug. */
export interface Alert {
  readonly kind: 'alert';
  readonly level: 'warning' | 'caution';
  readonly title: string;
  readonly items: readonly Text[];
}

/** Main figures of each service. A page shows them large, other media as a table. */
export interface Tiles {
  readonly kind: 'tiles';
  readonly groups: readonly {
    readonly title: string;
    /** Chips of all its tiles. */
    readonly chips: readonly Chip[];
    readonly tiles: readonly Tile[];
  }[];
}

/** Figure with its name and qualifications. */
export interface Tile extends Fact {
  readonly chips: readonly Chip[];
}

/** One or two words that qualify a figure, with their meaning. */
export interface Chip {
  readonly text: string;
  readonly meaning?: string | undefined;
}

/** Blocks behind a line that opens them; a terminal shows them below that line. */
export interface Fold {
  readonly kind: 'fold';
  readonly title: string;
  readonly id?: string;
  readonly blocks: readonly Block[];
}

/** Markup of a chart, and the common subject of its content, by which a page can hide it. */
export interface ChartHtml extends Html {
  readonly about?: About | undefined;
}

/** Charts, which only a page can show: a table must also have their content. */
export interface Figures {
  readonly kind: 'figures';
  /** Legend of lines and marks. */
  readonly key?: Html | undefined;
  /** Each with a name and a description for readers who cannot see it. */
  readonly charts: readonly ChartHtml[];
}

/** Figures in rows; nothing without rows. */
export interface Table {
  readonly kind: 'table';
  readonly caption: string;
  /** Subject of the whole table, by which a page can hide it; its rows then have none. */
  readonly about?: About | undefined;
  /** True if the caption is visible, and not only for screen readers: no heading above the table has the same text. */
  readonly isCaptioned?: boolean;
  /** Headings above groups of columns, if any; the first group is over the row heads. */
  readonly groups?: readonly { readonly text: string; readonly span?: number }[];
  /** The first one is for the row heads. A string is a column of figures. */
  readonly columns: readonly (string | Column)[];
  readonly rows: readonly TableRow[];
  /** Column heading of its row groups, if any. */
  readonly groupHead?: string;
  /** Names of cell details, for separate rows in a terminal: "range". Without them, details follow the text. */
  readonly detailNames?: readonly string[];
  /** True for few rows with long content: a terminal shows each as a list item. */
  readonly isList?: boolean;
}

/** Column of words, which are left-aligned, or one that not every medium has room for. */
export interface Column extends Audience {
  readonly text: string;
  /** Axis of the small charts in its cells. */
  readonly chart?: Html;
  readonly isText?: boolean;
}

export interface TableRow {
  readonly head: string;
  /** Small print below the head. */
  readonly note?: string | undefined;
  /** Warnings about its figures, after the heading. */
  readonly chips?: readonly Chip[] | undefined;
  /** One for each column except the first. */
  readonly cells: readonly (string | Cell)[];
  /** Consecutive rows with the same group are below its name. */
  readonly group?: string;
  /** Subject, by which a page can hide it; a row without one is always shown. */
  readonly about?: About | undefined;
}

export interface Cell {
  readonly text: string;
  /** File that the text names, by its path relative to the report: a page and Markdown link to it. */
  readonly file?: string | undefined;
  readonly tone?: Tone | undefined;
  /** Small chart of the row's values, on a page. */
  readonly chart?: Html | undefined;
  /** Length of a bar before the text, 0 to 1, in Markdown. */
  readonly bar?: number | undefined;
  /** Secondary text: an interval, a change. An empty one keeps its column. */
  readonly details?: readonly Detail[];
}

export interface Detail {
  readonly text: string;
  readonly tone?: Tone | undefined;
}

/** Sections of a document with content for a medium, and the blocks that it shows. */
export function sectionsIn(medium: Medium, { sections }: Document): readonly Section[] {
  return sections
    .filter((section) => isShown(medium, section))
    .map((section) => ({ ...section, blocks: blocksIn(medium, section.blocks) }))
    .filter(({ blocks }) => blocks.length > 0);
}

/** Blocks with content for a medium; a heading with nothing below it is left out. */
export function blocksIn(medium: Medium, blocks: readonly Block[]): readonly Block[] {
  return blocks
    .filter((block) => isShown(medium, block))
    .map((block) => (block.kind === 'fold' ? { ...block, blocks: blocksIn(medium, block.blocks) } : block))
    .filter((block) => isFilled(medium, block))
    .filter((block, index, all) => block.kind !== 'heading' || (all[index + 1] ?? block).kind !== 'heading');
}

function isShown(medium: Medium, { only }: Audience): boolean {
  return only?.includes(medium) ?? true;
}

function isFilled(medium: Medium, block: Block): boolean {
  switch (block.kind) {
    case 'list':
    case 'alert':
      return block.items.length > 0;
    case 'table':
      return block.rows.length > 0;
    case 'facts':
      return block.facts.length > 0;
    case 'fold':
      return block.blocks.length > 0;
    case 'tiles':
      return block.groups.length > 0;
    case 'figures':
      return medium === 'html';
    default:
      return true;
  }
}

/** Table for a medium: every column with its group, every cell with its parts, and without columns for others. */
export function tableIn(medium: Medium, table: Table) {
  const groups = (table.groups ?? []).flatMap(({ text, span = 1 }) => Array.from({ length: span }, () => text));
  const columns = table.columns.map((column, index): Column & { readonly group: string } => ({
    ...(typeof column === 'string' ? { text: column } : column),
    group: groups[index] ?? '',
  }));
  const shown = columns.map((column) => isShown(medium, column));
  return {
    columns: columns.filter((_, index) => shown[index]),
    rows: table.rows.map(({ head, note = '', chips = [], cells, group, about }) => ({
      head,
      note,
      chips,
      group,
      about,
      cells: cells
        .filter((_, index) => shown[index + 1])
        .map((cell): Cell & Required<Pick<Cell, 'details'>> =>
          typeof cell === 'string' ? { text: cell, details: [] } : { details: [], ...cell },
        ),
    })),
  };
}

/** Tiles as a table, with a row for each group. */
export function tableOfTiles({ groups }: Tiles): Table {
  const names = [...new Set(groups.flatMap(({ tiles }) => tiles.map(({ name }) => name)))];
  return {
    kind: 'table',
    caption: 'Main figures',
    columns: ['', ...names],
    rows: groups.map(({ title, chips: shared, tiles }) => ({
      head: title,
      chips: shared,
      cells: names.map((name) => {
        const { value, chips } = tiles.find((tile) => tile.name === name) ?? { value: NO_FIGURE, chips: [] };
        return { text: value, details: chips.map(({ text }) => ({ text })) };
      }),
    })),
  };
}

export type TableShown = ReturnType<typeof tableIn>;

/** Text of a cell and its details on one line: "+6.1% [+5.2, +7.0]", "302 µs (9% better)". */
export function cellTexts({ text, details = [] }: Cell): readonly string[] {
  const shown = details.filter((detail) => detail.text !== '');
  return [text, ...shown.map((detail) => (detail.text.startsWith('[') ? detail.text : `(${detail.text})`))];
}

export function paragraph(text: Text, weight?: Paragraph['weight']): Block {
  return { kind: 'paragraph', text, ...(weight !== undefined && { weight }) };
}

/** Text in which backticks enclose code. */
export function withCode(text: string): Text {
  const parts = text.split('`');
  return parts.length % 2 === 0 || parts.includes('')
    ? text
    : parts.map((part, index) => (index % 2 === 0 ? part : { code: part }));
}

export function list(items: readonly Text[], tone?: List['tone']): Block {
  return tone === undefined ? { kind: 'list', items } : { kind: 'list', items, tone };
}

/** Sentences, the first of which is the outcome. */
export function claimBlocks(claims: readonly string[]): readonly Block[] {
  return claims.map((claim, index) => paragraph(claim, index === 0 ? 'strong' : undefined));
}

/** Blocks below a remark in small print; empty if they are empty. */
export function noted(note: string, ...blocks: readonly Block[]): readonly Block[] {
  return blocksIn('html', blocks).length === 0 ? [] : [paragraph(note, 'note'), ...blocks];
}

export function heading(text: string): Block {
  return { kind: 'heading', text };
}

export function fold(title: string, ...blocks: readonly Block[]): Block {
  return { kind: 'fold', title, blocks };
}

/** Several sections as one: each below a heading, or behind a line if it is folded. Those without a title have neither. A single section stays unchanged. */
export function joinedSection(id: string, title: string, sections: readonly Section[]): Section {
  const filled = sections.filter(({ blocks }) => blocksIn('html', blocks).length > 0);
  const [only] = filled;
  if (filled.length === 1 && only !== undefined && only.title !== '') {
    return only;
  }
  const blocks = filled.flatMap((section): readonly Block[] => {
    const { id: part, title: name, only: shown, isFolded = false } = section;
    const own = section.blocks.map((block) => ({
      ...block,
      only: shown && block.only ? shown.filter((medium) => block.only?.includes(medium)) : (shown ?? block.only),
    }));
    if (name === '') {
      return own;
    }
    return isFolded
      ? [{ kind: 'fold', id: part, title: name, only: shown, blocks: own }]
      : [{ kind: 'heading', id: part, text: name, only: shown }, ...own];
  });
  return { id, title, blocks };
}

/** Method of a measurement: everything that could affect a metric. Only a terminal leaves it out. */
export function methodSection(facts: readonly Fact[], ...further: readonly Section[]): Section {
  const own: Section = { id: '', title: '', blocks: [{ kind: 'facts', facts }], only: ['markdown', 'html'] };
  return { ...joinedSection('method', 'How it was measured', [own, ...further]), isFolded: true };
}
