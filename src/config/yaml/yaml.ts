import {
  type Alias,
  type Document,
  isAlias,
  isDocument,
  isMap,
  isNode,
  isPair,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
} from 'yaml';
import type * as z from 'zod';
import { ConfigError, messageOf } from '../../foundation/errors.ts';
import { plainText } from '../../foundation/text.ts';
import { severalOf } from '../mistakes.ts';
import { framed, type Path, type PlacedContent, type PlaceOf, type SourceText } from './frame.ts';
import { misfits, SEE_KEYS, unknownKeys } from './issues.ts';
import {
  documentOf,
  MAX_YAML_CHARACTERS,
  type Position,
  type PositionOf,
  positionAt,
  positionsIn,
  YAML_OPTIONS,
} from './lines.ts';

/** Value of a YAML text that fits a schema. Throws ConfigError with file, line and path of every mistake. */
export function parseYaml<Schema extends z.ZodType>(source: SourceText, schema: Schema): z.output<Schema> {
  return parsePlaced(source, schema).value;
}

/** Same as `parseYaml`, with the places of the parts. */
export function parsePlaced<Schema extends z.ZodType>(
  source: SourceText,
  schema: Schema,
): PlacedContent & { readonly value: z.output<Schema> } {
  return framed(source, () => {
    const read = readYaml(source);
    return { ...read, value: fittedTo(read, schema) };
  });
}

/** Content of a YAML text, after that many lines of its file. Throws ConfigError if it is invalid or too large. */
export function readYaml(source: SourceText, linesBefore = 0): PlacedContent {
  const known = source.placed ?? READ.get(source);
  if (known !== undefined) {
    return known;
  }
  const read = readText(source, linesBefore);
  READ.set(source, read);
  return read;
}

/** Several steps of reading a suite read the same file. */
const READ = new WeakMap<SourceText, PlacedContent>();

function readText({ file, text }: SourceText, linesBefore: number): PlacedContent {
  const lines = new LineCounter();
  const { linePos } = lines;
  lines.linePos = (offset) => {
    const { line, col } = linePos(offset);
    return { line: linesBefore + line, col };
  };
  refuseSize({ file, text });
  const document = documentOf(text, { ...YAML_OPTIONS, lineCounter: lines });
  if (!isDocument(document)) {
    throw new ConfigError(`${file}:${positionAt(lines, document.tooDeepAt).line}: is nested too deeply`, {
      code: 'WG-103',
      next: 'Nest maps and lists at most 200 levels deep.',
    });
  }
  const broken = document.errors[0];
  if (broken !== undefined) {
    const { line, column } = positionAt(lines, broken.pos[0]);
    throw new ConfigError(`${file}:${line}:${column}: is not valid YAML: ${broken.message.split('\n')[0] ?? ''}`, {
      code: 'WG-103',
      next: quotedTemplate(text, line - linesBefore) ?? 'Fix the line; the error often sits just before it.',
    });
  }
  refuseOddKeysAndAliases(document, { file, lines });
  const content = contentOf(document, file);
  const positionOf = positionsIn(document, lines);
  return { content, placeOf: (path) => placeIn(file, path, positionOf) };
}

/** Advice to quote a path like `/users/{id}`, which YAML reads as a map; undefined if the line has none. */
function quotedTemplate(text: string, line: number): string | undefined {
  const said = text.split('\n')[line - 1] ?? '';
  const [template] = /(?:\b[A-Z]{3,7} )?(?<![\w/.-])\/[\w/.-]*\{[\w.-]+\}(?:[\w/.-]|\{[\w.-]+\})*/.exec(said) ?? [];
  return template === undefined || said.includes(`"${template}"`)
    ? undefined
    : `A path with braces is a text: quote it: "${template}".`;
}

/** Value of a file that fits a schema. Throws ConfigError with every mistake. */
export function fittedTo<Schema extends z.ZodType>(
  { content, placeOf }: PlacedContent,
  schema: Schema,
  next = SEE_KEYS,
): z.output<Schema> {
  refuseLostKey(content, placeOf);
  const parsed = schema.safeParse(content, { error: unknownKeys });
  if (!parsed.success) {
    throw severalOf(misfits(parsed.error.issues, placeOf, next));
  }
  return parsed.data;
}

const LOST = '__proto__';

/** Schemas drop this key, so a service of that name would be ignored silently. */
function refuseLostKey(content: unknown, placeOf: PlaceOf): void {
  const maps = [[], ...Object.keys(Object(content)).map((key) => [key])];
  const found = maps.find(([key]) =>
    Object.hasOwn(Object(key === undefined ? content : Reflect.get(Object(content), key)), LOST),
  );
  if (found !== undefined) {
    throw new ConfigError(`${placeOf([...found, LOST])}: this name is not allowed`, {
      code: 'WG-103',
      next: 'Use another name.',
    });
  }
}

function refuseSize({ file, text }: SourceText): void {
  if (text.length > MAX_YAML_CHARACTERS) {
    throw new ConfigError(`${file}: has ${text.length} characters; the limit is ${MAX_YAML_CHARACTERS}`, {
      code: 'WG-103',
      next: 'Move long lists of arguments (`feed`) and long bodies (`body: { file: … }`) to their own files.',
    });
  }
}

