import { ConfigError, EnvironmentError, type KnownError, messageOf } from '../../foundation/errors.ts';
import type { HistoryFiles, ReadHistory } from '../reader.ts';
import { type HistoryChange, readChanges } from '../store/changes.ts';
import type { HistoryEntry } from '../store/entry.ts';
import { HistoryError } from '../store/fields.ts';
import { type HistoryIndex, isSegmentFile, readIndex, readIndexHead, type SegmentRow } from '../store/index-file.ts';
import { readHistograms, readSegment } from '../store/segment.ts';
import { CHANGES_PATH, histogramsPath, INDEX_PATH, pathOf, SEGMENTS_FOLDER } from '../store/segments.ts';

/** Segment that was read completely. */
export interface ReadableSegment {
  readonly file: string;
  readonly text: string;
  readonly entries: readonly HistoryEntry[];
  readonly distributions: WholeDistributions;
}

/** All existing segments, by name. Throws HistoryError that names each unreadable file, and ConfigError if there are no segments. */
export async function readableSegments({ read, list }: HistoryFiles): Promise<readonly ReadableSegment[]> {
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
  for (const [place, file] of names.entries()) {
    const text = texts[place] ?? '';
    const entries = readOr(refused, () => readSegment(text, pathOf(file)));
    const distributions = readOr(refused, () => wholeDistributions(distributionTexts[place], file));
    if (entries !== undefined && distributions !== undefined) {
      segments.push({ file, text, entries, distributions });
    }
  }
  if (refused.length > 0) {
    throw togetherOf(refused);
  }
  return segments;
}

/** Result of `parse`; undefined, with the error added to `refused`, if it fails. */
function readOr<Read>(refused: HistoryError[], parse: () => Read): Read | undefined {
  try {
    return parse();
  } catch (thrown) {
    refused.push(historyError(thrown));
    return undefined;
  }
}

/** Single error for all unreadable files, so that the user can fix them at once. */
function togetherOf(refused: readonly HistoryError[]): KnownError {
  const [first] = refused;
  return first !== undefined && refused.length === 1
    ? first
    : new ConfigError(refused.map(messageOf).join('; '), { code: 'WG-602', cause: first, next: first?.next ?? '' });
}

/** Readable parts of an index that may be damaged. */
export interface KnownIndex {
  /** Undefined if it is missing. */
  readonly text: string | undefined;
  readonly about: Partial<Omit<HistoryIndex, 'segments'>>;
  /** Undefined if they cannot all be read. */
  readonly segments: readonly SegmentRow[] | undefined;
}

/** Readable parts of the index; throws HistoryError if it is of a newer schema. */
export async function knownIndex(read: ReadHistory): Promise<KnownIndex> {
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
export async function knownChanges(
  read: ReadHistory,
  entries: readonly HistoryEntry[],
): Promise<readonly HistoryChange[] | undefined> {
  const text = await textOrNothing(read, CHANGES_PATH);
  const changes = text === undefined ? undefined : unlessDamaged(() => readChanges(text, CHANGES_PATH));
  const runs = new Set(entries.map(({ run }) => run));
  return changes?.every(({ run }) => runs.has(run)) === true ? changes : undefined;
}

/** Text of a file that can be rebuilt; empty if it is not valid UTF-8. */
export async function textOrNothing(read: ReadHistory, path: string): Promise<string | undefined> {
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
  try {
    return parse();
  } catch (thrown) {
    if (historyError(thrown).kind === 'newer-schema') {
      throw thrown;
    }
    return undefined;
  }
}

function historyError(thrown: unknown): HistoryError {
  if (thrown instanceof HistoryError) {
    return thrown;
  }
  throw thrown;
}

/** Distributions of a segment, from complete lines only. */
export interface WholeDistributions {
  /** Undefined if there are none. */
  readonly text: string | undefined;
  readonly runs: ReadonlySet<string>;
  /** True if a truncated last line was dropped. */
  readonly isCut: boolean;
}

/** Complete lines of a file of distributions, if there is one; throws HistoryError if one of them cannot be read. */
export function wholeDistributions(text: string | undefined, file: string): WholeDistributions {
  const whole = text?.slice(0, text.lastIndexOf('\n') + 1);
  const runs = readHistograms(whole ?? '', histogramsPath(file)).map(({ run }) => run);
  return { text: whole === '' ? undefined : whole, runs: new Set(runs), isCut: whole !== text };
}
