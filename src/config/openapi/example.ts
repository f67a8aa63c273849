import { RE2JS } from 're2js';
import { ifPossible } from '../../foundation/errors.ts';
import { isJsonMap, type Json } from '../../foundation/json.ts';
import type { Path } from '../yaml/frame.ts';
import { isLooseMap, type LooseMap, listIn, mapIn, textIn } from '../yaml/lines.ts';
import { type DocumentNode, nodeAt } from './document.ts';
import { deeper, type FlatSchema, flattened, givenValues, hasExample, isSendable, type Making } from './schema.ts';

/** Generated value, or where and why generation failed, such as "has limits that no known value fits". */
type Made = { readonly value: Json } | { readonly path: Path; readonly problem: string };

/**
 * Value that a schema allows: its own example, else one of its type within its limits. A map has the required
 * properties and those with an example; if none is required, all.
 */
export function exampleOf(schema: unknown, path: Path, from: Making): Made {
  return exampleOfNode(nodeAt(schema, path, from.document), from);
}

function exampleOfNode(node: DocumentNode, from: Making): Made {
  const inner = deeper(from, JSON.stringify(node.path));
  if (inner === undefined) {
    return { path: node.path, problem: 'is recursive without end, or too large' };
  }
  const [given] = givenValues(node.value);
  if (given !== undefined) {
    return { value: given };
  }
  const flat = flattened(node, inner);
  // An example of one part of an `allOf` lacks the properties of the others.
  const [ofPart] = flat.properties.size === 0 ? givenValues(flat.keywords) : [];
  return ofPart === undefined ? madeOf(flat, inner) : { value: ofPart };
}

function madeOf(flat: FlatSchema, from: Making): Made {
  const chosen = chosenForm(flat, from);
  const type = typeOf(flat);
  if (chosen === undefined) {
    return (MAKERS.get(type) ?? usualExample)(flat, from);
  }
  const own = flat.properties.size > 0 ? mapExample(flat, from) : undefined;
  if (own === undefined || !('value' in own) || !('value' in chosen)) {
    return own ?? chosen;
  }
  return { value: { ...asMap(own.value), ...asMap(chosen.value) } };
}

/** Value of the first form in `oneOf` or `anyOf` for which one can be generated; undefined without forms. */
function chosenForm({ keywords, path }: FlatSchema, from: Making): Made | undefined {
  const forms = ['oneOf', 'anyOf'].flatMap((key) =>
    [...listIn(keywords[key]).entries()].map((form) => [key, ...form] as const),
  );
  let first: Made | undefined;
  for (const [key, index, schema] of forms) {
    const made = exampleOf(schema, [...path, key, index], from);
    if ('value' in made && made.value !== null) {
      return made;
    }
    first ??= made;
  }
  return first;
}

function asMap(value: Json): { readonly [key: string]: Json } {
  return isJsonMap(value) ? value : {};
}

function typeOf({ keywords, properties }: FlatSchema): string {
  const types = [keywords['type']].flat();
  const type = types.find((one) => typeof one === 'string' && one !== 'null') ?? types[0];
  if (typeof type === 'string') {
    return type;
  }
  if (properties.size > 0 || isLooseMap(keywords['additionalProperties'])) {
    return 'object';
  }
  return keywords['items'] === undefined ? '' : 'array';
}

type Maker = (flat: FlatSchema, from: Making) => Made;

const MAKERS: ReadonlyMap<string, Maker> = new Map<string, Maker>([
  ['object', mapExample],
  ['array', listExample],
  ['boolean', () => ({ value: true })],
  ['null', () => ({ value: null })],
  ['integer', ({ keywords, path }) => madeOr(numberExample(keywords), path, 'has no whole number within its limits')],
  ['number', ({ keywords, path }) => madeOr(numberExample(keywords), path, 'has no number within its limits')],
  [
    'string',
    ({ keywords, path }) => madeOr(textExample(keywords), path, 'has limits or a pattern that no known string fits'),
  ],
]);

/** Example for a schema without a type, which is most often an ID. */
function usualExample({ keywords, path }: FlatSchema): Made {
  const isText = ['format', 'pattern', 'minLength', 'maxLength'].some((key) => keywords[key] !== undefined);
  return madeOr(isText ? textExample(keywords) : numberExample(keywords), path, 'has limits that no known value fits');
}

