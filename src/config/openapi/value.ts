import { RE2JS } from 're2js';
import { type LooseMap, textIn } from '../yaml/lines.ts';
import { isSendable } from './schema.ts';

/** A number within the limits of a schema, 1 if that is one of them; undefined if there is none. */
export function numberExample(keywords: LooseMap): number | undefined {
  const step = numberIn(keywords['multipleOf']) ?? 1;
  const unit = step > 0 ? step : 1;
  const isWhole = ![keywords['type']].flat().includes('number');
  const limits = limitsOf(keywords);
  const { least = Number.NEGATIVE_INFINITY, most = Number.POSITIVE_INFINITY } = limits;
  const inside = (value: number): boolean => isWithin(value, limits) && (!isWhole || Number.isInteger(value));
  const usual = Number.isInteger(1 / unit) ? [1] : [];
  const nearest = [...usual, unit, Math.ceil(least / unit) * unit, (Math.floor(least / unit) + 1) * unit];
  const below = [Math.floor(most / unit) * unit, (Math.ceil(most / unit) - 1) * unit];
  const between = keywords['multipleOf'] === undefined ? [(least + most) / 2] : [];
  const found = [...nearest, ...below, ...between].find((value) => Number.isFinite(value) && inside(value));
  // Not -0.
  return found === undefined ? undefined : found + 0;
}

interface Limits {
  readonly least: number | undefined;
  readonly most: number | undefined;
  readonly isLeastOut: boolean;
  readonly isMostOut: boolean;
}

/** OpenAPI 3.0 says with `true` that a limit is no value itself, 3.1 gives such a limit as a number. */
function limitsOf({ minimum, maximum, exclusiveMinimum, exclusiveMaximum }: LooseMap): Limits {
  return {
    least: numberIn(exclusiveMinimum) ?? numberIn(minimum),
    most: numberIn(exclusiveMaximum) ?? numberIn(maximum),
    isLeastOut: exclusiveMinimum === true || numberIn(exclusiveMinimum) !== undefined,
    isMostOut: exclusiveMaximum === true || numberIn(exclusiveMaximum) !== undefined,
  };
}

function isWithin(value: number, { least, most, isLeastOut, isMostOut }: Limits): boolean {
  const isBelow = least !== undefined && (isLeastOut ? value <= least : value < least);
  const isAbove = most !== undefined && (isMostOut ? value >= most : value > most);
  return !isBelow && !isAbove;
}

function numberIn(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

const BY_FORMAT: ReadonlyMap<string, string> = new Map([
  ['uuid', '00000000-0000-4000-8000-000000000001'],
  ['date', '2026-01-31'],
  ['date-time', '2026-01-31T12:00:00Z'],
  ['time', '12:00:00Z'],
  ['duration', 'P1D'],
  ['email', 'someone@example.com'],
  ['hostname', 'example.com'],
  ['ipv4', '192.0.2.1'],
  ['ipv6', '2001:db8::1'],
  ['uri', 'https://example.com/'],
  ['url', 'https://example.com/'],
  ['byte', 'ZXhhbXBsZQ=='],
]);

const USUAL_TEXT = 'example';

/** Longer texts are made by nobody for an example. */
const LONGEST = 10_000;

interface Lengths {
  readonly fewest: number;
  readonly most: number;
}

/** A text of the format, the pattern and the length of a schema; undefined if none is known. */
export function textExample(keywords: LooseMap): string | undefined {
  const lengths = {
    fewest: numberIn(keywords['minLength']) ?? 0,
    most: Math.min(numberIn(keywords['maxLength']) ?? LONGEST, LONGEST),
  };
  const { pattern } = keywords;
  const text = typeof pattern === 'string' ? patternExample(pattern, fitsInto(lengths)) : usualText(keywords, lengths);
  return text !== undefined && fitsInto(lengths)(text) && isSendable(text) ? text : undefined;
}

function fitsInto({ fewest, most }: Lengths): (text: string) => boolean {
  return (text) => text.length >= fewest && text.length <= most;
}

function usualText(keywords: LooseMap, { fewest, most }: Lengths): string {
  const ofFormat = BY_FORMAT.get(textIn(keywords['format']) ?? '');
  return ofFormat !== undefined && fitsInto({ fewest, most })(ofFormat)
    ? ofFormat
    : USUAL_TEXT.padEnd(Math.min(fewest, LONGEST), 'x').slice(0, Math.max(most, 0));
}

/** Tried first, as they read better than what a pattern says at least. Short, since a pattern may try all of their parts. */
const USUAL_TEXTS = ['example', 'Example', 'EXAMPLE', 'abc', 'ABC', 'a', 'A', '1', '12', '123'];

/** Longer ones are written by programs. */
const LONGEST_PATTERN = 500;

const LONGEST_TEXT = 2000;

/**
 * A text that a regular expression matches, and that `fits` if a usual one does; undefined if the expression is none, or has
 * parts (looking ahead or back, references) whose texts are not known.
 */
export function patternExample(pattern: string, fits: (text: string) => boolean): string | undefined {
  if (pattern.length > LONGEST_PATTERN || expressionOf(pattern) === undefined) {
    return undefined;
  }
  const expression = linearExpressionOf(pattern);
  const usual = USUAL_TEXTS.find((text) => fits(text) && expression?.matcher(text).find() === true);
  return usual ?? shortest(pattern);
}

/** In the order of the text's length, however a stranger has written it; undefined for what looks ahead or back, or refers back. */
function linearExpressionOf(pattern: string): RE2JS | undefined {
  try {
    return RE2JS.compile(RE2JS.translateRegExp(pattern));
  } catch {
    return undefined;
  }
}

function expressionOf(pattern: string): RegExp | undefined {
  for (const flags of ['u', '']) {
    try {
      return new RegExp(pattern, flags);
    } catch {
      // Some are written for engines that escape more.
    }
  }
  return undefined;
}

function shortest(pattern: string): string | undefined {
  try {
    return alternatives({ text: pattern, at: 0 });
  } catch (thrown) {
    if (thrown instanceof UnknownPart) {
      return undefined;
    }
    throw thrown;
  }
}

/** A part of an expression that no text is known for. */
class UnknownPart extends Error {}

interface Cursor {
  readonly text: string;
  at: number;
}

/** The first one counts; the others are passed over. */
function alternatives(cursor: Cursor): string {
  const first = sequence(cursor);
  while (cursor.text[cursor.at] === '|') {
    cursor.at += 1;
    sequence(cursor);
  }
  return first;
}

function sequence(cursor: Cursor): string {
  let made = '';
  while (cursor.at < cursor.text.length && !'|)'.includes(cursor.text[cursor.at] ?? '')) {
    const part = atom(cursor);
    made += part.repeat(timesOf(cursor));
    if (made.length > LONGEST_TEXT) {
      throw new UnknownPart();
    }
  }
  return made;
}

const GROUP = /\((?:\?(?::|<\w+>))?/y;

const CLASS = /\[\^?(?:\\.|[^\]\\])*\]/y;

const ESCAPE = /\\(?:u\{[0-9a-f]+\}|u[0-9a-f]{4}|x[0-9a-f]{2}|p\{[^}]*\}|[^b0-9k])/iy;

