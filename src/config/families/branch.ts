import type { Path } from '../yaml/frame.ts';
import { isLooseMap } from '../yaml/lines.ts';

/** Value of a file with the places of its parts, which they keep after a merge. */
export interface Branch {
  readonly at: Path;
  readonly value: unknown;
  /** Values of a map, or items of a list by index. */
  readonly parts?: ReadonlyMap<string, Branch>;
}

export function branchOf(value: unknown, at: Path): Branch {
  if (Array.isArray(value)) {
    return listOf(
      value.map((item: unknown, index) => branchOf(item, [...at, index])),
      at,
    );
  }
  return isLooseMap(value)
    ? mapOf(
        Object.entries(value).map(([key, inner]) => [key, branchOf(inner, [...at, key])]),
        at,
      )
    : { at, value };
}

export function listOf(items: readonly Branch[], at: Path): Branch {
  return { at, value: [], parts: new Map(items.map((item, index) => [String(index), item])) };
}

export function mapOf(entries: Iterable<readonly [string, Branch]>, at: Path): Branch {
  return { at, value: {}, parts: new Map(entries) };
}

/** Entries of a map; none for anything else. */
export function entriesOf(branch: Branch | undefined): readonly (readonly [string, Branch])[] {
  return branch === undefined || Array.isArray(branch.value) ? [] : [...(branch.parts ?? [])];
}

/** Map whose keys are overridden by those of another; anything else is replaced. */
export function patched(base: Branch, over: Branch): Branch {
  if (!isLooseMap(base.value) || !isLooseMap(over.value)) {
    return over;
  }
  const parts = new Map(base.parts);
  for (const [key, inner] of entriesOf(over)) {
    const own = parts.get(key);
    parts.set(key, own === undefined ? inner : patched(own, inner));
  }
  return { at: over.at, value: {}, parts };
}

/** Plain value, without the keys that are null. */
export function plainContent({ value, parts }: Branch): unknown {
  const present = [...(parts ?? [])].filter(([, inner]) => inner.value !== null);
  const found = present.map(([key, inner]) => [key, plainContent(inner)] as const);
  if (Array.isArray(value)) {
    return found.map(([, inner]) => inner);
  }
  return parts === undefined ? value : Object.fromEntries(found);
}

/** Place in the file of the innermost part on a path that exists. */
export function placeOn(branch: Branch, [step, ...others]: Path): Path {
  const inner = branch.parts?.get(String(step));
  return inner === undefined ? branch.at : placeOn(inner, others);
}
