import { ConfigError, EnvironmentError, messageOf } from '../../foundation/errors.ts';
import { gabDirection } from '../adapters/github-action-benchmark.ts';
import { type Direction, directionOf } from '../adapters/units.ts';
import { badgeFiles } from '../feed.ts';
import { changeFiles, type HistoryAbout } from '../publish.ts';
import type { HistoryFiles } from '../reader.ts';
import {
  changesOf,
  type FileChange,
  type HistoryChange,
  isOfDefaultBranch,
  type ReadHistory,
  readChanges,
} from '../store/changes.ts';
import { type HistoryEntry, hasOwnFigures, type Series, seriesKey } from '../store/entry.ts';
import { HistoryError } from '../store/fields.ts';
import {
  formatIndex,
  type HistoryIndex,
  isSegmentFile,
  type LostRuns,
  readIndex,
  readIndexHead,
  type SegmentRow,
} from '../store/index-file.ts';
import { underPresentNames, withNames } from '../store/names.ts';
import { readHistograms, readSegment, withSeries } from '../store/segment.ts';
import {
  CHANGES_PATH,
  histogramsPath,
  INDEX_PATH,
  pathOf,
  refuseLoss,
  SEGMENTS_FOLDER,
  withSegment,
} from '../store/segments.ts';

export interface RepairRequest {
  /** Undefined fields keep the values of the index. */
  readonly about: HistoryAbout;
  /** Defaults for fields that the damaged index lacks. */
  readonly otherwise: Pick<HistoryAbout, 'repository' | 'branch'>;
  /** True if change points are recomputed although their file can be read. */
  readonly findsChanges: boolean;
}

/** Imported series whose guessed direction was wrong. */
interface CorrectedDirection {
  readonly file: string;
  readonly series: Series;
  readonly before: Direction;
}

/** Changes of a repair, and how the rows of a readable index change. */
export interface Repair extends MovedRows {
  /** Files that differ; empty if the history is intact. */
  readonly changes: readonly FileChange[];
  readonly index: HistoryIndex;
  /** Files of distributions whose truncated last line is removed. */
  readonly cut: readonly string[];
  readonly corrected: readonly CorrectedDirection[];
  /** Lost runs that the index listed and no longer lists. */
  readonly forgotten: LostRuns | undefined;
}

/**
 * Rebuilds the index and all derived files from the segments. Segments only change where directions of imported series were guessed wrong,
 * distributions only where the last line is truncated. Readable change points are kept, since thinning may have removed the runs that
 * confirmed them. All segments are read first: throws HistoryError if one cannot be read, and for any file of a newer schema.
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
  const directions = new Map(corrected.map(({ series }) => [seriesKey(series), series.better]));
  const points =
    request.findsChanges || known === undefined
      ? changesOf(own)
      : known.map(({ series, ...change }) => ({
          ...change,
          series: { ...series, better: directions.get(seriesKey(series)) ?? series.better },
        }));
  const derived = derivedFiles(index, own, points);
  // The index is written last, so that it never names a missing file.
  const texts = [...derived, { path: INDEX_PATH, text: formatIndex(index) }];
  const before = await Promise.all(texts.map(({ path }) => textOrNothing(files.read, path)));
  const cut = segments.filter(({ distributions }) => distributions.isCut);
  const mended = cut.map(({ file, distributions }) => ({ path: histogramsPath(file), text: distributions.text }));
  const rewritten = segments
    .filter((segment) => segment.corrected.length > 0)
    .map(({ file, text }) => ({ path: pathOf(file), text }));
  return {
    changes: [...rewritten, ...mended, ...texts.filter(({ text }, place) => before[place] !== text)],
    corrected,
    index,
    ...movedRows(old.segments ?? index.segments, index.segments, segments),
    cut: mended.map(({ path }) => path),
    forgotten: old.about.lost,
  };
}

function withDirections(segment: ReadableSegment): ReadableSegment & {
  readonly corrected: readonly CorrectedDirection[];
} {
  const found = withSeries(segment.text, pathOf(segment.file), (series, entries) => {
    const [first] = entries;
    return first !== undefined && entries.every(({ kind }) => kind === 'import')
      ? series.map((one) => ({ ...one, better: directionNow(one, first) }))
      : series;
  });
  const corrected = found.changed.map(({ before, after }) => ({
    ...{ file: segment.file, series: after, before: before.better },
  }));
  return { ...segment, text: found.text, entries: found.entries, corrected };
}

/** Direction of a series: in a data.js by tool and unit, of Go by the unit unless that leaves it open. All other files state it. */
function directionNow({ better, service, unit, metric }: Series, { imported }: HistoryEntry): Direction {
  if (imported?.tool === service) {
    return gabDirection(service, unit);
  }
  const byUnit = service === 'go-test' ? directionOf(unit, metric) : 'unknown';
  return byUnit === 'unknown' ? better : byUnit;
}

/** Index of the segments; its version only changes if other content does. */
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
      withNames(withSegment(index, file, text, distributions.text), entries),
    empty,
  );
  return formatIndex(made) === old.text ? made : { ...made, wiregauge: about.wiregauge };
}

/** Files derived from the segments; only runs with their own figures have badges, not imports. */
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

/** Differences between the rows of an index and the segments that exist. */
interface MovedRows {
  /** Segments that it did not list. */
  readonly found: readonly SegmentRow[];
  /** Segments that are missing. */
  readonly lost: readonly SegmentRow[];
  /** Segments with fewer runs, bytes or distributions than it states. */
  readonly shorter: readonly ShorterSegment[];
}

