import { ConfigError } from '../../foundation/errors.ts';
import { isJsonMap, type Json } from '../../foundation/json.ts';
import { isDistinct } from '../../foundation/names.ts';
import type { BodySource } from '../../protocols/rest/binding.ts';
import type { Row } from '../operations/feed.ts';
import { isLooseMap, type LooseMap, mapIn } from '../yaml/lines.ts';
import type { DocumentOperation, OpenApiDocument } from './document.ts';
import { type DocumentNode, nodeAt, shown } from './document.ts';
import { exampleOf } from './example.ts';
import { examplesIn, isArgument, placeholderOf } from './parameters.ts';
import { flattened, isSendable, making } from './schema.ts';

/** Body of a request, filled from arguments, with example arguments. */
export interface DocumentBody {
  readonly source: BodySource;
  /** undefined: the default of a body of this kind. */
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
export function documentBody(
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

/** Returns the reason as a string if there is no body. */
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

function renamed(map: Row): Row {
  return Object.fromEntries(Object.entries(map).map(([key, value]) => [placeholderOf(key), value]));
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
