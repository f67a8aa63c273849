import type { HistoryChange } from '../../src/core/history-store/changes.ts';
import { type Series, seriesKey } from '../../src/core/history-store/series.ts';
import { formatChange, NO_FIGURE } from '../../src/core/reading-numbers.ts';
import { isWorse, type LastChanges, lastChanges } from '../model/changes.ts';
import { inOrder, type SeriesGroup, seriesGroups } from '../model/grouping.ts';
import { latestFigures, recentPath } from '../model/latest.ts';
import { isNarrowed, type SearchRow, searchRows, selected } from '../model/selection.ts';
import { counted, dayText, figureText, metricTitle, tierLabel } from '../model/words.ts';
import { hashOf, type Session } from '../session.ts';
import { drawing, element, section, tableRow } from './element.ts';
import { filterControls } from './filters.ts';

/** A row of the list and what decides whether it is shown. */
interface ListRow {
  readonly key: string;
  readonly row: HTMLTableRowElement;
  readonly link: HTMLAnchorElement;
}

interface ListGroup {
  readonly box: HTMLElement;
  readonly rows: readonly ListRow[];
}

/** All series by service and operation, with filters above; choosing one shows its chart. */
export function seriesSection(session: Session): HTMLElement {
  const all = inOrder([...session.history().store.series.values()]);
  const search = searchRows(all);
  const changes = lastChanges(session.history().changes);
  const groups = seriesGroups(all).map((group) => listGroup(session, group, changes));
  const count = element('p', { class: 'note', role: 'status' });
  const update = () => narrow(session, { groups, search, count });
  session.onChange(update);
  update();
  return section('series', 'All series', [
    filterControls(session, all),
    count,
    element(
      'div',
      { class: 'groups' },
      groups.map(({ box }) => box),
    ),
  ]);
}

interface List {
  readonly groups: readonly ListGroup[];
  readonly search: readonly SearchRow[];
  readonly count: HTMLElement;
}

function narrow(session: Session, { groups, search, count }: List): void {
  const state = session.state();
  const keys = selected(search, state);
  for (const { box, rows } of groups) {
    for (const { key, row, link } of rows) {
      setHidden(row, !keys.has(key));
      setCurrent(link, key === state.series);
    }
    setHidden(box, !rows.some(({ key }) => keys.has(key)));
  }
  const text =
    keys.size === 0
      ? 'No series fits. Take a filter away.'
      : `${isNarrowed(state) ? `${keys.size} of ` : ''}${counted(search.length, 'series')}; the latest run against the median of the 30 before it, and the last change point; ? is a pending one.`;
  if (count.textContent !== text) {
    count.textContent = text;
  }
}

function setCurrent(link: HTMLElement, isCurrent: boolean): void {
  if (isCurrent) {
    link.setAttribute('aria-current', 'true');
  } else if (link.hasAttribute('aria-current')) {
    link.removeAttribute('aria-current');
  }
}

/** Only what changes is written: every write costs a layout. */
function setHidden(node: HTMLElement, isHidden: boolean): void {
  if (node.hidden !== isHidden) {
    node.hidden = isHidden;
  }
}

function listGroup(session: Session, group: SeriesGroup, changes: LastChanges): ListGroup {
  const rows = group.series.map((series) => listRow(session, series, changes));
  const heads = ['tier', 'latest', 'off median', 'last change', 'last 60 runs'].map((text, index) =>
    element('th', { scope: 'col', class: index === 0 || index > 2 ? 'text' : undefined }, [text]),
  );
  const table = element('table', {}, [
    element('caption', {}, [group.title]),
    element('thead', {}, [element('tr', {}, [element('td'), ...heads])]),
    element(
      'tbody',
      {},
      rows.map(({ row }) => row),
    ),
  ]);
  const box = element('div', { class: 'scroll group', role: 'region', tabindex: 0, 'aria-label': group.title }, [
    table,
  ]);
  return { box, rows };
}

function listRow(session: Session, series: Series, changes: LastChanges): ListRow {
  const key = seriesKey(series);
  const part = { series: key, hidden: [] };
  const link = element('a', { href: hashOf(session.state(), part) }, [metricTitle(series.metric)]);
  link.addEventListener('click', (event) => {
    if (!event.ctrlKey && !event.metaKey && !event.shiftKey) {
      event.preventDefault();
      session.change(part, 'push');
      document.getElementById('chart')?.scrollIntoView({ block: 'start' });
    }
  });
  const { latest, change, standing, recent } = latestFigures(session.history().store, series);
  const row = tableRow(link, [
    element('td', { class: 'text' }, [tierLabel(series.tier)]),
    figureText(series, latest),
    element('td', { class: standing }, [change === undefined ? NO_FIGURE : formatChange(change)]),
    lastChangeCell(changes.get(key)),
    element('td', { class: 'recent' }, [recentLine(recent, standing)]),
  ]);
  return { key, row, link };
}

/** The newest change point: a series that got slower a month ago is not off its median any more. */
function lastChangeCell(change: HistoryChange | undefined): HTMLTableCellElement {
  return change === undefined
    ? element('td', { class: 'text same' }, [NO_FIGURE])
    : element('td', { class: 'text since' }, [
        element('span', { class: isWorse(change) ? 'worse' : 'better' }, [formatChange(change.shift)]),
        element('small', {}, [` ${dayText(Date.parse(change.at))}${change.pending ? '?' : ''}`]),
      ]);
}

function recentLine(values: readonly number[], standing: string): SVGElement {
  const [width, height] = [64, 18];
  const path = values.length < 2 ? 'M0 7H64' : recentPath(values, width, height - 4);
  return drawing('svg', { viewBox: `-2 -2 ${width + 4} ${height}`, width: width + 4, height, 'aria-hidden': 'true' }, [
    drawing('path', { class: `recent-line ${standing}`, d: path }),
  ]);
}
