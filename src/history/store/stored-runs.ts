import { ADVISORY_RUNS } from '../../judge/stored/bound.ts';
import type { StoredRun } from '../../judge/stored/stored-run.ts';
import { stratumOf, toolsText } from '../../judge/stored/stored-run.ts';
import { isCounted, METRICS, type MetricName } from '../../model/metric.ts';
import type { HistoryChange } from './changes.ts';
import { isOfDefaultBranch } from './changes.ts';
import type { EntryVerdict, HistoryEntry } from './entry.ts';
import { hasOwnFigures, type Series, seriesKey } from './entry.ts';

/** What of a history a run is judged by. */
export interface BaselineChoice {
  readonly suite: string;
  /** The default branch, if somebody knows it. */
  readonly branch: string | undefined;
  readonly changes: readonly HistoryChange[];
}

/**
 * The stored runs that a new run of a suite is judged by: measured on the default branch, never imported, of a pull request or of
 * a fork. Of each series only what was measured since its last change point that is not pending, since that starts a new
 * window.
 */
export function storedRunsOf(entries: readonly HistoryEntry[], choice: BaselineChoice): readonly StoredRun[] {
  const own = entries.filter((entry) => entry.suite === choice.suite && isOfDefaultBranch(entry, choice.branch));
  const windows = windowsOf(own, choice.changes);
  return own.flatMap((entry) => storedRun(entry, windows));
}

/** The runs of a series since its last change point. */
interface Window {
  readonly from: string;
  /** Before it, what was suspicious was so against the old level: the new one had too few runs to say so. */
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

/** After every time. */
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
    if (value !== null && isMetric(metric) && isCurrent(series)) {
      const name = placeOf(series);
      cells.set(name, [...(cells.get(name) ?? []), [metric, value]]);
    }
  }
  return Object.fromEntries([...cells].map(([name, values]) => [name, Object.fromEntries(values)]));
}

/** Counts are compared with those of one commit alone. */
function isMetric(name: string): name is MetricName {
  return Object.hasOwn(METRICS, name) && !isCounted(name);
}

/** Values that never count as the past, as a baseline names them. */
function suspiciousOf(entry: HistoryEntry, windows: Windows): StoredRun['suspicious'] {
  return entry.verdicts.filter(isFlag).flatMap(({ series: place }) => {
    const series = entry.series[place];
    const isOld = series === undefined || entry.at < (windows.get(seriesKey(series))?.flagsFrom ?? '');
    return isOld ? [] : [`${placeOf(series)} ${series.metric}`];
  });
}

/** Of two versions a regression that nobody accepted. */
function isFlag({ verdict, accepted }: EntryVerdict): boolean {
  return verdict === 'suspicious' || (verdict === 'regressed' && accepted === undefined);
}

function placeOf({ service, operation, tier }: Series): string {
  return `${service}/${operation}/${tier}`;
}
