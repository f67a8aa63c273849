import { type Document, isAlias, isMap, isNode, isScalar, isSeq, LineCounter, parseDocument } from 'yaml';
import { isTooLong, tooDeepAt } from './yaml-depth.ts';

/** What leads into a YAML text: a key of a map, the number of an item from 0, or the item of a list that has a name. */
type Step = string | number | { readonly name: string };

/**
 * The line, from 1, of what the steps lead to: that of its key, or where an item begins; without a step, of the first thing in the
 * text. Undefined where there is no such thing.
 */
export type LineOf = (steps: readonly Step[]) => number | undefined;

/** Where something stands in a text, both from 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** The same as LineOf, with the column. */
export type PositionOf = (steps: readonly Step[]) => Position | undefined;

/** Keys that stand twice are told by `yaml-aliases.ts`; the library would compare each with each. */
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

/** Finds places in a document that was parsed with that counter. */
export function positionsIn(document: Document, counter: LineCounter): PositionOf {
  return (steps) => {
    let found: Found | undefined = { at: document.contents, value: document.contents };
    for (const step of steps) {
      found = found && within(resolved(found.value, document), step, document);
    }
    return isNode(found?.at) && found.at.range ? positionAt(counter, found.at.range[0]) : undefined;
  };
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

function within(parent: unknown, step: Step, document: Document): Found | undefined {
  if (isMap(parent)) {
    const pair = parent.items.find(({ key }) => isScalar(key) && String(key.value) === String(step));
    return pair === undefined ? undefined : { at: pair.key, value: pair.value };
  }
  if (!isSeq(parent) || typeof step === 'string') {
    return undefined;
  }
  const item =
    typeof step === 'number' ? parent.items[step] : parent.items.find((one) => isNamed(one, step.name, document));
  return { at: item, value: item };
}

/** By its own name, else by what it is called in the document or the contract that it comes out of. */
function isNamed(item: unknown, name: string, document: Document): boolean {
  const map = resolved(item, document);
  return isMap(map) && (map.get('name') ?? map.get('operationId') ?? methodIn(map.get('from'))) === name;
}

function methodIn(from: unknown): string | undefined {
  return typeof from === 'string' ? from.split('/')[1] : undefined;
}

/** What an alias (*name) stands for. */
function resolved(value: unknown, document: Document): unknown {
  return isAlias(value) ? value.resolve(document) : value;
}
