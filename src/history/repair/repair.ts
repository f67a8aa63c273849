import { changeFiles, type HistoryAbout } from '../add.ts';
import { badgeFiles } from '../badge.ts';
import type { HistoryFiles } from '../ports.ts';
import { changesOf } from '../store/change-updates.ts';
import type { HistoryChange } from '../store/changes.ts';
import { isOfDefaultBranch } from '../store/default-branch.ts';
import type { HistoryEntry } from '../store/entry.ts';
import type { FileChange } from '../store/file-change.ts';
import { formatIndex, type HistoryIndex } from '../store/index-file.ts';
import { histogramsPath, INDEX_PATH, withSegment } from '../store/segments.ts';
import {
  type KnownIndex,
  knownChanges,
  knownIndex,
  type ReadableSegment,
  readableSegments,
  textOrNothing,
} from './repair-read.ts';
import { type MovedRows, movedRows } from './repair-rows.ts';

/** What a history is to be made again with. */
export interface RepairRequest {
  /** What is undefined stays as the index has it. */
  readonly about: HistoryAbout;
  /** For an index that no longer says it. */
  readonly otherwise: Pick<HistoryAbout, 'repository' | 'branch'>;
  /** Finds the change points anew, though their file can be read. */
  readonly findsChanges: boolean;
}

/** What making the derived files of a history again does to them, and to the rows of an index that can be read. */
export interface Repair extends MovedRows {
  /** Only files that become others; none where all is well. */
  readonly changes: readonly FileChange[];
  readonly index: HistoryIndex;
  /** Files of distributions with a last line that was cut short, which goes. */
  readonly cut: readonly string[];
}

/**
 * The index and all that is derived, made again from the segments, which stay as they are; of the distributions beside them only a line
 * that was cut short goes. All of them are read first: throws HistoryError where one of them cannot be, and for any file of a newer
 * schema. Change points that can be read stay: runs that thinning took away may have borne them out.
 */
export async function repairedHistory(files: HistoryFiles, request: RepairRequest): Promise<Repair> {
  const segments = await readableSegments(files);
  const old = await knownIndex(files.read);
  const index = indexOf(segments, request, old);
  const entries = segments.flatMap((segment) => segment.entries);
  const own = entries.filter((entry) => isOfDefaultBranch(entry, index.branch));
  const known = await knownChanges(files.read, entries);
  const derived = derivedFiles(index, own, request.findsChanges || known === undefined ? changesOf(own) : known);
  // What the index names is there before it is.
  const texts = [...derived, { path: INDEX_PATH, text: formatIndex(index) }];
  const cut = segments.filter(({ distributions }) => distributions.isCut);
  const mended = cut.map(({ file, distributions }) => ({ path: histogramsPath(file), text: distributions.text }));
  return {
    changes: [...mended, ...(await differing(files, texts))],
    index,
    ...movedRows(old.segments ?? index.segments, index.segments, segments),
    cut: mended.map(({ path }) => path),
  };
}

/** With the version that wrote it, unless it says already what it is to say. */
function indexOf(
  segments: readonly ReadableSegment[],
  { about, otherwise }: RepairRequest,
  old: KnownIndex,
): HistoryIndex {
  const repository = about.repository ?? old.about.repository ?? otherwise.repository;
  const branch = about.branch ?? old.about.branch ?? otherwise.branch;
  const empty: HistoryIndex = {
    wiregauge: old.about.wiregauge ?? about.wiregauge,
    ...(repository !== undefined && { repository }),
    ...(branch !== undefined && { branch }),
    segments: [],
  };
  const made = segments.reduce(
    (index, { file, text, distributions }) => withSegment(index, file, { text, distributions: distributions.text }),
    empty,
  );
  return formatIndex(made) === old.text ? made : { ...made, wiregauge: about.wiregauge };
}

/** Only runs that were measured have badges: an import may be of anything. */
function derivedFiles(
  index: HistoryIndex,
  own: readonly HistoryEntry[],
  changes: readonly HistoryChange[],
): readonly FileChange[] {
  const newest = new Map<string, HistoryEntry>();
  for (const entry of own.filter(({ kind }) => kind !== 'import')) {
    const known = newest.get(entry.suite);
    newest.set(entry.suite, known === undefined || known.at <= entry.at ? entry : known);
  }
  return [...changeFiles(index, changes), ...[...newest.values()].flatMap(badgeFiles)];
}

async function differing({ read }: HistoryFiles, files: readonly FileChange[]): Promise<readonly FileChange[]> {
  const before = await Promise.all(files.map(({ path }) => textOrNothing(read, path)));
  return files.filter(({ text }, place) => before[place] !== text);
}
