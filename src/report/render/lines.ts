/** Width of a report, unless a terminal has less. */
export const COLUMNS = 100;

/** Emphasis of a terminal; each function preserves the width of its text. */
export interface Paint {
  /** Maximum width of all lines. */
  readonly columns: number;
  readonly strong: (text: string) => string;
  readonly faint: (text: string) => string;
  readonly better: (text: string) => string;
  readonly worse: (text: string) => string;
}

export const PLAIN: Paint = {
  columns: COLUMNS,
  strong: (text) => text,
  faint: (text) => text,
  better: (text) => text,
  worse: (text) => text,
};

export const ANSI: Paint = {
  columns: COLUMNS,
  strong: (text) => `\u001b[1m${text}\u001b[22m`,
  faint: (text) => `\u001b[2m${text}\u001b[22m`,
  better: (text) => `\u001b[32m${text}\u001b[39m`,
  worse: (text) => `\u001b[31m${text}\u001b[39m`,
};

/** Figures stay on one line with their unit. */
const BEFORE_UNIT = /(?<=\d) (?=(?:ms|µs|MiB|B|s|users)\b)/g;

/** Space at which `wrapped` does not break a line. */
export const GLUE = '\u00a0';

/** Text in which lines never break between a figure and its unit. */
export function glued(text: string): string {
  return text.replace(BEFORE_UNIT, GLUE);
}

/** Text broken into lines at spaces; lines after the first are indented, and an overlong word is split. */
export function wrapped(text: string, indent = '', columns = COLUMNS): readonly string[] {
  return broken(glued(text), indent, columns).map((line) => line.replaceAll(GLUE, ' '));
}

function broken(text: string, indent: string, columns: number): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ').flatMap((one) => pieces(one, columns - indent.length))) {
    const longer = line === '' ? word : `${line} ${word}`;
    const room = columns - (lines.length === 0 ? 0 : indent.length);
    if (line !== '' && widthOf(longer) > room) {
      lines.push(line);
      line = word;
    } else {
      line = longer;
    }
  }
  return [...lines, line].map((one, index) => (index === 0 ? one : `${indent}${one}`));
}

function pieces(word: string, width: number): readonly string[] {
  const characters = [...word];
  return Array.from({ length: Math.max(1, Math.ceil(characters.length / width)) }, (_, index) =>
    characters.slice(index * width, (index + 1) * width).join(''),
  );
}

export function widthOf(text: string): number {
  return [...text].length;
}
