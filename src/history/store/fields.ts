import * as z from 'zod/mini';
import { KnownError } from '../../foundation/errors.ts';
import { CUT_SHORT, jsonFault } from '../../foundation/json.ts';

/** Schema version of every file of the history. */
export const HISTORY_SCHEMA = 1;

const LONGEST_LINE = 4_000_000;

/** Maximum length of a text, such as the subject of a commit. */
export const LONGEST_TEXT = 2000;

/** Maximum length of a name of a suite, a cell or a metric; imported ones can be sentences. */
export const LONGEST_NAME = 400;

export const MAX_TAGS = 100;

export const MAX_SERIES = 20_000;

type Fields = Readonly<Record<string, unknown>>;

/** Object in one line of JSON; throws HistoryError for anything else. */
export function parseFields(line: string, place: HistoryPlace): Fields {
  if (line.length > LONGEST_LINE) {
    throw malformed(place, `has ${line.length} characters; the limit is ${LONGEST_LINE}`);
  }
  return schemaFields(parseJson(line, place, true), place);
}

/** Value as an object of this schema version; throws HistoryError, `newer-schema` for a later version. */
export function schemaFields(value: unknown, place: HistoryPlace): Fields {
  const fields = fitting(z.record(z.string(), z.unknown(), 'the line is not an object'), value, place);
  const { schema } = fields;
  if (typeof schema === 'number' && Number.isInteger(schema) && schema > HISTORY_SCHEMA) {
    throw new HistoryError('newer-schema', place, `has schema ${schema}, and this version reads ${HISTORY_SCHEMA}`);
  }
  if (schema !== HISTORY_SCHEMA) {
    throw malformed(place, `has no schema ${HISTORY_SCHEMA}`);
  }
  return fields;
}

export function malformed(place: HistoryPlace, why: string): HistoryError {
  return new HistoryError('malformed', place, why);
}

/** Value parsed by a schema; throws HistoryError with the field if it does not match. */
export function fitting<Schema extends z.ZodMiniType>(
  schema: Schema,
  value: unknown,
  place: HistoryPlace,
): z.output<Schema> {
  const { data, error } = z.safeParse(schema, value);
  const [first] = error?.issues ?? [];
  const issue = first?.code === 'invalid_union' ? (first.errors.flat()[0] ?? first) : first;
  if (issue !== undefined) {
    const field = issue.path.findLast((part) => typeof part === 'string');
    throw malformed(place, `${field === undefined ? '' : `${field} `}${issue.message}`);
  }
  return data as z.output<Schema>;
}

/** Read-only form of the output of a schema. */
export type Stored<Value> = Value extends object ? { readonly [Key in keyof Value]: Stored<Value[Key]> } : Value;

/** Message for a field that is missing or invalid. */
function unless(expected: string) {
  return { error: ({ input }: { readonly input?: unknown }) => (input === undefined ? 'is missing' : expected) };
}

export function text(most = LONGEST_TEXT) {
  const expected = `is not a text of at most ${most} characters`;
  return z.string(unless(expected)).check(z.maxLength(most, expected));
}

/** Name of a suite, a service, an operation and so on. */
export const name = text(LONGEST_NAME);

export const runId = z
  .string(unless('is not a text'))
  .check(z.regex(/^[A-Za-z0-9_.-]{1,80}$/, 'must be 1 to 80 letters, digits, dots, dashes or underscores'));

export const figure = z.number(unless('is not a finite number'));

/** Whole number of 0 or more. */
export const count = figure.check(
  z.refine((value) => Number.isSafeInteger(value) && value >= 0, 'is not a whole number of 0 or more'),
);

export const flag = z.boolean(unless('is not true or false'));

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** Time in UTC, in a format that sorts by time: 2026-11-21T10:00:00.000Z. */
export const time = z
  .string(unless('is not a text'))
  .check(
    z.refine(
      (value) => TIME.test(value) && !Number.isNaN(Date.parse(value)),
      'is not a time like 2026-11-21T10:00:00.000Z',
    ),
  );

export function word<const Words extends readonly string[]>(words: Words) {
  return z.enum(words, unless(`must be one of ${words.join(', ')}`));
}

/** Object with these fields; others are dropped. */
export function object<Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  return z.object(shape, 'is not an object');
}

