import { runsAdded } from '../../../src/history/publish.ts';
import type { HistoryFiles } from '../../../src/history/reader.ts';
import { type Repair, type RepairRequest, repairedHistory } from '../../../src/history/repair/repair.ts';
import type { FileChange } from '../../../src/history/store/changes.ts';
import type { HistoryEntry } from '../../../src/history/store/entry.ts';
import { sampleEntries } from '../../support/sample-history.ts';

/** A history in memory, by path. */
export type Files = Map<string, string>;

export const ABOUT = { wiregauge: '0.1.0', repository: 'https://github.com/one/service', branch: 'main' };

const REQUEST: RepairRequest = { about: { wiregauge: '0.2.0' }, otherwise: {}, findsChanges: false };

/** Two levels in two months: one change point. */
export const STEPPED = sampleEntries(
  Array.from({ length: 50 }, (_, place) => (place < 25 ? 100 : 130) + ((place * 7) % 11) / 5),
);

const filesOf = (files: Files): HistoryFiles => ({
  read: async (path) => files.get(path),
  list: async (folder) =>
    [...files.keys()].filter((path) => path.startsWith(`${folder}/`)).map((path) => path.slice(folder.length + 1)),
});

function write(files: Files, changes: readonly FileChange[]): void {
  for (const { path, text } of changes) {
    files.set(path, text ?? '');
  }
}

export async function historyOf(entries: readonly HistoryEntry[]): Promise<Files> {
  const files: Files = new Map();
  const additions = entries.map((entry) => ({ entry }));
  write(files, await runsAdded(filesOf(files).read, additions, ABOUT));
  return files;
}

/** The lines of the distributions of some runs. */
export function distributionsOf(...runs: readonly string[]): string {
  return runs.map((run) => `${JSON.stringify({ schema: 1, run, cells: { 'rest/all/low': 'AAAA' } })}\n`).join('');
}

/** Repairs a history, and says how. */
export async function repaired(files: Files, request: Partial<RepairRequest> = {}): Promise<Repair> {
  const repair = await repairedHistory(filesOf(files), { ...REQUEST, ...request });
  write(files, repair.changes);
  return repair;
}
