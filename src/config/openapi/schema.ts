import { ConfigError } from '../../foundation/errors.ts';
import type { Json } from '../../foundation/json.ts';
import type { Path } from '../yaml/frame.ts';
import { type LooseMap, listIn, mapIn, textIn } from '../yaml/lines.ts';
import { type DocumentNode, nodeAt, type OpenApiDocument } from './document.ts';

/** State of the generation of an example value. */
export interface Making {
  readonly document: OpenApiDocument;
  readonly within: readonly string[];
  /** Remaining number of schemas, since nested ones can multiply. */
  readonly budget: { left: number };
}

const MAX_SCHEMAS = 3000;

const DEEPEST = 30;

export function making(document: OpenApiDocument): Making {
  return { document, within: [], budget: { left: MAX_SCHEMAS } };
}

/** State one level deeper; undefined if the schema is recursive, or if there are too many. */
export function deeper(from: Making, place: string): Making | undefined {
  from.budget.left -= 1;
  const isTooMuch = from.budget.left < 0 || from.within.length > DEEPEST || from.within.includes(place);
  return isTooMuch ? undefined : { ...from, within: [...from.within, place] };
}

interface PlacedSchema {
  readonly schema: unknown;
  readonly path: Path;
}

export interface FlatSchema {
  readonly path: Path;
  readonly keywords: LooseMap;
  readonly properties: ReadonlyMap<string, PlacedSchema>;
  readonly required: ReadonlySet<string>;
}

/** Schema merged with its `allOf`. Throws ConfigError if it contains itself. */
export function flattened(node: DocumentNode, from: Making): FlatSchema {
  const { value, path } = node;
  const parts = partsOf(node, from);
  const own = Object.entries(mapIn(value['properties'])).map(([name, schema]): readonly [string, PlacedSchema] => [
    name,
    { schema, path: [...path, 'properties', name] },
  ]);
  return {
    path,
    keywords: Object.assign({}, ...parts.map(({ keywords }) => keywords), value),
    properties: new Map([...parts.flatMap(({ properties }) => [...properties]), ...own]),
    required: new Set([
      ...parts.flatMap(({ required }) => [...required]),
      ...listIn(value['required']).flatMap((name) => textIn(name) ?? []),
    ]),
  };
}

function partsOf({ value, path }: DocumentNode, from: Making): readonly FlatSchema[] {
  const parts = listIn(value['allOf']);
  const inner = parts.length === 0 ? from : deeper(from, `allOf of ${JSON.stringify(path)}`);
  if (inner === undefined) {
    throw new ConfigError(`${from.document.placeOf([...path, 'allOf'])}: contains itself, or has too many parts`, {
      code: 'WG-113',
      next: 'Remove the schema from its own `allOf`, or add an `example` to each of its uses.',
    });
  }
  return parts.map((part, index) => flattened(nodeAt(part, [...path, 'allOf', index], from.document), inner));
}

export function hasExample({ value }: DocumentNode): boolean {
  return value['example'] !== undefined || listIn(value['examples']).length > 0;
}

/** Values that a schema lists: its examples, else its default, else the first of its `enum`. */
export function givenValues(schema: LooseMap): readonly Json[] {
  const keys = [
    [schema['example']],
    listIn(schema['examples']),
    [schema['const']],
    [schema['default']],
    listIn(schema['enum']).filter(isUsable).slice(0, 1),
  ];
  return keys.map((values) => values.filter(isUsable)).find((values) => values.length > 0) ?? [];
}

/** True if a value is sendable JSON and not null. */
export function isUsable(value: unknown): value is Json {
  return value !== null && isPlain(value, 0);
}

function isPlain(value: unknown, depth: number): boolean {
  if (typeof value === 'string') {
    return isSendable(value);
  }
  if (typeof value !== 'object') {
    return typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value));
  }
  return (
    value === null ||
    (depth < DEEPEST && Object.entries(value).every(([key, inner]) => isSendable(key) && isPlain(inner, depth + 1)))
  );
}

/** True if a text has neither `${env.NAME}` nor a lone surrogate. */
export function isSendable(text: string): boolean {
  return !text.includes('${') && !/\p{Cs}/u.test(text);
}
