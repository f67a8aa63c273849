import { ConfigError } from '../../foundation/errors.ts';
import type { Json } from '../../foundation/json.ts';
import { listIn, mapIn, textIn } from '../yaml/lines.ts';
import { type DocumentNode, type DocumentOperation, nodeAt, type OpenApiDocument, shown } from './document.ts';
import { exampleOf } from './example.ts';
import { givenValues, hasExample, isSendable, isUsable, making } from './schema.ts';

export interface Parameter {
  readonly name: string;
  readonly place: string;
  readonly isRequired: boolean;
  readonly node: DocumentNode;
}

/** Parameter that is sent as a placeholder, with the values of the document. */
export interface SentParameter extends Parameter {
  readonly placeholder: string;
  /** Values; none if arguments set it in every request. */
  readonly values: readonly Json[];
}

const PLACES = ['query', 'header', 'cookie'];

/** OpenAPI ignores these headers: the body, the response and security schemes define them. */
const NOT_PARAMETERS = ['accept', 'content-type', 'authorization'];

/** Parameters of an operation and its path item, of which those of the operation take precedence. */
export function parametersOf({ path, node, item }: DocumentOperation, document: OpenApiDocument): readonly Parameter[] {
  const found = [item, node].flatMap((from) =>
    listIn(from.value['parameters']).map((value, index) =>
      parameterOf(nodeAt(value, [...from.path, 'parameters', index], document)),
    ),
  );
  const declared = new Map(found.map((one) => [`${one.place} ${one.name}`, one]));
  // Every name in braces is a path parameter, even if it is not described.
  const inPath = [...path.matchAll(/\{([^{}]*)\}/g)].map(
    ([, name = '']) => declared.get(`path ${name}`) ?? parameterOf({ value: { name, in: 'path' }, path: item.path }),
  );
  const others = [...declared.values()].filter(({ place, name }) => {
    return PLACES.includes(place) && !(place === 'header' && NOT_PARAMETERS.includes(name.toLowerCase()));
  });
  return [...inPath, ...others];
}

function parameterOf(node: DocumentNode): Parameter {
  const place = textIn(node.value['in']) ?? '';
  const isRequired = place === 'path' || node.value['required'] === true;
  return { name: textIn(node.value['name']) ?? '', place, isRequired, node };
}

export function placeholderOf(name: string): string {
  return name.replace(/\W+/g, '_').replace(/^_+/, '') || 'value';
}

/** True if some arguments set a parameter or a property. */
export function isArgument(name: string, argumentNames: ReadonlySet<string>): boolean {
  return argumentNames.has(name) || argumentNames.has(placeholderOf(name));
}

/** True if a parameter is sent: it is required, has an example, or is in `argumentNames`. */
export function isSent(
  { name, isRequired, node }: Parameter,
  document: OpenApiDocument,
  argumentNames: ReadonlySet<string>,
): boolean {
  const { value, path } = node;
  const hasOwn = value['examples'] !== undefined || hasExample(node);
  return (
    isRequired ||
    hasOwn ||
    isArgument(name, argumentNames) ||
    hasExample(nodeAt(value['schema'], [...path, 'schema'], document))
  );
}

/**
 * Parameter with its values. Throws ConfigError, with its place in the document, if it cannot be sent, or if neither
 * the document nor the arguments have a value.
 */
export function sentParameter(
  parameter: Parameter,
  document: OpenApiDocument,
  argumentNames: ReadonlySet<string>,
): SentParameter {
  const { name, node } = parameter;
  if (name === '' || !isSendable(name) || /\p{Cc}/u.test(name)) {
    throw refusal(parameter, document, 'has a name that cannot be sent');
  }
  const found = valuesOf(node, document);
  const values = typeof found === 'string' ? [] : found;
  if (values.length === 0 && !isArgument(name, argumentNames)) {
    throw refusal(parameter, document, typeof found === 'string' ? found : 'has no example with a plain value');
  }
  return { ...parameter, placeholder: placeholderOf(name), values };
}

function refusal({ name, node, place }: Parameter, document: OpenApiDocument, problem: string): ConfigError {
  return new ConfigError(`${document.placeOf(node.path)}: the parameter ${shown(name)} (${place}) ${problem}`, {
    code: 'WG-113',
    next: `Add an \`example\` to the document, or select the operation by its \`operationId\` and set \`arguments: [{ ${placeholderOf(name)}: … }]\`.`,
  });
}

/** All examples, else a generated value. Returns the reason as a string if there is none. */
function valuesOf(node: DocumentNode, document: OpenApiDocument): readonly Json[] | string {
  const { value, path } = node;
  const [content] = Object.entries(mapIn(value['content']));
  const own = examplesIn(node, document);
  if (content !== undefined) {
    const [type, media] = content;
    return valuesInText({ value: mapIn(media), path: [...path, 'content', type] }, document);
  }
  if (own.length > 0) {
    return own.flatMap(plain);
  }
  // In Swagger 2, which `wiregauge init` also reads, a parameter has the keys of a schema.
  const schema = value['schema'] ?? value;
  const declared = givenValues(nodeAt(schema, [...path, 'schema'], document).value);
  if (declared.length > 0) {
    return declared.flatMap(plain);
  }
  const made = exampleOf(schema, [...path, 'schema'], making(document));
  return 'value' in made ? plain(made.value) : made.problem;
}

/** Values of a parameter with `content`, which is serialized as text. */
function valuesInText(media: DocumentNode, document: OpenApiDocument): readonly Json[] | string {
  const own = examplesIn(media, document);
  if (own.length > 0) {
    return own.map((value) => (typeof value === 'string' ? value : JSON.stringify(value)));
  }
  const made = exampleOf(media.value['schema'], [...media.path, 'schema'], making(document));
  return 'value' in made ? [JSON.stringify(made.value)] : made.problem;
}

/** Values of `example`, else of `examples`. */
export function examplesIn({ value, path }: DocumentNode, document: OpenApiDocument): readonly Json[] {
  const named = Object.entries(mapIn(value['examples'])).map(
    ([name, example]) => nodeAt(example, [...path, 'examples', name], document).value['value'],
  );
  const own = [value['example']].filter(isUsable);
  return own.length > 0 ? own : named.filter(isUsable);
}

/** Plain value: the first item of a list, but nothing for a map, which has too many serializations. */
function plain(value: Json): readonly Json[] {
  const one = Array.isArray(value) ? value[0] : value;
  return one === null || one === undefined || typeof one === 'object' ? [] : [one];
}
