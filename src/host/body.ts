/** Content of a stream; of a longer one, the beginning. */
export async function bytesUpTo(most: number, stream: AsyncIterable<Uint8Array> | null) {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of stream ?? []) {
    pieces.push(piece);
    length += piece.length;
    if (length > most) {
      break;
    }
  }
  return { bytes: Buffer.concat(pieces).subarray(0, most), isCut: length > most };
}
