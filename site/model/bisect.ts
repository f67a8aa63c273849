import type { HistoryChange } from '../../src/history/store/changes.ts';
import { seriesKey } from '../../src/history/store/entry.ts';
import { METRICS } from '../../src/model/metric.ts';
import { isWorse } from './changes.ts';
import { figureAt, type Store } from './store.ts';

const SHA = /^[0-9a-f]{7,64}$/;

const NAME = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,79}$/;

/**
 * Command that finds the commit of a regression: between the run that it begins with and the one before, or its neighbor on either side if it may
 * equally begin there. Undefined if either was not read or has no commit, and for names that a shell could misinterpret: they are untrusted text.
 */
export function bisectCommand(store: Store, change: HistoryChange): string | undefined {
  const { service, metric, suite } = change.series;
  const [first, last] = beginnings(change);
  const [bad, good] = [last.commit, commitBefore(store, { ...first, series: change.series })];
  const isPlain = [service, suite].every((name) => NAME.test(name)) && Object.hasOwn(METRICS, metric);
  if (!isWorse(change) || !isPlain || bad === undefined || good === undefined || !SHA.test(bad) || bad === good) {
    return undefined;
  }
  const suites = new Set([...store.series.values()].map((one) => one.suite));
  const named = suites.size > 1 ? ` --suite ${suite}` : '';
  return `npx wiregauge bisect --good ${good.slice(0, SHORT)} --bad ${bad.slice(0, SHORT)} --service ${service} --metric ${metric}${named}`;
}

const SHORT = 12;

/** First and last run that a change may begin with. */
function beginnings(change: HistoryChange): readonly [HistoryChange | Neighbor, HistoryChange | Neighbor] {
  const { neighbor } = change;
  if (neighbor === undefined) {
    return [change, change];
  }
  return neighbor.at < change.at ? [neighbor, change] : [change, neighbor];
}

type Neighbor = NonNullable<HistoryChange['neighbor']>;

/** Commit of the newest run before a change that has a figure of its series. */
function commitBefore(store: Store, { run, series }: Pick<HistoryChange, 'run' | 'series'>): string | undefined {
  const key = seriesKey(series);
  for (let place = (store.places.get(run) ?? 0) - 1; place >= 0; place -= 1) {
    if (figureAt(store, key, place) !== undefined) {
      const sha = store.runs[place]?.sha;
      return sha !== undefined && SHA.test(sha) ? sha : undefined;
    }
  }
  return undefined;
}
