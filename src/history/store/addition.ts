import type { FileChange, ReadHistory } from './changes.ts';
import type { HistoryEntry } from './entry.ts';
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
  refuseLoss,
  segmentsAround,
  segmentText,
  withSegment,
} from './segments.ts';

/** Run to add to the history, with the latency distributions of its cells if it has any. */
export interface HistoryAddition {
  readonly entry: HistoryEntry;
  readonly histograms?: RunHistograms;
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
export async function allAddedTo(
  index: HistoryIndex,
  existing: ReadHistory,
  additions: readonly HistoryAddition[],
): Promise<readonly FileChange[]> {
  const changed = new Map<string, string>();
  const read: ReadHistory = async (path) => changed.get(path) ?? (await existing(path));
  let grown = index;
  // Runs of a month share segments.
  for (const part of Map.groupBy(additions, ({ entry }) => monthOf(entry.at)).values()) {
    let rest = await withoutKnown(index, existing, part);
    while (rest[0] !== undefined) {
      const file = openSegment(grown, rest[0].entry.at);
      const before = await segmentIn(grown, read, file);
      const room = Math.max(1, RUNS_PER_SEGMENT - before.entries.length);
      const taken = rest.slice(0, room);
      const entries = taken.map(({ entry }) => entry);
      const text = appendedAll(before.text, entries, pathOf(file));
      const known = await read(histogramsPath(file));
      const distributions = distributionsWith(taken, grown, { file, known });
      // Written before their runs: if the publisher is killed in between, the next one adds the runs.
      if (distributions !== undefined && distributions !== known) {
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
async function withoutKnown(
  index: HistoryIndex,
  read: ReadHistory,
  part: readonly HistoryAddition[],
): Promise<readonly HistoryAddition[]> {
  const files = new Set(part.flatMap(({ entry }) => segmentsAround(index, entry.at)));
  const segments = await Promise.all([...files].map((file) => segmentIn(index, read, file)));
  const known = new Set(segments.flatMap(({ entries }) => entries.map(({ run }) => run)));
  return part.filter(({ entry: { run } }) => {
    const isNew = !known.has(run);
    known.add(run);
    return isNew;
  });
}

/** A segment may exist that the index does not list: its runs are kept, and the index gets its row. */
async function segmentIn(
  { segments }: HistoryIndex,
  read: ReadHistory,
  file: string,
): Promise<{ readonly text: string; readonly entries: readonly HistoryEntry[] }> {
  const row = segments.find((one) => one.file === file);
  if (row !== undefined) {
    const text = await segmentText(read, file);
    return { text, entries: readNamedSegment(text, row) };
  }
  const text = (await read(pathOf(file))) ?? '';
  return { text, entries: readSegment(text, pathOf(file)) };
}

/** Distributions of a segment with those of more runs; undefined if none of its runs has any. */
function distributionsWith(
  taken: readonly HistoryAddition[],
  { segments }: HistoryIndex,
  { file, known }: { readonly file: string; readonly known: string | undefined },
): string | undefined {
  const row = segments.find((one) => one.file === file);
  refuseLoss(row && distributionsLoss(known, row));
  const added = taken.flatMap(({ entry: { run }, histograms }) =>
    histograms === undefined ? [] : [{ run, cells: histograms }],
  );
  return added.length === 0 ? known : appendedHistograms(known ?? '', added, histogramsPath(file));
}
