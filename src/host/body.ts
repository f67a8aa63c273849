export async function bodyUpTo(most: number, body: ReadableStream<Uint8Array> | null): Promise<Buffer | undefined> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of body ?? []) {
    bytes += piece.length;
    if (bytes > most) {
      return undefined;
    }
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}
