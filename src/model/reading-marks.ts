import type { Mark } from './sample.ts';

/** What each mark means to a reader, in one clause that follows "marked so because". */
export const MARK_MEANINGS: Readonly<Record<Mark, string>> = {
  saturated: 'the service answered less than 99 % of the offered rate',
  'generator-limited': 'the load tool was at its own limit, so the figures say nothing about the service',
  'not-saturated': "the closed loop left over 5 % of the service's core idle, so this is not its capacity",
  failing: 'over 1 % of the requests failed',
  dropped: 'planned requests were never sent',
  stalled: 'for over 0.5 s requests were due and none was answered',
  'socket-limited': 'connections were refused by a full listen queue, or sockets ran short',
  disturbed: 'other programs or the hypervisor took over 10 % of a core',
};
