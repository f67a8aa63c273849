import { MeasurementError } from '../../foundation/index.ts';
import type { RecordReader } from '../../model/index.ts';
import { type RecordColumns, recordColumns } from '../records.ts';
import {
  type FailureKinds,
  failureKinds,
  knownFailure,
  type Mask,
  otherFailure,
  type ReadTime,
  timeReader,
} from '../tool-output.ts';

/** Reads ghz's report up to its list of calls. */
export interface GhzHeader {
  /** Takes more text and gives what lies behind the opening bracket of the list, once that was found. */
  push(text: string): string;
  /** The same for the last characters, which `push` keeps back; for when there is no more text. */
  end(): string;
  found(): boolean;
  /** How many calls ghz says it made; 0 if it does not say. */
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
        throw malformedGhz('the output is not a JSON object');
      }
      const behind = read(state, LOOKAHEAD);
      if (state.pending.length > LONGEST_PIECE && !state.found) {
        throw malformedGhz(`it contains a string of more than ${LONGEST_PIECE} characters`);
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

/** What stands between the key and the first record, if the key is that of the list. */
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
    code: 'WG-401',
    ...(cause !== undefined && { cause }),
    next: 'Run `wiregauge tools`, which checks ghz and replaces it if it is not the pinned version. Check that no other program writes to its output.',
  });
}

const BOUNDARY = '},{"timestamp":"';

/**
 * Reads what `ghz -O json` wrote: one JSON object, whose `details` have a record per call. They are cut at the
 * boundaries of records and parsed piece by piece. Inside a string every quote is escaped, so that the text of a
 * boundary can be nothing else. ghz keeps no more than a million details: then `count` says that there were more.
 */
export function ghzReader(_expected?: unknown, mask: Mask = String): RecordReader {
  const collector = { columns: recordColumns(), failures: failureKinds(), readTime: timeReader(), mask };
  const header = ghzHeader();
  const decoder = new TextDecoder();
  let text = '';
  return {
    push(chunk) {
      const decoded = decoder.decode(chunk, { stream: true });
      // Of a boundary there can be a part before what is new, and no more.
      const from = Math.max(0, text.length - BOUNDARY.length);
      text += header.found() ? decoded : header.push(decoded);
      const found = text.slice(from).lastIndexOf(BOUNDARY);
      const boundary = found < 0 ? found : from + found;
      if (boundary >= 0) {
        addAll(`[${text.slice(0, boundary + 1)}]`, collector);
        text = text.slice(boundary + 2);
      }
      if (text.length > LONGEST_PIECE) {
        throw malformedGhz(`the record of a call has more than ${LONGEST_PIECE} characters`);
      }
    },
    finish() {
      text += header.end();
      const isWhole = header.found() && addLast(text, collector);
      const records = collector.columns.finish(collector.failures.all());
      return { records, cutOff: !isWhole || records.startMs.length < header.calls() };
    },
  };
}

interface Collector {
  readonly columns: RecordColumns;
  readonly failures: FailureKinds;
  readonly readTime: ReadTime;
  readonly mask: Mask;
}

const RECORD = new RegExp(String.raw`^\{[^"{}]*(?:${JSON_STRING}[^"{}]*)*\}`);

/** Adds the record that is left when everything was read; false if it, or the list after it, is cut off. */
function addLast(text: string, collector: Collector): boolean {
  if (text.startsWith(']')) {
    return true;
  }
  const [record] = RECORD.exec(text) ?? [];
  if (record === undefined) {
    return false;
  }
  addAll(`[${record}]`, collector);
  return text[record.length] === ']';
}

function addAll(json: string, { columns, failures, readTime, mask }: Collector): void {
  for (const detail of parsed(json)) {
    const { timestamp, latency, first, status, error } = checked(detail);
    const end = readTime(timestamp);
    // ghz notes the end of a call. The nanoseconds may become negative, which counts down from the second.
    const start = { seconds: end.seconds, nanoseconds: end.nanoseconds - latency };
    columns.add(start, latency, status === 'OK' ? 0 : failures.code(kindOf(status, error, mask)));
    if (first !== undefined) {
      columns.noteFirst(first);
    }
  }
}

function parsed(json: string): readonly unknown[] {
  try {
    const found: unknown = JSON.parse(json);
    return Array.isArray(found) ? found : [];
  } catch (cause) {
    throw malformedGhz('its list of calls is not JSON', cause);
  }
}

interface Detail {
  readonly timestamp: string;
  readonly latency: number;
  /** Which the driver adds if an answer is a stream: the time to its first message. */
  readonly first: number | undefined;
  readonly status: string;
  readonly error: string;
}

function checked(detail: unknown): Detail {
  const { timestamp, latency, first, status, error } = (detail ?? {}) as Partial<Record<keyof Detail, unknown>>;
  if (
    typeof timestamp === 'string' &&
    typeof latency === 'number' &&
    Number.isFinite(latency) &&
    (first === undefined || (typeof first === 'number' && Number.isFinite(first))) &&
    typeof status === 'string' &&
    typeof error === 'string'
  ) {
    return { timestamp, latency, first, status, error };
  }
  throw malformedGhz(`the record of a call is not valid: ${JSON.stringify(detail).slice(0, 80)}`);
}

/** A gRPC status says little if no connection came about, and there is none if a stream was not as it is to be: then the cause is the kind. */
function kindOf(status: string, error: string, mask: Mask): string {
  const cause = status === 'Unavailable' || status === '' ? knownFailure(error) : undefined;
  return cause ?? (/^[A-Za-z]{2,20}$/.test(status) ? status : otherFailure(mask(error)));
}
