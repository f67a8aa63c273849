import * as z from 'zod';
import { ConfigError, messageOf } from '../../foundation/errors.ts';
import type { Json } from '../../foundation/json.ts';
import { goesDeeper } from '../../foundation/json.ts';
import { parseCsv } from '../csv.ts';
import type { SourceText } from '../yaml/frame.ts';
import { DEEPEST } from '../yaml/lines.ts';

/** Arguments of one request. */
export type Row = Readonly<Record<string, Json>>;

const MAX_ROWS = 10_000;

/** Rows of a feed: a CSV text with a header line, or a JSON list of maps. Throws ConfigError with the line. */
export function feedRows(source: SourceText): readonly Row[] {
  const rows = source.file.endsWith('.json') ? jsonRows(source) : csvRows(source);
  if (rows.length === 0) {
    throw new ConfigError(`${source.file}: has no rows`, {
      code: 'WG-114',
      next: 'Add at least one row; each row is one request.',
    });
  }
  if (rows.length > MAX_ROWS) {
    throw new ConfigError(`${source.file}: has ${rows.length} rows; the limit is ${MAX_ROWS}`, {
      code: 'WG-114',
      next: 'Use a sample of the rows: they are sent in order, repeatedly.',
    });
  }
  return rows;
}

function csvRows(source: SourceText): readonly Row[] {
  const [header, ...records] = parseCsv(source);
  const names = header?.fields ?? [];
  const seen = new Set<string>();
  const odd = names.find((name) => !/^\w+$/.test(name) || seen.size === seen.add(name).size);
  if (odd !== undefined) {
    throw new ConfigError(`${source.file}:${header?.line ?? 1}: "${odd}" is not a valid column name`, {
      code: 'WG-114',
      next: 'Name each column once in the first line, with letters, digits and underscores.',
    });
  }
  return records.map(({ line, fields }) => {
    if (fields.length !== names.length) {
      throw new ConfigError(`${source.file}:${line}: has ${fields.length} fields, but the header has ${names.length}`, {
        code: 'WG-114',
        next: 'Use one field for each column in every line.',
      });
    }
    return Object.fromEntries(names.map((name, index) => [name, fields[index] ?? '']));
  });
}

const jsonFeed = z.array(z.record(z.string(), z.json()));

function jsonRows({ file, text }: SourceText): readonly Row[] {
  const found = jsonIn(file, text.replace(/^\uFEFF/, ''));
  if (goesDeeper(found, DEEPEST)) {
    throw new ConfigError(`${file}: is nested too deeply`, {
      code: 'WG-114',
      next: `Nest maps and lists at most ${DEEPEST} levels deep.`,
    });
  }
  const parsed = jsonFeed.safeParse(found);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const row = issue?.path[0];
    throw new ConfigError(`${file}: ${row === undefined ? '' : `item ${Number(row) + 1}: `}must be a list of maps`, {
      code: 'WG-114',
      next: 'Write it as [{ "id": 1 }, { "id": 2 }].',
    });
  }
  return parsed.data;
}

function jsonIn(file: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new ConfigError(`${file}: is not valid JSON: ${messageOf(cause)}`, {
      code: 'WG-114',
      cause,
      next: 'Fix the file.',
    });
  }
}
