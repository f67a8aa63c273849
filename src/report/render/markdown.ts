import { escapeHtml } from '../../foundation/index.ts';

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

/** Longer addresses are not linked: they would take the room of what the comment says. */
const MOST_ADDRESS = 500;

/** Only tests and a server of one's own have addresses without encryption. */
const PLAIN_HOSTS: ReadonlySet<string> = new Set(['localhost', '127.0.0.1']);

/**
 * A Markdown link, or undefined where the address is none that a reader should be sent to: not https (http for this machine
 * only), with a user name or password in it, or longer than 500 characters. The words must be escaped already.
 */
export function markdownLink(words: string, address: string | undefined): string | undefined {
  if (address === undefined || address.length > MOST_ADDRESS || !URL.canParse(address)) {
    return undefined;
  }
  const url = new URL(address);
  const isSafe = url.protocol === 'https:' || (url.protocol === 'http:' && PLAIN_HOSTS.has(url.hostname));
  const isBare = url.username === '' && url.password === '' && !url.hostname.startsWith('[');
  return isSafe && isBare ? `[${words}](${withoutMarkup(url.href)})` : undefined;
}

/** A parsed address is ASCII, but may hold brackets, dollars and stars, which Markdown or its renderers read. */
function withoutMarkup(href: string): string {
  return href
    .replace(/[^A-Za-z0-9\-._~:/?#@!&+,;=%]/g, (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll('&', '&amp;');
}
