import fc from 'fast-check';
import { type Documents, type Edit, length, place } from './edits-text.ts';

const byteEdit = fc.record({
  kind: fc.constantFrom('flip', 'set', 'cut', 'end', 'double', 'insert'),
  at: place,
  length,
  byte: fc.oneof(fc.constantFrom(0, 1, 0x7f, 0x80, 0xf8, 0xfe, 0xff), fc.nat(255)),
});

function editedBytes(bytes: Buffer, { kind, at, length: count, byte }: Edit & { readonly byte: number }): Buffer {
  const from = at % (bytes.length + 1);
  const [before, behind] = [bytes.subarray(0, from), bytes.subarray(from)];
  const added = Buffer.alloc(count, byte);
  switch (kind) {
    case 'flip':
      return Buffer.concat([before, Buffer.from([(behind[0] ?? 0) ^ (1 << (byte % 8))]), behind.subarray(1)]);
    case 'set':
      return Buffer.concat([before, Buffer.from([byte]), behind.subarray(1)]);
    case 'cut':
      return Buffer.concat([before, behind.subarray(count)]);
    case 'end':
      return before;
    case 'double':
      return Buffer.concat([before, behind.subarray(0, count), behind]);
    default:
      return Buffer.concat([before, added, behind]);
  }
}

/** Valid bytes, changed in some places. */
export function changedBytes(seeds: readonly Buffer[]): Documents<Buffer> {
  const edits = fc.array(byteEdit, { maxLength: 5 });
  return {
    seeds,
    fromFile: (bytes) => bytes,
    changed: (all) => fc.tuple(fc.constantFrom(...all), edits).map(([seed, each]) => each.reduce(editedBytes, seed)),
  };
}
