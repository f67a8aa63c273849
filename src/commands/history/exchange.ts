import { join } from 'node:path';
import packageFile from '../../../package.json' with { type: 'json' };
import { ConfigError } from '../../foundation/errors.ts';
import { counted } from '../../foundation/numbers.ts';
import { cleanText } from '../../foundation/text.ts';
import { BENCHMARK_TOOLS, type BenchmarkTool } from '../../history/adapters/adapters.ts';
import { BIGGER, SMALLER } from '../../history/adapters/github-action-benchmark.ts';
import type { LeftOut, ToolFailure } from '../../history/adapters/results.ts';
import { formatCsv, formatEntries, parseHistoryCsv, readEntries } from '../../history/exchange/csv.ts';
import { formatGab, withoutExported } from '../../history/exchange/export.ts';
import { readCustom, readGab, readToolOutput } from '../../history/exchange/import.ts';
import { pageFiles } from '../../history/folder.ts';
import { runsAdded } from '../../history/publish.ts';
import {
  type HistoryFiles,
  historyEntries,
  historyIndex,
  requireDistributions,
  requireIndex,
} from '../../history/reader.ts';
import { lostRuns } from '../../history/repair/lost.ts';
import { type HistoryEntry, oldestFirst } from '../../history/store/entry.ts';
import { HistoryError, timeText } from '../../history/store/fields.ts';
import { writeWholeFile } from '../../host/files/output.ts';
import { readText } from '../../host/files/reader.ts';
import { print, printJson, printLine } from '../../host/terminal/output.ts';
import { OWN_ROOT } from '../../project/own-root.ts';
import type { EXPORT_FORMATS, IMPORT_FORMATS } from '../program/options.ts';
import { printResult } from '../program/result.ts';
import { type HistoryPlaceFlags, requiredIndex, withHistory } from './place.ts';
import { nameRun } from './publish.ts';

type Writer = (entries: readonly HistoryEntry[], repository: string) => string;

type ExportFormat = (typeof EXPORT_FORMATS)[number];

const WRITERS: Readonly<Record<ExportFormat, Writer>> = {
  csv: formatCsv,
  json: formatEntries,
  'github-action-benchmark': formatGab,
};

interface HistoryExportFlags extends HistoryPlaceFlags {
  readonly format: ExportFormat;
  readonly suite?: string;
  readonly out?: string;
}

/** `wiregauge history export`: writes the runs in another format, in order of time, to a file or standard output. */
export async function historyExportCommand(flags: HistoryExportFlags): Promise<void> {
  const { index, entries } = await withHistory(flags, async (store) => {
    const found = await requiredIndex(store);
    const runs = await historyEntries(store.read, found.segments);
    await requireDistributions(store.read, found.segments, runs);
    return { index: found, entries: runs };
  });
  const own = entries.filter(({ suite }) => flags.suite === undefined || suite === flags.suite);
  const ordered = own.sort(oldestFirst);
  const text = WRITERS[flags.format](ordered, index.repository ?? '');
  const { out } = flags;
  if (out === undefined) {
    (flags.format === 'csv' ? print : printJson)(text);
    return;
  }
  await writeWholeFile(out, text);
  printLine(`${out}: ${counted(ordered.length, 'run')}`);
}

interface HistoryImportFlags extends HistoryPlaceFlags {
  readonly format: ImportFormat;
  /** Suite for custom files and benchmark tools, whose files do not name one. */
  readonly suite: string;
  readonly commit?: string;
  readonly at?: string;
}

interface Imported {
  readonly entries: readonly HistoryEntry[];
  /** Entries that the history lacks, if IDs alone do not decide. */
  readonly lackedBy?: (existing: readonly HistoryEntry[]) => readonly HistoryEntry[];
  readonly repository?: string;
  readonly failures?: readonly ToolFailure[];
  readonly leftOut?: readonly LeftOut[];
}

type Reader = (text: string, file: string, flags: HistoryImportFlags) => Imported;

type ImportFormat = (typeof IMPORT_FORMATS)[number];

const READERS: Readonly<Record<ImportFormat, Reader>> = {
  'github-action-benchmark': (text, file) => {
    const { entries, repository, leftOut } = readGab(text, file, nameRun);
    return { entries, repository, leftOut, lackedBy: (existing) => withoutExported(entries, existing, nameRun) };
  },
  'custom-smaller': (text, file, flags) => readCustom(text, file, factsOf(SMALLER, flags)),
  'custom-bigger': (text, file, flags) => readCustom(text, file, factsOf(BIGGER, flags)),
  csv: (text, file) => ({ entries: parseHistoryCsv({ file, text }, nameRun) }),
  json: (text, file) => ({ entries: readEntries(text, file) }),
  ...(Object.fromEntries(
    BENCHMARK_TOOLS.map((tool): [string, Reader] => [
      tool,
      (text, file, flags) => readToolOutput(text, file, factsOf(tool, flags)),
    ]),
  ) as Record<BenchmarkTool, Reader>),
};

