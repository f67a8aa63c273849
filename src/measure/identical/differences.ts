import type { BuiltEntries, BuiltEntry } from '../../runtime/built-program.ts';

/** Files that differ between two builds: the paths that each of them has. */
export interface Differences {
  readonly base: readonly string[];
  readonly head: readonly string[];
}

/** More changed files than this are not watched. */
const MOST_FILES = 500;

/**
 * Files that two builds do not have alike; undefined if something else differs, or too much, so that it must be measured. A folder that only
 * one of them has counts by the files in it.
 */
export function differencesOf(base: BuiltEntries, head: BuiltEntries): Differences | undefined {
  const isSame = (one: BuiltEntry | undefined, other: BuiltEntry | undefined) =>
    one?.kind === other?.kind && one?.text === other?.text;
  const paths = [...new Set([...base.keys(), ...head.keys()])].filter(
    (path) => !isSame(base.get(path), head.get(path)),
  );
  const pairs = paths.map((path) => [base.get(path), head.get(path)] as const);
  if (!pairs.every(canBeUnseen)) {
    return undefined;
  }
  const filesOf = (entries: BuiltEntries) => paths.filter((path) => entries.get(path)?.kind === 'file').sort();
  const found = { base: filesOf(base), head: filesOf(head) };
  return Math.max(found.base.length, found.head.length) > MOST_FILES ? undefined : found;
}

/** Whether a program can detect the difference only by opening a file. */
function canBeUnseen([before, now]: readonly [BuiltEntry | undefined, BuiltEntry | undefined]): boolean {
  const isOfOne = before === undefined || now === undefined;
  return [before, now].every(
    (entry) => entry === undefined || entry.kind === 'file' || (isOfOne && entry.kind === 'folder'),
  );
}
