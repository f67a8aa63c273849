import { presentKey } from '../src/history/store/names.ts';
import { type History, withOlder } from './history.ts';
import { formatState, type PageState, parseState } from './model/state.ts';
import type { Source } from './source.ts';

/** State of the page, and its listeners. */
export type Session = Readonly<ReturnType<typeof startSession>>;

export interface Moment {
  readonly state: PageState;
  readonly history: History;
}

/** Number of segments that are fetched at a time. */
const SEGMENTS_AT_ONCE = 4;

export function startSession(source: Source, opened: History) {
  const requested = (): PageState => {
    const state = parseState(location.hash);
    const present = (key: string) => presentKey(key, opened.index);
    return { ...state, series: state.series && present(state.series), hidden: state.hidden.map(present) };
  };
  let now: Moment = { state: requested(), history: opened };
  const listeners: ((before: Moment) => void)[] = [];
  const become = (part: Partial<Moment>) => {
    const before = now;
    now = { ...now, ...part };
    for (const listener of listeners) {
      listener(before);
    }
  };
  addEventListener('popstate', () => become({ state: requested() }));
  let [reading, readers] = [Promise.resolve(), 0];
  const readOn = async (isEnough: (history: History) => boolean) => {
    while (now.history.unread.length > 0 && !isEnough(now.history)) {
      become({ history: await withOlder(now.history, source, SEGMENTS_AT_ONCE) });
    }
    readers -= 1;
    become({});
  };
  return {
    source,
    history: () => now.history,
    state: () => now.state,
    /** Changes the state and the address; `push` makes it a step that the browser's back button reverts. */
    change(part: Partial<PageState>, step: 'push' | 'replace' = 'replace') {
      const state = { ...now.state, ...part };
      history[step === 'push' ? 'pushState' : 'replaceState'](null, '', hashOf(state, {}));
      become({ state });
    },
    /** Reads older segments, a few at a time, until there are enough or none are left. */
    readOlder(isEnough: (history: History) => boolean) {
      readers += 1;
      become({});
      reading = reading.then(() => readOn(isEnough));
      return reading;
    },
    /** True while older segments are read. */
    isReading: () => readers > 0,
    /** Calls back after every change, with the previous state. */
    onChange(listener: (before: Moment) => void) {
      listeners.push(listener);
    },
  };
}

/** Address of the page for a state, for links. */
export function hashOf(state: PageState, part: Partial<PageState>): string {
  return `#${formatState({ ...state, ...part })}`;
}
