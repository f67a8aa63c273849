import { ConfigError, type Json } from '../../foundation/index.ts';

/** The error of a value in a message that its type does not allow; `at` is the path that leads to it. */
export function misfit(at: string, expected: string, found: Json | undefined): ConfigError {
  return new ConfigError(`${at}: ${expected}, and is ${(JSON.stringify(found) ?? 'nothing').slice(0, 60)}`, {
    next: 'Mend the message of the operation.',
  });
}

/** Whether a value is a map, of whatever. */
export function isJsonObject(value: Json): value is { readonly [key: string]: Json } {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}

/** A text as it is, and nothing else: a list of one number is no number, and what a map says of itself is not asked. */
export function textOf(value: Json): string {
  return typeof value === 'string' ? value : '';
}