function madeOr(value: Json | undefined, path: Path, problem: string): Made {
  return value === undefined ? { path, problem } : { value };
}

function mapExample({ properties, required }: FlatSchema, from: Making): Made {
  const found: (readonly [string, Json])[] = [];
  for (const [name, { schema, path }] of properties) {
    const node = nodeAt(schema, path, from.document);
    const isSent = required.size === 0 || required.has(name) || hasExample(node);
    if (node.value['readOnly'] === true || !isSent) {
      continue;
    }
    const made = isSendable(name)
      ? exampleOfNode(node, from)
      : { path: node.path, problem: 'has a name that cannot be sent' };
    if ('value' in made) {
      found.push([name, made.value]);
    } else if (required.has(name)) {
      return made;
    }
  }
  return { value: Object.fromEntries(found) };
}

const MAX_ITEMS = 100;

function listExample({ keywords, path }: FlatSchema, from: Making): Made {
  const { minItems, maxItems, items } = keywords;
  const fewest = typeof minItems === 'number' ? Math.min(minItems, MAX_ITEMS) : 0;
  if (maxItems === 0) {
    return { value: [] };
  }
  const made = exampleOf(mapIn(items), [...path, 'items'], from);
  if ('value' in made) {
    return { value: Array.from({ length: Math.max(1, Math.ceil(fewest)) }, () => made.value) };
  }
  return fewest > 0 ? made : { value: [] };
}

/** Number within the limits of a schema, preferably 1; undefined without one. */
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

/** `exclusiveMinimum` is a boolean in OpenAPI 3.0 and a number in 3.1. */
function limitsOf({ minimum, maximum, exclusiveMinimum, exclusiveMaximum }: LooseMap) {
  return {
    least: numberIn(exclusiveMinimum) ?? numberIn(minimum),
    most: numberIn(exclusiveMaximum) ?? numberIn(maximum),
    isLeastOut: exclusiveMinimum === true || numberIn(exclusiveMinimum) !== undefined,
    isMostOut: exclusiveMaximum === true || numberIn(exclusiveMaximum) !== undefined,
  };
}

function isWithin(value: number, { least, most, isLeastOut, isMostOut }: ReturnType<typeof limitsOf>): boolean {
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
  // In linear time, since documents are untrusted; undefined with lookaround or backreferences.
  const expression = ifPossible(() => RE2JS.compile(RE2JS.translateRegExp(pattern)));
  const usual = USUAL_TEXTS.find((text) => fits(text) && expression?.matcher(text).find() === true);
  return usual ?? ifPossible(() => alternatives({ text: pattern, at: 0 }));
}

/** Some patterns are written for engines that allow more escapes. */
function expressionOf(pattern: string): RegExp | undefined {
  return ifPossible(() => new RegExp(pattern, 'u')) ?? ifPossible(() => new RegExp(pattern));
}

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
      throw new Error('unknown part');
    }
  }
  return made;
}

const GROUP = /\((?:\?(?::|<\w+>))?/y;

const CLASS = /\[\^?(?:\\.|[^\]\\])*\]/y;

const ESCAPE = /\\(?:u\{[0-9a-f]+\}|u[0-9a-f]{4}|x[0-9a-f]{2}|p\{[^}]*\}|[^b0-9k])/iy;

const QUANTIFIER = /(?:[*+?]|\{(\d+)(?:,(\d*))?\})\??/y;

const SIGNS: ReadonlyMap<string, string> = new Map(Object.entries({ '^': '', $: '', '.': 'a' }));

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
    throw new Error('unknown part');
  }
  return SIGNS.get(character) ?? character;
}

function group(cursor: Cursor): string {
  const opening = taken(GROUP, cursor);
  if (opening === undefined || cursor.text[cursor.at] === '?') {
    throw new Error('unknown part');
  }
  const made = alternatives(cursor);
  cursor.at += 1;
  return made;
}

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
    throw new Error('unknown part');
  }
  return times;
}

/** Candidates for one character, in the order of preference. */
const CHARACTERS = [
  ...'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ123456789_-.0 ,:;/@#+!?=%&*()[]{}<>"\'\\|~^$`',
];

/** Preferred character that a class or an escape matches. */
function characterOf(part: string): string {
  const expression = expressionOf(`^(?:${part})$`);
  const found = CHARACTERS.find((character) => expression?.test(character));
  if (found === undefined) {
    throw new Error('unknown part');
  }
  return found;
}
