import { parse, parseDocument } from 'yaml';
import type { Json } from '../../foundation/json.ts';
import { tooDeepAt } from './yaml-depth.ts';

/** A map of anything, as somebody else wrote it. */
export type LooseMap = Readonly<Record<string, unknown>>;

/** A map of anything; empty for what is none. */
export function mapIn(value: unknown): LooseMap {
  return isLooseMap(value) ? value : {};
}

/** A list of anything; empty for what is none. */
export function listIn(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** A text, also where YAML has read a number or a boolean; undefined for anything else. */
export function textIn(value: unknown): string | undefined {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? String(value)
    : undefined;
}

/** Whether a value is a map. */
export function isLooseMap(value: unknown): value is LooseMap {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The same of a value of JSON. */
export function isJsonMap(value: Json): value is { readonly [key: string]: Json } {
  return isLooseMap(value);
}

/** Looking for keys that stand twice, and telling where mistakes are, takes the square of the length. */
const FAST = { uniqueKeys: false, prettyErrors: false };

/** What stands in a YAML or JSON text; undefined where it cannot be read: then the file tells nothing. */
export function contentOf(text: string): unknown {
  if (tooDeepAt(text) !== undefined) {
    return undefined;
  }
  try {
    return parse(text, { ...FAST, merge: true, logLevel: 'silent' });
  } catch {
    return undefined;
  }
}

/** The same of a text without a mistake; undefined for any other. */
export function flawlessContentOf(text: string): unknown {
  if (tooDeepAt(text) !== undefined) {
    return undefined;
  }
  try {
    const document = parseDocument(text, { ...FAST, merge: true });
    return document.errors.length > 0 ? undefined : document.toJS();
  } catch {
    return undefined;
  }
}
