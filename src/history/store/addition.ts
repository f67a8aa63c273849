import type { FileChange } from './changes.ts';
import type { HistoryEntry } from './entry.ts';
import { malformed } from './fields.ts';
import { formatIndex, type HistoryIndex } from './index-file.ts';
import { withNames } from './names.ts';
import { appendedAll, appendedHistograms, type RunHistograms, readSegment } from './segment.ts';
import {
  distributionsLoss,
  histogramsPath,
  INDEX_PATH,
  monthOf,
  openSegment,
  pathOf,
  RUNS_PER_SEGMENT,
  readNamedSegment,
  segmentsAround,
  withSegment,
} from './segments.ts';

/** Run to add to the history, with the latency distributions of its cells if it has any. */
export interface HistoryAddition {
  readonly entry: HistoryEntry;
  readonly histograms?: RunHistograms;
}

/** Files of the history: text by path; undefined for a missing file. */
export interface ExistingFiles {
  read(path: string): string | undefined;
}

/** Paths that `allAddedTo` reads, which are only those around the time of the run. */
export function filesNeededFor(index: HistoryIndex, { at }: Pick<HistoryEntry, 'at'>): readonly string[] {
  const open = openSegment(index, at);
  const files = [...segmentsAround(index, at), open];
  return [...new Set([...files.map(pathOf), histogramsPath(open)])];
}

/**
 * Files that change when runs are added to a history: segments of their months, distributions, and the index. Empty if the history has all
 * runs. Throws HistoryError if a required file is missing or unreadable.
 */
export function allAddedTo(
  index: HistoryIndex,
  existing: ExistingFiles,
  additions: readonly HistoryAddition[],
): readonly FileChange[] {
  const changed = new Map<string, string>();
  const files = { read: (path: string) => changed.get(path) ?? existing.read(path) };
  let grown = index;
  // Runs of a month share segments.
  for (const part of Map.groupBy(additions, ({ entry }) => monthOf(entry.at)).values()) {
    let rest = withoutKnown(index, existing, part);
    while (rest[0] !== undefined) {
      const file = openSegment(grown, rest[0].entry.at);
      const before = segmentIn(grown, files, file);
      const room = Math.max(1, RUNS_PER_SEGMENT - before.entries.length);
      const taken = rest.slice(0, room);
      const entries = taken.map(({ entry }) => entry);
      const text = appendedAll(before.text, entries, pathOf(file));
      const distributions = distributionsWith(taken, grown, { file, files });
      // Written before their runs: if the publisher is killed in between, the next one adds the runs.
      if (distributions !== undefined && distributions !== files.read(histogramsPath(file))) {
        changed.set(histogramsPath(file), distributions);
      }
      changed.set(pathOf(file), text);
      grown = withNames(withSegment(grown, file, text, distributions), entries);
      rest = rest.slice(room);
    }
  }
  return grown === index
    ? []
    : [...changed, [INDEX_PATH, formatIndex(grown)] as const].map(([path, text]) => ({ path, text }));
}

/** Additions without duplicates and without runs that a segment has. */
function withoutKnown(
  index: HistoryIndex,
  existing: ExistingFiles,
  part: readonly HistoryAddition[],
): readonly HistoryAddition[] {
  const files = new Set([...part.flatMap(({ entry }) => [...segmentsAround(index, entry.at)])]);
  const known = new Set([...files].flatMap((file) => segmentIn(index, existing, file).entries.map(({ run }) => run)));
  return part.filter(({ entry: { run } }) => {
    const isNew = !known.has(run);
    known.add(run);
    return isNew;
  });
}

/** A segment may exist that the index does not list: its runs are kept, and the index gets its row. */
function segmentIn(
  { segments }: HistoryIndex,
  existing: ExistingFiles,
  file: string,
): { readonly text: string; readonly entries: readonly HistoryEntry[] } {
  const row = segments.find((one) => one.file === file);
  const text = existing.read(pathOf(file));
  if (row === undefined) {
    return { text: text ?? '', entries: readSegment(text ?? '', pathOf(file)) };
  }
  if (text === undefined) {
    throw malformed({ file: INDEX_PATH, line: 1 }, `names ${file}, which is missing`);
  }
  return { text, entries: readNamedSegment(text, row) };
}

/** Distributions of a segment with those of more runs; undefined if none of its runs has any. */
function distributionsWith(
  taken: readonly HistoryAddition[],
  { segments }: HistoryIndex,
  { file, files }: { readonly file: string; readonly files: ExistingFiles },
): string | undefined {
  const path = histogramsPath(file);
  const text = files.read(path);
  const row = segments.find((one) => one.file === file);
  const loss = row && distributionsLoss(text, row);
  if (loss !== undefined) {
    throw loss;
  }
  const added = taken.flatMap(({ entry: { run }, histograms }) =>
    histograms === undefined ? [] : [{ run, cells: histograms }],
  );
  return added.length === 0 ? text : appendedHistograms(text ?? '', added, path);
}
