import {
  Composer,
  type CST,
  Document,
  type DocumentOptions,
  isAlias,
  isDocument,
  isMap,
  isNode,
  isScalar,
  isSeq,
  Lexer,
  LineCounter,
  type Pair,
  type ParseOptions,
  Parser,
  type SchemaOptions,
  visit,
  type YAMLMap,
  YAMLParseError,
} from 'yaml';
import { ifPossible } from '../../foundation/errors.ts';

/** Step in a YAML text: a key of a map, the index of an item from 0, or an item by its name. */
type Step = string | number | { readonly name: string };

/** Returns the line, from 1, of the key or the item at a path; without steps, of the first value. Undefined if there is none. */
export type LineOf = (steps: readonly Step[]) => number | undefined;

/** Position in a text, both from 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** Returns the position of the key or the item at a path. */
export type PositionOf = (steps: readonly Step[]) => Position | undefined;

/** `readYaml` reports duplicate keys, since the library compares each key with every other. */
export const YAML_OPTIONS = { uniqueKeys: false, resolveKnownTags: false } as const;

/** Finds lines in a YAML text; none if it is not valid. */
export function linesOf(text: string): LineOf {
  const counter = new LineCounter();
  const document =
    text.length > MAX_YAML_CHARACTERS ? undefined : documentOf(text, { ...YAML_OPTIONS, lineCounter: counter });
  if (!isDocument(document) || document.errors.length > 0) {
    return () => undefined;
  }
  const positionOf = positionsIn(document, counter);
  return (steps) => positionOf(steps)?.line;
}

/**
 * Finds positions in a document that was parsed with that counter. Aliases and keys are indexed once, since the
 * library searches the whole document for each alias.
 */
export function positionsIn(document: Document, counter: LineCounter): PositionOf {
  const places: Places = { document, targets: undefined, pairs: new Map() };
  return (steps) => {
    let found: Found | undefined = { at: document.contents, value: document.contents };
    for (const step of steps) {
      found = found && within(resolved(found.value, places), step, places);
    }
    return isNode(found?.at) && found.at.range ? positionAt(counter, found.at.range[0]) : undefined;
  };
}

interface Places {
  readonly document: Document;
  /** Targets of aliases (*name); undefined until they are needed. */
  targets: ReadonlyMap<unknown, unknown> | undefined;
  readonly pairs: Map<YAMLMap, ReadonlyMap<string, Pair>>;
}

/** An alias refers to the last anchor (&name) before it. */
function targetsIn(document: Document): ReadonlyMap<unknown, unknown> {
  const anchors = new Map<string, unknown>();
  const targets = new Map<unknown, unknown>();
  visit(document, {
    Node: (_key, node) => {
      if (isAlias(node)) {
        targets.set(node, anchors.get(node.source));
      } else if (node.anchor !== undefined) {
        anchors.set(node.anchor, node);
      }
    },
  });
  return targets;
}

/** Pairs of a map by key; the first of duplicates. */
function pairsOf(map: YAMLMap, { pairs }: Places): ReadonlyMap<string, Pair> {
  const known = pairs.get(map);
  if (known !== undefined) {
    return known;
  }
  const scalars = map.items.flatMap((pair) => (isScalar(pair.key) ? [[String(pair.key.value), pair] as const] : []));
  const found = new Map(scalars.toReversed());
  pairs.set(map, found);
  return found;
}

export function positionAt(counter: LineCounter, offset: number): Position {
  const { line, col: column } = counter.linePos(offset);
  return { line, column };
}

interface Found {
  readonly at: unknown;
  readonly value: unknown;
}

function within(parent: unknown, step: Step, places: Places): Found | undefined {
  if (isMap(parent)) {
    const pair = pairsOf(parent, places).get(String(step));
    return pair === undefined ? undefined : { at: pair.key, value: pair.value };
  }
  if (!isSeq(parent) || typeof step === 'string') {
    return undefined;
  }
  const item =
    typeof step === 'number' ? parent.items[step] : parent.items.find((one) => isNamed(one, step.name, places));
  return { at: item, value: item };
}

/** Matches `name`, else the name in the document or contract that the item comes from. */
function isNamed(item: unknown, name: string, places: Places): boolean {
  const map = resolved(item, places);
  if (!isMap(map)) {
    return false;
  }
  const from = map.get('from');
  const method = typeof from === 'string' ? from.split('/')[1] : undefined;
  return (map.get('name') ?? map.get('operationId') ?? method) === name;
}

function resolved(value: unknown, places: Places): unknown {
  if (!isAlias(value)) {
    return value;
  }
  places.targets ??= targetsIn(places.document);
  return places.targets.get(value);
}

/** Map with unknown values, from an untrusted file. */
export type LooseMap = Readonly<Record<string, unknown>>;

/** Value if it is a map, else an empty map. */
export function mapIn(value: unknown): LooseMap {
  return isLooseMap(value) ? value : {};
}

/** Value if it is a list, else an empty list. */
export function listIn(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Text of a string, number or boolean; undefined for other values. */
export function textIn(value: unknown): string | undefined {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? String(value)
    : undefined;
}

export function isLooseMap(value: unknown): value is LooseMap {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Duplicate checks take quadratic time. */
const FAST = { uniqueKeys: false };

/** Content of a YAML or JSON text; undefined if it cannot be read or, with `isStrict`, has a mistake. */
export function contentOf(text: string, { isStrict = false } = {}): unknown {
  return ifPossible(() => {
    const document = documentOf(text, { ...FAST, merge: true, logLevel: isStrict ? 'warn' : 'silent' });
    return !isDocument(document) || (isStrict && document.errors.length > 0) ? undefined : document.toJS();
  });
}

/** Maximum nesting depth of a file. */
export const DEEPEST = 200;

export const MAX_YAML_CHARACTERS = 1_000_000;

/**
 * First document of a YAML text, or the offset, in characters, at which it is nested too deeply: composing it would
 * overflow the stack.
 */
export function documentOf(
  text: string,
  options: ParseOptions & DocumentOptions & SchemaOptions,
): Document | { readonly tooDeepAt: number } {
  const parser = new Parser(options.lineCounter?.addNewLine);
  options.lineCounter?.addNewLine(0);
  const tokens: CST.Token[] = [];
  for (const lexeme of new Lexer().lex(text)) {
    const { offset } = parser;
    tokens.push(...parser.next(lexeme));
    if (parser.stack.length > DEEPEST) {
      return { tooDeepAt: offset };
    }
  }
  tokens.push(...parser.end());
  const [document = new Document(), second] = new Composer(options).compose(tokens, true, text.length);
  if (second !== undefined) {
    document.errors.push(
      new YAMLParseError([second.range[0], second.range[1]], 'MULTIPLE_DOCS', 'there are several documents in it'),
    );
  }
  return document;
}
