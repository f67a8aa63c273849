import { parse } from 'yaml';
import { tooDeepAt } from '../../config/yaml-depth.ts';

/** A map of anything; empty for what is none. */
export function mapIn(value: unknown): Readonly<Record<string, unknown>> {
  return isMap(value) ? value : {};
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

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
