import { ifPossible } from './errors.ts';

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** Value of a JSON text; undefined if it is invalid. */
export function parsedJson(text: string): Json | undefined {
  return ifPossible(() => JSON.parse(text));
}

export function isJsonMap(value: Json | undefined): value is { readonly [key: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Canonical JSON text, with sorted keys and no white space: equal data gives equal text. */
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
        .sort(([left], [right]) => (left < right ? -1 : 1))
        .map(([key, inner]) => [key, sorted(inner)]),
    );
  }
  return value;
}

/** Value with each of its strings replaced, at any depth. */
export function withTexts(value: Json, replaced: (text: string) => Json): Json {
  if (typeof value === 'string') {
    return replaced(value);
  }
  if (value === null || typeof value !== 'object') {
    return value;
  }
  return Array.isArray(value)
    ? value.map((one) => withTexts(one, replaced))
    : Object.fromEntries(Object.entries(value).map(([key, one]) => [key, withTexts(one, replaced)]));
}

/** Limits on untrusted JSON, since parsed values take far more memory than their text. */
export interface JsonLimits {
  readonly characters: number;
  /** Values of all kinds together. */
  readonly values: number;
  readonly itemsOfList: number;
  readonly keysOfMap: number;
}

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

/** Upper bound on the number of values: each except the first follows one of these characters. */
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

export function excessInValue(value: unknown, { itemsOfList, keysOfMap }: JsonLimits): string | undefined {
  // Iterative, because values may be deeply nested.
  const open: unknown[] = [value];
  while (open.length > 0) {
    const found = open.pop();
    const inner = innerOf(found);
    const isList = Array.isArray(found);
    const most = isList ? itemsOfList : keysOfMap;
    if (inner.length > most) {
      return excess(inner.length, isList ? 'items in a list' : 'keys in a map', most);
    }
    // A spread of all items could exceed the number of arguments.
    for (const one of inner) {
      open.push(one);
    }
  }
  return undefined;
}

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

export const CUT_SHORT = 'ends in the middle of the JSON, so it was cut short';

export function jsonFault(text: string): string {
  if (text.charCodeAt(0) === 0xfeff) {
    return 'starts with a byte order mark';
  }
  return isCutShort(text) ? CUT_SHORT : 'is not JSON';
}

const OPENING = new Set(['{', '[']);

const CLOSING = new Set(['}', ']']);

function isCutShort(text: string): boolean {
  // Removes escapes first: a pattern that repeats them would need a deep stack. Strings and brackets remain.
  const tokens = text.replaceAll(/\\./gs, '').match(/"[^"]*"?|[{}[\]]/g) ?? [];
  let depth = 0;
  for (const token of tokens) {
    depth += OPENING.has(token) ? 1 : CLOSING.has(token) ? -1 : 0;
  }
  const last = tokens.at(-1);
  const isOpenText = last?.startsWith('"') === true && (last.length === 1 || !last.endsWith('"'));
  return depth > 0 || isOpenText || text.trim() === '';
}
