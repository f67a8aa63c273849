import { escapeMarkdown } from '../../foundation/escape.ts';
import type { SaturateRecord } from '../../measure/knee/record.ts';
import { joinSections, type MarkdownSection, markdownTable } from '../render/markdown-section.ts';
import { type KneeRows, STEP_COLUMNS, stepCells, viewSaturate } from './saturate-view.ts';

/** A search for knees as GitHub's Markdown: what each service holds, then every step. */
export function saturateMarkdown(record: SaturateRecord): string {
  const { claims, services, facts } = viewSaturate(record);
  const rows = facts.map(({ name, value }) => [escapeMarkdown(name), escapeMarkdown(value, 1000)]);
  const sections: readonly MarkdownSection[] = [
    { title: undefined, lines: claims.flatMap((claim) => [`**${escapeMarkdown(claim, 1000)}**`, '']).slice(0, -1) },
    ...services.map((knee) => ({ title: undefined, lines: markdownKneeLines(knee) })),
    { title: 'How it was measured', lines: markdownTable(['', ''], rows) },
  ];
  return joinSections(sections);
}

function markdownKneeLines({ name, notes, rows }: KneeRows): readonly string[] {
  const cells = rows.map((row) => stepCells(row).map((text) => escapeMarkdown(text)));
  // Only figures stand flush right.
  const table = markdownTable([...STEP_COLUMNS], cells, 1);
  return [`### ${escapeMarkdown(name)}`, '', ...notes.map((note) => escapeMarkdown(note, 1000)), '', ...table];
}
