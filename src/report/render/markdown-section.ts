import { escapeHtml } from '../../foundation/escape.ts';

/** A part of a Markdown report; its lines can be cut at any line end. */
export interface MarkdownSection {
  /** Folded behind this title; undefined for a part that is always open. */
  readonly title: string | undefined;
  readonly lines: readonly string[];
}

/** GitHub refuses comments over 65,536 characters; the rest is room for whoever puts something around a report. */
export const MOST_COMMENT_CHARACTERS = 60_000;

const CUT_NOTE = '_Shortened here to fit; the HTML report and run.json have everything._';

/** The sections one after the other, cut at a line end with a sentence that says so where they would be too long. */
export function joinSections(sections: readonly MarkdownSection[]): string {
  let text = '';
  for (const section of sections.filter(({ lines }) => lines.length > 0)) {
    const room = MOST_COMMENT_CHARACTERS - text.length;
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
  return [...kept, ...note];
}

/** A part as it stands in a report, with the empty line behind it. */
export function renderSection({ title, lines }: MarkdownSection): string {
  const body = lines.join('\n');
  return title === undefined
    ? `${body}\n\n`
    : `<details>\n<summary>${escapeHtml(title)}</summary>\n\n${body}\n\n</details>\n\n`;
}

/** A table; all cells must be escaped already. */
export function markdownTable(
  header: readonly string[],
  rows: readonly (readonly string[])[],
  rightFrom = header.length,
): readonly string[] {
  const rule = header.map((_, index) => (index >= rightFrom ? '---:' : '---'));
  return [header, rule, ...rows].map((cells) => `| ${cells.join(' | ')} |`);
}
