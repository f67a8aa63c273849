import { cleanText, printedLines } from '../../foundation/index.ts';
import { type Block, blocksIn, type Document, sectionsIn, type Text } from '../document.ts';
import { type Paint, wrapped } from './lines.ts';
import { terminalTable } from './terminal-table.ts';

/** A document as lines of at most 100 columns; the outcome comes first. Nothing in its texts can steer the terminal. */
export function terminalOf(document: Document, paint: Paint): string {
  const parts = [
    ...partsOf(blocksIn('terminal', document.summary), paint),
    ...sectionsIn('terminal', document).flatMap(({ title, blocks }) => titledParts(title, blocks, paint)),
  ];
  return `${parts.map((lines) => lines.join('\n')).join('\n\n')}\n`;
}

type Lines = readonly string[];

/** Blocks with their lines; a heading stands right above the block after it. */
function partsOf(blocks: readonly Block[], paint: Paint): readonly Lines[] {
  const parts: Lines[] = [];
  let above: Lines = [];
  for (const block of blocks) {
    if (block.kind === 'heading') {
      above = headingLines(block.text, paint);
      continue;
    }
    const [first = [], ...others] =
      block.kind === 'fold' ? titledParts(block.title, block.blocks, paint) : [linesOf(block, paint)];
    parts.push([...above, ...first], ...others);
    above = [];
  }
  return parts;
}

function titledParts(title: string, blocks: readonly Block[], paint: Paint): readonly Lines[] {
  const [first = [], ...others] = partsOf(blocks, paint);
  return [[...headingLines(title, paint), ...first], ...others];
}

function headingLines(title: string, paint: Paint): Lines {
  return wrapped(cleanText(title, MOST_HEADING), '  ').map(paint.strong);
}

const MOST_HEADING = 300;

function linesOf(block: Exclude<Block, { kind: 'heading' | 'fold' }>, paint: Paint): Lines {
  switch (block.kind) {
    case 'paragraph': {
      const lines = wrapped(plain(block.text), '  ');
      return block.weight === 'strong' ? lines.map(paint.strong) : lines;
    }
    case 'list':
      return block.items.flatMap((item) => wrapped(`- ${plain(item)}`, '  '));
    case 'facts':
      return block.facts.flatMap(({ name, value }) => wrapped(plain(`${name}: ${value}`), '  '));
    case 'table':
      return terminalTable(block, paint);
    case 'printed':
      return printedLines(block.text).map((line) => `    ${line}`);
    case 'figures':
      return [];
  }
}

const MOST_SENTENCE = 1000;

function plain(text: Text): string {
  const parts = typeof text === 'string' ? [text] : text.map((part) => (typeof part === 'string' ? part : part.strong));
  return cleanText(parts.join(''), MOST_SENTENCE);
}
