import { CUT_SHORT, jsonFault, KnownError } from '../../foundation/index.ts';
import type { FormerNames } from '../../model/index.ts';

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
    throw malformed(place, `has ${line.length} characters; the limit is ${LONGEST_LINE}`);
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
    throw malformed(place, 'starts with a byte order mark');
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

/** A value as an object; throws HistoryError naming it if it is not one. */
export function fieldsOf(value: unknown, place: HistoryPlace, name: string): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw malformed(place, `${name} is not an object`);
  }
  return { of: value as Record<string, unknown>, place };
}

/** The object in a field; undefined if there is none. */
export function innerFields({ of, place }: Fields, name: string): Fields | undefined {
  return of[name] === undefined ? undefined : fieldsOf(of[name], place, name);
}

/** The list in a field, with at most this many items. */
export function listField({ of, place }: Fields, name: string, most: number): readonly unknown[] {
  const found = of[name];
  if (!Array.isArray(found)) {
    throw malformed(place, `${name} is not a list`);
  }
  if (found.length > most) {
    throw malformed(place, `${name} has ${found.length} items; the limit is ${most}`);
  }
  return found;
}

const MOST_RENAMED = 1000;

const MOST_FORMER = 20;

/** Names that services and operations had before, in the fields `services` and `operations`. */
export function formerNamesField(fields: Fields): FormerNames {
  return { services: renamedIn(fields, 'services'), operations: renamedIn(fields, 'operations') };
}

function renamedIn(fields: Fields, kind: keyof FormerNames): FormerNames['services'] {
  const renamed = innerFields(fields, kind) ?? { of: {}, place: fields.place };
  const names = Object.keys(renamed.of);
  if (names.length > MOST_RENAMED || names.some((name) => name.length > LONGEST_NAME)) {
    throw malformed(fields.place, `${kind} has too many names, or one that is too long`);
  }
  const former = (name: string) =>
    listField(renamed, name, MOST_FORMER).map((one) =>
      textField({ of: { [kind]: one }, place: fields.place }, kind, LONGEST_NAME),
    );
  return Object.fromEntries(names.map((name) => [name, former(name)]));
}

/** The text in a field that must be there. */
export function textField(fields: Fields, name: string, most = LONGEST_TEXT): string {
  const found = optionalText(fields, name, most);
  if (found === undefined) {
    throw malformed(fields.place, `${name} is missing`);
  }
  return found;
}

/** The text in a field; undefined if there is none. */
export function optionalText({ of, place }: Fields, name: string, most = LONGEST_TEXT): string | undefined {
  const found = of[name];
  if (found === undefined) {
    return undefined;
  }
  if (typeof found !== 'string' || found.length > most) {
    throw malformed(place, `${name} is not a text of at most ${most} characters`);
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

/** The finite number in a field; undefined if there is none. */
export function optionalNumber({ of, place }: Fields, name: string): number | undefined {
  const found = of[name];
  if (found === undefined) {
    return undefined;
  }
  if (typeof found !== 'number' || !Number.isFinite(found)) {
    throw malformed(place, `${name} is not a finite number`);
  }
  return found;
}

/** The whole number from 0 on in a field that must be there. */
export function countField(fields: Fields, name: string): number {
  const found = numberField(fields, name);
  if (!Number.isSafeInteger(found) || found < 0) {
    throw malformed(fields.place, `${name} is not a whole number of 0 or more`);
  }
  return found;
}

/** The place of a series in the field `series` of what is said of it. */
export function seriesField(fields: Fields, count: number): number {
  const place = countField(fields, 'series');
  if (place >= count) {
    throw malformed(fields.place, `there is an entry for series ${place}, but the run has only ${count}`);
  }
  return place;
}

/** One of the words that a field may hold. */
export function wordField<Word extends string>(fields: Fields, name: string, words: readonly Word[]): Word {
  const found = textField(fields, name, LONGEST_NAME);
  const word = words.find((one) => one === found);
  if (word === undefined) {
    throw malformed(fields.place, `${name} must be one of ${words.join(', ')}`);
  }
  return word;
}

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** A moment in UTC in its one form, so that texts sort as times do: 2026-11-21T10:00:00.000Z. */
export function timeField(fields: Fields, name: string): string {
  const found = textField(fields, name, 24);
  if (!TIME.test(found) || Number.isNaN(Date.parse(found))) {
    throw malformed(fields.place, `${name} is not a time like 2026-11-21T10:00:00.000Z`);
  }
  return found;
}

/** `truncated` was cut short, `newer-schema` is of a later version, `malformed` anything else that cannot be read. */
export type HistoryErrorKind = 'truncated' | 'newer-schema' | 'malformed';

const NEXT: Readonly<Record<HistoryErrorKind, string>> = {
  truncated: 'Restore the last good version of the file from the history of its branch. Nothing was written.',
  'newer-schema': 'Use the version of Wiregauge that wrote it, or a newer one. Nothing was written.',
  malformed: 'Fix the place, or restore the last good version of the file from its branch. Nothing was written.',
};

const DERIVED = /^history\/(?:index|changes)\.json$/;

const NEXT_DERIVED =
  'Run `wiregauge history repair`: it rebuilds the file from the existing segments. Nothing was written.';

/** Where in a file of the history: the line counts from 1. */
export interface HistoryPlace {
  readonly file: string;
  readonly line: number;
}

/** Why a file cannot be read, and what to do if that is something else than for others of its kind. */
type Reason = string | { readonly why: string; readonly next: string };

/** A file of the history that cannot be read; such a file is never written over. */
export class HistoryError extends KnownError {
  static override readonly code = 'WG-602';
  readonly kind: HistoryErrorKind;

  constructor(kind: HistoryErrorKind, { file, line }: HistoryPlace, reason: Reason) {
    const { why, next } = typeof reason === 'string' ? { why: reason, next: usualNext(kind, file) } : reason;
    super(`${file}:${line}: ${why}`, { next });
    this.kind = kind;
  }
}

function usualNext(kind: HistoryErrorKind, file: string): string {
  return kind !== 'newer-schema' && DERIVED.test(file) ? NEXT_DERIVED : NEXT[kind];
}

/** The value in a text of JSON; throws HistoryError, `truncated` if something in it is still open at its end. */
export function parseJson(text: string, place: HistoryPlace): unknown {
  try {
    return JSON.parse(text);
  } catch {
    const fault = jsonFault(text);
    throw new HistoryError(fault === CUT_SHORT ? 'truncated' : 'malformed', place, fault);
  }
}

/** A day of UTC, or a moment with its zone: without one a time would be another on every machine. */
const ZONED = /^(\d{4}-\d\d-\d\d)(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)? ?(?:Z|[+-]\d\d:?\d\d))?$/;

/** A time in the one form of the history, 2026-11-21T10:00:00.000Z; undefined for what is no time of these millennia or lacks a zone. */
export function timeText(time: string | number): string | undefined {
  const date = new Date(time);
  if (Number.isNaN(date.getTime()) || (typeof time === 'string' && !isZoned(time))) {
    return undefined;
  }
  const text = date.toISOString();
  return text.length === '2026-11-21T10:00:00.000Z'.length ? text : undefined;
}

/** A 31 February would be read as one of March. */
function isZoned(time: string): boolean {
  const [, day] = ZONED.exec(time) ?? [];
  return day !== undefined && new Date(day).toISOString().startsWith(day);
}
