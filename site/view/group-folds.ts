import { FILTERS, isNarrowed } from '../model/selection.ts';
import type { PageState } from '../model/state.ts';
import type { Session } from '../session.ts';
import type { ListGroup } from './series-group.ts';

/** Width below which groups are stacked, too long to scroll past; the page's style has the same. */
const BELOW_EACH_OTHER = '(max-width: 64rem)';

/**
 * Opens the relevant groups: all continuing ones on a wide screen, that of the linked series, that of a series which is selected later, and during a
 * search all with a match. After the search they return to their state before.
 */
export function groupFolds(session: Session, linked: string | undefined) {
  const isWide = !matchMedia(BELOW_EACH_OTHER).matches;
  const isOpenAtFirst = ({ kind }: ListGroup) => isWide && kind !== 'ended';
  let groups: readonly ListGroup[] = [];
  let before: OpenGroups | undefined;
  const search = () => {
    if (isNarrowed(session.state())) {
      before ??= openGroups(groups);
      setOpen(groups, () => true);
    } else if (before !== undefined) {
      const known = before;
      before = undefined;
      setOpen(groups, (group) => known.get(group.id) ?? isOpenAtFirst(group));
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
  return {
    /** Uses these groups as those of the list: a group that already existed stays open or folded. */
    follow(next: readonly ListGroup[]) {
      const known = openGroups(groups);
      const isNew = !groups.some((group) => has(group, linked));
      groups = next;
      setOpen(groups, (group) => (known.get(group.id) ?? isOpenAtFirst(group)) || (isNew && has(group, linked)));
      search();
    },
  };
}

type OpenGroups = ReadonlyMap<string, boolean>;

function openGroups(groups: readonly ListGroup[]): OpenGroups {
  return new Map(groups.map(({ id, box }) => [id, box.open]));
}

function has({ rows }: ListGroup, key: string | undefined): boolean {
  return key !== undefined && rows.some((row) => row.key === key);
}

/** Only changes are written, since every write costs a layout. */
function setOpen(groups: readonly ListGroup[], isOpen: (group: ListGroup) => boolean): void {
  for (const group of groups) {
    const next = isOpen(group);
    if (group.box.open !== next) {
      group.box.open = next;
    }
  }
}

function isOtherSearch(before: PageState, now: PageState): boolean {
  return before.query !== now.query || FILTERS.some((name) => before[name] !== now[name]);
}
