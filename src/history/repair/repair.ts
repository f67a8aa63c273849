import { badgeFiles } from '../feed.ts';
import { changeFiles, type HistoryAbout } from '../publish.ts';
import type { HistoryFiles } from '../reader.ts';
import { changesOf, type FileChange, type HistoryChange, isOfDefaultBranch } from '../store/changes.ts';
import { type HistoryEntry, hasOwnFigures } from '../store/entry.ts';
import { formatIndex, type HistoryIndex, type LostRuns, type SegmentRow } from '../store/index-file.ts';
import { underPresentNames, withNames } from '../store/names.ts';
import { histogramsPath, INDEX_PATH, pathOf, withSegment } from '../store/segments.ts';
import { type CorrectedDirection, turned, withDirections } from './directions.ts';
import {
  type KnownIndex,
  knownChanges,
  knownIndex,
  type ReadableSegment,
  readableSegments,
  textOrNothing,
} from './salvage.ts';

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
  /** Only files that become others; none if all is well. */
  readonly changes: readonly FileChange[];
  readonly index: HistoryIndex;
  /** Files of distributions with a last line that was cut short, which goes. */
  readonly cut: readonly string[];
  /** Imported series that get another direction. */
  readonly corrected: readonly CorrectedDirection[];
  /** Runs that the index said were missed, which it says no more. */
  readonly forgotten: LostRuns | undefined;
}

/**
 * The index and all that is derived, made again from the segments. Of these only the directions of imported series change, if they were
 * guessed; of the distributions beside them only a line that was cut short goes. All of them are read first: throws HistoryError if one of them cannot be, and for any file of a newer
 * schema. Change points that can be read stay: runs that thinning took away may have borne them out.
 */
export async function repairedHistory(files: HistoryFiles, request: RepairRequest): Promise<Repair> {
  const segments = (await readableSegments(files)).map(withDirections);
  const corrected = segments.flatMap((segment) => segment.corrected);
  const old = await knownIndex(files.read);
  const index = indexOf(segments, request, old);
  const entries = underPresentNames(
    segments.flatMap((segment) => segment.entries),
    index,
  );
  const own = entries.filter((entry) => isOfDefaultBranch(entry, index.branch));
  const known = await knownChanges(files.read, entries);
  const points = request.findsChanges || known === undefined ? changesOf(own) : turned(known, corrected);
  const derived = derivedFiles(index, own, points);
  // What the index names is there before it is.
  const texts = [...derived, { path: INDEX_PATH, text: formatIndex(index) }];
  const cut = segments.filter(({ distributions }) => distributions.isCut);
  const mended = cut.map(({ file, distributions }) => ({ path: histogramsPath(file), text: distributions.text }));
  const rewritten = segments
    .filter((segment) => segment.corrected.length > 0)
    .map(({ file, text }) => ({ path: pathOf(file), text }));
  return {
    changes: [...rewritten, ...mended, ...(await differing(files, texts))],
    corrected,
    index,
    ...movedRows(old.segments ?? index.segments, index.segments, segments),
    cut: mended.map(({ path }) => path),
    forgotten: old.about.lost,
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
    (index, { file, text, entries, distributions }) =>
      withNames(withSegment(index, file, { text, distributions: distributions.text }), entries),
    empty,
  );
  return formatIndex(made) === old.text ? made : { ...made, wiregauge: about.wiregauge };
}

/** Only runs with figures of their own have badges: an import may be of anything. */
function derivedFiles(
  index: HistoryIndex,
  own: readonly HistoryEntry[],
  changes: readonly HistoryChange[],
): readonly FileChange[] {
  const newest = new Map<string, HistoryEntry>();
  for (const entry of own.filter(hasOwnFigures)) {
    const known = newest.get(entry.suite);
    newest.set(entry.suite, known === undefined || known.at <= entry.at ? entry : known);
  }
  return [...changeFiles(index, changes), ...[...newest.values()].flatMap(badgeFiles)];
}

async function differing({ read }: HistoryFiles, files: readonly FileChange[]): Promise<readonly FileChange[]> {
  const before = await Promise.all(files.map(({ path }) => textOrNothing(read, path)));
  return files.filter(({ text }, place) => before[place] !== text);
}

/** How the rows of an index differ from those that the segments have now. */
export interface MovedRows {
  /** Of segments that it did not name. */
  readonly found: readonly SegmentRow[];
  /** Of segments that are not there. */
  readonly lost: readonly SegmentRow[];
  /** Segments that have fewer runs, bytes or distributions than it says. */
  readonly shorter: readonly ShorterSegment[];
}

/** What is there of a segment, and what there was by the index. */
export interface ShorterSegment {
  readonly now: SegmentRow;
  readonly before: SegmentRow;
  /** Its measured runs without distributions, if fewer have some than before; imported ones never have any. */
  readonly undistributed: readonly string[];
}

/** What became of the rows of an index. */
export function movedRows(
  before: readonly SegmentRow[],
  after: readonly SegmentRow[],
  segments: readonly ReadableSegment[],
): MovedRows {
  const rows = new Map(before.map((row) => [row.file, row]));
  const files = new Set(after.map(({ file }) => file));
  return {
    found: after.filter(({ file }) => !rows.has(file)),
    lost: before.filter(({ file }) => !files.has(file)),
    shorter: after.flatMap((now) => {
      const segment = segments.find(({ file }) => file === now.file);
      return shorterSegment(now, rows.get(now.file), segment);
    }),
  };
}

function shorterSegment(
  now: SegmentRow,
  before: SegmentRow | undefined,
  segment: ReadableSegment | undefined,
): readonly ShorterSegment[] {
  if (before === undefined) {
    return [];
  }
  const hasFewer = (now.distributions ?? 0) < (before.distributions ?? 0);
  const undistributed = hasFewer && segment !== undefined ? undistributedRuns(segment) : [];
  const isShorter = now.runs < before.runs || now.bytes < before.bytes || hasFewer;
  return isShorter ? [{ now, before, undistributed }] : [];
}

function undistributedRuns({ entries, distributions }: ReadableSegment): readonly string[] {
  return entries.filter((entry) => hasOwnFigures(entry) && !distributions.runs.has(entry.run)).map(({ run }) => run);
}
