import type { CellKey } from '../../model/sample.ts';

/** What is drawn of a comparison. */
interface Named {
  readonly cell: CellKey;
  readonly metric: string;
}

const MOST_PART = 40;

/**
 * A file name for each: "<service>-<operation>-<tier>-<metric>.svg", of letters, digits, dots, dashes and underscores. No two are the
 * same, also where a file system does not tell capitals from small letters, and none is one of `taken`.
 */
export function chartNames(all: readonly Named[], taken: readonly string[]): readonly string[] {
  const used = new Set(taken.map((name) => name.toLowerCase()));
  return all.map(({ cell, metric }) => {
    const stem = [cell.service, cell.operation, cell.tier, metric].map(partOf).join('-');
    const name = firstFree(stem, used);
    used.add(name.toLowerCase());
    return name;
  });
}

function partOf(text: string): string {
  const plain = text.replace(/[^A-Za-z0-9._]+/g, '-').replace(/^[-.]+|[-.]+$/g, '');
  return plain.slice(0, MOST_PART) || 'x';
}

function firstFree(stem: string, used: ReadonlySet<string>): string {
  for (let count = 1; ; count += 1) {
    const name = count === 1 ? `${stem}.svg` : `${stem}-${count}.svg`;
    if (!used.has(name.toLowerCase())) {
      return name;
    }
  }
}
