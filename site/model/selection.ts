import { type Series, seriesKey } from '../../src/history/store/entry.ts';
import type { PageState } from './state.ts';
import { seriesLabel } from './words.ts';

/** Names by which series can be filtered. */
export const FILTERS = ['service', 'operation', 'tier', 'metric'] as const;

export type Filter = (typeof FILTERS)[number];

/** Parts of the state that decide which series are shown. */
export type Selection = Pick<PageState, Filter | 'query'>;

/** Series prepared for search, so that each keystroke only compares. */
export interface SearchRow {
  readonly key: string;
  readonly series: Series;
  readonly text: string;
}

export function searchRows(series: readonly Series[]): readonly SearchRow[] {
  return series.map((one) => ({
    key: seriesKey(one),
    series: one,
    text: `${one.suite} ${one.service} ${one.operation} ${one.tier} ${one.metric} ${seriesLabel(one)}`.toLowerCase(),
  }));
}

/** Keys of the series with every chosen name and every search word. */
export function selected(rows: readonly SearchRow[], selection: Selection): ReadonlySet<string> {
  const words = selection.query
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  const fits = ({ series, text }: SearchRow) =>
    FILTERS.every((name) => selection[name] === undefined || series[name] === selection[name]) &&
    words.every((word) => text.includes(word));
  return new Set(rows.filter(fits).map(({ key }) => key));
}

/** Names that a filter offers, in order of first use. */
export function choices(series: readonly Series[], filter: Filter): readonly string[] {
  return [...new Set(series.map((one) => one[filter]))];
}

/** True if any series is hidden. */
export function isNarrowed(selection: Selection): boolean {
  return selection.query.trim() !== '' || FILTERS.some((name) => selection[name] !== undefined);
}
