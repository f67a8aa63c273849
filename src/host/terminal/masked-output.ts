/** From now on, texts that are written to the streams pass through `mask`: wherever in this program they come from. */
export function maskOutput(streams: readonly NodeJS.WritableStream[], mask: (text: string) => string): void {
  for (const stream of streams) {
    const write = stream.write.bind(stream);
    stream.write = (chunk: string | Uint8Array, ...others: unknown[]): boolean =>
      Reflect.apply(write, stream, [typeof chunk === 'string' ? mask(chunk) : chunk, ...others]);
  }
}
