import type { RecordReader } from '../../model/index.ts';
import { isExpected, type StatusRange, SUCCESS } from '../../model/index.ts';
import { type RecordTime, recordColumns } from '../records.ts';
import { type FailureKinds, failureKinds, knownFailure, type Mask, otherFailure } from '../tool-output.ts';
import {
  GOB_INT,
  GOB_STRING,
  GOB_UINT,
  type GobCursor,
  type GobType,
  malformedGob,
  readBytes,
  readGobText,
  readGobType,
  readInt,
  readUint,
} from './gob.ts';

/**
 * Reads what `vegeta attack -output` wrote: a gob stream of its `Result`, body and headers left unread. An answer with a status
 * outside of `expected` is a failure.
 */
export function vegetaReader(expected: readonly StatusRange[] = SUCCESS, mask: Mask = String): RecordReader {
  const columns = recordColumns();
  const failures = failureKinds();
  const types = new Map<number, GobType>();
  let resultType: number | undefined;
  let rest: Uint8Array = new Uint8Array();

  const readMessage = (cursor: GobCursor): void => {
    const type = readInt(cursor);
    if (type < 0) {
      types.set(-type, readGobType(cursor));
      return;
    }
    if (type !== resultType) {
      checkLayout(type, types);
      resultType = type;
    }
    const { start, latencyNanoseconds, code, error, attack } = readResult(cursor);
    columns.add(start, latencyNanoseconds, failureCode({ code, error }, { expected, failures, mask }));
    if (FIRST.test(attack)) {
      columns.noteFirst(Number(attack));
    }
  };

  return {
    push(chunk) {
      const bytes = rest.length === 0 ? chunk : joined(rest, chunk);
      let at = 0;
      for (let end = messageEnd(bytes, at); end !== undefined; end = messageEnd(bytes, at)) {
        readMessage(end);
        at = end.end;
      }
      if (types.size === 0) {
        checkFirstBytes(bytes);
      }
      // A copy: the chunk may be a part of a larger buffer, and must not keep all of it alive.
      rest = new Uint8Array(bytes.subarray(at));
    },
    finish: () => ({
      records: columns.finish(failures.all()),
      cutOff: rest.length > 0 || columns.count() === 0,
    }),
  };
}

const LONGEST_MESSAGE = 2 ** 24;

/** The next whole message, without its length; undefined if the bytes end before it does. */
function messageEnd(bytes: Uint8Array, at: number): GobCursor | undefined {
  const first = bytes[at];
  const lengthBytes = first === undefined || first < 0x80 ? 1 : 0x101 - first;
  if (first === undefined || at + lengthBytes > bytes.length) {
    return undefined;
  }
  const cursor = { bytes, at, end: bytes.length };
  const length = readUint(cursor);
  if (length === 0 || length > LONGEST_MESSAGE) {
    throw malformedGob(`a message claims to have ${length} bytes`);
  }
  return cursor.at + length > bytes.length ? undefined : { bytes, at: cursor.at, end: cursor.at + length };
}

/** A stream begins with a type definition, which has a negative number: text or other garbage is told at once. */
function checkFirstBytes(bytes: Uint8Array): void {
  const cursor = { bytes, at: 0, end: bytes.length };
  if (bytes.length > 8 && (readUint(cursor) === 0 || readInt(cursor) >= 0)) {
    throw malformedGob('the output does not begin with a gob type definition');
  }
}

const TIME = 'time';
const LAYOUT = [
  ['Attack', GOB_STRING],
  ['Seq', GOB_UINT],
  ['Code', GOB_UINT],
  ['Timestamp', TIME],
  ['Latency', GOB_INT],
  ['BytesOut', GOB_UINT],
  ['BytesIn', GOB_UINT],
  ['Error', GOB_STRING],
] as const;

function checkLayout(type: number, types: ReadonlyMap<number, GobType>): void {
  const result = types.get(type);
  const fits =
    result?.kind === 'struct' &&
    LAYOUT.every(([name, fieldType], index) => {
      const field = result.fields[index];
      const found = types.get(field?.type ?? 0)?.kind === 'encoder' ? TIME : field?.type;
      return field?.name === name && found === fieldType;
    });
  if (!fits) {
    throw malformedGob('they do not have the layout of version 12.13');
  }
}

/** The name of an attack, in whose place the driver has the time to the first message of a stream, in nanoseconds. */
const FIRST = /^\d{1,15}$/;

interface Result {
  attack: string;
  code: number;
  start: RecordTime;
  latencyNanoseconds: number;
  error: string;
}

const UNKNOWN_TIME: RecordTime = { seconds: Number.NaN, nanoseconds: 0 };

function readResult(cursor: GobCursor): Result {
  const result: Result = { attack: '', code: 0, start: UNKNOWN_TIME, latencyNanoseconds: 0, error: '' };
  // Not by eachField: what follows the error (body, method, address, headers) is passed over by the message's length.
  for (let field = readUint(cursor) - 1; field >= 0 && field < LAYOUT.length; ) {
    FIELDS[field]?.(result, cursor);
    const step = readUint(cursor);
    field = step === 0 ? -1 : field + step;
  }
  if (result.start === UNKNOWN_TIME) {
    throw malformedGob('a result has no timestamp');
  }
  return result;
}

/** In the order of LAYOUT. Gob leaves out fields that are zero. */
const FIELDS: readonly ((result: Result, cursor: GobCursor) => void)[] = [
  (result, cursor) => {
    result.attack = readGobText(cursor);
  },
  (_, cursor) => readUint(cursor),
  (result, cursor) => {
    result.code = readUint(cursor);
  },
  (result, cursor) => {
    result.start = readTime(readBytes(cursor));
  },
  (result, cursor) => {
    result.latencyNanoseconds = readInt(cursor);
  },
  (_, cursor) => readUint(cursor),
  (_, cursor) => readUint(cursor),
  (result, cursor) => {
    result.error = readGobText(cursor);
  },
];

const SECONDS_FROM_YEAR_1_TO_1970 = 62_135_596_800;

/** time.Time's own form: version, seconds since year 1 in UTC (8 bytes), nanoseconds (4 bytes), zone. */
function readTime(bytes: Uint8Array): RecordTime {
  if (bytes.length < 15 || (bytes[0] !== 1 && bytes[0] !== 2)) {
    throw malformedGob('a timestamp has an unknown format');
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  return {
    seconds: view.getInt32(1) * 2 ** 32 + view.getUint32(5) - SECONDS_FROM_YEAR_1_TO_1970,
    nanoseconds: view.getUint32(9),
  };
}

interface Classes {
  readonly expected: readonly StatusRange[];
  readonly failures: FailureKinds;
  readonly mask: Mask;
}

/** There is a code only if the answer was read to its end; the error is then its status line, if anything. */
function failureCode({ code, error }: { code: number; error: string }, { expected, failures, mask }: Classes): number {
  if (code < 100) {
    return failures.code(knownFailure(error) ?? otherFailure(mask(error)));
  }
  return isExpected(code, expected) ? 0 : failures.code(`HTTP ${code}`);
}

function joined(left: Uint8Array, right: Uint8Array): Uint8Array {
  const both = new Uint8Array(left.length + right.length);
  both.set(left);
  both.set(right, left.length);
  return both;
}
