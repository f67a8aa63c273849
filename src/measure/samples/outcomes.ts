import { isExpected, type StatusRange } from '../../model/suite/http.ts';

/** Turns error texts into a bounded number of kinds, and kinds into the codes that records carry. */
export interface FailureKinds {
  /** The code of a failure: 1 + index into `all()`. */
  code(kind: string): number;
  all(): readonly string[];
}

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
  // For the driver, which reads such answers (tools/load/cmd/wiregauge-load/graphql.go).
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

/** How requests ended (tools/load/cmd/wiregauge-load/records.go): a status of HTTP or gRPC, and a text if that does not say it all. */
export interface RequestOutcome {
  readonly status: string;
  readonly text?: string | undefined;
}

/** The kind of failure that an outcome is; undefined for an answer as it should be. A status outside of `expected` is a failure. */
export function failureOf(
  { status, text = '' }: RequestOutcome,
  expected: readonly StatusRange[],
  mask: Mask,
): string | undefined {
  if (/^\d{3}$/.test(status)) {
    return isExpected(Number(status), expected) ? undefined : `HTTP ${status}`;
  }
  if (status === 'OK') {
    return undefined;
  }
  // A gRPC status says little if no connection came about: then the cause is the kind.
  const cause = status === 'Unavailable' || status === '' ? knownFailure(text) : undefined;
  return cause ?? (/^[A-Za-z]{2,20}$/.test(status) ? status : otherFailure(mask(text)));
}
