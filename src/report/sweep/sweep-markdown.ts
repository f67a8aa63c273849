import { escapeMarkdown } from '../../foundation/escape.ts';
import type { RunView } from '../../judge/reading/reading-view.ts';
import { sweepOf } from '../../judge/study/sweep.ts';
import { type MarkdownSection, markdownTable } from '../render/markdown-section.ts';
import { costNote, costTable, lineRemarks, lineTable, type SweepTable, sweepTitle } from './sweep-view.ts';

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
