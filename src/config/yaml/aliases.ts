import {
  type Alias,
  type Document,
  isAlias,
  isMap,
  isNode,
  isPair,
  isScalar,
  isSeq,
  type LineCounter,
  type Node,
} from 'yaml';
import { ConfigError } from '../../foundation/errors.ts';
import { plainText } from '../../foundation/text.ts';
import { positionAt } from './lines.ts';

/** More values than these, each time that an alias stands for them, are no description of services. */
const MOST_VALUES = 100_000;

/** Of names in messages. */
const LONGEST_NAME = 100;

/** A document, its file, and where its lines begin. */
export interface ParsedText {
  readonly file: string;
  readonly document: Document;
  readonly lines: LineCounter;
}

/**
 * Throws ConfigError with file, line and column if a key stands twice in a map, if an alias (*name) stands for nothing or for
 * something that it is itself a part of, and where aliases come to more values than memory can hold.
 */
export function refuseOddKeysAndAliases(text: ParsedText): void {
  walkIn(text.document.contents, { ...text, anchors: new Map(), sizes: new Map(), open: new Set(), written: 0 });
}

interface Walk extends ParsedText {
  /** What an anchor (&name) marked last. */
  readonly anchors: Map<string, Node>;
  /** Values in what is anchored. */
  readonly sizes: Map<Node, number>;
  /** Anchored things that the walk is in. */
  readonly open: Set<Node>;
  /** Values that aliases stood for so far. */
  written: number;
}

/** Gives the values in a part of the document, those that aliases stand for among them. No document is so deep that this would not end. */
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
  // Only then it is known what an alias that is a key stands for.
  if (isMap(found)) {
    refuseOddKeys(found.items, walk);
  }
  return size;
}

function sizeOfAlias(alias: Alias, walk: Walk): number {
  const name = plainText(alias.source, LONGEST_NAME);
  const stands = walk.anchors.get(alias.source);
  if (stands === undefined) {
    throw refusal(walk, alias, {
      problem: `*${name} is undefined: there is no &${name} before it`,
      next: WRITE_OUT,
    });
  }
  if (walk.open.has(stands)) {
    throw refusal(walk, alias, {
      problem: `*${name} refers to a value that contains it`,
      next: WRITE_OUT,
    });
  }
  const size = walk.sizes.get(stands) ?? 1;
  walk.written += size;
  if (walk.written > MOST_VALUES) {
    throw refusal(walk, alias, {
      problem: `with *${name}, aliases expand to more than ${MOST_VALUES} values`,
      next: WRITE_OUT,
    });
  }
  return size;
}

/** For keys that stand twice the library compares each with each, which takes minutes if there are many. */
function refuseOddKeys(items: readonly { readonly key: unknown }[], walk: Walk): void {
  const seen = new Set<string>();
  for (const key of items.map((item) => item.key).filter((one) => isNode(one))) {
    const mistake = mistakeIn(key, seen, walk);
    if (mistake !== undefined) {
      throw refusal(walk, key, mistake);
    }
  }
}

/** What is wrong with a key behind those that were seen, which it then is. */
function mistakeIn(key: Node, seen: Set<string>, { anchors }: Walk): Mistake | undefined {
  const stands = isAlias(key) ? anchors.get(key.source) : key;
  if (isMap(stands) || isSeq(stands)) {
    return { problem: 'a list or a map cannot be a key', next: 'Write keys as plain strings.' };
  }
  const name = isScalar(stands) ? String(stands.value) : '';
  if (seen.has(name)) {
    return {
      problem: `the key "${plainText(name, LONGEST_NAME)}" is duplicated`,
      next: 'Remove or rename one of them.',
    };
  }
  seen.add(name);
  return undefined;
}

const WRITE_OUT = 'Write out the value instead of the alias.';

interface Mistake {
  readonly problem: string;
  readonly next: string;
}

function refusal({ file, lines }: Walk, at: Node, { problem, next }: Mistake): ConfigError {
  const { line, column } = positionAt(lines, at.range?.[0] ?? 0);
  return new ConfigError(`${file}:${line}:${column}: ${problem}`, { code: 'WG-103', next });
}
