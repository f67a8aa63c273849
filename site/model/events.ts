import type { HistoryChange } from '../../src/history/store/changes.ts';
import { shiftText, turnOfChange } from './changes.ts';
import type { RunFacts } from './runs.ts';
import { counted, shown } from './words.ts';

/** Event at a position of a chart. */
export interface ChartEvent {
  readonly kind: ReturnType<typeof turnOfChange> | 'pending' | 'release' | 'accepted' | 'machine' | 'gap';
  /** Index among the runs of the chart. */
  readonly place: number;
  readonly text: string;
}

/** Style and label of a kind of event. */
interface EventKind {
  /** Row of labels above the plot, from the top down. */
  readonly row: number;
  readonly dash: readonly number[];
  /** True for a mark at its run, rather than between it and the one before. */
  readonly isOfRun?: true;
  readonly key: string;
  /** Prefix for the text of an event. */
  readonly name: string;
}

/** Style and label of each kind of event, in the order of the legend. */
export const EVENT_KINDS: Readonly<Record<ChartEvent['kind'], EventKind>> = {
  worse: { row: 1, dash: [], key: '▲▼ change for the worse', name: 'change for the worse: ' },
  better: { row: 1, dash: [], key: '▲▼ change for the better', name: 'change for the better: ' },
  changed: { row: 1, dash: [], key: '▲▼ change without a direction', name: 'change without a direction: ' },
  pending: { row: 1, dash: [4, 4], key: '△▽ pending: fewer than 5 runs since', name: 'pending change: ' },
  release: { row: 0, dash: [2, 3], isOfRun: true, key: '┊ release', name: 'release ' },
  accepted: { row: 2, dash: [6, 2, 2, 2], isOfRun: true, key: '╎ accepted regression', name: '' },
  machine: { row: 2, dash: [1, 3], key: '▃ another CPU model', name: '' },
  gap: { row: 2, dash: [1, 1], key: '┆ runs that cannot be read', name: 'missing before this run: ' },
};

export function kindOfChange(change: HistoryChange): ChartEvent['kind'] {
  return change.pending ? 'pending' : turnOfChange(change);
}

/** Marks in the chart of some runs, in the order of the runs. */
export function chartEvents(
  runs: readonly RunFacts[],
  changes: readonly HistoryChange[],
  keys: ReadonlySet<string>,
): readonly ChartEvent[] {
  const places = new Map(runs.map(({ run }, place) => [run, place]));
  const marked = changes.flatMap((change): readonly ChartEvent[] => {
    const place = places.get(change.run);
    return place === undefined ? [] : [{ kind: kindOfChange(change), place, text: shiftText(change) }];
  });
  return [...releases(runs), ...acceptances(runs, keys), ...machineChanges(runs), ...marked].sort(
    (left, right) => left.place - right.place,
  );
}

function releases(runs: readonly RunFacts[]): readonly ChartEvent[] {
  return runs.flatMap(({ tags }, place) =>
    tags.length === 0 ? [] : [{ kind: 'release' as const, place, text: tags.map((tag) => shown(tag, 24)).join(', ') }],
  );
}

function acceptances(runs: readonly RunFacts[], keys: ReadonlySet<string>): readonly ChartEvent[] {
  return runs.flatMap(({ verdicts }, place) => {
    const found = verdicts.filter(({ key, accepted }) => accepted !== undefined && keys.has(key));
    return found.length === 0
      ? []
      : [{ kind: 'accepted' as const, place, text: `accepted: ${shown(found[0]?.accepted ?? '', 80)}` }];
  });
}

/** Positions where the machine changes from one run to the next; a run of an unknown machine changes nothing. */
function machineChanges(runs: readonly RunFacts[]): readonly ChartEvent[] {
  const events: ChartEvent[] = [];
  let before: string | undefined;
  for (const [place, { machine }] of runs.entries()) {
    if (machine !== undefined && before !== undefined && machine !== before) {
      events.push({ kind: 'machine', place, text: `other machine: ${shown(machine, 80)}` });
    }
    before = machine ?? before;
  }
  return events;
}

/** Number of the machine of each run, in order of first use; -1 if unknown. */
export function machineNumbers(runs: readonly RunFacts[]): Int16Array {
  const numbers = new Map<string, number>();
  return Int16Array.from(runs, ({ machine }) => {
    if (machine === undefined) {
      return -1;
    }
    const number = numbers.get(machine) ?? numbers.size;
    numbers.set(machine, number);
    return number;
  });
}

/** Marks of a chart in one sentence, for readers who cannot see them. */
export function eventsText(events: readonly ChartEvent[]): string {
  const count = (kinds: readonly ChartEvent['kind'][], noun: string) => {
    const found = events.filter(({ kind }) => kinds.includes(kind)).length;
    return found === 0 ? [] : [counted(found, noun)];
  };
  const parts = [
    ...count(['worse', 'better', 'changed', 'pending'], 'change point'),
    ...count(['release'], 'release'),
    ...count(['accepted'], 'accepted regression'),
    ...count(['machine'], 'change of machine').map((text) => text.replace(/machines?$/, 'machine')),
    ...count(['gap'], 'gap'),
  ];
  return parts.length === 0 ? 'No markers.' : `Marked: ${parts.join(', ')}.`;
}
