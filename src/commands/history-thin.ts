import { thinnedHistory } from '../app/history/thin.ts';
import { type HistoryPlaceFlags, withHistory } from './history-place.ts';

export interface HistoryThinFlags extends HistoryPlaceFlags {
  /** Days in which every run stays. */
  readonly keep: number;
  readonly yes?: boolean;
  readonly dryRun?: boolean;
}

/**
 * `wiregauge history thin`: says which runs a rule lets go, and with `yes` lets them go. Exit code 0. Throws HistoryError, and
 * writes nothing, where any part of the history cannot be read.
 */
export async function historyThinCommand(flags: HistoryThinFlags): Promise<number> {
  const rule = { days: flags.keep, today: new Date().toISOString() };
  const isMeant = flags.yes === true && flags.dryRun !== true;
  await withHistory(flags, async (store) => {
    const { segments } = await thinnedHistory(store.read, rule);
    for (const { file, runs, gone } of segments) {
      process.stdout.write(`${file}: ${gone} of ${runs} runs ${isMeant ? 'go' : 'would go'}\n`);
    }
    const gone = segments.reduce((sum, segment) => sum + segment.gone, 0);
    if (gone === 0) {
      process.stdout.write(`${store.name}: every run stays\n`);
    } else if (isMeant) {
      const thin = async (read: typeof store.read) => (await thinnedHistory(read, rule)).changes;
      await store.change(thin, `wiregauge: thin the history by ${gone} runs`);
      process.stdout.write(`${store.name}: ${gone} runs went; the branch's own history still has them\n`);
    } else {
      process.stdout.write(`${store.name}: ${gone} runs would go; nothing was written. To let them go: --yes\n`);
    }
  });
  return 0;
}
