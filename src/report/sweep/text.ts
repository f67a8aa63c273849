import { cleanText, escapeMarkdown } from '../../foundation/index.ts';
import { type RunView, sweepOf } from '../../judge/index.ts';
import { type MarkdownSection, markdownTable } from '../render/markdown.ts';
import { COLUMNS, fitted, type Paint, wrapped } from '../render/terminal.ts';
import { costNote, costTable, lineRemarks, lineTable, type SweepTable, sweepTitle } from './view.ts';

/** The figures over the argument that the suite sweeps, as parts of a Markdown report; none for a run without. */
export function sweepParts(view: RunView): readonly MarkdownSection[] {
  const sweep = sweepOf(view);
  if (sweep === undefined) {
    return [];
  }
  const costs = costTable(sweep);
  return [
    open([`**${escapeMarkdown(sweepTitle(sweep))}**`]),
    ...sweep.lines.flatMap((line) => [
      open(markdownTableLines(lineTable(sweep, line))),
      open(lineRemarks(line).map((remark) => `- ${escapeMarkdown(remark, 600)}`)),
    ]),
    ...(costs === undefined ? [] : [open([...markdownTableLines(costs), '', escapeMarkdown(costNote(sweep), 600)])]),
  ];
}

function open(lines: readonly string[]): MarkdownSection {
  return { title: undefined, lines };
}

/** The caption stands in the first cell of the head. */
function markdownTableLines({ caption, columns, rows }: SweepTable): readonly string[] {
  const head = [caption, ...columns.slice(1)].map((text) => escapeMarkdown(text));
  const cells = rows.map(({ head: first, texts }) => [first, ...texts].map((text) => escapeMarkdown(text)));
  return markdownTable(head, cells, 1);
}

const LABEL_WIDTH = 25;

/** The figures over the argument that the suite sweeps, at most 100 columns; no part for a run without. */
export function sweepText(view: RunView, paint: Paint): readonly (readonly string[])[] {
  const sweep = sweepOf(view);
  if (sweep === undefined) {
    return [];
  }
  const costs = costTable(sweep);
  return [
    ...sweep.lines.map((line) => [
      ...terminalTableLines({ ...lineTable(sweep, line), caption: cleanText(line.label, 80) }, paint),
      ...lineRemarks(line).flatMap((remark) => wrapped(`- ${cleanText(remark, 600)}`, '  ')),
    ]),
    ...(costs === undefined
      ? []
      : [[...terminalTableLines(costs, paint), ...wrapped(`- ${cleanText(costNote(sweep), 600)}`, '  ')]]),
  ].map((lines, index) => (index === 0 ? [paint.strong(cleanText(sweepTitle(sweep), 98)), ...lines] : lines));
}

/** As many columns of figures beside the labels as fit; the others stand below. */
function terminalTableLines({ caption, columns, rows }: SweepTable, paint: Paint): readonly string[] {
  const isShort = [...caption].length < LABEL_WIDTH;
  const [, ...heads] = columns;
  const widest = Math.max(...[...heads, ...rows.flatMap(({ texts }) => texts)].map((text) => [...text].length));
  const width = Math.min(COLUMNS - LABEL_WIDTH, widest + 2);
  const fitting = Math.floor((COLUMNS - LABEL_WIDTH) / width);
  const blocks = Array.from({ length: Math.ceil(heads.length / fitting) }, (_, block) => {
    const lineOf = (label: string, texts: readonly string[]) =>
      tableLine(label, texts.slice(block * fitting, (block + 1) * fitting), width);
    return [
      paint.strong(lineOf(isShort ? caption : '', heads)),
      ...rows.map(({ head, texts }) => lineOf(`  ${cleanText(head, 80)}`, texts)),
    ];
  });
  return [...(isShort ? [] : wrapped(cleanText(caption, 300), '  ').map(paint.strong)), ...blocks.flat()];
}

function tableLine(label: string, texts: readonly string[], width: number): string {
  const cells = texts.map((text) => fitted(text, width, 'right')).join('');
  return `${fitted(label, LABEL_WIDTH, 'left')}${cells}`.trimEnd();
}
