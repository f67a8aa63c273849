import { ConfigError } from '../../foundation/errors.ts';
import { isJsonMap, type Json } from '../../foundation/json.ts';
import { isDistinct } from '../../foundation/names.ts';
import type { StatusRange } from '../../model/suite/http.ts';
import { headers as headersSchema } from '../../protocols/http/headers.ts';
import type { BodySource, RestSource } from '../../protocols/rest/binding.ts';
import type { Row } from '../operations/feed.ts';
import { isLooseMap, type LooseMap, mapIn } from '../yaml/lines.ts';
import {
  basePath,
  type DocumentNode,
  type DocumentOperation,
  nodeAt,
  type OpenApiDocument,
  shown,
} from './document.ts';
import { exampleOf } from './example.ts';
import {
  examplesIn,
  isArgument,
  isSent,
  type Parameter,
  parametersOf,
  placeholderOf,
  type SentParameter,
  sentParameter,
} from './parameters.ts';
import { flattened, isSendable, making } from './schema.ts';

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

/**
 * Request for an operation, without the parts that the configuration sets itself. Throws ConfigError, with the place in the document, for a
 * part that cannot be sent or has no value.
 */
export function documentRequest(
  operation: DocumentOperation,
  document: OpenApiDocument,
  own: { readonly argumentNames: ReadonlySet<string>; readonly rest: RestSource | undefined },
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
  const count = Math.min(MAX_EXAMPLES, Math.max(bodies.length, ...parameters.map(({ values }) => values.length)));
  return Array.from({ length: count }, (_, index) => {
    const given = parameters.flatMap(({ placeholder, values }) => {
      const value = values[index % values.length];
      return value === undefined ? [] : [[placeholder, value] as const];
    });
    return { ...bodies[index % bodies.length], ...Object.fromEntries(given) };
  });
}

const MAX_EXAMPLES = 100;

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

/** Body of a request, filled from arguments, with example arguments. */
interface DocumentBody {
  readonly source: BodySource;
  /** Media type; undefined: the default of a body of this kind. */
  readonly contentType: string | undefined;
  readonly examples: readonly Row[];
  /** Placeholders by the names that arguments may use. */
  readonly names: ReadonlyMap<string, string>;
}

/** Argument name of a body without properties. */
const WHOLE = 'body';

/**
 * Body of an operation; undefined if it takes none, or if it is optional and not described. Each property of a map is
 * filled from the argument of its name; optional ones are sent if they have an example or are in `argumentNames`. Throws
 * ConfigError, with the place in the document, if a required body cannot be generated.
 */
function documentBody(
  { method, node }: DocumentOperation,
  document: OpenApiDocument,
  argumentNames: ReadonlySet<string>,
): DocumentBody | undefined {
  if (node.value['requestBody'] === undefined || method === 'GET' || method === 'HEAD') {
    return undefined;
  }
  const body = nodeAt(node.value['requestBody'], [...node.path, 'requestBody'], document);
  const media = chosenMedia(body);
  const made =
    media === undefined ? 'the document does not describe its content' : bodyOf(media, document, argumentNames);
  if (typeof made !== 'string') {
    return made;
  }
  if (body.value['required'] !== true) {
    return undefined;
  }
  throw new ConfigError(`${document.placeOf(body.path)}: needs a body, but ${made}`, {
    code: 'WG-113',
    next: 'Add an `example` to the document, or set the body next to `from` and `operationId`: `rest: { body: { … } }`.',
  });
}

interface Media extends DocumentNode {
  readonly type: string;
}

/** Preferred media types, best first. */
const READABLE = [
  /^application\/json\b/i,
  /^[\w.+-]+\/[\w.-]*\+?json\b/i,
  /^\*\/\*$/,
  /^application\/x-www-form-urlencoded\b/i,
];

/** Media types are sent as a header: one line, without placeholders. */
const MEDIA_TYPE = /^[\w.+*-]+\/[\w.+*-]+(?: *;[^\p{Cc}{}]*)?$/u;

function chosenMedia({ value, path }: DocumentNode): Media | undefined {
  const usable = Object.entries(mapIn(value['content'])).filter(([type]) => MEDIA_TYPE.test(type));
  const all = usable.map(([type, media]): Media => ({ type, value: mapIn(media), path: [...path, 'content', type] }));
  const known = READABLE.map((pattern) => all.find(({ type }) => pattern.test(type)));
  return known.find((media) => media !== undefined) ?? all[0];
}

