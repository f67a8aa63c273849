import { ConfigError } from '../foundation/index.ts';
import type { SourceText } from './yaml/yaml.ts';

/** One record of a CSV text and the line on which it begins. */
export interface CsvRecord {
  readonly line: number;
  readonly fields: readonly string[];
}

/** Longer texts are no tables of figures that somebody measured. */
const MOST_CHARACTERS = 32 * 1024 * 1024;
const MOST_LINES = 100_000;
const MOST_IN_FIELD = 400;

/** A field, quoted or plain, and what ends it. The bounds keep it linear where a quote is never closed. */
const FIELD = new RegExp(`(?:"((?:[^"]|""){0,${MOST_IN_FIELD}})"|([^",\\r\\n]{0,${MOST_IN_FIELD}}))(,|\\r?\\n|$)`, 'y');

/**
 * The records of a CSV text (RFC 4180): quoted fields, lines that end in LF or CRLF, with or without a byte order mark;
 * empty lines are skipped. Throws ConfigError, naming the line, where it is malformed or larger than any table of figures.
 */
export function parseCsv(source: SourceText): readonly CsvRecord[] {
  const { file } = source;
  const text = source.text.replace(/^\uFEFF/, '');
  if (text.length > MOST_CHARACTERS) {
    throw new ConfigError(`${file}: has ${text.length} characters, and ${MOST_CHARACTERS} are the most`, {
      next: SPLIT,
    });
  }
  const records: CsvRecord[] = [];
  let place: Place = { at: 0, line: 1 };
  while (place.at < text.length) {
    if (place.line > MOST_LINES) {
      throw new ConfigError(`${file}: has over ${MOST_LINES} lines`, { next: SPLIT });
    }
    const { fields, end } = recordAt(text, place, file);
    if (fields.length > 1 || fields[0] !== '') {
      records.push({ line: place.line, fields });
    }
    place = end;
  }
  return records;
}

const SPLIT = 'Make several files of it, each with the header.';

interface Place {
  readonly at: number;
  readonly line: number;
}

function recordAt(
  text: string,
  start: Place,
  file: string,
): { readonly fields: readonly string[]; readonly end: Place } {
  const fields: string[] = [];
  let { at, line } = start;
  for (let last = ','; last === ','; ) {
    FIELD.lastIndex = at;
    const match = FIELD.exec(text);
    if (match === null) {
      throw new ConfigError(
        `${file}:${line}: is not CSV: a quote that does not fit, or over ${MOST_IN_FIELD} characters`,
        {
          next: 'Quote a field as a whole, and double the quotes in it: "a ""b"" c".',
        },
      );
    }
    const [whole, quoted, plain = '', ending = ''] = match;
    fields.push(quoted?.replaceAll('""', '"') ?? plain);
    at += whole.length;
    line += whole.split('\n').length - 1;
    last = ending;
  }
  return { fields, end: { at, line } };
}
