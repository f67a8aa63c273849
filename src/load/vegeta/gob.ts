import { MeasurementError } from '../../foundation/index.ts';

/**
 * A place in a stream of Go's encoding/gob (its format: https://pkg.go.dev/encoding/gob). Reading past `end` throws
 * MeasurementError, so that a damaged message never runs into the next.
 */
export interface GobCursor {
  readonly bytes: Uint8Array;
  readonly end: number;
  at: number;
}

/** Gob's numbers of the types that need no definition. */
export const GOB_INT = 2;

export const GOB_UINT = 3;

export const GOB_STRING = 6;

const MOST_BYTES = 8;

/** An unsigned integer: one byte below 128, else the negated count of big-endian bytes that follow, at most 8. */
export function readUint(cursor: GobCursor): number {
  const first = byteAt(cursor);
  if (first < 0x80) {
    return first;
  }
  let value = 0;
  if (0x100 - first > MOST_BYTES) {
    throw malformedGob(`a number has ${0x100 - first} bytes`);
  }
  for (let left = 0x100 - first; left > 0; left -= 1) {
    value = value * 0x100 + byteAt(cursor);
  }
  return value;
}

/** A signed integer: the sign in the lowest bit. */
export function readInt(cursor: GobCursor): number {
  const encoded = readUint(cursor);
  const half = Math.floor(encoded / 2);
  return encoded % 2 === 0 ? half : -half - 1;
}

/** A string or byte slice, as the bytes themselves. */
export function readBytes(cursor: GobCursor): Uint8Array {
  const length = readUint(cursor);
  const from = cursor.at;
  skip(cursor, length);
  return cursor.bytes.subarray(from, from + length);
}

/** Passes over a string or byte slice. */
function skipBytes(cursor: GobCursor): void {
  skip(cursor, readUint(cursor));
}

/** Visits the fields of a struct, each by its number from 0; `visit` reads the field's value. */
export function eachField(cursor: GobCursor, visit: (field: number) => void): void {
  let field = -1;
  for (let step = readUint(cursor); step > 0; step = readUint(cursor)) {
    field += step;
    visit(field);
  }
}

const utf8 = new TextDecoder();

/** The text of a string. */
export function readGobText(cursor: GobCursor): string {
  return utf8.decode(readBytes(cursor));
}

/** The error of a stream that is not what it should be. */
export function malformedGob(what: string): MeasurementError {
  return new MeasurementError(`vegeta's records cannot be read: ${what}`, {
    code: 'WG-401',
    next: 'Run `wiregauge tools`, which checks vegeta and replaces it if it is not the pinned version. Check that no other program writes to its output.',
  });
}

function skip(cursor: GobCursor, length: number): void {
  if (cursor.at + length > cursor.end) {
    throw malformedGob('a value is longer than its message');
  }
  cursor.at += length;
}

function byteAt(cursor: GobCursor): number {
  const byte = cursor.at < cursor.end ? cursor.bytes[cursor.at] : undefined;
  if (byte === undefined) {
    throw malformedGob('a message is truncated within a value');
  }
  cursor.at += 1;
  return byte;
}

/** A type that a stream defines, as far as it matters here. */
export type GobType =
  | { readonly kind: 'struct'; readonly name: string; readonly fields: readonly GobField[] }
  /** A Go type that encodes itself, such as time.Time. */
  | { readonly kind: 'encoder' }
  | { readonly kind: 'container' };

export interface GobField {
  readonly name: string;
  readonly type: number;
}

/** Places in gob's `wireType`, which has exactly one of them set. */
const STRUCT = 2;

const CONTAINERS = [0, 1, 3];

/** Reads one type definition. The rest of a definition that is no struct is left unread. */
export function readGobType(cursor: GobCursor): GobType {
  const place = readUint(cursor) - 1;
  if (place === STRUCT) {
    return readStruct(cursor);
  }
  if (place < 0 || place > 6) {
    throw malformedGob('a type definition has an unknown kind');
  }
  return { kind: CONTAINERS.includes(place) ? 'container' : 'encoder' };
}

function readStruct(cursor: GobCursor): GobType {
  let name = '';
  let fields: readonly GobField[] = [];
  eachField(cursor, (field) => {
    if (field === 0) {
      name = readNamed(cursor).name;
    } else {
      fields = readFields(cursor);
    }
  });
  return { kind: 'struct', name, fields };
}

function readFields(cursor: GobCursor): GobField[] {
  const fields: GobField[] = [];
  for (let left = readUint(cursor); left > 0; left -= 1) {
    fields.push(readNamed(cursor));
  }
  return fields;
}

/** Gob's `CommonType` and `fieldType` have the same form: a name and a type number. */
function readNamed(cursor: GobCursor): GobField {
  let name = '';
  let type = 0;
  eachField(cursor, (field) => {
    if (field === 0) {
      name = readGobText(cursor);
    } else if (field === 1) {
      type = readInt(cursor);
    } else {
      skipBytes(cursor);
    }
  });
  return { name, type };
}