/** Segment in its present form, and the entry of it in the index. */
export interface ShorterSegment {
  readonly now: SegmentRow;
  readonly before: SegmentRow;
  /** Measured runs without distributions, if fewer runs have some than before. Imported ones never have any. */
  readonly undistributed: readonly string[];
}

function movedRows(
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
  const undistributed = (hasFewer ? (segment?.entries ?? []) : [])
    .filter((entry) => hasOwnFigures(entry) && segment?.distributions.runs.has(entry.run) === false)
    .map(({ run }) => run);
  const isShorter = now.runs < before.runs || now.bytes < before.bytes || hasFewer;
  return isShorter ? [{ now, before, undistributed }] : [];
}

/** Segment that was read completely. */
interface ReadableSegment {
  readonly file: string;
  readonly text: string;
  readonly entries: readonly HistoryEntry[];
  readonly distributions: WholeDistributions;
}

/** All existing segments, by name. Throws HistoryError that names each unreadable file, and ConfigError if there are no segments. */
async function readableSegments({ read, list }: HistoryFiles): Promise<readonly ReadableSegment[]> {
  const names = (await list(SEGMENTS_FOLDER)).filter(isSegmentFile);
  if (names.length === 0) {
    throw new ConfigError('no history segment found', {
      code: 'WG-604',
      next: 'Set the location with `--folder`, or with `--remote`, `--branch` and `--branch-folder`. Nothing was written.',
    });
  }
  const texts = await Promise.all(names.map((file) => read(pathOf(file))));
  const distributionTexts = await Promise.all(names.map((file) => read(histogramsPath(file))));
  const segments: ReadableSegment[] = [];
  const refused: HistoryError[] = [];
  const refuse = (error: HistoryError) => void refused.push(error);
  for (const [place, file] of names.entries()) {
    const text = texts[place] ?? '';
    const entries = readOr(refuse, () => readSegment(text, pathOf(file)));
    const distributions = readOr(refuse, () => wholeDistributions(distributionTexts[place], file));
    if (entries !== undefined && distributions !== undefined) {
      segments.push({ file, text, entries, distributions });
    }
  }
  const [first, ...others] = refused;
  if (first !== undefined) {
    throw others.length === 0
      ? first
      : new ConfigError(refused.map(messageOf).join('; '), { code: 'WG-602', cause: first, next: first.next ?? '' });
  }
  return segments;
}

/** Parsed value; undefined after a HistoryError, which `refuse` gets. */
function readOr<Read>(refuse: (error: HistoryError) => void, parse: () => Read): Read | undefined {
  try {
    return parse();
  } catch (thrown) {
    if (!(thrown instanceof HistoryError)) {
      throw thrown;
    }
    refuse(thrown);
    return undefined;
  }
}

/** Readable parts of an index that may be damaged. */
interface KnownIndex {
  /** Undefined if it is missing. */
  readonly text: string | undefined;
  readonly about: Partial<Omit<HistoryIndex, 'segments'>>;
  /** Undefined if they cannot all be read. */
  readonly segments: readonly SegmentRow[] | undefined;
}

/** Readable parts of the index; throws HistoryError if it is of a newer schema. */
async function knownIndex(read: ReadHistory): Promise<KnownIndex> {
  const text = await textOrNothing(read, INDEX_PATH);
  if (text === undefined) {
    return { text, about: {}, segments: undefined };
  }
  const whole = unlessDamaged(() => readIndex(text, INDEX_PATH));
  return {
    text,
    about: whole ?? unlessDamaged(() => readIndexHead(text, INDEX_PATH)) ?? {},
    segments: whole?.segments,
  };
}

/**
 * Change points in their file; undefined if it is missing, unreadable, or names missing runs. Throws HistoryError if it is of a newer
 * schema.
 */
async function knownChanges(
  read: ReadHistory,
  entries: readonly HistoryEntry[],
): Promise<readonly HistoryChange[] | undefined> {
  const text = await textOrNothing(read, CHANGES_PATH);
  const changes = text === undefined ? undefined : unlessDamaged(() => readChanges(text, CHANGES_PATH));
  const runs = new Set(entries.map(({ run }) => run));
  return changes?.every(({ run }) => runs.has(run)) === true ? changes : undefined;
}

/** Text of a file that can be rebuilt; empty if it is not valid UTF-8. */
async function textOrNothing(read: ReadHistory, path: string): Promise<string | undefined> {
  try {
    return await read(path);
  } catch (thrown) {
    if (thrown instanceof EnvironmentError && thrown.cause instanceof TypeError) {
      return '';
    }
    throw thrown;
  }
}

function unlessDamaged<Read>(parse: () => Read): Read | undefined {
  return readOr((error) => refuseLoss(error.kind === 'newer-schema' ? error : undefined), parse);
}

/** Distributions of a segment, from complete lines only. */
interface WholeDistributions {
  /** Undefined if there are none. */
  readonly text: string | undefined;
  readonly runs: ReadonlySet<string>;
  /** True if a truncated last line was dropped. */
  readonly isCut: boolean;
}

/** Complete lines of a file of distributions, if there is one; throws HistoryError if one of them cannot be read. */
function wholeDistributions(text: string | undefined, file: string): WholeDistributions {
  const whole = text?.slice(0, text.lastIndexOf('\n') + 1);
  const runs = readHistograms(whole ?? '', histogramsPath(file)).map(({ run }) => run);
  return { text: whole === '' ? undefined : whole, runs: new Set(runs), isCut: whole !== text };
}
