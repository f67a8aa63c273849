import { writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { formatCsv } from '../../history/exchange/csv-export.ts';
import { formatGab } from '../../history/exchange/gab-export.ts';
import { formatEntries } from '../../history/exchange/json.ts';
import { historyEntries, requireDistributions } from '../../history/read.ts';
import type { HistoryEntry } from '../../history/store/entry.ts';
import { makeFolder } from '../../host/files/make-folder.ts';
import { onDisk } from '../../host/files/output-folder.ts';
import { type HistoryPlaceFlags, requiredIndex, withHistory } from './history-place.ts';

type Writer = (entries: readonly HistoryEntry[], repository: string) => string;

const WRITERS = {
  csv: formatCsv,
  json: formatEntries,
  'github-action-benchmark': formatGab,
} as const satisfies Record<string, Writer>;

type ExportFormat = keyof typeof WRITERS;

export const EXPORT_FORMATS = Object.keys(WRITERS) as readonly ExportFormat[];

export interface HistoryExportFlags extends HistoryPlaceFlags {
  readonly format: ExportFormat;
  readonly suite?: string;
  readonly out?: string;
}

/** `wiregauge history export`: the runs in another format, in order of time, to a file or standard output. Exit code 0. */
export async function historyExportCommand(flags: HistoryExportFlags): Promise<number> {
  const { index, entries } = await withHistory(flags, async (store) => {
    const found = await requiredIndex(store);
    const runs = await historyEntries(store.read, found.segments);
    await requireDistributions(store.read, found.segments, runs);
    return { index: found, entries: runs };
  });
  const own = entries.filter(({ suite }) => flags.suite === undefined || suite === flags.suite);
  const ordered = own.sort((left, right) => (left.at === right.at ? 0 : left.at < right.at ? -1 : 1));
  const write: Writer = WRITERS[flags.format];
  const text = write(ordered, index.repository ?? '');
  const { out } = flags;
  if (out === undefined) {
    process.stdout.write(text);
    return 0;
  }
  await onDisk(out, async () => {
    await makeFolder(dirname(out));
    await writeFile(out, text);
  });
  process.stdout.write(`${out}: ${ordered.length} ${ordered.length === 1 ? 'run' : 'runs'}\n`);
  return 0;
}
