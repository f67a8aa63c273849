import type { Series } from '../../src/history/store/entry.ts';
import { lastChanges } from '../model/changes.ts';
import { endedSeries } from '../model/ended.ts';
import { inOrder, seriesGroups } from '../model/grouping.ts';
import { isNarrowed, type SearchRow, searchRows, selected } from '../model/selection.ts';
import { counted } from '../model/words.ts';
import type { Session } from '../session.ts';
import { element, section, setCurrent } from './element.ts';
import { filterControls } from './filters.ts';
import { groupFolds } from './group-folds.ts';
import { countText, type ListGroup, listGroup } from './series-group.ts';

/**
 * All series by service and operation, with filters above; selecting one shows its chart. On a narrow screen only the group of the linked series is
 * open. Series that only older runs have are added when these are read.
 */
export function seriesSection(session: Session, linked: string | undefined): HTMLElement {
  const count = element('p', { class: 'note', role: 'status' });
  const boxes = element('div', { class: 'groups' });
  const [filters, folds] = [filterControls(session), groupFolds(session, linked)];
  let list: List = { groups: [], search: [] };
  const update = () => {
    const { series } = session.history().store;
    if (series.size !== list.search.length) {
      const all = inOrder([...series.values()]);
      list = listOf(session, all);
      filters.offer(all);
      folds.follow(list.groups);
      boxes.replaceChildren(...list.groups.map(({ box }) => box));
    }
    narrow(session, list, count);
  };
  session.onChange(update);
  update();
  return section('series', 'All series', [filters.node, count, boxes]);
}

interface List {
  readonly groups: readonly ListGroup[];
  readonly search: readonly SearchRow[];
}

function listOf(session: Session, all: readonly Series[]): List {
  const changes = lastChanges(session.history().changes);
  return {
    groups: seriesGroups(all, endedSeries(session.history().store)).map((group) => listGroup(session, group, changes)),
    search: searchRows(all),
  };
}

function narrow(session: Session, { groups, search }: List, count: HTMLElement): void {
  const state = session.state();
  const keys = selected(search, state);
  for (const { box, rows, count: own } of groups) {
    for (const { key, row, link } of rows) {
      setHidden(row, !keys.has(key));
      setCurrent(link, key === state.series);
    }
    const left = rows.filter(({ key }) => keys.has(key));
    setHidden(box, left.length === 0);
    setText(own, countText(rows, left));
  }
  const text =
    keys.size === 0
      ? 'No series matches. Remove a filter.'
      : `${isNarrowed(state) ? `${keys.size} of ` : ''}${counted(search.length, 'series')}; the latest run against the median of the 30 before it, and the last change point; ? means pending.`;
  setText(count, text);
}

/** Only changes are written, since every write costs a layout. */
function setText(node: HTMLElement, text: string): void {
  if (node.textContent !== text) {
    node.textContent = text;
  }
}

function setHidden(node: HTMLElement, isHidden: boolean): void {
  if (node.hidden !== isHidden) {
    node.hidden = isHidden;
  }
}
