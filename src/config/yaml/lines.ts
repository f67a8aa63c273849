import {
  type Document,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  Lexer,
  LineCounter,
  type Pair,
  Parser,
  parse,
  parseDocument,
  visit,
  type YAMLMap,
} from 'yaml';
import type { Json } from '../../foundation/json.ts';

/** What leads into a YAML text: a key of a map, the number of an item from 0, or the item of a list that has a name. */
type Step = string | number | { readonly name: string };

/**
 * The line, from 1, of what the steps lead to: that of its key, or where an item begins; without a step, of the first thing in the
 * text. Undefined if there is no such thing.
 */
export type LineOf = (steps: readonly Step[]) => number | undefined;

/** Where something stands in a text, both from 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** The same as LineOf, with the column. */
export type PositionOf = (steps: readonly Step[]) => Position | undefined;

/** Keys that stand twice are told by `aliases.ts`; the library would compare each with each. */
export const YAML_OPTIONS = { uniqueKeys: false } as const;

/** Finds lines in a YAML text; in one that is not valid YAML there are none. */
export function linesOf(text: string): LineOf {
  if (isTooLong(text) || tooDeepAt(text) !== undefined) {
    return () => undefined;
  }
  const counter = new LineCounter();
  const document = parseDocument(text, { ...YAML_OPTIONS, lineCounter: counter });
  const positionOf = positionsIn(document, counter);
  return document.errors.length > 0 ? () => undefined : (steps) => positionOf(steps)?.line;
}

/**
 * Finds places in a document that was parsed with that counter. What aliases stand for and where keys are is looked up once for all places:
 * the library goes through the whole document for each alias.
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

/** What is known of a document once it was looked for. */
interface Places {
  readonly document: Document;
  /** What each alias (*name) stands for; undefined until somebody asks. */
  targets: ReadonlyMap<unknown, unknown> | undefined;
  /** The pairs of maps, by key. */
  readonly pairs: Map<YAMLMap, ReadonlyMap<string, Pair>>;
}

/** Each alias stands for what the anchor (&name) marked last before it. */
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

/** The pairs of a map by key; of two with the same key the first. */
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

/** Where the character of that number stands. */
export function positionAt(counter: LineCounter, offset: number): Position {
  const { line, col: column } = counter.linePos(offset);
  return { line, column };
}

/** A value, and what of the text tells where it is. */
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

/** By its own name, else by what it is called in the document or the contract that it comes out of. */
function isNamed(item: unknown, name: string, places: Places): boolean {
  const map = resolved(item, places);
  return isMap(map) && (map.get('name') ?? map.get('operationId') ?? methodIn(map.get('from'))) === name;
}

function methodIn(from: unknown): string | undefined {
  return typeof from === 'string' ? from.split('/')[1] : undefined;
}

/** What an alias (*name) stands for. */
function resolved(value: unknown, places: Places): unknown {
  if (!isAlias(value)) {
    return value;
  }
  places.targets ??= targetsIn(places.document);
  return places.targets.get(value);
}

/** A map of anything, as somebody else wrote it. */
export type LooseMap = Readonly<Record<string, unknown>>;

/** A map of anything; empty for what is none. */
export function mapIn(value: unknown): LooseMap {
  return isLooseMap(value) ? value : {};
}

/** A list of anything; empty for what is none. */
export function listIn(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** A text, also if YAML has read a number or a boolean; undefined for anything else. */
export function textIn(value: unknown): string | undefined {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? String(value)
    : undefined;
}

/** Whether a value is a map. */
export function isLooseMap(value: unknown): value is LooseMap {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The same of a value of JSON. */
export function isJsonMap(value: Json): value is { readonly [key: string]: Json } {
  return isLooseMap(value);
}

/** Looking for keys that stand twice, and telling where mistakes are, takes the square of the length. */
const FAST = { uniqueKeys: false, prettyErrors: false };

/** What stands in a YAML or JSON text; undefined if it cannot be read: then the file tells nothing. */
export function contentOf(text: string): unknown {
  if (tooDeepAt(text) !== undefined) {
    return undefined;
  }
  try {
    return parse(text, { ...FAST, merge: true, logLevel: 'silent' });
  } catch {
    return undefined;
  }
}

/** The same of a text without a mistake; undefined for any other. */
export function flawlessContentOf(text: string): unknown {
  if (tooDeepAt(text) !== undefined) {
    return undefined;
  }
  try {
    const document = parseDocument(text, { ...FAST, merge: true });
    return document.errors.length > 0 ? undefined : document.toJS();
  } catch {
    return undefined;
  }
}

/** No file that people write comes near. */
export const DEEPEST = 200;

/** Longer files are data, and belong elsewhere. */
export const MOST_YAML_CHARACTERS = 1_000_000;

/** Whether a YAML text is longer than any description of services. */
export function isTooLong(text: string): boolean {
  return text.length > MOST_YAML_CHARACTERS;
}

/**
 * Where, in characters from the start, a YAML text goes deeper than any file that people write; undefined if it does not. A document is
 * made by functions that call themselves, so that too deep a text would end the program.
 */
export function tooDeepAt(text: string): number | undefined {
  const lexer = new Lexer();
  const parser = new Parser();
  for (const lexeme of lexer.lex(text)) {
    const { offset } = parser;
    // Goes on only if somebody asks for what it makes.
    for (const _made of parser.next(lexeme)) {
    }
    if (parser.stack.length > DEEPEST) {
      return offset;
    }
  }
  return undefined;
}
