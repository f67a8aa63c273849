import type { HistoryEntry } from '../store/entry.ts';
import { exportedIdentities } from './gab-export.ts';
import { type NameRun, namedOnce } from './name-run.ts';

/**
 * Those of the runs of a data.js that a history lacks. Its own runs have other names in an export, and github-action-benchmark,
 * which goes on with that, keeps them in it.
 */
export function withoutExported(
  runs: readonly HistoryEntry[],
  existing: readonly HistoryEntry[],
  nameRun: NameRun,
): readonly HistoryEntry[] {
  const known = new Set(exportedIdentities(existing).map(namedOnce(nameRun)));
  return runs.filter(({ run }) => !known.has(run));
}
