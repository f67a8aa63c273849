import { runGit } from './git.ts';
import type { Checkout } from './repository.ts';

/** Two versions: a ref each, and for the working tree none. */
interface Versions {
  readonly base: string;
  readonly head: string | undefined;
}

/**
 * The place in the base of a folder that the head has at another one, relative to the checkout: where most of its files were, as far as
 * git finds them again. Undefined if none of them was anywhere.
 */
export async function formerFolder({ checkout, prefix }: Checkout, { base, head }: Versions) {
  const range = [base, ...(head === undefined ? [] : [head])];
  const argv = ['diff', '--name-status', '-z', '--find-renames', '--diff-filter=R', '--end-of-options', ...range, '--'];
  const { output } = await runGit(checkout, argv);
  return mostFrequent(renamesIn(output).flatMap(([from, to]) => folderBefore(prefix, from, to) ?? []));
}

/** Pairs of paths of "R100 NUL from NUL to NUL". */
function renamesIn(output: string): readonly (readonly [string, string])[] {
  const fields = output.split('\0');
  const count = Math.floor(fields.length / 3);
  return Array.from(
    { length: count },
    (_, place) => [fields[3 * place + 1] ?? '', fields[3 * place + 2] ?? ''] as const,
  );
}

/** The folder that a file was in as it is in this one: "api" if "api/src/a.ts" is "services/api/src/a.ts" now. */
function folderBefore(prefix: string, from: string, to: string): string | undefined {
  const own = to.startsWith(`${prefix}/`) ? to.slice(prefix.length) : undefined;
  return own !== undefined && `/${from}`.endsWith(own)
    ? from.slice(0, Math.max(0, from.length - own.length))
    : undefined;
}

function mostFrequent(names: readonly string[]): string | undefined {
  const counts = new Map<string, number>();
  for (const name of names) {
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return [...counts].toSorted(([, left], [, right]) => right - left)[0]?.[0];
}
