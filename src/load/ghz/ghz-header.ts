import { MeasurementError } from '../../foundation/errors.ts';

/** Reads ghz's report up to its list of calls. */
export interface GhzHeader {
  /** Takes more text and gives what lies behind the opening bracket of the list, once that was found. */
  push(text: string): string;
  /** The same for the last characters, which `push` keeps back; for when there is no more text. */
  end(): string;
  found(): boolean;
  /** How many calls ghz says it made; 0 where it does not say. */
  calls(): number;
}

/** A text of JSON. Without a choice for each character, which would be too many to remember. */
export const JSON_STRING = String.raw`"[^"\\]*(?:\\.[^"\\]*)*"`;

const TOKENS = new RegExp(String.raw`${JSON_STRING}|[[\]{}]|[^"[\]{}]+`, 'gy');
const DEPTH_STEPS: Readonly<Record<string, number>> = { '{': 1, '[': 1, '}': -1, ']': -1 };

/** A text or a call that is longer is none that ghz wrote. */
export const LONGEST_PIECE = 2 ** 24;

/** Enough to see what follows a key. */
const LOOKAHEAD = 32;

/**
 * A reader of a report's beginning. Only keys of the outermost object count: fields of the request, which the report
 * repeats, may have the same names.
 */
export function ghzHeader(): GhzHeader {
  const state: State = { pending: '', depth: 0, found: false, calls: 0 };
  return {
    push(text) {
      state.pending += text;
      if (state.depth === 0 && /^\s*[^\s{]/.test(state.pending)) {
        throw malformedGhz('the output is no JSON object');
      }
      const behind = read(state, LOOKAHEAD);
      if (state.pending.length > LONGEST_PIECE && !state.found) {
        throw malformedGhz(`there is a text of over ${LONGEST_PIECE} characters`);
      }
      return behind;
    },
    end() {
      const isEmpty = state.depth === 0 && state.pending.trim() === '';
      const behind = state.found ? '' : read(state, 0);
      if (!(state.found || isEmpty) && state.depth === 0) {
        throw malformedGhz('its report has no list of calls');
      }
      return behind;
    },
    found: () => state.found,
    calls: () => state.calls,
  };
}

interface State {
  pending: string;
  depth: number;
  found: boolean;
  calls: number;
}

function read(state: State, lookahead: number): string {
  const { pending } = state;
  let at = 0;
  for (const [token] of pending.matchAll(TOKENS)) {
    const next = at + token.length;
    if (next + lookahead > pending.length) {
      break;
    }
    state.depth += DEPTH_STEPS[token] ?? 0;
    const following = pending.slice(next, next + LOOKAHEAD);
    const opening = readKey(state, token, following);
    if (opening !== undefined) {
      state.found = true;
      return `${opening === ':null' ? ']' : ''}${pending.slice(next + opening.length)}`;
    }
    at = next;
  }
  state.pending = pending.slice(at);
  return '';
}

/** What stands between the key and the first record, where the key is that of the list. */
function readKey(state: State, key: string, following: string): string | undefined {
  if (state.depth !== 1) {
    return undefined;
  }
  if (key === '"count"') {
    state.calls = Number(/^:(\d+)/.exec(following)?.[1] ?? 0);
  }
  return key === '"details"' ? /^:(\[|null)/.exec(following)?.[0] : undefined;
}

/** The error of an output that is not what it should be. */
export function malformedGhz(what: string, cause?: unknown): MeasurementError {
  return new MeasurementError(`ghz's records cannot be read: ${what}`, {
    ...(cause !== undefined && { cause }),
    next: 'Check that the pinned version of ghz ran (see tools/load) and that nothing else wrote its output.',
  });
}
