import { eachField, type GobCursor, malformedGob, readGobText, readInt, readUint, skipBytes } from './gob.ts';

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
    throw malformedGob('a type definition is of no known kind');
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
