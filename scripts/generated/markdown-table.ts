/** Document with these lines at every place between a comment that begins with the mark and the next `<!-- end -->`. */
export function withGenerated(text: string, mark: string, lines: readonly string[]): string {
  const begin = mark.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const section = new RegExp(`(<!-- ${begin} [^\\n]*-->\\n)[\\s\\S]*?(?=<!-- end -->)`, 'g');
  return text.replace(section, (found) => `${found.slice(0, found.indexOf('\n') + 1)}\n${lines.join('\n')}\n\n`);
}

/** Text as a table cell; outside of code a `<` would begin a tag. */
export function cell(text: string): string {
  const parts = text.replaceAll('|', '\\|').split('`');
  return parts.map((part, place) => (place % 2 === 0 ? part.replaceAll('<', '&lt;') : part)).join('`');
}

/** Table, its heading row first, in columns of equal width, as the formatter requires. */
export function table([head = [], ...rows]: readonly (readonly string[])[]): readonly string[] {
  const widths = head.map((_, column) => Math.max(3, ...[head, ...rows].map((row) => row[column]?.length ?? 0)));
  const line = (cells: readonly string[], filler = ' '): string =>
    `| ${widths.map((width, column) => (cells[column] ?? '').padEnd(width, filler)).join(' | ')} |`;
  return [line(head), line([], '-'), ...rows.map((row) => line(row))];
}
