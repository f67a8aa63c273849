import { ConfigError } from '../../foundation/errors.ts';
import { cleanText } from '../../foundation/text.ts';
import { newestSegments, presentEntries, requireDistributions, storedChanges } from '../../history/reader.ts';
import { allLostRuns } from '../../history/repair/lost.ts';
import { type HistoryEntry, oldestFirst, plainSeries } from '../../history/store/entry.ts';
import type { LostRuns } from '../../history/store/index-file.ts';
import { isPiped, printLine } from '../../host/terminal/output.ts';
import type { Paint } from '../../report/render/lines.ts';
import { historyList, historyRun } from '../../report/stored/history.ts';
import { printResult, terminalPaint } from '../program/result.ts';
import { type HistoryPlaceFlags, lostLine, requiredIndex, withHistory } from './place.ts';

interface HistoryListFlags extends HistoryPlaceFlags {
  readonly suite?: string;
  readonly last: number;
}

/** `wiregauge history list`: the newest runs, the newest first. Throws HistoryError if the history cannot be read. */
export async function historyListCommand(flags: HistoryListFlags): Promise<void> {
  const { newest, lost } = await withHistory(flags, async (store) => {
    const index = await requiredIndex(store);
    const segments = flags.suite === undefined ? newestSegments(index, flags.last) : index.segments;
    const entries = await presentEntries(store.read, index, segments);
    const own = entries.filter(({ suite }) => flags.suite === undefined || suite === flags.suite);
    const listed = own.sort((left, right) => oldestFirst(right, left)).slice(0, flags.last);
    await requireDistributions(store.read, segments, listed);
    return { newest: listed, lost: await allLostRuns(store, index) };
  });
  printLost(lost);
  printResult(
    { command: 'history list', json: flags.json },
    { runs: newest.map(withPlainSeries), lost },
    newest.length === 0 ? 'no runs\n' : historyList(newest, rowPaint()),
  );
}

/**
 * `wiregauge history show`: prints one run, selected by its ID or the beginning of it, with the changes that begin with it. Throws
 * ConfigError if no run or several match.
 */
export async function historyShowCommand(run: string, flags: HistoryPlaceFlags): Promise<void> {
  const { entry, changes, lost } = await withHistory(flags, async (store) => {
    const index = await requiredIndex(store);
    const named = namedRun(await presentEntries(store.read, index), run, store.name);
    await requireDistributions(store.read, index.segments, [named]);
    const own = (await storedChanges(store.read)).filter((change) => change.run === named.run);
    return { entry: named, changes: own, lost: await allLostRuns(store, index) };
  });
  printLost(lost);
  printResult(
    { command: 'history show', json: flags.json },
    { run: withPlainSeries(entry), changes, lost },
    historyRun(entry, changes, rowPaint()),
  );
}

function withPlainSeries(entry: HistoryEntry): object {
  return { ...entry, series: entry.series.map(plainSeries) };
}

/** Paint with a line for each run in the input of other programs. */
function rowPaint(): Paint {
  return { ...terminalPaint(), ...(isPiped() && { columns: Number.POSITIVE_INFINITY }) };
}

function printLost(lost: LostRuns | undefined): void {
  if (lost !== undefined) {
    printLine(`wiregauge: ${lostLine(lost)}`, 'err');
  }
}

function namedRun(entries: readonly HistoryEntry[], name: string, place: string): HistoryEntry {
  const fitting = entries.filter(({ run }) => run.startsWith(name));
  const named = fitting.find(({ run }) => run === name) ?? (fitting.length === 1 ? fitting[0] : undefined);
  if (named !== undefined) {
    return named;
  }
  const found = fitting.length === 0 ? 'no run' : `${fitting.length} runs`;
  throw new ConfigError(`${place} has ${found} whose ID starts with "${cleanText(name, 80)}"`, {
    code: 'WG-604',
    next: '`wiregauge history list` shows the IDs.',
  });
}
