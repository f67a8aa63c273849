import { parse } from 'yaml';

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

/** What stands in a YAML or JSON text; undefined where it cannot be read: then the file tells nothing. */
export function contentOf(text: string): unknown {
  try {
    return parse(text, { merge: true, logLevel: 'silent' });
  } catch {
    return undefined;
  }
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
