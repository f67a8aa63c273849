import * as z from 'zod';
import { ConfigError, ifPossible } from '../../foundation/errors.ts';
import { once } from '../../foundation/once.ts';
import { operationNameFrom } from '../operations/draft.ts';
import type { Path, PlaceOf, SourceText } from '../yaml/frame.ts';
import { contentOf, isLooseMap, type LooseMap, listIn, MAX_YAML_CHARACTERS, mapIn, textIn } from '../yaml/lines.ts';
import { parsePlaced } from '../yaml/yaml.ts';

/** OpenAPI document with the places of its parts. */
export interface OpenApiDocument {
  readonly file: string;
  readonly content: LooseMap;
  readonly placeOf: PlaceOf;
}

/** OpenAPI document in a text. Throws ConfigError, with line and column, if it is too long, neither YAML nor JSON, or not OpenAPI 3. */
export function openApiDocument({ file, text }: SourceText): OpenApiDocument {
  if (text.length > MAX_YAML_CHARACTERS) {
    throw new ConfigError(
      `${file}: has ${text.length} characters; the limit for a document is ${MAX_YAML_CHARACTERS}`,
      { code: 'WG-113', next: 'Reduce it to the operations that are measured.' },
    );
  }
  const content = contentOf(text.replace(/^\uFEFF/, ''), { isStrict: true });
  // Places are computed only for error messages.
  const placed = once(() => parsePlaced({ file, text }, z.unknown()));
  if (content === undefined) {
    // Slower, but reports what is wrong.
    placed();
  }
  const document = { file, content: mapIn(content), placeOf: (path: Path) => placed().placeOf(path) };
  refuseOtherFormats(document);
  return document;
}

/** Readable part of a document, empty if nothing can be read. It has no line numbers. */
export function looseDocument({ file, text }: SourceText): OpenApiDocument {
  return { file, content: mapIn(contentOf(text)), placeOf: () => file };
}

function refuseOtherFormats({ file, content, placeOf }: OpenApiDocument): void {
  if (content['swagger'] !== undefined) {
    throw new ConfigError(`${placeOf(['swagger'])}: is a Swagger 2 document; only OpenAPI 3 is supported`, {
      code: 'WG-113',
      next: `Convert it, like \`npx swagger2openapi ${file} --outfile openapi.json\`.`,
    });
  }
  const version = textIn(content['openapi']);
  if (version === undefined) {
    throw new ConfigError(`${file}: is not an OpenAPI document: it has no \`openapi\` key`, {
      code: 'WG-113',
      next: 'Use the path of a file that begins with `openapi: 3.1.0`.',
    });
  }
  if (!/^3(?:\.|$)/.test(version)) {
    throw new ConfigError(`${placeOf(['openapi'])}: is OpenAPI ${version.slice(0, 20)}; only OpenAPI 3 is supported`, {
      code: 'WG-113',
      next: 'Convert it to OpenAPI 3.0 or 3.1.',
    });
  }
}

/** Map in a document, with its path. */
export interface DocumentNode {
  readonly value: LooseMap;
  readonly path: Path;
}

/**
 * Map at a path of a document. A `$ref` is replaced with its target, over which sibling keys take precedence. Throws
 * ConfigError if the target is outside of the document, missing, or refers to itself.
 */
export function nodeAt(value: unknown, path: Path, document: OpenApiDocument): DocumentNode {
  const seen = new Set<string>();
  let node: DocumentNode = { value: mapIn(value), path };
  for (let reference = referenceIn(node); reference !== undefined; reference = referenceIn(node)) {
    if (seen.has(reference)) {
      throw new ConfigError(`${placeOf(node, document)}: refers to itself through ${shown(reference)}`, {
        code: 'WG-113',
        next: 'Replace one of the references with its content.',
      });
    }
    seen.add(reference);
    const target = targetOf(reference, node, document);
    const { $ref: _, ...siblings } = node.value;
    node = { value: { ...target.value, ...siblings }, path: target.path };
  }
  return node;
}

/** Quoted name from a document, shortened for messages. */
export function shown(text: string): string {
  return JSON.stringify(text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text);
}

