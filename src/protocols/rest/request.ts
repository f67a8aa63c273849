import { ConfigError } from '../../foundation/errors.ts';
import { type Json, withTexts } from '../../foundation/json.ts';
import type { Content } from '../../model/suite/http.ts';
import type { BindingPlace } from '../protocol.ts';
import type { RestBinding, RestBody } from './binding.ts';

export type Values = Readonly<Record<string, Json>>;

type Template = Pick<RestBinding, 'path' | 'headers' | 'body'>;

export interface RestRequest {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly content: Content | undefined;
}

const PLACEHOLDER = /\{(\w+)\}/g;

/** Request for a binding and arguments; placeholders without a plain value remain. */
export function restRequest({ path, headers, body }: Template, values: Values): RestRequest {
  const content = body && contentOf(body, values);
  const type = body === undefined || headers['Content-Type'] !== undefined ? {} : { 'Content-Type': typeOf(body) };
  return {
    path: replaced(path, values, encodeURIComponent),
    headers: {
      ...type,
      ...Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, replaced(value, values, oneLine)])),
    },
    content,
  };
}

/** First `{name}` of a binding for which the arguments have no plain value. */
export function missingArgument({ path, headers, body }: Template, values: Values): string | undefined {
  const inBody =
    body === undefined || body.kind === 'file' ? [] : textsIn(body.kind === 'json' ? body.json : body.text);
  const outside = [path, ...Object.values(headers), ...(body?.kind === 'text' ? inBody : [])].flatMap(namesIn);
  const inside = body?.kind === 'json' ? inBody : [];
  return (
    outside.find((name) => plainText(argumentOf(values, name)) === undefined) ??
    inside.flatMap(namesIn).find((name) => argumentOf(values, name) === undefined)
  );
}

/** Throws ConfigError for the first item of the arguments that has no plain value for a placeholder. */
export function refuseMissing(template: Template, { at, rows }: BindingPlace): void {
  for (const [index, row] of rows.entries()) {
    const name = missingArgument(template, row);
    if (name !== undefined) {
      throw new ConfigError(`${at()}: item ${index + 1} of the arguments has no plain value for {${name}}`, {
        code: 'WG-114',
        next: `Add ${name} to every item of \`arguments\` or \`feed\`. If it is not a placeholder, write a space inside the braces, \`{ ${name} }\`, or put the braces in an argument.`,
      });
    }
  }
}

/** Ignores inherited properties such as `constructor`. */
function argumentOf(values: Values, name: string): Json | undefined {
  return Object.hasOwn(values, name) ? values[name] : undefined;
}

function namesIn(text: string): readonly string[] {
  return [...text.matchAll(PLACEHOLDER)].map(([, name = '']) => name);
}

function textsIn(value: Json): readonly string[] {
  if (typeof value === 'string') {
    return [value];
  }
  return value !== null && typeof value === 'object' ? Object.values(value).flatMap(textsIn) : [];
}

function contentOf(body: RestBody, values: Values): Content {
  if (body.kind === 'file') {
    return { base64: body.base64 };
  }
  return {
    text: body.kind === 'json' ? JSON.stringify(filledJson(body.json, values)) : replaced(body.text, values, String),
  };
}

/** A string that is only `{name}` becomes the argument itself, such as a number or a map. `absent` takes the place of one without a plain value. */
export function filledJson(template: Json, values: Values, absent = unfilled): Json {
  return withTexts(template, (text) => {
    const [, name] = /^\{(\w+)\}$/.exec(text) ?? [];
    const whole = name === undefined ? undefined : argumentOf(values, name);
    return whole === undefined ? replaced(text, values, String, absent) : whole;
  });
}

function unfilled(name: string): string {
  return `{${name}}`;
}

function replaced(text: string, values: Values, escaped: (value: string) => string, absent = unfilled): string {
  return text.replace(PLACEHOLDER, (_found, name: string) => {
    const value = plainText(argumentOf(values, name));
    return value === undefined ? absent(name) : escaped(value);
  });
}

function plainText(value: Json | undefined): string | undefined {
  return value === undefined || value === null || typeof value === 'object' ? undefined : String(value);
}

/** A line break in an argument would start another header. */
function oneLine(value: string): string {
  return value.replace(/\p{Cc}+/gu, ' ');
}

const TYPES: ReadonlyMap<string, string> = new Map([
  ['json', 'application/json'],
  ['xml', 'application/xml'],
  ['txt', 'text/plain; charset=utf-8'],
  ['html', 'text/html; charset=utf-8'],
  ['csv', 'text/csv; charset=utf-8'],
]);

function typeOf(body: RestBody): string {
  if (body.kind !== 'file') {
    return body.kind === 'json' ? 'application/json' : 'text/plain; charset=utf-8';
  }
  return TYPES.get(body.file.split('.').at(-1)?.toLowerCase() ?? '') ?? 'application/octet-stream';
}
