import { neighborText } from '../../src/history/change-points/doubts.ts';
import type { HistoryChange } from '../../src/history/store/changes.ts';
import { seriesKey } from '../../src/history/store/entry.ts';
import {
  type ChangeGroup,
  changeGroups,
  environmentOf,
  levelsText,
  sizeText,
  statusText,
  turnOfChange,
} from '../model/changes.ts';
import { isWithin, lostSegments } from '../model/gaps.ts';
import { agoText, counted, dayText, seriesLabel, shown } from '../model/words.ts';
import { hashOf, type Session } from '../session.ts';
import { bisectButton } from './bisect.ts';
import { breakable, button, commitLink, element, note, onPlainClick, section, setCurrent } from './element.ts';

/** Number of commits that are listed at first, and of series for each. */
const FIRST_GROUPS = 4;
const FIRST_SERIES = 3;

/** Latest changes, newest first, with size, place and commit. */
export function changesSection(session: Session, now: number): HTMLElement {
  const groups = changeGroups(session.history().changes);
  const list = element('ol', { class: 'changes' });
  const more = element('p');
  let count = FIRST_GROUPS;
  const draw = () => {
    const known = list.children.length;
    list.append(...groups.slice(known, count).map((group) => groupItem(session, group, now)));
    const rest = groups.length - count;
    more.replaceChildren(...(rest > 0 ? [button(`${counted(rest, 'earlier change')}`, showMore)] : []));
  };
  const showMore = () => {
    const first = list.children.length;
    count += 10;
    draw();
    list.children[first]?.querySelector('a')?.focus();
  };
  draw();
  session.onChange(({ state }) => {
    if (state.series !== session.state().series) {
      markCurrent(list, session.state().series);
    }
  });
  markCurrent(list, session.state().series);
  const none = 'No series moved to another level. A change appears once its runs differ from the runs before it.';
  return section('changes', 'Recent changes', groups.length === 0 ? [note(none)] : [list, more]);
}

function groupItem(session: Session, group: ChangeGroup, now: number): HTMLElement {
  const { repository } = session.history().index;
  const [shownFirst, folded] = [group.changes.slice(0, FIRST_SERIES), group.changes.slice(FIRST_SERIES)];
  const subject = shown(group.subject ?? '', 120) || (group.commit === undefined ? `run ${shown(group.run, 40)}` : '');
  const items = (changes: readonly HistoryChange[]) =>
    element(
      'ul',
      {},
      changes.map((change) => changeItem(session, change)),
    );
  return element('li', { class: group.isPending ? 'pending' : `${group.turn}-item` }, [
    element('p', { class: 'commit' }, [
      element('bdi', { class: 'subject' }, [subject]),
      ' ',
      commitLink(group.commit, repository),
      element('span', { class: 'when' }, [
        ` ${dayText(group.at)}, ${agoText(group.at, now)}${lostText(session, group)}`,
      ]),
    ]),
    ...environmentOf(group).map((text) => element('p', { class: 'doubt' }, [text])),
    items(shownFirst),
    folded.length === 0
      ? undefined
      : element('details', {}, [element('summary', {}, [`${folded.length} more series`]), items(folded)]),
  ]);
}

/** In that case, no chart can show it. */
function lostText(session: Session, { run, changes }: ChangeGroup): string {
  const history = session.history();
  const isLost = !history.store.places.has(run) && isWithin(lostSegments(history), changes[0]?.at ?? '');
  return isLost ? '; its run cannot be read' : '';
}

function changeItem(session: Session, change: HistoryChange): HTMLElement {
  const tone = turnOfChange(change);
  // If no run can be read, there is no chart to link to.
  const isCharted = session.history().store.runs.length > 0;
  return element('li', {}, [
    element('span', { class: `size ${tone}` }, [sizeText(change)]),
    ' ',
    isCharted ? chartLink(session, change) : breakable(seriesLabel(change.series)),
    element('span', { class: 'levels' }, [
      [levelsText(change), statusText(change), neighborText(change)].filter((text) => text !== undefined).join('; '),
    ]),
    bisectButton(session, change),
  ]);
}

function chartLink(session: Session, change: HistoryChange): HTMLElement {
  const key = seriesKey(change.series);
  const part = { series: key, run: change.run, from: undefined, to: undefined, hidden: [] };
  const link = element('a', { href: hashOf(session.state(), part), 'data-series': key, 'data-run': change.run }, [
    breakable(seriesLabel(change.series)),
  ]);
  onPlainClick(link, () => session.change(part, 'push'));
  return link;
}

function markCurrent(list: HTMLElement, key: string | undefined): void {
  for (const link of list.querySelectorAll('a[data-series]')) {
    setCurrent(link, link.getAttribute('data-series') === key);
  }
}
