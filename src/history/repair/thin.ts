import { historyEntries, historyIndex, storedChanges } from '../reader.ts';
import type { FileChange, HistoryChange, ReadHistory } from '../store/changes.ts';
import type { HistoryEntry } from '../store/entry.ts';
import { formatIndex, type HistoryIndex } from '../store/index-file.ts';
import { readSegment } from '../store/segment.ts';
import {
  histogramsPath,
  INDEX_PATH,
  pathOf,
  readNamedHistograms,
  segmentText,
  withSegment,
} from '../store/segments.ts';

interface Thinning {
  /** Empty if every run is kept. */
  readonly changes: readonly FileChange[];
  /** Segments that lose runs. */
  readonly segments: readonly { readonly file: string; readonly runs: number; readonly gone: number }[];
}

/**
 * Thins a history by a rule. All of it is read first: throws HistoryError if any of it cannot be read. Change points stay as they were
 * found in the whole history.
 */
export async function thinnedHistory(read: ReadHistory, rule: Omit<KeepRule, 'changes'>): Promise<Thinning> {
  const index = await historyIndex(read);
  if (index === undefined) {
    return { changes: [], segments: [] };
  }
  const kept = keptRuns(await historyEntries(read, index.segments), { ...rule, changes: await storedChanges(read) });
  const files: FileChange[] = [];
  const segments: Thinning['segments'][number][] = [];
  let thinner: HistoryIndex = index;
  for (const row of index.segments) {
    const { file } = row;
    const text = await segmentText(read, file);
    const runs = readSegment(text, pathOf(file));
    const gone = runs.filter(({ run }) => !kept.has(run)).length;
    if (gone > 0) {
      const shorter = withoutRuns(text, kept);
      segments.push({ file, runs: runs.length, gone });
      const before = await read(histogramsPath(file));
      readNamedHistograms(before, row);
      const distributions = before === undefined ? undefined : withoutRuns(before, kept);
      files.push(fileOf(pathOf(file), shorter));
      if (distributions !== undefined) {
        files.push(fileOf(histogramsPath(file), distributions));
      }
      thinner = withSegment(thinner, file, shorter, distributions);
    }
  }
  // The index comes first: if writing stops early, segments have more runs than it states, never fewer.
  return { changes: files.length === 0 ? [] : [fileOf(INDEX_PATH, formatIndex(thinner)), ...files], segments };
}

/** Change that deletes a file without lines. */
function fileOf(path: string, text: string): FileChange {
  return { path, text: text === '' ? undefined : text };
}

interface KeepRule {
  /** All younger runs are kept, one a day up to twice this age, and one a week before. */
  readonly days: number;
  /** Time in UTC, in the format of the history. */
  readonly today: string;
  /** Runs at these change points are kept. */
  readonly changes: readonly HistoryChange[];
}

const DAY_MS = 86_400_000;

/** 1970-01-01 was a Thursday, and weeks begin on Mondays. */
const MONDAY_OFFSET_DAYS = 3;

/**
 * Ids of the runs to keep: of each suite those younger than the rule's age, the last of each day up to twice that age, the last of each
 * week before; and always the newest of each suite, releases, and the first run after a change point.
 */
export function keptRuns(entries: readonly HistoryEntry[], rule: KeepRule): ReadonlySet<string> {
  const atChanges = new Set(rule.changes.map(({ run }) => run));
  const kept = new Set(entries.filter(({ run, tags }) => tags.length > 0 || atChanges.has(run)).map(({ run }) => run));
  const last = new Map<string, HistoryEntry>();
  for (const entry of entries) {
    for (const span of [spanOf(entry, rule), 'newest']) {
      const name = JSON.stringify([entry.suite, span]);
      const known = last.get(name);
      last.set(name, known === undefined || known.at < entry.at ? entry : known);
    }
  }
  for (const { run } of last.values()) {
    kept.add(run);
  }
  return kept;
}

/** Key of the span of a run, of which only the last run is kept: the run itself, a day or a week. */
function spanOf({ run, at }: HistoryEntry, { days, today }: KeepRule): string {
  const day = Math.floor(Date.parse(at) / DAY_MS);
  const age = (Date.parse(today) - Date.parse(at)) / DAY_MS;
  if (age < days) {
    return `run ${run}`;
  }
  return age < 2 * days ? `day ${day}` : `week ${Math.floor((day + MONDAY_OFFSET_DAYS) / 7)}`;
}

/** Lines of a segment or of its distributions without removed runs, and without columns that no kept run uses. */
function withoutRuns(text: string, kept: ReadonlySet<string>): string {
  const lines = text.split('\n').filter((line) => line !== '');
  const parsed = lines.map((line) => ({ line, of: JSON.parse(line) as { run?: string; columns?: number } }));
  const runs = parsed.filter(({ of }) => of.run !== undefined && kept.has(of.run));
  const columns = new Set(runs.map(({ of }) => of.columns));
  const isKept = ({ of }: (typeof parsed)[number]) =>
    of.run === undefined ? columns.has(of.columns) : kept.has(of.run);
  return parsed
    .filter(isKept)
    .map(({ line }) => `${line}\n`)
    .join('');
}
