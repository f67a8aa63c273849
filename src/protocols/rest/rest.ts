import { ConfigError, type Json, MeasurementError } from '../../foundation/index.ts';
import {
  type Answer,
  type Content,
  isExpected,
  type Protocol,
  type Reply,
  type RestBinding,
  type RestBody,
  type RestExpectation,
  SUCCESS,
  statusText,
} from '../../model/index.ts';
import { beginningOf } from '../../secrets/index.ts';
import { refuseCut, withoutEnvelope } from '../call.ts';

/** HTTP: a binding is a method, a path, headers and a body whose `{placeholders}` are filled from the arguments. */
export const rest: Protocol = {
  name: 'rest',

  target({ name, bindings, arguments: rows }, { headers, connection }, address) {
    const binding = bindings.rest;
    if (binding === undefined) {
      throw new ConfigError(`operation ${name} has no \`rest\` binding`, {
        next: 'Add one to the suite, like `rest: GET /user/{id}`.',
      });
    }
    const whole = { ...binding, headers: { ...headers, ...binding.headers } };
    const requests = rows.map((values) => requestOf(whole, values));
    return { address, requests, proto: undefined, connection, expected: binding.expect.status };
  },

  canonical(reply, operation) {
    const usual = { status: SUCCESS, contentType: undefined, contains: undefined };
    refuseUnexpected(reply, operation.bindings.rest?.expect ?? usual);
    refuseCut(reply, operation);
    const { body, answer } = reply;
    if (body !== undefined) {
      return withoutEnvelope(body);
    }
    if (answer === undefined) {
      throw new MeasurementError(`answered ${reply.status} without a body that could be read`);
    }
    return describe(answer);
  },
};

function requestOf(binding: RestBinding, values: Readonly<Record<string, Json>>) {
  const missing = missingArgument(binding, values);
  if (missing !== undefined) {
    throw new ConfigError(`${binding.method} ${binding.path}: an argument gives no plain value for {${missing}}`, {
      next: 'Give every entry of `arguments` that key.',
    });
  }
  const { path, headers, content } = restRequest(binding, values);
  const { deadlineMs, expect } = binding;
  return {
    call: `${binding.method} ${path}`,
    body: undefined,
    headers,
    content,
    ...(expect.message !== undefined && { answerMessage: expect.message }),
    ...(deadlineMs !== undefined && { deadlineMs }),
  };
}

function refuseUnexpected({ status, answer }: Reply, expect: RestExpectation): void {
  if (!isExpected(Number(status), expect.status)) {
    throw unexpectedStatus(status, answer, expect);
  }
  const type = answer?.contentType?.split(';')[0]?.trim().toLowerCase();
  if (expect.contentType !== undefined && type !== expect.contentType.toLowerCase()) {
    throw new MeasurementError(`answered with ${type ?? 'no content type'}, and ${expect.contentType} is expected`, {
      next: 'Mend the service, or `expect.contentType` of the operation.',
    });
  }
  const text = answer?.text ?? '';
  if (expect.contains !== undefined && !text.includes(expect.contains)) {
    throw new MeasurementError(`the answer does not contain ${JSON.stringify(expect.contains)}: ${cut(text)}`, {
      next: 'Mend the service, or `expect.contains` of the operation.',
    });
  }
}

function unexpectedStatus(status: string, answer: Answer | undefined, expect: RestExpectation): MeasurementError {
  const isRedirect = /^3/.test(status) && answer?.location !== undefined;
  const told = isRedirect ? `, a redirect to ${cut(answer.location ?? '')}` : toldBy(answer);
  return new MeasurementError(`answered ${status}${told}; expected: ${statusText(expect.status)}`, {
    next: isRedirect
      ? 'Redirects are not followed: ask for the path that it leads to, or expect it: `expect: { status: 3xx }`.'
      : `Where that is right, say so: \`expect: { status: ${status} }\`; else mend the service, or path, headers and arguments of the operation.`,
  });
}

function toldBy(answer: Answer | undefined): string {
  return answer === undefined || answer.text.trim() === '' ? '' : ` (${cut(answer.text.trim())})`;
}

const LONGEST_TEXT = 200;

/** What is not JSON stands for itself where it is short; else for its length and hash. */
function describe({ text, bytes, sha256 }: Answer): Json {
  return text.length <= LONGEST_TEXT && !text.includes('\uFFFD') ? text : { bytes, sha256 };
}

function cut(text: string): string {
  return beginningOf(text.replace(/\s+/g, ' '), LONGEST_TEXT);
}

type Values = Readonly<Record<string, Json>>;

/** A request of an operation over HTTP, with its arguments filled in. */
export interface RestRequest {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly content: Content | undefined;
}

const PLACEHOLDER = /\{(\w+)\}/g;

/** The request that a binding makes of some arguments; what they have no plain value for stays as it is. */
export function restRequest({ path, headers, body }: RestBinding, values: Values): RestRequest {
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

/** The first `{name}` of a binding that the arguments have no plain value for. */
export function missingArgument({ path, headers, body }: RestBinding, values: Values): string | undefined {
  const inBody =
    body === undefined || body.kind === 'file' ? [] : textsIn(body.kind === 'json' ? body.json : body.text);
  const outside = [path, ...Object.values(headers), ...(body?.kind === 'text' ? inBody : [])].flatMap(namesIn);
  const inside = body?.kind === 'json' ? inBody : [];
  return (
    outside.find((name) => plainText(argumentOf(values, name)) === undefined) ??
    inside.flatMap(namesIn).find((name) => argumentOf(values, name) === undefined)
  );
}

/** What every object has by nature is no argument. */
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
    text: body.kind === 'json' ? JSON.stringify(jsonOf(body.json, values)) : replaced(body.text, values, String),
  };
}

/** A text that is nothing but `{name}` becomes the argument itself, be it a number or a map. */
function jsonOf(template: Json, values: Values): Json {
  if (typeof template === 'string') {
    const whole = argumentOf(values, /^\{(\w+)\}$/.exec(template)?.[1] ?? '');
    return whole === undefined ? replaced(template, values, String) : whole;
  }
  if (template === null || typeof template !== 'object') {
    return template;
  }
  return Array.isArray(template)
    ? template.map((one) => jsonOf(one, values))
    : Object.fromEntries(Object.entries(template).map(([key, one]) => [key, jsonOf(one, values)]));
}

function replaced(text: string, values: Values, escaped: (value: string) => string): string {
  return text.replace(PLACEHOLDER, (found, name: string) => {
    const value = plainText(argumentOf(values, name));
    return value === undefined ? found : escaped(value);
  });
}

function plainText(value: Json | undefined): string | undefined {
  return value === undefined || value === null || typeof value === 'object' ? undefined : String(value);
}

/** A line break in an argument would begin another header. */
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
