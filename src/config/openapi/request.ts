import { ConfigError } from '../../foundation/errors.ts';
import type { StatusRange } from '../../model/suite/http.ts';
import { headers as headersSchema } from '../../protocols/http/headers.ts';
import type { BodySource, RestSource } from '../../protocols/rest/binding.ts';
import type { Row } from '../operations/feed.ts';
import { mapIn } from '../yaml/lines.ts';
import { documentBody } from './body.ts';
import type { OpenApiDocument } from './document.ts';
import { basePath, type DocumentOperation, shown } from './document.ts';
import {
  isSent,
  type Parameter,
  parametersOf,
  placeholderOf,
  type SentParameter,
  sentParameter,
} from './parameters.ts';

/** Parts of a request that the configuration sets, so that the document is not used for them. */
export interface OwnParts {
  /** Names of arguments. */
  readonly argumentNames: ReadonlySet<string>;
  readonly rest: RestSource | undefined;
}

/** Request for an operation, as its document describes it. */
export interface DocumentRequest {
  /** Path with query, argument names in braces. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: BodySource | undefined;
  /** Status codes of success; undefined if the document names none. */
  readonly status: readonly StatusRange[] | undefined;
  /** Default arguments, used in turn. There is at least one row. */
  readonly examples: readonly Row[];
  /** Placeholders by the names that arguments may use. */
  readonly names: ReadonlyMap<string, string>;
  readonly parameters: readonly Parameter[];
}

/** Request for an operation. Throws ConfigError, with the place in the document, for a part that cannot be sent or has no value. */
export function documentRequest(
  operation: DocumentOperation,
  document: OpenApiDocument,
  own: OwnParts,
): DocumentRequest {
  const all = parametersOf(operation, document);
  const parameters = all
    .filter((one) => one.place !== 'cookie' || one.isRequired)
    .filter((one) => !isOwn(one, own.rest) && isSent(one, document, own.argumentNames))
    .map((one) => sentParameter(one, document, own.argumentNames));
  refuseCookie(parameters, document);
  const body = own.rest?.body === undefined ? documentBody(operation, document, own.argumentNames) : undefined;
  const type = body?.contentType === undefined ? {} : { 'Content-Type': body.contentType };
  return {
    path: own.rest?.path ?? targetOf(operation, document, parameters),
    headers: { ...type, ...headersOf(parameters, document) },
    body: body?.source,
    status: statusOf(operation),
    examples: examplesOf(parameters, body?.examples ?? [{}]),
    names: new Map([...all.map(({ name }) => [name, placeholderOf(name)] as const), ...(body?.names ?? [])]),
    parameters,
  };
}

function isOwn({ name, place }: Parameter, rest: RestSource | undefined): boolean {
  if (place === 'path' || place === 'query') {
    return rest?.path !== undefined && !rest.path.includes(`{${placeholderOf(name)}}`);
  }
  const header = place === 'cookie' ? 'cookie' : name.toLowerCase();
  return Object.keys(rest?.headers ?? {}).some((key) => key.toLowerCase() === header);
}

function refuseCookie(parameters: readonly SentParameter[], document: OpenApiDocument): void {
  const cookie = parameters.find(({ place }) => place === 'cookie');
  if (cookie !== undefined) {
    throw new ConfigError(`${document.placeOf(cookie.node.path)}: requires the cookie ${shown(cookie.name)}`, {
      code: 'WG-113',
      next: 'Set it next to `from` and `operationId`: `rest: { headers: { Cookie: "name=value" } }`.',
    });
  }
}

/** Path without white space or `${…}`. */
const PATH = /^\/[\w\-./~!'()*+,;=:@%{}]{0,1000}$/;

function targetOf(
  operation: DocumentOperation,
  document: OpenApiDocument,
  parameters: readonly SentParameter[],
): string {
  const { path, item } = operation;
  if (!PATH.test(path)) {
    throw new ConfigError(`${document.placeOf(item.path)}: ${shown(path)} is not a valid request path`, {
      code: 'WG-113',
      next: 'Begin it with /, and percent-encode characters that a path may not contain.',
    });
  }
  const filled = path.replace(/\{([^{}]*)\}/g, (_, name: string) => `{${placeholderOf(name)}}`);
  const query = parameters
    .filter(({ place }) => place === 'query')
    .map(({ name, placeholder }) => `${encodeURIComponent(name)}={${placeholder}}`);
  return `${basePath(operation, document)}${filled}${query.length === 0 ? '' : `?${query.join('&')}`}`;
}

function headersOf(parameters: readonly SentParameter[], document: OpenApiDocument): Readonly<Record<string, string>> {
  const found = parameters.filter(({ place }) => place === 'header');
  const all = found.map(({ name, placeholder, node }) => {
    const read = headersSchema.safeParse({ [name]: `{${placeholder}}` });
    if (!read.success) {
      const [issue] = read.error.issues;
      const why = (issue?.code === 'invalid_key' ? issue.issues[0]?.message : issue?.message) ?? 'cannot be sent';
      throw new ConfigError(`${document.placeOf(node.path)}: the header ${shown(name)} ${why}`, {
        code: 'WG-113',
        next: 'Fix the parameter in the document.',
      });
    }
    return read.data;
  });
  return Object.assign({}, ...all);
}

/** Enough rows to use every value of each parameter and every body. */
function examplesOf(parameters: readonly SentParameter[], bodies: readonly Row[]): readonly Row[] {
  const count = Math.min(MOST_EXAMPLES, Math.max(bodies.length, ...parameters.map(({ values }) => values.length)));
  return Array.from({ length: count }, (_, index) => {
    const given = parameters.flatMap(({ placeholder, values }) => {
      const value = values[index % values.length];
      return value === undefined ? [] : [[placeholder, value] as const];
    });
    return { ...bodies[index % bodies.length], ...Object.fromEntries(given) };
  });
}

const MOST_EXAMPLES = 100;

/** Responses in 200-299, else redirects; a load should not expect failures. */
function statusOf({ node }: DocumentOperation): readonly StatusRange[] | undefined {
  const ranges = Object.keys(mapIn(node.value['responses'])).flatMap(rangeIn);
  const success = ranges.filter(({ from }) => from >= 200 && from < 300);
  const redirects = ranges.filter(({ from }) => from >= 300 && from < 400);
  return [success, redirects].find(({ length }) => length > 0);
}

function rangeIn(key: string): readonly StatusRange[] {
  const status = Number(key);
  if (/^[1-5]\d\d$/.test(key)) {
    return [{ from: status, to: status }];
  }
  return /^[1-5]XX$/i.test(key) ? [{ from: Number(key[0]) * 100, to: Number(key[0]) * 100 + 99 }] : [];
}
