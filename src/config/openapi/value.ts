import { RE2JS } from 're2js';
import { type LooseMap, textIn } from '../yaml/lines.ts';
import { isSendable } from './schema.ts';

/** Number within the limits of a schema, preferably 1; undefined if there is none. */
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

/** `exclusiveMinimum` is a boolean in OpenAPI 3.0 and a number in 3.1. */
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

const LONGEST = 10_000;

interface Lengths {
  readonly fewest: number;
  readonly most: number;
}

/** Text that fits the format, the pattern and the length of a schema; undefined if none is found. */
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

/** Tried before a generated text, because they read better. They are short, since a pattern may try all their substrings. */
const USUAL_TEXTS = ['example', 'Example', 'EXAMPLE', 'abc', 'ABC', 'a', 'A', '1', '12', '123'];

const LONGEST_PATTERN = 500;

const LONGEST_TEXT = 2000;

/**
 * Text that a regular expression matches: a usual one that `fits`, else the shortest. Undefined if the expression is
 * invalid or has unsupported parts (lookaround, backreferences).
 */
export function patternExample(pattern: string, fits: (text: string) => boolean): string | undefined {
  if (pattern.length > LONGEST_PATTERN || expressionOf(pattern) === undefined) {
    return undefined;
  }
  const expression = linearExpressionOf(pattern);
  const usual = USUAL_TEXTS.find((text) => fits(text) && expression?.matcher(text).find() === true);
  return usual ?? shortest(pattern);
}

/** Expression that runs in linear time, since documents are untrusted; undefined with lookaround or backreferences. */
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
      // Some patterns are written for engines that allow more escapes.
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

class UnknownPart extends Error {}

interface Cursor {
  readonly text: string;
  at: number;
}

/** Returns the text of the first alternative and skips the others. */
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

/** Texts for special characters. */
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

/** Returns what an expression matches at the cursor and moves the cursor past it. */
function taken(expression: RegExp, cursor: Cursor): string | undefined {
  expression.lastIndex = cursor.at;
  const found = expression.exec(cursor.text)?.[0];
  cursor.at += found?.length ?? 0;
  return found;
}

/** Optional parts occur once: paths and bodies rarely allow an empty text. */
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

/** Candidates for one character, in the order of preference. */
const CHARACTERS = [
  ...'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ123456789_-.0 ,:;/@#+!?=%&*()[]{}<>"\'\\|~^$`',
];

/** First candidate that a class or an escape matches. */
function characterOf(part: string): string {
  const expression = expressionOf(`^(?:${part})$`);
  const found = CHARACTERS.find((character) => expression?.test(character));
  if (found === undefined) {
    throw new UnknownPart();
  }
  return found;
}
