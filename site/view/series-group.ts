import { NO_FIGURE } from '../../src/foundation/numbers.ts';
import type { HistoryChange } from '../../src/history/store/changes.ts';
import { type Series, seriesKey } from '../../src/history/store/entry.ts';
import { isErrorRate } from '../../src/model/metric.ts';
import { type LastChanges, shiftText, turnOfChange } from '../model/changes.ts';
import type { SeriesGroup } from '../model/grouping.ts';
import { type LatestFigures, lastFigures, latestFigures, recentPath } from '../model/latest.ts';
import {
  counted,
  dayText,
  differenceText,
  figureText,
  seriesLabel,
  seriesMetricTitle,
  shown,
  tierLabel,
} from '../model/words.ts';
import { hashOf, type Session } from '../session.ts';
import { breakable, drawing, element, onPlainClick, scrollTable, tableRow } from './element.ts';

/** Row of the list, and the data that determines whether it is shown. */
interface ListRow {
  readonly key: string;
  readonly row: HTMLTableRowElement;
  readonly link: HTMLAnchorElement;
  readonly status: LatestFigures['status'];
  /** Distance from its median. */
  readonly size: number;
}

/** Folding heading of the list: when closed, it shows the status of its series. */
export interface ListGroup {
  readonly id: string;
  readonly kind: SeriesGroup['kind'];
  readonly box: HTMLDetailsElement;
  readonly rows: readonly ListRow[];
  /** Shows how many of the rows are visible. */
  readonly count: HTMLElement;
}

/** Series below one heading. The browser's own search still finds folded content, and opens it. */
export function listGroup(session: Session, group: SeriesGroup, changes: LastChanges): ListGroup {
  const rows = inChangedOrder(
    group.kind,
    group.series.map((series) => listRow(session, series, group.kind, changes)),
  );
  const table = scrollTable(
    group.title,
    ['', ...HEADS[group.kind]],
    rows.map(({ row }) => row),
    'quiet',
  );
  const count = element('span', { class: 'note' });
  const box = element('details', { class: group.kind === 'own' ? 'group' : 'group whole' }, [
    element('summary', {}, [element('h3', {}, [breakable(group.title)]), ' ', count]),
    table,
  ]);
  return { id: group.id, kind: group.kind, box, rows, count };
}

const LIVE_HEADS = ['latest', 'vs. median', '·last change', '·last 60 runs'];

const HEADS: Readonly<Record<SeriesGroup['kind'], readonly string[]>> = {
  own: ['·tier', ...LIVE_HEADS],
  imported: ['·suite', ...LIVE_HEADS],
  ended: ['·suite', 'last figure', 'measured', '·last change', '·last 60 runs'],
};

/** Order of many benchmarks: worse ones, then better ones, the largest change first. */
function inChangedOrder(kind: SeriesGroup['kind'], rows: readonly ListRow[]): readonly ListRow[] {
  const order = ['worse', 'better', 'same'];
  return kind === 'imported'
    ? rows.toSorted((left, right) => order.indexOf(left.status) - order.indexOf(right.status) || right.size - left.size)
    : rows;
}

/** "5 of 20 series, 1 worse". */
export function countText(all: readonly ListRow[], left: readonly ListRow[]): string {
  const some = left.length < all.length ? `${left.length} of ` : '';
  const counts = (['worse', 'better'] as const).map((word) => ({
    word,
    count: left.filter(({ status }) => status === word).length,
  }));
  return [
    `${some}${counted(all.length, 'series')}`,
    ...counts.filter(({ count }) => count > 0).map(({ word, count }) => `${count} ${word}`),
  ].join(', ');
}

function listRow(session: Session, series: Series, kind: SeriesGroup['kind'], changes: LastChanges): ListRow {
  const key = seriesKey(series);
  const part = { series: key, hidden: [] };
  const link = element('a', { href: hashOf(session.state(), part) }, [
    breakable(kind === 'own' ? seriesMetricTitle(series) : seriesLabel(series)),
  ]);
  onPlainClick(link, () => {
    session.change(part, 'push');
    document.getElementById('chart')?.scrollIntoView({ block: 'start' });
  });
  const { store } = session.history();
  const place = element('td', { class: 'text' }, [
    breakable(kind === 'own' ? tierLabel(series) : shown(series.suite, 60)),
  ]);
  if (kind === 'ended') {
    const { value, at, recent } = lastFigures(store, key);
    const cells = [place, figureText(series, value), at === undefined ? NO_FIGURE : dayText(at)];
    const drawn = [lastChangeCell(changes.get(key)), element('td', { class: 'recent' }, [recentLine(recent, 'same')])];
    return { key, row: tableRow(link, [...cells, ...drawn]), link, status: 'same', size: 0 };
  }
  const { latest, change, status, recent } = latestFigures(store, series);
  const row = tableRow(link, [
    place,
    figureText(series, latest),
    element('td', { class: status }, [differenceText(series, change)]),
    lastChangeCell(changes.get(key)),
    element('td', { class: 'recent' }, [recentLine(recent, status)]),
  ]);
  return { key, row, link, status, size: Math.abs(change ?? 0) };
}

/** Newest change point: a series that got slower a month ago no longer differs from its median. */
function lastChangeCell(change: HistoryChange | undefined): HTMLTableCellElement {
  return change === undefined
    ? element('td', { class: 'text same' }, [NO_FIGURE])
    : element('td', { class: 'text since' }, [
        element('span', { class: `${turnOfChange(change)}${isErrorRate(change.series) ? ' shares' : ''}` }, [
          shiftText(change),
        ]),
        element('small', {}, [` ${dayText(Date.parse(change.at))}${change.pending ? '?' : ''}`]),
      ]);
}

function recentLine(values: readonly number[], status: string): SVGElement {
  const [width, height] = [64, 18];
  const path = values.length < 2 ? 'M0 7H64' : recentPath(values, width, height - 4);
  return drawing('svg', { viewBox: `-2 -2 ${width + 4} ${height}`, width: width + 4, height, 'aria-hidden': 'true' }, [
    drawing('path', { class: `recent-line ${status}`, d: path }),
  ]);
}
