import { z } from 'zod';
import { MeasurementError } from '../../foundation/errors.ts';
import type { Records } from '../../model/load.ts';
import { isExpected, type StatusRange, SUCCESS } from '../../model/suite/http.ts';

const COLUMNS = ['due', 'sent', 'first', 'done', 'code'] as const;

const headerSchema = z.object({
  records: z.int().nonnegative(),
  originMs: z.int(),
  columns: z.array(z.enum(COLUMNS)),
  outcomes: z.array(z.object({ status: z.string(), text: z.string().optional() })).nullable(),
});

type Header = z.infer<typeof headerSchema>;

type Column = (typeof COLUMNS)[number];

/** Records in a file of the driver (tools/load/cmd/wiregauge-load/records.go); undefined if it is truncated. */
export function readRecords(
  file: Uint8Array,
  {
    expected = SUCCESS,
    mask = String,
  }: {
    /** HTTP statuses that are not failures. */
    readonly expected?: readonly StatusRange[] | undefined;
    readonly mask?: Mask;
  } = {},
): Records | undefined {
  const end = file.indexOf(NEWLINE);
  if (end < 0) {
    return undefined;
  }
  const header = headerOf(file.subarray(0, end));
  const columns = columnsOf(header, file.subarray(end + 1));
  if (columns === undefined) {
    return undefined;
  }
  const { due, sent = EMPTY, first, done = EMPTY } = columns.times;
  const failures = failureKinds();
  const codes = (header.outcomes ?? []).map((outcome) => {
    const kind = failureOf(outcome, expected, mask);
    return kind === undefined ? 0 : failures.code(kind);
  });
  return {
    originMs: header.originMs,
    ...(due !== undefined && { dueMs: due.map((ns) => ns / 1e6) }),
    startMs: sent.map((ns) => ns / 1e6),
    latencyMs: done.map((ns, index) => (ns - (sent[index] ?? 0)) / 1e6),
    failure: Uint16Array.from(columns.codes, (code) => codes[code] ?? failures.code('other: no text')),
    failureKinds: failures.all(),
    ...(first !== undefined && { firstMs: first.map((ns, index) => (ns - (sent[index] ?? 0)) / 1e6) }),
  };
}

const NEWLINE = 10;

const EMPTY = new Float64Array();

function headerOf(line: Uint8Array): Header {
  try {
    return headerSchema.parse(JSON.parse(new TextDecoder().decode(line)));
  } catch (cause) {
    throw new MeasurementError(
      'the records of the load cannot be read: the file does not begin with their description',
      {
        code: 'WG-401',
        cause,
        next: 'Measure again. Check that no other program writes to the temporary folder.',
      },
    );
  }
}

function columnsOf(
  { records, columns }: Header,
  bytes: Uint8Array,
): { readonly times: Partial<Record<Column, Float64Array>>; readonly codes: Uint32Array } | undefined {
  const times: Partial<Record<Column, Float64Array>> = {};
  let codes = new Uint32Array();
  let at = 0;
  for (const name of columns) {
    const width = name === 'code' ? Uint32Array.BYTES_PER_ELEMENT : Float64Array.BYTES_PER_ELEMENT;
    // Copies the bytes, since a column may begin anywhere in the file.
    const own = new Uint8Array(bytes.subarray(at, at + records * width));
    if (own.length < records * width) {
      return undefined;
    }
    at += own.length;
    if (name === 'code') {
      codes = new Uint32Array(own.buffer);
    } else {
      times[name] = new Float64Array(own.buffer);
    }
  }
  return codes.length === records && times.sent !== undefined && times.done !== undefined
    ? { times, codes }
    : undefined;
}

type Mask = (text: string) => string;

const MAX_KINDS = 50;

const REST = 'other: failures of further kinds';

/** Codes of failures, which are 1 + index into `all()`. */
export function failureKinds() {
  const codes = new Map<string, number>();
  const codeOf = (kind: string): number => {
    const code = codes.get(kind) ?? codes.size + 1;
    codes.set(kind, code);
    return code;
  };
  return {
    code: (kind: string): number => codes.get(kind) ?? codeOf(codes.size < MAX_KINDS - 1 ? kind : REST),
    all: (): readonly string[] => [...codes.keys()],
  };
}

const KNOWN_TEXTS: readonly (readonly [RegExp, string])[] = [
  [/connection refused/i, 'connection refused'],
  [/connection reset/i, 'connection reset'],
  [/cannot assign requested address/i, 'no free local port'],
  [/too many open files/i, 'too many open files'],
  [/no route to host|network is unreachable/i, 'network unreachable'],
  [/Client\.Timeout|deadline exceeded|i\/o timeout/i, 'timeout'],
  // Messages of the driver for GraphQL responses (tools/load/cmd/wiregauge-load/graphql.go).
  [/^graphql: answered with errors/, 'GraphQL errors'],
  [/^graphql: answered without data/, 'no GraphQL data'],
  // Messages of the driver for streams (tools/load/cmd/wiregauge-load/stream.go).
  [/^stream: it ended before its last message/, 'stream ended early'],
  [/^stream: it has more messages than expected/, 'stream too long'],
  [/^stream: its last message is not the expected one/, 'unexpected last message'],
  [/\bEOF\b|broken pipe|server closed|use of closed network connection/i, 'connection closed'],
];

/** The driver's description of a message failure, at the end of the text (tools/load/cmd/wiregauge-load/websocket.go). */
const WEBSOCKET = /\bwebsocket: ([A-Za-z][A-Za-z0-9 ()-]{1,79})$/;

/** Kind of an error that its text alone identifies; undefined for any other. */
export function knownFailure(text: string): string | undefined {
  return WEBSOCKET.exec(text)?.[1] ?? KNOWN_TEXTS.find(([pattern]) => pattern.test(text))?.[1];
}

/** First 80 printable characters of any other error, without addresses and numbers, so that ports do not create kinds. */
export function otherFailure(text: string): string {
  const cause = text.replace(/^\w+ "[^"]*": /, '').replace(/\d+/g, 'n');
  const printable = cause.replace(/[^\p{L}\p{N}\p{P}\p{S} ]+/gu, ' ').trim();
  return `other: ${[...printable].slice(0, 80).join('') || 'no text'}`;
}

/** Outcome of a request (tools/load/cmd/wiregauge-load/records.go): a status of HTTP or gRPC, and a text if the status is not sufficient. */
export interface RequestOutcome {
  readonly status: string;
  readonly text?: string | undefined;
}

/** Kind of failure of an outcome; undefined for an expected response. A status outside of `expected` is a failure. */
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
  // A gRPC status reveals little without a connection: then the cause is the kind.
  const cause = status === 'Unavailable' || status === '' ? knownFailure(text) : undefined;
  return cause ?? (/^[A-Za-z]{2,20}$/.test(status) ? status : otherFailure(mask(text)));
}
