import { counted } from '../../foundation/numbers.ts';
import type { HistoryFiles } from '../../history/reader.ts';
import { thinnedHistory } from '../../history/repair/thin.ts';
import { printLine } from '../../host/terminal/output.ts';
import { printResult } from '../program/result.ts';
import { type HistoryPlaceFlags, withHistory } from './place.ts';

interface HistoryThinFlags extends HistoryPlaceFlags {
  /** Age in days up to which every run stays. */
  readonly keep: number;
  readonly yes?: boolean;
  readonly dryRun?: boolean;
}

/**
 * `wiregauge history thin`: lists the runs that a rule deletes, and with `yes` deletes them. Throws HistoryError, and writes nothing,
 * if any part of the history cannot be read.
 */
export async function historyThinCommand(flags: HistoryThinFlags): Promise<void> {
  const rule = { days: flags.keep, today: new Date().toISOString() };
  const isMeant = flags.yes === true && flags.dryRun !== true;
  await withHistory(flags, async (store) => {
    const { segments } = await thinnedHistory(store.read, rule);
    const gone = segments.reduce((sum, segment) => sum + segment.gone, 0);
    const options = { command: 'history thin', json: flags.json };
    // Before anything is deleted.
    for (const { file, runs, gone: own } of flags.json === true ? [] : segments) {
      printLine(`${file}: ${own} of ${runs} runs ${isMeant ? 'are' : 'would be'} deleted`);
    }
    if (isMeant && gone > 0) {
      const thin = async ({ read }: HistoryFiles) => (await thinnedHistory(read, rule)).changes;
      await store.change(thin, `wiregauge: thin the history by ${gone} runs`);
    }
    const isWritten = isMeant && gone > 0;
    printResult(
      options,
      { history: store.name, outcome: isWritten ? 'written' : 'unchanged', gone, segments },
      `${store.name}: ${endText(gone, isMeant, flags)}\n`,
    );
  });
}

function endText(gone: number, isMeant: boolean, { folder }: HistoryPlaceFlags): string {
  if (gone === 0) {
    return 'all runs are kept';
  }
  const runs = counted(gone, 'run');
  const keeper = folder === undefined ? "the branch's own history" : "only a copy or the folder's own version control";
  return isMeant
    ? `${runs} deleted; ${keeper} still has them`
    : `${runs} would be deleted; nothing was written. To delete them: --yes`;
}
