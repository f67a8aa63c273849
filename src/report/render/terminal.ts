import { cleanText, documentAddress, printedLines } from '../../foundation/text.ts';
import { type Block, blocksIn, type Document, sectionsIn, type Text, type TextPart } from '../document.ts';
import { type Paint, wrapped } from './lines.ts';
import { terminalTable } from './terminal-table.ts';

/** A document as lines that keep to the width of the paint; the outcome comes first. Nothing in its texts can steer the terminal. */
export function terminalOf(document: Document, paint: Paint): string {
  return textOf([
    ...partsOf(blocksIn('terminal', document.summary), 'terminal', paint),
    ...sectionsIn('terminal', document).flatMap((section) => titledParts(section, 'terminal', paint)),
  ]);
}

/**
 * The same in at most `most` lines: the outcome, then what is not folded elsewhere, as far as there is room. A list is cut, and a table
 * is there only as a whole.
 */
export function briefTerminalOf(document: Document, paint: Paint, most: number): string {
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

/** Fewer lines of a list say too little. */
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

/** Lines that belong together. */
interface Part {
  readonly lines: Lines;
  /** Its first lines alone would say something else. */
  readonly isWhole: boolean;
}

type Lines = readonly string[];

/** A section, or a fold. */
interface Titled {
  readonly title: string;
  readonly blocks: readonly Block[];
}

type TerminalMedium = 'terminal' | 'brief';

function textOf(parts: readonly Part[]): string {
  return `${parts.map(({ lines }) => lines.join('\n')).join('\n\n')}\n`;
}

/** Blocks with their lines; a heading stands right above the block after it. What is folded elsewhere is not brief. */
function partsOf(blocks: readonly Block[], medium: TerminalMedium, paint: Paint): readonly Part[] {
  const parts: Part[] = [];
  let above: Lines = [];
  for (const block of blocks) {
    if (block.kind === 'heading') {
      above = headingLines(block.text, paint);
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

function titledParts({ title, blocks }: Titled, medium: TerminalMedium, paint: Paint): readonly Part[] {
  const [first, ...others] = partsOf(blocks, medium, paint);
  const above = headingLines(title, paint);
  return first === undefined ? [] : [{ ...first, lines: [...above, ...first.lines] }, ...others];
}

function headingLines(title: string, paint: Paint): Lines {
  return wrapped(cleanText(title, MOST_HEADING), '  ', paint.columns).map(paint.strong);
}

const MOST_HEADING = 300;

function linesOf(block: Exclude<Block, { kind: 'heading' | 'fold' }>, medium: TerminalMedium, paint: Paint): Lines {
  switch (block.kind) {
    case 'paragraph': {
      const lines = wrapped(plain(block.text), '  ', paint.columns);
      return block.weight === 'strong' ? lines.map(paint.strong) : lines;
    }
    case 'list':
      return block.items.flatMap((item) => wrapped(`- ${plain(item)}`, '  ', paint.columns));
    case 'alert':
      return [
        ...headingLines(block.title, paint),
        ...block.items.flatMap((item) => wrapped(`- ${plain(item)}`, '  ', paint.columns)),
      ];
    case 'facts':
      return block.facts.flatMap(({ name, value }) => wrapped(plain(`${name}: ${value}`), '  ', paint.columns));
    case 'table':
      return terminalTable(block, medium, paint);
    case 'printed':
      return printedLines(block.text).map((line) => `    ${line}`);
    case 'tiles':
    case 'figures':
      return [];
  }
}

const MOST_SENTENCE = 1000;

function plain(text: Text): string {
  return cleanText(typeof text === 'string' ? text : text.map(plainPart).join(''), MOST_SENTENCE);
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
