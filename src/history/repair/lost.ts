import { withFallback } from '../../foundation/errors.ts';
import type { HistoryFiles, PublishedState } from '../reader.ts';
import type { ReadHistory } from '../store/changes.ts';
import { type HistoryIndex, type LostRuns, readIndex } from '../store/index-file.ts';
import { readSegment } from '../store/segment.ts';
import { INDEX_PATH, pathOf } from '../store/segments.ts';

/**
 * Runs that a history had when Wiregauge last wrote to it, and no longer has, because its branch was force-pushed or recreated. Undefined
 * if it has all of them, or if that state is unreadable.
 */
export async function lostRuns(files: Pick<HistoryFiles, 'read' | 'last'>): Promise<LostRuns | undefined> {
  const last = await files.last?.();
  return last && (await withFallback(() => lostSince(files.read, last)));
}

/** Runs that are lost now, and those that the index lists as lost. */
export async function allLostRuns(files: HistoryFiles, index: HistoryIndex | undefined): Promise<LostRuns | undefined> {
  return togetherLost(index?.lost, await lostRuns(files));
}

async function lostSince(read: ReadHistory, last: PublishedState): Promise<LostRuns | undefined> {
  const [was, is] = await Promise.all([last.read(INDEX_PATH), read(INDEX_PATH)]);
  if (was === undefined || was === is) {
    return undefined;
  }
  const rows = new Map((is === undefined ? [] : readIndex(is, INDEX_PATH).segments).map((row) => [row.file, row]));
  const suspects = readIndex(was, INDEX_PATH).segments.filter(
    (row) => JSON.stringify(row) !== JSON.stringify(rows.get(row.file)),
  );
  const lost = suspects.map(async ({ file }) => {
    const path = pathOf(file);
    const [before = '', now = ''] = await Promise.all([last.read(path), read(path)]);
    const there = new Set(now.startsWith(before) ? [] : readSegment(now, path).map(({ run }) => run));
    return now.startsWith(before) ? [] : readSegment(before, path).filter(({ run }) => !there.has(run));
  });
  const gone = (await Promise.all(lost)).flat();
  const times = gone.map(({ at }) => at).toSorted();
  const [from, to] = [times[0], times.at(-1)];
  return from === undefined || to === undefined ? undefined : { runs: gone.length, from, to, commit: last.commit };
}

export function togetherLost(before: LostRuns | undefined, now: LostRuns | undefined): LostRuns | undefined {
  if (before === undefined || now === undefined) {
    return now ?? before;
  }
  const [from = now.from] = [before.from, now.from].toSorted();
  const [, to = now.to] = [before.to, now.to].toSorted();
  return { ...now, runs: before.runs + now.runs, from, to };
}
