import { ADVISORY_RUNS } from '../../judge/stored/bound.ts';
import { type StoredRun, stratumOf, toolsText } from '../../judge/stored/stored-run.ts';
import { isCounted, type MetricName } from '../../model/metric.ts';
import { type HistoryChange, isOfDefaultBranch } from './changes.ts';
import { type HistoryEntry, hasOwnFigures, isMetric, type Series, seriesKey } from './entry.ts';

/** Choice of the runs of a history that a run is judged by. */
export interface BaselineChoice {
  readonly suite: string;
  /** Default branch, if known. */
  readonly branch: string | undefined;
  readonly changes: readonly HistoryChange[];
}

/**
 * Stored runs that a new run of a suite is judged by: measured on the default branch, never imported or of a pull request. Each series
 * starts at its last change point that is not pending.
 */
export function storedRunsOf(entries: readonly HistoryEntry[], choice: BaselineChoice): readonly StoredRun[] {
  const own = entries.filter((entry) => entry.suite === choice.suite && isOfDefaultBranch(entry, choice.branch));
  const windows = windowsOf(own, choice.changes);
  return own.flatMap((entry) => storedRun(entry, windows));
}

interface Window {
  readonly from: string;
  /** Earlier suspicions are ignored: they refer to the old level, since the new one had too few runs. */
  readonly flagsFrom: string;
}

type Windows = ReadonlyMap<string, Window>;

function windowsOf(entries: readonly HistoryEntry[], changes: readonly HistoryChange[]): Windows {
  const starts = new Map<string, string>();
  for (const { series, at } of changes.filter(({ pending }) => !pending)) {
    const key = seriesKey(series);
    const known = starts.get(key);
    starts.set(key, known === undefined || known < at ? at : known);
  }
  return new Map([...starts].map(([key, from]) => [key, { from, flagsFrom: flagsFrom(entries, key, from) }]));
}

function flagsFrom(entries: readonly HistoryEntry[], key: string, from: string): string {
  const since = entries.filter(({ at, series }) => at >= from && series.some((one) => seriesKey(one) === key));
  return since.map(({ at }) => at).sort()[ADVISORY_RUNS] ?? NEVER;
}

/** Sorts after every time. */
const NEVER = '~';

function storedRun(entry: HistoryEntry, windows: Windows): readonly StoredRun[] {
  const { runner, settings, commit, controlMs, outcome, counts } = entry;
  if (!hasOwnFigures(entry) || runner === undefined || settings === undefined || outcome === 'incomplete') {
    return [];
  }
  const isCurrent = (series: Series) => entry.at >= (windows.get(seriesKey(series))?.from ?? '');
  return [
    {
      startedAt: entry.at,
      ...(commit !== undefined && { commit: commit.sha }),
      dirty: commit?.dirty === true,
      stratum: stratumOf(runner),
      configuration: { ...settings, tools: toolsText(entry.tools) },
      ...(controlMs !== undefined && controlMs > 0 && { controlMs }),
      rounds: Math.max(1, entry.rounds),
      note: entry.links.run ?? 'from the history',
      suspicious: suspiciousOf(entry, windows),
      cells: cellsOf(entry, isCurrent),
      ...(counts !== undefined && { counts }),
    },
  ];
}

function cellsOf(entry: HistoryEntry, isCurrent: (series: Series) => boolean): StoredRun['cells'] {
  const cells = new Map<string, [MetricName, number][]>();
  for (const [place, series] of entry.series.entries()) {
    const value = entry.values[place] ?? null;
    const { metric } = series;
    // Counts are only compared with those of a single commit.
    if (value !== null && isMetric(metric) && !isCounted(metric) && isCurrent(series)) {
      const name = placeOf(series);
      cells.set(name, [...(cells.get(name) ?? []), [metric, value]]);
    }
  }
  return Object.fromEntries([...cells].map(([name, values]) => [name, Object.fromEntries(values)]));
}

/** Suspicious values, which are excluded from baselines. */
function suspiciousOf(entry: HistoryEntry, windows: Windows): StoredRun['suspicious'] {
  const flags = entry.verdicts.filter(
    ({ verdict, accepted }) => verdict === 'suspicious' || (verdict === 'regressed' && accepted === undefined),
  );
  return flags.flatMap(({ series: place }) => {
    const series = entry.series[place];
    const isOld = series === undefined || entry.at < (windows.get(seriesKey(series))?.flagsFrom ?? '');
    return isOld ? [] : [`${placeOf(series)} ${series.metric}`];
  });
}

function placeOf({ service, operation, tier }: Series): string {
  return `${service}/${operation}/${tier}`;
}