const LONGEST = 80;

function referenceIn({ value }: DocumentNode): string | undefined {
  const reference = value['$ref'];
  return typeof reference === 'string' ? reference : undefined;
}

function placeOf({ path }: DocumentNode, document: OpenApiDocument): string {
  return document.placeOf([...path, '$ref']);
}

function targetOf(reference: string, node: DocumentNode, document: OpenApiDocument): DocumentNode {
  if (!reference.startsWith('#')) {
    throw new ConfigError(`${placeOf(node, document)}: refers to ${shown(reference)}, which is outside the document`, {
      code: 'WG-113',
      next: `References to other files are not supported. Bundle them into one, like \`npx @redocly/cli bundle ${document.file} --output bundled.yaml\`.`,
    });
  }
  let value: unknown = document.content;
  const path: (string | number)[] = [];
  for (const step of stepsOf(reference)) {
    path.push(Array.isArray(value) ? Number(step) : step);
    // Without inherited properties such as `constructor`.
    value = Object.hasOwn(Object(value), step) ? Reflect.get(Object(value), step) : undefined;
  }
  if (!isLooseMap(value) && typeof value !== 'boolean') {
    throw new ConfigError(`${placeOf(node, document)}: refers to ${shown(reference)}, which is not in the document`, {
      code: 'WG-113',
      next: 'Fix the reference: write `#/` and the path of keys to its target.',
    });
  }
  return { value: mapIn(value), path };
}

/** "#/a/b~1c" is a and b/c. */
function stepsOf(reference: string): readonly string[] {
  const steps = reference.slice(1).split('/').slice(1);
  return steps.map((step) => {
    const decoded = ifPossible(() => decodeURIComponent(step)) ?? step;
    return decoded.replaceAll('~1', '/').replaceAll('~0', '~');
  });
}

export interface DocumentOperation {
  readonly method: string;
  /** Path template, with parameter names in braces. */
  readonly path: string;
  readonly id: string | undefined;
  readonly node: DocumentNode;
  /** Path item, whose keys apply to all its operations. */
  readonly item: DocumentNode;
}

const METHODS = ['get', 'head', 'post', 'put', 'patch', 'delete', 'options', 'trace'];

/** All operations of a document, in its order. Throws ConfigError if a path refers to another file. */
export function documentOperations(document: OpenApiDocument): readonly DocumentOperation[] {
  return Object.entries(mapIn(document.content['paths'])).flatMap(([path, value]) => {
    const item = nodeAt(value, ['paths', path], document);
    return METHODS.filter((method) => item.value[method] !== undefined).map((method) => {
      const node = { value: mapIn(item.value[method]), path: [...item.path, method] };
      return { method: method.toUpperCase(), path, id: textIn(node.value['operationId']), node, item };
    });
  });
}

/** Request as "GET /users/{id}". */
export function requestLine({ method, path }: DocumentOperation): string {
  return `${method} ${path}`;
}

export function documentOperationName({ method, path, id }: DocumentOperation): string {
  const verb = method.toLowerCase();
  return operationNameFrom([id, `${verb}${path.replaceAll(/[/{}]+/g, '-')}`], verb);
}

/** Base path of the first server of the operation, its path item or the document; empty for the root. */
export function basePath({ node, item }: DocumentOperation, { content }: OpenApiDocument): string {
  const servers = [node.value, item.value, content]
    .map((one) => listIn(one['servers']))
    .find(({ length }) => length > 0);
  const server = mapIn(servers?.[0]);
  const variables = mapIn(server['variables']);
  const path = (textIn(server['url']) ?? textIn(content['basePath']) ?? '')
    .replace(/\{(\w+)\}/g, (found, name: string) => textIn(mapIn(variables[name])['default']) ?? found)
    .replace(/^(?:[a-z][a-z+.-]*:)?\/\/[^/]*/i, '')
    .replace(/^\.(?:\/|$)/, '/')
    .replace(/^(?=[^/])/, '/')
    .replace(/(?<!\/)\/+$/, '');
  return /^(?:\/[\w.~%-]+)*$/.test(path) ? path : '';
}
