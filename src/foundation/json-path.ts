import type { Json } from './json.ts';

/** One step into a value: a key of a map, an item of a list, or all of either. */
type Step = { readonly key: string } | { readonly item: number } | 'all';

/** A `.name`, a `['name']`, a `["name"]`, a `[0]` or a `[*]`, as RFC 9535 has them. */
const STEP =
  /\.(?<name>[A-Za-z_\u0080-\u{10FFFF}][\w\u0080-\u{10FFFF}]*)|\[(?:(?<item>0|[1-9]\d{0,8})|(?<all>\*)|(?<quoted>'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"))\]/uy;

/** Whether a text is a path that `withoutPaths` knows: `$` with one step or more behind it. */
export function isJsonPath(text: string): boolean {
  return (stepsOf(text)?.length ?? 0) > 0;
}

function stepsOf(text: string): readonly Step[] | undefined {
  const steps: Step[] = [];
  const pattern = new RegExp(STEP);
  for (pattern.lastIndex = 1; pattern.lastIndex < text.length; ) {
    const step = stepOf(pattern.exec(text)?.groups);
    if (step === undefined) {
      return undefined;
    }
    steps.push(step);
  }
  return text.startsWith('$') ? steps : undefined;
}

function stepOf(groups: Readonly<Record<string, string | undefined>> = {}): Step | undefined {
  const { name, item, all, quoted } = groups;
  if (all !== undefined) {
    return 'all';
  }
  if (item !== undefined) {
    return { item: Number(item) };
  }
  const key = quoted === undefined ? name : unquoted(quoted);
  return key === undefined ? undefined : { key };
}

/** undefined for an escape that there is not. */
function unquoted(text: string): string | undefined {
  const inner = text.slice(1, -1);
  const own = text.startsWith('"') ? inner : inner.replace(/\\.|"/gu, (found) => AS_DOUBLE.get(found) ?? found);
  try {
    return JSON.parse(`"${own}"`) as string;
  } catch {
    return undefined;
  }
}

/** What is written another way between double quotes than between single ones. */
const AS_DOUBLE: ReadonlyMap<string, string> = new Map([
  ["\\'", "'"],
  ['"', '\\"'],
]);

/**
 * The value without what the paths lead to: a key is left out of its map, and an item of a list becomes null, so that the others stay
 * where they are. A path that leads nowhere changes nothing.
 */
export function withoutPaths(value: Json, paths: readonly string[]): Json {
  return paths.reduce<Json>((left, path) => without(left, stepsOf(path) ?? []), value);
}

function without(value: Json, [step, ...rest]: readonly Step[]): Json {
  if (step === undefined || typeof value !== 'object' || value === null) {
    return value;
  }
  const isLast = rest.length === 0;
  if (Array.isArray(value)) {
    const isMeant = (index: number) => step === 'all' || ('item' in step && step.item === index);
    const changed = (inner: Json): Json => (isLast ? null : without(inner, rest));
    return value.map((inner: Json, index) => (isMeant(index) ? changed(inner) : inner));
  }
  const isMeant = (key: string) => step === 'all' || ('key' in step && step.key === key);
  const kept = Object.entries(value).filter(([key]) => !(isLast && isMeant(key)));
  return Object.fromEntries(kept.map(([key, inner]) => [key, isMeant(key) ? without(inner, rest) : inner]));
}

/** Where two values differ first, and what each has there: undefined if it has nothing. */
export interface JsonDifference {
  readonly path: string;
  readonly left: Json | undefined;
  readonly right: Json | undefined;
}

/** A pair of values, and the steps that lead to it, the last one first. */
interface Pair extends Omit<JsonDifference, 'path'> {
  readonly step: string | number | undefined;
  readonly outer: Pair | undefined;
}

/** The first place, in the order of sorted keys, at which two values differ; undefined if they are the same data. */
export function firstDifference(left: Json, right: Json): JsonDifference | undefined {
  // Not by a function that calls itself: a value may be as deep as it is long.
  const open: Pair[] = [{ left, right, step: undefined, outer: undefined }];
  for (let pair = open.pop(); pair !== undefined; pair = open.pop()) {
    const inner = innerPairs(pair);
    if (inner === undefined && pair.left !== pair.right) {
      return { path: pathOf(pair), left: pair.left, right: pair.right };
    }
    for (const one of (inner ?? []).reverse()) {
      open.push(one);
    }
  }
  return undefined;
}

/** undefined for values that are not both lists or both maps. */
function innerPairs(outer: Pair): Pair[] | undefined {
  const { left, right } = outer;
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) {
    return undefined;
  }
  if (Array.isArray(left) !== Array.isArray(right)) {
    return undefined;
  }
  if (Array.isArray(left) && Array.isArray(right)) {
    const length = Math.max(left.length, right.length);
    return Array.from({ length }, (_, step) => ({ left: left[step], right: right[step], step, outer }));
  }
  const [one, other] = [new Map(Object.entries(left)), new Map(Object.entries(right))];
  const keys = [...new Set([...one.keys(), ...other.keys()])].sort();
  return keys.map((step) => ({ left: one.get(step), right: other.get(step), step, outer }));
}

function pathOf(pair: Pair): string {
  const steps: string[] = [];
  for (let at: Pair | undefined = pair; at?.step !== undefined; at = at.outer) {
    steps.push(stepText(at.step));
  }
  return `$${steps.reverse().join('')}`;
}

function stepText(step: string | number): string {
  if (typeof step === 'number') {
    return `[${step}]`;
  }
  return /^[A-Za-z_]\w*$/.test(step) ? `.${step}` : `[${JSON.stringify(step)}]`;
}
