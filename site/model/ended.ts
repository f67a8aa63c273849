import { ALIVE_RUNS } from '../../src/history/store/changes.ts';
import { anchorOf, seriesKey } from '../../src/history/store/entry.ts';
import { figureAt, type Store } from './store.ts';

/** Keys of series that have ended; those of ratios to an earlier anchor ended with it. */
export function endedSeries(store: Store): ReadonlySet<string> {
  const newest = newestPlaces(store);
  const anchors = new Map(
    store.runs.flatMap(({ suite, anchor }) => (anchor === undefined ? [] : [[suite, anchor.name]])),
  );
  const ended = [...store.series].filter(([key, series]) => {
    const anchor = anchorOf(series);
    const places = newest.get(seriesPlace(series.suite, anchor !== undefined)) ?? [];
    const isOfEarlier = anchor !== undefined && anchor !== anchors.get(series.suite);
    return (
      isOfEarlier || (places.length >= ALIVE_RUNS && places.every((place) => figureAt(store, key, place) === undefined))
    );
  });
  return new Set(ended.map(([, series]) => seriesKey(series)));
}

function newestPlaces({ runs }: Store): ReadonlyMap<string, readonly number[]> {
  const newest = new Map<string, number[]>();
  for (let place = runs.length - 1; place >= 0; place -= 1) {
    const { suite = '', anchor } = runs[place] ?? {};
    const name = seriesPlace(suite, anchor !== undefined);
    const places = newest.get(name) ?? [];
    newest.set(name, places);
    if (places.length < ALIVE_RUNS) {
      places.push(place);
    }
  }
  return newest;
}

function seriesPlace(suite: string, isAnchored: boolean): string {
  return JSON.stringify([suite, isAnchored]);
}
