import { CsvError, parse } from 'csv-parse/sync';
import { ConfigError } from '../foundation/errors.ts';
import type { SourceText } from './yaml/frame.ts';

/** Record of a CSV text, with the line where it begins. */
export interface CsvRecord {
  readonly line: number;
  readonly fields: readonly string[];
}

const MAX_CHARACTERS = 32 * 1024 * 1024;
const MAX_LINES = 100_000;
const MAX_IN_FIELD = 400;

const SPLIT = 'Split it into several files, each with the header.';

/**
 * Records of a CSV text (RFC 4180): quoted fields, LF, CRLF or CR line ends, with or without a byte order mark. Empty
 * lines are skipped. Throws ConfigError with the line if it is malformed or too large.
 */
export function parseCsv({ file, text }: SourceText): readonly CsvRecord[] {
  refuseLarge(file, text);
  const bytes = Buffer.from(text.replace(/^\uFEFF/, ''));
  const records: CsvRecord[] = [];
  // End of the last record. The parser counts CRLF within quotes as two lines, so its own line numbers are not used.
  let rest = { at: 0, line: 1 };
  try {
    parse(bytes, {
      record_delimiter: ['\r\n', '\n', '\r'],
      skip_empty_lines: true,
      // Callers report the line with too many fields.
      relax_column_count: true,
      on_record(fields: readonly string[], { bytes: end }) {
        const passed = bytes.toString('latin1', rest.at, end);
        const line = rest.line + lineEndsIn(emptyLinesOf(passed));
        if (fields.some(({ length }) => length > MAX_IN_FIELD)) {
          throw malformed(`${file}:${line}`, `a field with more than ${MAX_IN_FIELD} characters`);
        }
        if (fields.length > 1 || fields[0] !== '') {
          records.push({ line, fields });
        }
        rest = { at: end, line: rest.line + lineEndsIn(passed) };
      },
    });
  } catch (thrown) {
    const line = rest.line + lineEndsIn(emptyLinesOf(bytes.toString('latin1', rest.at)));
    throw thrown instanceof CsvError ? malformed(`${file}:${line}`, 'a misplaced quote', thrown) : thrown;
  }
  return records;
}

function refuseLarge(file: string, text: string): void {
  if (text.length > MAX_CHARACTERS) {
    throw new ConfigError(`${file}: has ${text.length} characters; the limit is ${MAX_CHARACTERS}`, {
      code: 'WG-405',
      next: SPLIT,
    });
  }
  let line = 1;
  for (const { index, 0: end } of text.matchAll(LINE_END)) {
    line += 1;
    if (line > MAX_LINES && index + end.length < text.length) {
      throw new ConfigError(`${file}: has more than ${MAX_LINES} lines`, { code: 'WG-405', next: SPLIT });
    }
  }
}

const LINE_END = /\r\n?|\n/g;

function lineEndsIn(text: string): number {
  return text.match(LINE_END)?.length ?? 0;
}

function emptyLinesOf(text: string): string {
  return /^[\r\n]*/.exec(text)?.[0] ?? '';
}

function malformed(place: string, what: string, cause?: Error): ConfigError {
  return new ConfigError(`${place}: is not valid CSV: ${what}`, {
    code: 'WG-405',
    cause,
    next: 'Quote the whole field, and double the quotes inside it: "a ""b"" c".',
  });
}
