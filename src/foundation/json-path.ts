import { ifPossible } from './errors.ts';
import type { Json } from './json.ts';

type Step = { readonly key: string } | { readonly item: number } | 'all';

/** `.name`, `['name']`, `["name"]`, `[0]` or `[*]`, as in RFC 9535. */
const STEP =
  /\.(?<name>[A-Za-z_\u0080-\u{10FFFF}][\w\u0080-\u{10FFFF}]*)|\[(?:(?<item>0|[1-9]\d{0,8})|(?<all>\*)|(?<quoted>'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"))\]/uy;

/** True if a text is a path that `withoutPaths` supports: `$` and at least one step. */
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

/** Key in quotes; undefined for an invalid escape. */
function unquoted(text: string): string | undefined {
  const inner = text.slice(1, -1);
  const own = text.startsWith('"') ? inner : inner.replace(/\\.|"/gu, (found) => AS_DOUBLE.get(found) ?? found);
  return ifPossible(() => JSON.parse(`"${own}"`) as string);
}

/** Characters whose escapes differ between single and double quotes. */
const AS_DOUBLE: ReadonlyMap<string, string> = new Map([
  ["\\'", "'"],
  ['"', '\\"'],
]);

/** Value without the parts at the paths. Items of lists become null, so that the indexes of others stay. */
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

export function valueAt(value: Json, path: string): Json | undefined {
  return (stepsOf(path) ?? []).reduce<Json | undefined>((found, step) => {
    const entries = typeof found === 'object' && found !== null ? Object.entries(found) : [];
    const isMeant = (key: string): boolean => step === 'all' || key === String('key' in step ? step.key : step.item);
    return entries.find(([key]) => isMeant(key))?.[1];
  }, value);
}

export interface JsonDifference {
  readonly path: string;
  readonly left: Json | undefined;
  readonly right: Json | undefined;
}

interface Pair extends Omit<JsonDifference, 'path'> {
  readonly step: string | number | undefined;
  readonly outer: Pair | undefined;
}

/** First difference between two values, in the order of sorted keys; undefined if they are equal. */
export function firstDifference(left: Json, right: Json): JsonDifference | undefined {
  // Iterative, because values may be deeply nested.
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
    const { step } = at;
    steps.push(typeof step === 'string' && /^[A-Za-z_]\w*$/.test(step) ? `.${step}` : `[${JSON.stringify(step)}]`);
  }
  return `$${steps.reverse().join('')}`;
}
