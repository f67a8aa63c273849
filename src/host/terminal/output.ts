import { setImmediate as pause } from 'node:timers/promises';
/**
 * Whether to write colors to a stream: yes if it is a terminal that shows them. NO_COLOR says no, FORCE_COLOR says yes to anything but a
 * terminal as well, or no with 0; NO_COLOR has the last word, as in the help of the command line.
 */
export function showsColour(
  stream: Pick<NodeJS.WriteStream, 'isTTY'>,
  environment: NodeJS.ProcessEnv = process.env,
): boolean {
  const { NO_COLOR: no, FORCE_COLOR: force, TERM: terminal } = environment;
  if (no || force === '0' || force === 'false') {
    return false;
  }
  return force !== undefined || (stream.isTTY === true && terminal !== 'dumb');
}

/** Fewer leave no room for figures. */
const LEAST_COLUMNS = 60;

/** Longer lines are hard to read, and what anything but a terminal gets. */
const MOST_COLUMNS = 100;

/** The columns that lines on a stream may have. */
export function columnsOf({ columns = MOST_COLUMNS }: Pick<NodeJS.WriteStream, 'columns'>): number {
  return Math.min(MOST_COLUMNS, Math.max(LEAST_COLUMNS, columns));
}

/** From now on, texts that are written to the streams pass through `mask`: wherever in this program they come from. */
export function maskOutput(streams: readonly NodeJS.WritableStream[], mask: (text: string) => string): void {
  for (const stream of streams) {
    const write = stream.write.bind(stream);
    stream.write = (chunk: string | Uint8Array, ...others: unknown[]): boolean =>
      Reflect.apply(write, stream, [typeof chunk === 'string' ? mask(chunk) : chunk, ...others]);
  }
}

/** Whose result is told, and how. */
export interface Telling {
  /** As it is called on the command line: "history list". */
  readonly command: string;
  /** One document of JSON on standard output, and nothing else there. */
  readonly json?: boolean | undefined;
}

/** Where progress and remarks go: never into the document. */
export function remarkStream({ json }: Pick<Telling, 'json'>): NodeJS.WriteStream {
  return json === true ? process.stderr : process.stdout;
}

/** Writes a line of progress, or a remark. */
export function remarkLog(telling: Pick<Telling, 'json'>): (line: string) => void {
  return (line) => void remarkStream(telling).write(`${line}\n`);
}

/**
 * Goes on when a stream takes no more: a measurement must still clean up. Gives what tells, at the end, why it was; undefined if it took
 * all, or if its reader is gone, as `head` is after its lines.
 */
export function surviveLoss(stream: NodeJS.WriteStream): () => Promise<Error | undefined> {
  let lost: Error | undefined;
  stream.on('error', (error: NodeJS.ErrnoException) => {
    lost ??= error.code === 'EPIPE' ? undefined : error;
  });
  return async () => {
    // An error of the last words comes a moment after them.
    await pause();
    return lost;
  };
}