function bodyOf(media: Media, document: OpenApiDocument, argumentNames: ReadonlySet<string>): DocumentBody | string {
  const { type } = media;
  const [json, otherJson, any, form] = READABLE.map((pattern) => pattern.test(type));
  const values = valuesOf(media, document);
  if (typeof values === 'string') {
    return values;
  }
  if (json || otherJson || any) {
    const contentType = type === 'application/json' || any ? undefined : type;
    return jsonBody(values, contentType, propertiesOf(media, document, argumentNames));
  }
  const texts = values.flatMap((value) =>
    form && isLooseMap(value) ? [formText(value)] : typeof value === 'string' ? [value] : [],
  );
  return texts.length > 0
    ? wholeBody({ kind: 'text', text: `{${WHOLE}}` }, texts, type)
    : `${shown(type)} needs an example that is a string`;
}

function valuesOf(media: Media, document: OpenApiDocument): readonly Json[] | string {
  const own = examplesIn(media, document);
  if (own.length > 0) {
    return own;
  }
  if (media.value['schema'] === undefined) {
    return 'the document has neither a schema nor an example of it';
  }
  const made = exampleOf(media.value['schema'], [...media.path, 'schema'], making(document));
  return 'value' in made ? [made.value] : `none can be generated: ${document.placeOf(made.path)} ${made.problem}`;
}

/** Properties that a schema describes. A value is generated for those that arguments name. */
type Declared = ReadonlyMap<string, { readonly isArgument: boolean; readonly value: Json | undefined }>;

function propertiesOf({ value, path }: Media, document: OpenApiDocument, argumentNames: ReadonlySet<string>): Declared {
  const node = nodeAt(value['schema'], [...path, 'schema'], document);
  const { properties } = flattened(node, making(document));
  return new Map(
    [...properties].map(([name, { schema, path: at }]) => {
      const made = isArgument(name, argumentNames) ? exampleOf(schema, at, making(document)) : undefined;
      return [name, { isArgument: made !== undefined, value: made && 'value' in made ? made.value : undefined }];
    }),
  );
}

function jsonBody(values: readonly Json[], contentType: string | undefined, declared: Declared): DocumentBody {
  const maps = values.filter(isJsonMap);
  const [first] = maps;
  const more = [...declared].filter(([name, { isArgument: isMore }]) => isMore && !Object.hasOwn(first ?? {}, name));
  const keys = [...Object.keys(first ?? {}), ...more.map(([name]) => name)];
  if (first === undefined || maps.length < values.length || !isDistinct(keys.map(placeholderOf))) {
    return wholeBody({ kind: 'json', json: `{${WHOLE}}` }, values, contentType);
  }
  const added = Object.fromEntries(more.flatMap(([name, { value }]) => (value === undefined ? [] : [[name, value]])));
  const isAlike = (map: Row): boolean => keysOf(map) === keysOf(first);
  const renamed = (map: Row): Row =>
    Object.fromEntries(Object.entries(map).map(([key, value]) => [placeholderOf(key), value]));
  return {
    source: { kind: 'json', json: Object.fromEntries(keys.map((key) => [key, `{${placeholderOf(key)}}`])) },
    contentType,
    examples: maps.filter(isAlike).map((map) => renamed({ ...added, ...map })),
    names: new Map([...keys, ...declared.keys()].map((key) => [key, placeholderOf(key)])),
  };
}

function keysOf(map: Row): string {
  return JSON.stringify(Object.keys(map).toSorted());
}

function wholeBody(source: BodySource, values: readonly Json[], contentType: string | undefined): DocumentBody {
  const examples = values.map((value) => ({ [WHOLE]: value }));
  return { source, contentType, examples, names: new Map([[WHOLE, WHOLE]]) };
}

/** Encodes a form; a list becomes one field per item. */
function formText(value: LooseMap): string {
  const fields = Object.entries(value).flatMap(([key, inner]) =>
    [inner].flat().map((one) => [key, typeof one === 'object' ? JSON.stringify(one) : String(one)] as const),
  );
  return fields
    .filter((field) => field.every(isSendable))
    .map((field) => field.map(encodeURIComponent).join('='))
    .join('&');
}
