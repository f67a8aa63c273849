import type { HistoryChange } from '../../src/history/store/changes.ts';
import { anchorOf, type Series, seriesKey } from '../../src/history/store/entry.ts';
import type { SegmentRow } from '../../src/history/store/index-file.ts';
import { changeGroups } from './changes.ts';
import { OPENING_RUNS } from './chart.ts';
import { isWithin, type Losses, lostSegments } from './gaps.ts';
import { inOrder } from './grouping.ts';
import type { PageState } from './state.ts';
import type { Store } from './store.ts';

/** Most informative metrics by default; CPU time is the steadiest. */
const TELLING = ['cpuMicrosPerRequest', 'latencyP95Ms', 'latencyP50Ms'];

/**
 * Series of a page without a selection, one of ratios to the newest anchor if there are any: the newest regression, else any change, else the most
 * informative one. Changes that no chart can show because their runs are unreadable are not selected. The run is that of a change which the newest
 * runs do not show; none if too much would have to be read for it.
 */
export function opening(history: Opened, { series }: PageState): Partial<PageState> | undefined {
  if (series !== undefined) {
    return undefined;
  }
  const { store, changes } = history;
  const lost = lostSegments(history);
  const known = changes.filter(
    ({ series: changed, run, at }) =>
      store.series.has(seriesKey(changed)) && (store.places.has(run) || !isWithin(lost, at)),
  );
  const all = inOrder([...store.series.values()]);
  const anchor = all[0] && anchorOf(all[0]);
  if (anchor !== undefined) {
    const isOwn = (one: Series) => anchorOf(one) === anchor;
    const worse = changeGroups(known.filter((change) => isOwn(change.series) && !change.pending)).find(
      ({ turn }) => turn === 'worse',
    );
    return openedWith(history, worse?.changes[0], informative(all.filter(isOwn)));
  }
  const groups = changeGroups(known);
  const group = groups.find(({ turn, isPending }) => turn === 'worse' && !isPending) ?? groups[0];
  return openedWith(history, group?.changes[0], informative(all));
}

function openedWith(
  { store, unread }: Opened,
  change: HistoryChange | undefined,
  otherwise: Series | undefined,
): Partial<PageState> | undefined {
  const series = change?.series ?? otherwise;
  if (series === undefined || change === undefined) {
    return series && { series: seriesKey(series) };
  }
  const place = store.places.get(change.run);
  const isNew = place !== undefined && place >= store.runs.length - OPENING_RUNS;
  const older = unread.filter(({ to }) => to >= change.at).length;
  return isNew || older > MAX_OLDER ? { series: seriesKey(series) } : { series: seriesKey(series), run: change.run };
}

/** Maximum number of older segments that are read for the change that the page opens with. A link to a change has no limit. */
const MAX_OLDER = 2;

interface Opened extends Losses {
  readonly store: Store;
  readonly changes: readonly HistoryChange[];
  readonly unread: readonly SegmentRow[];
}

function informative(all: readonly Series[]): Series | undefined {
  const found = TELLING.flatMap((metric) => all.find((one) => one.metric === metric) ?? []);
  return found[0] ?? all[0];
}
