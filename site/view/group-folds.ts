import { FILTERS, isNarrowed } from '../model/selection.ts';
import type { PageState } from '../model/state.ts';
import type { Session } from '../session.ts';
import type { ListGroup } from './series-group.ts';

/** Where groups stand below each other all of them at once are too long to scroll past; the page's style has the same width. */
const BELOW_EACH_OTHER = '(max-width: 64rem)';

/**
 * Opens the groups that there is a reason to look into: all on a wide screen, that of the linked series, that of a series which is
 * chosen later, and while something is searched for all that have it. When the search ends they are as they were.
 */
export function foldGroups(session: Session, groups: readonly ListGroup[], linked: string | undefined): void {
  const isNarrow = matchMedia(BELOW_EACH_OTHER).matches;
  for (const group of groups) {
    group.box.open = !isNarrow || has(group, linked);
  }
  let before: readonly boolean[] | undefined;
  const search = () => {
    if (isNarrowed(session.state())) {
      before ??= groups.map(({ box }) => box.open);
      setOpen(groups, () => true);
    } else if (before !== undefined) {
      const known = before;
      before = undefined;
      setOpen(groups, (_, place) => known[place] ?? false);
    }
  };
  session.onChange(({ state }) => {
    const now = session.state();
    if (isOtherSearch(state, now)) {
      search();
    }
    if (state.series !== now.series) {
      setOpen(groups, (group) => group.box.open || has(group, now.series));
    }
  });
  search();
}

function has({ rows }: ListGroup, key: string | undefined): boolean {
  return key !== undefined && rows.some((row) => row.key === key);
}

/** Only what changes is written: every write costs a layout. */
function setOpen(groups: readonly ListGroup[], isOpen: (group: ListGroup, place: number) => boolean): void {
  for (const [place, group] of groups.entries()) {
    const next = isOpen(group, place);
    if (group.box.open !== next) {
      group.box.open = next;
    }
  }
}

function isOtherSearch(before: PageState, now: PageState): boolean {
  return before.query !== now.query || FILTERS.some((name) => before[name] !== now[name]);
}
