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

/** One run for the history, with the latency distributions of its cells if it has any. */
export interface HistoryAddition {
  readonly entry: HistoryEntry;
  readonly histograms?: RunHistograms;
}

/** The text of a file of the history by its path; undefined if there is none. */
export interface ExistingFiles {
  read(path: string): string | undefined;
}

/** The paths that `addedTo` reads: not the whole history, since the time of a run belongs to what it is. */
export function filesNeededFor(index: HistoryIndex, { at }: Pick<HistoryEntry, 'at'>): readonly string[] {
  const open = openSegment(index, at);
  const files = [...segmentsAround(index, at), open];
  return [...new Set([...files.map(pathOf), histogramsPath(open)])];
}

/**
 * The files that change when a run is added to a history: the segment of its month, its distributions, and the index.
 * None if the history has the run. Throws HistoryError if a file that is needed is missing or cannot be read.
 */
export function addedTo(
  index: HistoryIndex,
  existing: ExistingFiles,
  addition: HistoryAddition,
): readonly FileChange[] {
  return allAddedTo(index, existing, [addition]);
}

/** The same for many runs; every file that changes is there once. */
export function allAddedTo(
  index: HistoryIndex,
  existing: ExistingFiles,
  additions: readonly HistoryAddition[],
): readonly FileChange[] {
  const changed = new Map<string, string>();
  const files = { read: (path: string) => changed.get(path) ?? existing.read(path) };
  let grown = index;
  for (const part of partsOf(additions)) {
    let rest = withoutKnown(index, existing, part);
    while (rest[0] !== undefined) {
      const file = openSegment(grown, rest[0].entry.at);
      const before = segmentIn(grown, files, file);
      const room = Math.max(1, RUNS_PER_SEGMENT - before.entries.length);
      const taken = rest.slice(0, room);
      const text = appendedAll(before.text, taken.map(entryIn), pathOf(file));
      const distributions = distributionsWith(taken, grown, { file, files });
      // Before their runs: a publisher that is killed between the two adds the rest next time.
      if (distributions !== undefined && distributions !== files.read(histogramsPath(file))) {
        changed.set(histogramsPath(file), distributions);
      }
      changed.set(pathOf(file), text);
      grown = withNames(withSegment(grown, file, { text, distributions }), taken.map(entryIn));
      rest = rest.slice(room);
    }
  }
  return grown === index ? [] : [...changed, [INDEX_PATH, formatIndex(grown)] as const].map(changeOf);
}

function changeOf([path, text]: readonly [string, string]): FileChange {
  return { path, text };
}

function entryIn({ entry }: HistoryAddition): HistoryEntry {
  return entry;
}

/** Those of a month together: they share segments. */
function partsOf(additions: readonly HistoryAddition[]): readonly (readonly HistoryAddition[])[] {
  const months = new Map<string, HistoryAddition[]>();
  for (const addition of additions) {
    const month = monthOf(addition.entry.at);
    months.set(month, [...(months.get(month) ?? []), addition]);
  }
  return [...months.values()];
}

/** Each once, and only those that no segment has. */
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

interface Segment {
  readonly text: string;
  readonly entries: readonly HistoryEntry[];
}

/** A segment that no index names may lie there, too: its runs are not lost, and the index gets its row. */
function segmentIn({ segments }: HistoryIndex, existing: ExistingFiles, file: string): Segment {
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

/** The distributions beside a segment with those of more runs; undefined if none of its runs has any. */
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