/** List of at most `most` items, whose number is checked before the items. */
export function list<Item extends z.ZodMiniType>(item: Item, most: number) {
  const tooMany = {
    error: ({ input }: { readonly input?: unknown }) =>
      `has ${Array.isArray(input) ? input.length : 0} items; the limit is ${most}`,
  };
  return z.pipe(z.array(z.unknown(), 'is not a list').check(z.maxLength(most, tooMany)), z.array(item));
}

/** Object with at most `most` names, all of one format. */
export function namedValues<Value extends z.ZodMiniType>(value: Value, most: number, form = /^.{0,400}$/s) {
  const isFit = (values: object): boolean => {
    const names = Object.keys(values);
    return names.length <= most && names.every((one) => form.test(one) && one !== '__proto__');
  };
  return z.pipe(
    z
      .custom<object>((found) => typeof found === 'object' && found !== null, 'is not an object')
      .check(z.refine(isFit, 'has too many names, or an invalid one')),
    z.record(z.string(), value, 'is not an object'),
  );
}

const renamed = z._default(namedValues(list(name, 20), 1000), {});

export const formerNames = object({ services: renamed, operations: renamed });

/** Kind of error: `newer-schema` is a file of a later version, `malformed` anything else that is not just truncated. */
type HistoryErrorKind = 'truncated' | 'newer-schema' | 'malformed';

const NEXT: Readonly<Record<HistoryErrorKind, string>> = {
  truncated: 'Restore the last good version of the file from the history of its branch. Nothing was written.',
  'newer-schema': 'Use the version of Wiregauge that wrote it, or a newer one. Nothing was written.',
  malformed: 'Fix the place, or restore the last good version of the file from its branch. Nothing was written.',
};

const DERIVED = /^history\/(?:index|changes)\.json$/;

const NEXT_DERIVED =
  'Run `wiregauge history repair`: it rebuilds the file from the existing segments. Nothing was written.';

/** Place in a file of the history; lines count from 1. */
export interface HistoryPlace {
  readonly file: string;
  readonly line: number;
}

/** Why a file cannot be read, with a next step if it differs from that of its kind. */
type Reason = string | { readonly why: string; readonly next: string };

/** Error for an unreadable file of the history, which is never overwritten. */
export class HistoryError extends KnownError {
  static override readonly code = 'WG-602';
  readonly kind: HistoryErrorKind;

  constructor(kind: HistoryErrorKind, { file, line }: HistoryPlace, reason: Reason) {
    const { why, next } =
      typeof reason === 'string'
        ? { why: reason, next: kind !== 'newer-schema' && DERIVED.test(file) ? NEXT_DERIVED : NEXT[kind] }
        : reason;
    super(`${file}:${line}: ${why}`, { next });
    this.kind = kind;
  }
}

/** Value in a JSON text; throws HistoryError, `truncated` if the end of a file is missing. */
export function parseJson(text: string, place: HistoryPlace, isLine = false): unknown {
  try {
    return JSON.parse(text);
  } catch {
    const fault = jsonFault(text);
    throw fault === CUT_SHORT && !isLine
      ? new HistoryError('truncated', place, fault)
      : malformed(place, fault === CUT_SHORT ? 'is not JSON' : fault);
  }
}

/** Day in UTC, or time with a zone: without one it would depend on the machine. */
const ZONED = /^(\d{4}-\d\d-\d\d)(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)? ?(?:Z|[+-]\d\d:?\d\d))?$/;

/**
 * Time in the format of the history, 2026-11-21T10:00:00.000Z; undefined for an invalid one, one outside years 0 to 9999, and one without a
 * zone.
 */
export function timeText(time: string | number): string | undefined {
  const date = new Date(time);
  if (Number.isNaN(date.getTime()) || (typeof time === 'string' && !isZoned(time))) {
    return undefined;
  }
  const text = date.toISOString();
  return text.length === '2026-11-21T10:00:00.000Z'.length ? text : undefined;
}

/** Rejects days like 31 February, which would be read as days of March. */
function isZoned(time: string): boolean {
  const [, day] = ZONED.exec(time) ?? [];
  return day !== undefined && new Date(day).toISOString().startsWith(day);
}
