import fc from 'fast-check';

/** A change of a valid document, as plain values, so that a finding can be read. Places count from the start and begin again at the end. */
export interface Edit {
  readonly kind: string;
  readonly at: number;
  readonly length: number;
}

/** Where a document is changed, and how much of it. */
export const place = fc.nat(2 ** 20);
export const length = fc.oneof(fc.nat(8), fc.nat(400));

interface TextEdit extends Edit {
  readonly piece: string;
}

/** What has a meaning in YAML, JSON, CSV or protobuf, or is near the end of what a number or a text can be. */
const PIECES = [
  ...[
    '&a ',
    '*a',
    '<<: *a',
    '!!binary ',
    '!x ',
    '? ',
    '- ',
    ': ',
    '# ',
    '|',
    '>-\n',
    '%YAML 1.1\n',
    '---\n',
    '...\n',
    '\t',
  ],
  ...[
    '{',
    '}',
    '[',
    ']',
    '"',
    "'",
    ',',
    '\\',
    '\\u0000',
    '\\ud800',
    '`',
    ';',
    '(',
    ')',
    '/*',
    '//',
    '\n',
    '\r\n',
    '\r',
  ],
  ...[
    'null',
    '~',
    'true',
    'no',
    '.nan',
    '.inf',
    '-0',
    '-1',
    '0',
    '1e400',
    '1e-400',
    '9007199254740993',
    '0x10',
    '0o7',
    '1_0',
  ],
  ...[
    '__proto__',
    'constructor',
    'toString',
    'prototype',
    '${env.A}',
    '${needs.db.host}',
    '${',
    '{id}',
    '{',
    '../',
    '/etc/passwd',
  ],
  ...['\u0000', '\ufeff', '\ud800', '\u2028', '\u202e', '\u00a0', 'é', '😀', '=1+1', '2026-02-31', '99999-01-01'],
];

const piece = fc.oneof(
  fc.constantFrom(...PIECES),
  fc.string({ unit: 'binary', maxLength: 6 }),
  fc.string({ maxLength: 6 }),
);

const textEdit: fc.Arbitrary<TextEdit> = fc.record({
  kind: fc.constantFrom('cut', 'end', 'double', 'insert', 'replace', 'line-out', 'line-twice', 'nest', 'repeat'),
  at: place,
  length,
  piece,
});

/** A text with one change in it. */
export function editedText(text: string, { kind, at, length: count, piece: added }: TextEdit): string {
  const from = at % (text.length + 1);
  const [before, behind] = [text.slice(0, from), text.slice(from)];
  switch (kind) {
    case 'cut':
      return before + behind.slice(count);
    case 'end':
      return before;
    case 'double':
      return before + behind.slice(0, count) + behind;
    case 'insert':
      return before + added + behind;
    case 'replace':
      return before + added + behind.slice(count);
    case 'nest':
      return before + '['.repeat(count) + behind.slice(0, 10) + ']'.repeat(count) + behind.slice(10);
    case 'repeat':
      return before + added.repeat(count) + behind;
    default:
      return editedLines(text.split('\n'), { kind, at, length: count }).join('\n');
  }
}

function editedLines(lines: readonly string[], { kind, at, length: count }: Edit): readonly string[] {
  const from = at % lines.length;
  const line = lines[from] ?? '';
  const others = [...lines.slice(0, from), ...lines.slice(from + 1)];
  const to = (from + count) % (others.length + 1);
  return kind === 'line-out' ? others : [...lines.slice(0, to), line, ...lines.slice(to)];
}

/** Some changes. */
export const textEdits = fc.array(textEdit, { maxLength: 5 });

/** What a reader is tried with. */
export interface Documents<Document> {
  /** Valid ones. */
  readonly seeds: readonly Document[];
  /** The document in a file of the corpus. */
  readonly fromFile: (bytes: Buffer) => Document;
  /** Documents like these, each changed in some places. */
  readonly changed: (seeds: readonly Document[]) => fc.Arbitrary<Document>;
}

/** Valid texts, each changed in some places. */
export function changedText(seeds: readonly string[]): Documents<string> {
  return {
    seeds,
    fromFile: String,
    changed: (all) =>
      fc.tuple(fc.constantFrom(...all), textEdits).map(([seed, edits]) => edits.reduce(editedText, seed)),
  };
}
