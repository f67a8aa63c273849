/** Any JSON value. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** Whether a value is a map of JSON. */
export function isJsonMap(value: Json | undefined): value is { readonly [key: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** JSON text in one form only: object keys sorted, no white space; equal data gives equal text. */
export function canonicalJson(value: Json): string {
  return JSON.stringify(sorted(value));
}

function sorted(value: Json): Json {
  if (Array.isArray(value)) {
    return value.map(sorted);
  }
  if (value !== null && typeof value === 'object') {
    return Object.fromEntries(
      Object.entries(value)
        .sort(byKey)
        .map(([key, inner]) => [key, sorted(inner)]),
    );
  }
  return value;
}

function byKey([left]: readonly [string, Json], [right]: readonly [string, Json]): number {
  return left < right ? -1 : 1;
}

/** What a file may hold that a stranger may have made: what is read of it takes far more memory than its bytes. */
export interface JsonLimits {
  readonly characters: number;
  /** Of all kinds, together. */
  readonly values: number;
  readonly itemsOfList: number;
  readonly keysOfMap: number;
}

/** Why a text of JSON is not read, "has 3 characters; the limit is 2"; undefined if it is short enough. */
export function excessInText(text: string, { characters, values }: JsonLimits): string | undefined {
  if (text.length > characters) {
    return excess(text.length, 'characters', characters);
  }
  const found = text.length > values ? mostValues(text) : 0;
  return found > values ? excess(found, 'values', values) : undefined;
}

function excess(found: number, what: string, most: number): string {
  return `has ${found} ${what}; the limit is ${most}`;
}

const [COMMA, BRACKET, BRACE] = [44, 91, 123];

/** As many values as a text can have: each but the first comes behind one of these, which may stand in a text as well. */
function mostValues(text: string): number {
  let count = 1;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === COMMA || code === BRACKET || code === BRACE) {
      count += 1;
    }
  }
  return count;
}

/** The same for what a text was read to: a list or a map with too much in it; undefined if there is none. */
export function excessInValue(value: unknown, { itemsOfList, keysOfMap }: JsonLimits): string | undefined {
  // Not by a function that calls itself: it may be as deep as it is long.
  const open: unknown[] = [value];
  while (open.length > 0) {
    const found = open.pop();
    const inner = innerOf(found);
    const isList = Array.isArray(found);
    const most = isList ? itemsOfList : keysOfMap;
    if (inner.length > most) {
      return excess(inner.length, isList ? 'items in a list' : 'keys in a map', most);
    }
    // Not all as arguments of one call, which has room for fewer.
    for (const one of inner) {
      open.push(one);
    }
  }
  return undefined;
}

/** Whether a value has lists or maps within each other deeper than this many. */
export function goesDeeper(value: unknown, most: number): boolean {
  let level: readonly unknown[] = [value];
  for (let depth = 0; depth <= most && level.length > 0; depth += 1) {
    level = level.flatMap(innerOf);
  }
  return level.length > 0;
}

function innerOf(value: unknown): readonly unknown[] {
  if (typeof value !== 'object' || value === null) {
    return [];
  }
  return Array.isArray(value) ? value : Object.values(value);
}

/** The fault of a text of JSON that something in it is still open at its end. */
export const CUT_SHORT = 'ends in the middle of the JSON, so it was cut short';

/** Why a text is not JSON, for a message behind its place. */
export function jsonFault(text: string): string {
  if (text.charCodeAt(0) === 0xfeff) {
    return 'starts with a byte order mark';
  }
  return isCutShort(text) ? CUT_SHORT : 'is not JSON';
}

const OPENING = new Set(['{', '[']);

const CLOSING = new Set(['}', ']']);

function isCutShort(text: string): boolean {
  // Escapes go first: a pattern that repeats them needs a stack as deep as a text is long. The rest is strings and brackets.
  const tokens = text.replaceAll(/\\./gs, '').match(/"[^"]*"?|[{}[\]]/g) ?? [];
  let depth = 0;
  for (const token of tokens) {
    depth += OPENING.has(token) ? 1 : CLOSING.has(token) ? -1 : 0;
  }
  const last = tokens.at(-1);
  const isOpenText = last?.startsWith('"') === true && (last.length === 1 || !last.endsWith('"'));
  return depth > 0 || isOpenText || text.trim() === '';
}
