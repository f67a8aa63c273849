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

/** Limit on the values that aliases expand to. */
const MOST_VALUES = 100_000;

/** In messages. */
const LONGEST_NAME = 100;

/** Document with its file and line positions. */
export interface ParsedText {
  readonly file: string;
  readonly document: Document;
  readonly lines: LineCounter;
}

/**
 * Throws ConfigError, with file, line and column, for a duplicate key, for an alias (*name) that is undefined or
 * recursive, and for aliases that expand to too many values.
 */
export function refuseOddKeysAndAliases(text: ParsedText): void {
  walkIn(text.document.contents, { ...text, anchors: new Map(), sizes: new Map(), open: new Set(), written: 0 });
}

interface Walk extends ParsedText {
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
    throw refusal(walk, alias, {
      problem: `*${name} is undefined: there is no &${name} before it`,
      next: WRITE_OUT,
    });
  }
  if (walk.open.has(target)) {
    throw refusal(walk, alias, {
      problem: `*${name} refers to a value that contains it`,
      next: WRITE_OUT,
    });
  }
  const size = walk.sizes.get(target) ?? 1;
  walk.written += size;
  if (walk.written > MOST_VALUES) {
    throw refusal(walk, alias, {
      problem: `with *${name}, aliases expand to more than ${MOST_VALUES} values`,
      next: WRITE_OUT,
    });
  }
  return size;
}

/** The library compares each key with every other, which takes minutes for large maps. */
function refuseOddKeys(items: readonly { readonly key: unknown }[], walk: Walk): void {
  const seen = new Set<string>();
  for (const key of items.map((item) => item.key).filter((one) => isNode(one))) {
    const mistake = mistakeIn(key, seen, walk);
    if (mistake !== undefined) {
      throw refusal(walk, key, mistake);
    }
  }
}

/** Mistake in a key, which is then added to `seen`. */
function mistakeIn(key: Node, seen: Set<string>, { anchors }: Walk): Mistake | undefined {
  const target = isAlias(key) ? anchors.get(key.source) : key;
  if (isMap(target) || isSeq(target)) {
    return { problem: 'a list or a map cannot be a key', next: 'Write keys as plain strings.' };
  }
  const name = isScalar(target) ? String(target.value) : '';
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