function contentOf(document: Document, file: string): unknown {
  try {
    // `refuseOddKeysAndAliases` has limited the aliases.
    return document.toJS({ maxAliasCount: -1 });
  } catch (cause) {
    throw new ConfigError(`${file}: cannot be read: ${messageOf(cause)}`, {
      code: 'WG-107',
      cause,
      next: 'Replace the aliases (*name) with their values.',
    });
  }
}

function placeIn(file: string, path: Path, positionOf: PositionOf): string {
  const position = innermost(path, positionOf);
  const place = position === undefined ? file : `${file}:${position.line}:${position.column}`;
  return `${place}: ${path.map((step) => plainText(String(step), LONGEST_STEP)).join('.') || 'the file'}`;
}

const LONGEST_STEP = 100;

/** Position of the innermost value on a path that exists. */
function innermost(path: Path, positionOf: PositionOf): Position | undefined {
  for (let length = path.length; length >= 0; length -= 1) {
    const position = positionOf(path.slice(0, length));
    if (position !== undefined) {
      return position;
    }
  }
  return undefined;
}

/** Limit on the values that aliases expand to. */
const MAX_VALUES = 100_000;

const LONGEST_NAME = 100;

/**
 * Throws ConfigError, with file, line and column, for a duplicate key, for an alias (*name) that is undefined or
 * recursive, and for aliases that expand to too many values.
 */
function refuseOddKeysAndAliases({ contents }: Document, place: Pick<Walk, 'file' | 'lines'>): void {
  walkIn(contents, { ...place, anchors: new Map(), sizes: new Map(), open: new Set(), written: 0 });
}

interface Walk {
  readonly file: string;
  readonly lines: LineCounter;
  /** Latest node of each anchor (&name). */
  readonly anchors: Map<string, Node>;
  /** Number of values in each anchored node. */
  readonly sizes: Map<Node, number>;
  /** Anchored nodes that enclose the current one. */
  readonly open: Set<Node>;
  /** Number of values that aliases have expanded to so far. */
  written: number;
}

/** Number of values in a node, with aliases expanded. Recursion is safe, because the depth of documents is limited. */
function walkIn(found: unknown, walk: Walk): number {
  if (isAlias(found)) {
    return sizeOfAlias(found, walk);
  }
  if (isPair(found)) {
    return walkIn(found.key, walk) + walkIn(found.value, walk);
  }
  if (!isNode(found) || found.anchor === undefined) {
    return 1 + sizeOfItems(found, walk);
  }
  walk.anchors.set(found.anchor, found);
  walk.open.add(found);
  const size = 1 + sizeOfItems(found, walk);
  walk.open.delete(found);
  walk.sizes.set(found, size);
  return size;
}

function sizeOfItems(found: unknown, walk: Walk): number {
  const items: readonly unknown[] = isMap(found) || isSeq(found) ? found.items : [];
  const size = items.reduce((sum: number, item) => sum + walkIn(item, walk), 0);
  // The target of an alias used as a key is known only now.
  if (isMap(found)) {
    refuseOddKeys(found.items, walk);
  }
  return size;
}

function sizeOfAlias(alias: Alias, walk: Walk): number {
  const name = plainText(alias.source, LONGEST_NAME);
  const target = walk.anchors.get(alias.source);
  if (target === undefined) {
    throw refusal(walk, alias, `*${name} is undefined: there is no &${name} before it`);
  }
  if (walk.open.has(target)) {
    throw refusal(walk, alias, `*${name} refers to a value that contains it`);
  }
  const size = walk.sizes.get(target) ?? 1;
  walk.written += size;
  if (walk.written > MAX_VALUES) {
    throw refusal(walk, alias, `with *${name}, aliases expand to more than ${MAX_VALUES} values`);
  }
  return size;
}

/** The library compares each key with every other, which takes minutes for large maps. */
function refuseOddKeys(items: readonly { readonly key: unknown }[], walk: Walk): void {
  const seen = new Set<string>();
  for (const key of items.map((item) => item.key).filter((one) => isNode(one))) {
    const target = isAlias(key) ? walk.anchors.get(key.source) : key;
    if (isMap(target) || isSeq(target)) {
      throw refusal(walk, key, 'a list or a map cannot be a key', 'Write keys as plain strings.');
    }
    const name = isScalar(target) ? String(target.value) : '';
    if (seen.has(name)) {
      const problem = `the key "${plainText(name, LONGEST_NAME)}" is duplicated`;
      throw refusal(walk, key, problem, 'Remove or rename one of them.');
    }
    seen.add(name);
  }
}

function refusal(
  { file, lines }: Walk,
  at: Node,
  problem: string,
  next = 'Write out the value instead of the alias.',
): ConfigError {
  const { line, column } = positionAt(lines, at.range?.[0] ?? 0);
  return new ConfigError(`${file}:${line}:${column}: ${problem}`, { code: 'WG-103', next });
}
