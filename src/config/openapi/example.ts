import { isJsonMap, type Json } from '../../foundation/json.ts';
import { isLooseMap, listIn, mapIn } from '../yaml/lines.ts';
import type { Path } from '../yaml/yaml.ts';
import { type DocumentNode, nodeAt } from './document.ts';
import { deeper, type FlatSchema, flattened, givenValues, hasExample, isSendable, type Making } from './schema.ts';
import { numberExample, textExample } from './value.ts';

/** Generated value, or the place and the reason why there is none. */
export type Made = { readonly value: Json } | Unmade;

export interface Unmade {
  readonly path: Path;
  /** For messages, such as "has limits that no known value fits". */
  readonly problem: string;
}

/**
 * Value that a schema allows: its own example, else one of its type within its limits. A map has the required
 * properties and those with an example; if none is required, all.
 */
export function exampleOf(schema: unknown, path: Path, from: Making): Made {
  return exampleOfNode(nodeAt(schema, path, from.document), from);
}

function exampleOfNode(node: DocumentNode, from: Making): Made {
  const inner = deeper(from, JSON.stringify(node.path));
  if (inner === undefined) {
    return { path: node.path, problem: 'is recursive without end, or too large' };
  }
  const [given] = givenValues(node.value);
  if (given !== undefined) {
    return { value: given };
  }
  const flat = flattened(node, inner);
  // An example of one part of an `allOf` lacks the properties of the others.
  const [ofPart] = flat.properties.size === 0 ? givenValues(flat.keywords) : [];
  return ofPart === undefined ? madeOf(flat, inner) : { value: ofPart };
}

function madeOf(flat: FlatSchema, from: Making): Made {
  const chosen = chosenForm(flat, from);
  const type = typeOf(flat);
  if (chosen === undefined) {
    return (MAKERS.get(type) ?? usualExample)(flat, from);
  }
  const own = flat.properties.size > 0 ? mapExample(flat, from) : undefined;
  if (own === undefined || !('value' in own) || !('value' in chosen)) {
    return own ?? chosen;
  }
  return { value: { ...asMap(own.value), ...asMap(chosen.value) } };
}

/** Value of the first form in `oneOf` or `anyOf` that one can be generated for; undefined if there are no forms. */
function chosenForm({ keywords, path }: FlatSchema, from: Making): Made | undefined {
  const forms = ['oneOf', 'anyOf'].flatMap((key) =>
    [...listIn(keywords[key]).entries()].map((form) => [key, ...form] as const),
  );
  let first: Made | undefined;
  for (const [key, index, schema] of forms) {
    const made = exampleOf(schema, [...path, key, index], from);
    if ('value' in made && made.value !== null) {
      return made;
    }
    first ??= made;
  }
  return first;
}

function asMap(value: Json): { readonly [key: string]: Json } {
  return isJsonMap(value) ? value : {};
}

/** First `type` other than null, else the type that other keywords imply. */
function typeOf({ keywords, properties }: FlatSchema): string {
  const types = [keywords['type']].flat();
  const type = types.find((one) => typeof one === 'string' && one !== 'null') ?? types[0];
  if (typeof type === 'string') {
    return type;
  }
  if (properties.size > 0 || isLooseMap(keywords['additionalProperties'])) {
    return 'object';
  }
  return keywords['items'] === undefined ? '' : 'array';
}

type Maker = (flat: FlatSchema, from: Making) => Made;

const MAKERS: ReadonlyMap<string, Maker> = new Map<string, Maker>([
  ['object', mapExample],
  ['array', listExample],
  ['boolean', () => ({ value: true })],
  ['null', () => ({ value: null })],
  ['integer', ({ keywords, path }) => madeOr(numberExample(keywords), path, 'has no whole number within its limits')],
  ['number', ({ keywords, path }) => madeOr(numberExample(keywords), path, 'has no number within its limits')],
  [
    'string',
    ({ keywords, path }) => madeOr(textExample(keywords), path, 'has limits or a pattern that no known string fits'),
  ],
]);

/** A schema without a type is most often an id. */
function usualExample({ keywords, path }: FlatSchema): Made {
  const isText = ['format', 'pattern', 'minLength', 'maxLength'].some((key) => keywords[key] !== undefined);
  return madeOr(isText ? textExample(keywords) : numberExample(keywords), path, 'has limits that no known value fits');
}

function madeOr(value: Json | undefined, path: Path, problem: string): Made {
  return value === undefined ? { path, problem } : { value };
}

function mapExample({ properties, required }: FlatSchema, from: Making): Made {
  const found: (readonly [string, Json])[] = [];
  for (const [name, { schema, path }] of properties) {
    const node = nodeAt(schema, path, from.document);
    const made = isSentIn(node, name, required) ? propertyExample(node, name, from) : undefined;
    if (made !== undefined && 'value' in made) {
      found.push([name, made.value]);
    } else if (made !== undefined && required.has(name)) {
      return made;
    }
  }
  return { value: Object.fromEntries(found) };
}

function propertyExample(node: DocumentNode, name: string, from: Making): Made {
  return isSendable(name) ? exampleOfNode(node, from) : { path: node.path, problem: 'has a name that cannot be sent' };
}

function isSentIn(node: DocumentNode, name: string, required: ReadonlySet<string>): boolean {
  return node.value['readOnly'] !== true && (required.size === 0 || required.has(name) || hasExample(node));
}

const MOST_ITEMS = 100;

function listExample({ keywords, path }: FlatSchema, from: Making): Made {
  const { minItems, maxItems, items } = keywords;
  const fewest = typeof minItems === 'number' ? Math.min(minItems, MOST_ITEMS) : 0;
  if (maxItems === 0) {
    return { value: [] };
  }
  const made = exampleOf(mapIn(items), [...path, 'items'], from);
  if ('value' in made) {
    return { value: Array.from({ length: Math.max(1, Math.ceil(fewest)) }, () => made.value) };
  }
  return fewest > 0 ? made : { value: [] };
}
