import { anchorOf, type HistoryChange, type Series, seriesKey } from '../../src/history/store/index.ts';
import { changeGroups } from './changes.ts';
import { isWithin, type Losses, lostSegments } from './gaps.ts';
import { inOrder } from './grouping.ts';
import type { PageState } from './state.ts';
import type { Store } from './store.ts';

/** A metric that says most where nothing else does; CPU time is the steadiest. */
const TELLING = ['cpuMicrosPerRequest', 'latencyP95Ms', 'latencyP50Ms'];

/**
 * The series that a page without a choice opens with, one of ratios to the newest anchor if there are any: the newest change for the worse, else any change, else the most telling one.
 * Changes that no chart can show, as their runs cannot be read, are not opened with.
 */
export function opening(history: Opened, { series }: PageState): string | undefined {
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
      ({ isWorse }) => isWorse,
    );
    const found = worse?.changes[0]?.series ?? telling(all.filter(isOwn));
    return found && seriesKey(found);
  }
  const groups = changeGroups(known);
  const group = groups.find(({ isWorse, isPending }) => isWorse && !isPending) ?? groups[0];
  const found = group?.changes[0]?.series ?? telling(all);
  return found && seriesKey(found);
}

interface Opened extends Losses {
  readonly store: Store;
  readonly changes: readonly HistoryChange[];
}

function telling(all: readonly Series[]): Series | undefined {
  const found = TELLING.flatMap((metric) => all.find((one) => one.metric === metric) ?? []);
  return found[0] ?? all[0];
}
