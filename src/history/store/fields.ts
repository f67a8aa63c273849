import { HistoryError, type HistoryPlace } from './history-error.ts';

/** Version of the layout of every file of the history. */
export const HISTORY_SCHEMA = 1;

/** A longer line is no run that anybody measured. */
const LONGEST_LINE = 4_000_000;

/** The longest text in a field, such as the subject of a commit. */
export const LONGEST_TEXT = 2000;

/** The longest name of a suite, a cell or a metric; imported ones can be sentences. */
export const LONGEST_NAME = 400;

/** The most tags of one commit. */
export const MOST_TAGS = 100;

/** An object of JSON, and where it stands. */
export interface Fields {
  readonly of: Readonly<Record<string, unknown>>;
  readonly place: HistoryPlace;
}

/** The object in one line of JSON; throws HistoryError for anything else. */
export function parseFields(line: string, place: HistoryPlace): Fields {
  if (line.length > LONGEST_LINE) {
    throw malformed(place, `has ${line.length} characters, and ${LONGEST_LINE} are the most`);
  }
  return schemaFields(parsed(line, place), place);
}

/** A value as an object of this schema; throws HistoryError, `newer-schema` for one of a later version. */
export function schemaFields(value: unknown, place: HistoryPlace): Fields {
  const fields = fieldsOf(value, place, 'the line');
  const { schema } = fields.of;
  if (typeof schema === 'number' && Number.isInteger(schema) && schema > HISTORY_SCHEMA) {
    throw new HistoryError('newer-schema', place, `has schema ${schema}, and this version reads ${HISTORY_SCHEMA}`);
  }
  if (schema !== HISTORY_SCHEMA) {
    throw malformed(place, `has no schema ${HISTORY_SCHEMA}`);
  }
  return fields;
}

function parsed(line: string, place: HistoryPlace): unknown {
  if (line.charCodeAt(0) === 0xfeff) {
    throw malformed(place, 'begins with a byte order mark');
  }
  try {
    return JSON.parse(line);
  } catch {
    throw malformed(place, 'is not JSON');
  }
}

/** The error for a place that cannot be read. */
export function malformed(place: HistoryPlace, why: string): HistoryError {
  return new HistoryError('malformed', place, why);
}

/** A value as an object; throws HistoryError naming it where it is none. */
export function fieldsOf(value: unknown, place: HistoryPlace, name: string): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw malformed(place, `${name} is no object`);
  }
  return { of: value as Record<string, unknown>, place };
}

/** The object in a field; undefined where there is none. */
export function innerFields({ of, place }: Fields, name: string): Fields | undefined {
  return of[name] === undefined ? undefined : fieldsOf(of[name], place, name);
}

/** The list in a field, with at most so many items. */
export function listField({ of, place }: Fields, name: string, most: number): readonly unknown[] {
  const found = of[name];
  if (!Array.isArray(found)) {
    throw malformed(place, `${name} is no list`);
  }
  if (found.length > most) {
    throw malformed(place, `${name} has ${found.length} items, and ${most} are the most`);
  }
  return found;
}

/** The text in a field that must be there. */
export function textField(fields: Fields, name: string, most = LONGEST_TEXT): string {
  const found = optionalText(fields, name, most);
  if (found === undefined) {
    throw malformed(fields.place, `${name} is missing`);
  }
  return found;
}

/** The text in a field; undefined where there is none. */
export function optionalText({ of, place }: Fields, name: string, most = LONGEST_TEXT): string | undefined {
  const found = of[name];
  if (found === undefined) {
    return undefined;
  }
  if (typeof found !== 'string' || found.length > most) {
    throw malformed(place, `${name} is no text of at most ${most} characters`);
  }
  return found;
}

/** The finite number in a field that must be there. */
export function numberField(fields: Fields, name: string): number {
  const found = optionalNumber(fields, name);
  if (found === undefined) {
    throw malformed(fields.place, `${name} is missing`);
  }
  return found;
}

/** The finite number in a field; undefined where there is none. */
export function optionalNumber({ of, place }: Fields, name: string): number | undefined {
  const found = of[name];
  if (found === undefined) {
    return undefined;
  }
  if (typeof found !== 'number' || !Number.isFinite(found)) {
    throw malformed(place, `${name} is no finite number`);
  }
  return found;
}

/** The whole number from 0 on in a field that must be there. */
export function countField(fields: Fields, name: string): number {
  const found = numberField(fields, name);
  if (!Number.isSafeInteger(found) || found < 0) {
    throw malformed(fields.place, `${name} is no whole number from 0`);
  }
  return found;
}

/** The place of a series in the field `series` of what is said of it. */
export function seriesField(fields: Fields, count: number): number {
  const place = countField(fields, 'series');
  if (place >= count) {
    throw malformed(fields.place, `something is said of series ${place}, and the run has ${count}`);
  }
  return place;
}

/** One of the words that a field may hold. */
export function wordField<Word extends string>(fields: Fields, name: string, words: readonly Word[]): Word {
  const found = textField(fields, name, LONGEST_NAME);
  const word = words.find((one) => one === found);
  if (word === undefined) {
    throw malformed(fields.place, `${name} is none of ${words.join(', ')}`);
  }
  return word;
}

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** A moment in UTC in its one form, so that texts sort as times do: 2026-11-21T10:00:00.000Z. */
export function timeField(fields: Fields, name: string): string {
  const found = textField(fields, name, 24);
  if (!TIME.test(found) || Number.isNaN(Date.parse(found))) {
    throw malformed(fields.place, `${name} is no time like 2026-11-21T10:00:00.000Z`);
  }
  return found;
}
