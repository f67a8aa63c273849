import { ConfigError } from '../../foundation/errors.ts';
import type { Json } from '../../foundation/json.ts';

/** Values by the names in braces. */
export type PlaceholderValues = Readonly<Record<string, Json>>;

const WHOLE = /^\{(\w+)\}$/;
const PART = /\{(\w+)\}/g;

/**
 * A message with an argument's values in it: a text that is nothing but `{name}` becomes the value itself, of whatever kind, and
 * within other text it is written out. Throws ConfigError where the argument has no such value.
 */
export function filledMessage(template: Json, values: PlaceholderValues, call: string): Json {
  if (typeof template === 'string') {
    const [, name] = WHOLE.exec(template) ?? [];
    return name === undefined ? filledText(template, values, call) : named(name, values, call);
  }
  if (template === null || typeof template !== 'object') {
    return template;
  }
  return Array.isArray(template)
    ? template.map((inner: Json) => filledMessage(inner, values, call))
    : Object.fromEntries(Object.entries(template).map(([key, inner]) => [key, filledMessage(inner, values, call)]));
}

function filledText(text: string, values: PlaceholderValues, call: string): string {
  return text.replace(PART, (_found, name: string) => {
    const value = named(name, values, call);
    if (value === null || typeof value === 'object') {
      throw missing(name, call);
    }
    return String(value);
  });
}

function named(name: string, values: PlaceholderValues, call: string): Json {
  const value = Object.hasOwn(values, name) ? values[name] : undefined;
  if (value === undefined) {
    throw missing(name, call);
  }
  return value;
}

function missing(name: string, call: string): ConfigError {
  return new ConfigError(`${call}: an argument gives no value for {${name}}`, {
    next: 'Give every entry of `arguments` that key.',
  });
}