function factsOf<Tool extends string>(tool: Tool, { suite, commit, at }: HistoryImportFlags) {
  return { tool, suite, commit, at: timeGiven(at), now: new Date().toISOString(), nameRun };
}

/** Time of `--at` as in the history; throws ConfigError for other text. */
function timeGiven(at: string | undefined): string | undefined {
  const time = at === undefined ? undefined : timeText(at);
  if (at !== undefined && time === undefined) {
    throw new ConfigError(`"${at}" is not a valid time`, { next: 'Use a time like 2026-11-21T10:00:00Z, in UTC.' });
  }
  return time;
}

/**
 * `wiregauge history import`: adds runs of another tool, or of an export, to a history; existing runs stay unchanged. Throws
 * HistoryError or ConfigError with the place for an unreadable file; nothing is written then.
 */
export async function historyImportCommand(file: string, flags: HistoryImportFlags): Promise<void> {
  const imported = importedFrom(file, flags);
  const runs = imported.entries.length;
  const found = counted(runs, 'run');
  await withHistory(flags, async (store) => {
    const { outcome } = await store.change(async (existing) => {
      const changes = await added(existing, imported);
      // A branch gets its page from the next run that is published; a folder has no later run that would write it.
      const page = flags.folder === undefined || changes.length === 0 ? [] : pageFiles(join(OWN_ROOT, 'dist', 'site'));
      return [...changes, ...page];
    }, `wiregauge: import ${runs} runs`);
    const others = othersOf(imported);
    const what =
      outcome === 'unchanged'
        ? `already has the ${found} of ${file}; nothing was written`
        : `imported ${found} from ${file}`;
    printResult(
      { command: 'history import', json: flags.json },
      { history: store.name, outcome, runs, ...others },
      `${store.name}: ${what}\n${othersText(others)}`,
    );
  });
}

/** An imported file has no earlier version. */
function importedFrom(file: string, flags: HistoryImportFlags): Imported {
  const text = readText(file, 'Pass the file to import.');
  try {
    return READERS[flags.format](text, file, flags);
  } catch (thrown) {
    throw thrown instanceof HistoryError && thrown.kind !== 'newer-schema'
      ? new ConfigError(thrown.message, {
          code: 'WG-602',
          cause: thrown,
          next: 'Fix the file, or export it again. Nothing was written.',
        })
      : thrown;
  }
}

/** Results of the file that entered no run, and series without a direction. */
function othersOf({ entries, failures = [], leftOut = [] }: Imported) {
  const series = entries.flatMap((entry) => entry.series.filter(({ better }) => better === 'unknown'));
  const named = series.map(({ suite, operation, metric, unit }) => ({ suite, name: operation, metric, unit }));
  const unknown = [...new Map(named.map((one) => [JSON.stringify(one), one])).values()];
  return { failures, leftOut, withoutDirection: unknown };
}

const MAX_LINES = 20;

function othersText({ failures, leftOut, withoutDirection }: ReturnType<typeof othersOf>): string {
  return [
    ...listed(failures.map(({ name, why }) => `failed, so it has no figure: ${name}: ${why}`)),
    ...listed(
      leftOut.map(({ name, metric, why }) => `left out: ${name}${metric === undefined ? '' : ` ${metric}`}: ${why}`),
    ),
    ...listed(
      withoutDirection.map(
        ({ name, metric, unit }) =>
          `no direction, so changes are neither better nor worse: ${name} ${metric}${unit === '' ? '' : ` (${unit})`}`,
      ),
    ),
  ].join('');
}

function listed(lines: readonly string[]): readonly string[] {
  const more = lines.length > MAX_LINES ? [`... and ${lines.length - MAX_LINES} more, with --json\n`] : [];
  return [...lines.slice(0, MAX_LINES).map((line) => `  ${cleanText(line, 300)}\n`), ...more];
}

/** Links keep the repository that the history already has. */
async function added(files: HistoryFiles, { entries, lackedBy, repository }: Imported) {
  const { read } = files;
  await requireIndex(files);
  const index = await historyIndex(read);
  const lacking = lackedBy?.(await historyEntries(read, index?.segments ?? [])) ?? entries;
  const isNew = index?.repository === undefined && /^https:\/\/[^\s]+$/.test(repository ?? '');
  return await runsAdded(
    read,
    lacking.map((entry) => ({ entry })),
    {
      wiregauge: packageFile.version,
      repository: isNew ? repository : undefined,
      lost: await lostRuns(files),
    },
  );
}