const QUANTIFIER = /(?:[*+?]|\{(\d+)(?:,(\d*))?\})\??/y;

/** What signs of an expression stand for. */
const SIGNS: ReadonlyMap<string, string> = new Map([
  ['^', ''],
  ['$', ''],
  ['.', 'a'],
]);

function atom(cursor: Cursor): string {
  if (cursor.text[cursor.at] === '(') {
    return group(cursor);
  }
  const oneOfMany = taken(CLASS, cursor) ?? taken(ESCAPE, cursor);
  if (oneOfMany !== undefined) {
    return characterOf(oneOfMany);
  }
  const character = String.fromCodePoint(cursor.text.codePointAt(cursor.at) ?? 0);
  cursor.at += character.length;
  if ('\\[*+?'.includes(character)) {
    throw new UnknownPart();
  }
  return SIGNS.get(character) ?? character;
}

function group(cursor: Cursor): string {
  const opening = taken(GROUP, cursor);
  if (opening === undefined || cursor.text[cursor.at] === '?') {
    throw new UnknownPart();
  }
  const made = alternatives(cursor);
  cursor.at += 1;
  return made;
}

/** What an expression matches at the cursor, which moves behind it. */
function taken(expression: RegExp, cursor: Cursor): string | undefined {
  expression.lastIndex = cursor.at;
  const found = expression.exec(cursor.text)?.[0];
  cursor.at += found?.length ?? 0;
  return found;
}

/** One if none would do too: an empty text is rarely what a path or a body wants. */
function timesOf(cursor: Cursor): number {
  const found = taken(QUANTIFIER, cursor);
  if (found === undefined) {
    return 1;
  }
  const [, fewest = '0', most = fewest] = /\{(\d+)(?:,(\d*))?\}/.exec(found) ?? [];
  const isNone = found.startsWith('?') || (found.startsWith('{') && most === '0');
  const times = Math.max(Number(fewest), isNone ? 0 : 1);
  if (times > LONGEST_TEXT) {
    throw new UnknownPart();
  }
  return times;
}

/** Letters, digits and marks, in the order in which they are tried. */
const CHARACTERS = [
  ...'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ123456789_-.0 ,:;/@#+!?=%&*()[]{}<>"\'\\|~^$`',
];

/** The first character that a class or an escape stands for. */
function characterOf(part: string): string {
  const expression = expressionOf(`^(?:${part})$`);
  const found = CHARACTERS.find((character) => expression?.test(character));
  if (found === undefined) {
    throw new UnknownPart();
  }
  return found;
}
