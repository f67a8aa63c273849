import { MeasurementError } from '../foundation/index.ts';
import type { ToolLoad } from '../model/index.ts';
import type { RecordTime } from './records.ts';

/** Turns error texts into a bounded number of kinds, and kinds into the codes that records carry. */
export interface FailureKinds {
  /** The code of a failure: 1 + index into `all()`. */
  code(kind: string): number;
  all(): readonly string[];
}

/** Hides secrets in a text. */
export type Mask = (text: string) => string;

const MOST_KINDS = 50;

const REST = 'other: failures of further kinds';

/** An empty table of failure kinds; from the fiftieth on, all further kinds share one. */
export function failureKinds(): FailureKinds {
  const codes = new Map<string, number>();
  const codeOf = (kind: string): number => {
    const code = codes.get(kind) ?? codes.size + 1;
    codes.set(kind, code);
    return code;
  };
  return {
    code: (kind) => codes.get(kind) ?? codeOf(codes.size < MOST_KINDS - 1 ? kind : REST),
    all: () => [...codes.keys()],
  };
}

const KNOWN_TEXTS: readonly (readonly [RegExp, string])[] = [
  [/connection refused/i, 'connection refused'],
  [/connection reset/i, 'connection reset'],
  [/cannot assign requested address/i, 'no free local port'],
  [/too many open files/i, 'too many open files'],
  [/no route to host|network is unreachable/i, 'network unreachable'],
  [/Client\.Timeout|deadline exceeded|i\/o timeout/i, 'timeout'],
  // Of the driver, which reads such answers (tools/load/cmd/wiregauge-load/graphql.go).
  [/^graphql: answered with errors/, 'GraphQL errors'],
  [/^graphql: answered without data/, 'no GraphQL data'],
  // The same (tools/load/cmd/wiregauge-load/stream.go).
  [/^stream: it ended before its last message/, 'stream ended early'],
  [/^stream: it has more messages than it is to have/, 'stream too long'],
  [/^stream: its last message is another one/, 'another last message'],
  [/\bEOF\b|broken pipe|server closed|use of closed network connection/i, 'connection closed'],
];

/** The driver's own words for what happened to a message, at the end of the text (tools/load/cmd/wiregauge-load/websocket.go). */
const WEBSOCKET = /\bwebsocket: ([A-Za-z][A-Za-z0-9 ()-]{1,79})$/;

/** The kind of an error that is known by its text alone; undefined for any other. */
export function knownFailure(text: string): string | undefined {
  return WEBSOCKET.exec(text)?.[1] ?? KNOWN_TEXTS.find(([pattern]) => pattern.test(text))?.[1];
}

/**
 * The kind of any other error: its first 80 printable characters. The quoted address that Go puts before the cause
 * and all numbers are taken out, since ports and ids would make every error a kind of its own.
 */
export function otherFailure(text: string): string {
  const cause = text.replace(/^\w+ "[^"]*": /, '').replace(/\d+/g, 'n');
  const printable = cause.replace(/[^\p{L}\p{N}\p{P}\p{S} ]+/gu, ' ').trim();
  return `other: ${[...printable].slice(0, 80).join('') || 'no text'}`;
}

/** A time as text in whole nanoseconds. */
export type ReadTime = (text: string) => RecordTime;

const FORM = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d)$/;

const SECOND_LENGTH = 19;

/**
 * Reads RFC 3339 times of any zone to the nanosecond, where JavaScript's own Date stops at the millisecond. Many times
 * of the same second come one after the other, so the last second is remembered.
 */
export function timeReader(): ReadTime {
  let lastSecond: string | undefined;
  let lastZone = '';
  let seconds = 0;
  return (text) => {
    if (lastSecond === undefined || !(text.startsWith(lastSecond) && text.endsWith(lastZone))) {
      seconds = secondsOf(text);
      lastSecond = text.slice(0, SECOND_LENGTH);
      lastZone = text.slice(text.endsWith('Z') ? -1 : -6);
    }
    return { seconds, nanoseconds: nanosecondsIn(text, text.length - lastZone.length) };
  };
}

/** The fraction of a second: a point and up to nine digits, or nothing at all. */
function nanosecondsIn(text: string, to: number): number {
  let nanoseconds = 0;
  let unit = 1e8;
  for (let at = SECOND_LENGTH + 1; at < to; at += 1) {
    const digit = text.charCodeAt(at) - 48;
    if (!(digit >= 0 && digit <= 9 && unit >= 1 && text[SECOND_LENGTH] === '.')) {
      throw malformedTime(text);
    }
    nanoseconds += digit * unit;
    unit /= 10;
  }
  return nanoseconds;
}

function secondsOf(text: string): number {
  const [, second, , zone] = FORM.exec(text) ?? [];
  const milliseconds = Date.parse(`${second}${zone}`);
  if (Number.isNaN(milliseconds)) {
    throw malformedTime(text);
  }
  return milliseconds / 1000;
}

function malformedTime(text: string): MeasurementError {
  return new MeasurementError(`a record of a load tool has no timestamp: ${JSON.stringify(text.slice(0, 40))}`, {
    code: 'WG-401',
    next: 'Run `wiregauge tools`, which checks the load tools and replaces those that are not the pinned version.',
  });
}

/**
 * How much longer than planned a tool may send. Both tools send their last requests exactly when the time is up, so
 * that a delay of a millisecond there would lose them. What the slack adds is due after the part's end, and outside
 * of every measured window.
 */
export const SCHEDULE_SLACK_MS = 50;

const START_AND_REPORT_SECONDS = 15;

/** After this many seconds a tool has hung: its time, the wait for the last answers, its start and its own report. */
export function loadLimitSeconds(load: ToolLoad): number {
  return load.seconds + load.timeoutSeconds + START_AND_REPORT_SECONDS;
}
