import { setImmediate as pause } from 'node:timers/promises';
import { terminalJson, terminalText } from '../../foundation/text.ts';
import { isInWorkflow, type WorkflowCommand, withoutCommands, workflowCommand } from '../workflow.ts';

/** Standard stream: of results, or of errors and what goes beside a document. */
export type Output = 'out' | 'err';

const streamOf = (to: Output): NodeJS.WriteStream => (to === 'out' ? process.stdout : process.stderr);

/**
 * Prints a text that is wrapped already: whatever came from outside in it, it is no command of a workflow and does not steer a terminal.
 * Nothing else in this program prints, see `npm run check:structure`.
 */
export function print(text: string, to: Output = 'out'): void {
  streamOf(to).write(printedText(text, streamOf(to)));
}

/** Prints a line. */
export function printLine(line: string, to: Output = 'out'): void {
  print(`${line}\n`, to);
}

/** Prints a document of JSON, which means the same afterwards. */
export function printJson(json: string): void {
  const text = terminalJson(json);
  // Outside of strings JSON has neither.
  const inLog = () => text.replaceAll('##[', '#\\u0023[').replaceAll('::', ':\\u003a');
  process.stdout.write(isInWorkflow() ? inLog() : text);
}

/** Prints a program of ours for a shell as it is. */
export function printScript(script: string): void {
  process.stdout.write(script);
}

/** Gives a command to the workflow that this program runs in. */
export function printCommand(command: WorkflowCommand, to: Output = 'out'): void {
  streamOf(to).write(workflowCommand(command));
}

/** Colors of this program's own; others are removed like anything else that steers a terminal. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they begin with one.
const OWN_COLOURS = /(\u001b\[(?:1|2|22|31|32|36|39)m)/;

/** Longest part of a text that is looked at once: a flood takes little memory of its own, and a longer line is broken. */
const MOST_PART = 2 ** 16;

/** Text as a stream gets it: see `print`. */
export function printedText(
  text: string,
  stream: Pick<NodeJS.WriteStream, 'isTTY'>,
  environment = process.env,
): string {
  const hasColours = text.includes('\u001b') && showsColour(stream, environment);
  const printed = (part: string): string => {
    const shown = hasColours
      ? part
          .split(OWN_COLOURS)
          .map((piece, place) => (place % 2 === 1 ? piece : terminalText(piece)))
          .join('')
      : terminalText(part);
    return isInWorkflow(environment) ? withoutCommands(shown) : shown;
  };
  return partsOf(text).map(printed).join('');
}

function partsOf(text: string): readonly string[] {
  const parts: string[] = [];
  for (let start = 0; start < text.length; ) {
    const part = text.slice(start, start + MOST_PART);
    const end = start + part.length === text.length ? part.length : part.lastIndexOf('\n') + 1;
    parts.push(end === 0 ? `${part}\n` : part.slice(0, end));
    start += end === 0 ? part.length : end;
  }
  return parts;
}

/**
 * Whether to write colors to a stream: yes if it is a terminal that shows them. NO_COLOR says no, FORCE_COLOR says yes to anything but a
 * terminal as well, or no with 0; NO_COLOR has the last word, as in the help of the command line.
 */
export function showsColour(
  stream: Pick<NodeJS.WriteStream, 'isTTY'> = process.stdout,
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
export function columnsOf({ columns = MOST_COLUMNS }: Pick<NodeJS.WriteStream, 'columns'> = process.stdout): number {
  return Math.min(MOST_COLUMNS, Math.max(LEAST_COLUMNS, columns));
}

/** From now on, texts that are written to the streams pass through `mask`: wherever in this program they come from. */
export function maskOutput(
  mask: (text: string) => string,
  streams: readonly NodeJS.WritableStream[] = [process.stdout, process.stderr],
): void {
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
export function remarkOutput({ json }: Pick<Telling, 'json'>): Output {
  return json === true ? 'err' : 'out';
}

/** Writes a line of progress, or a remark. */
export function remarkLog(telling: Pick<Telling, 'json'>): (line: string) => void {
  return (line) => printLine(line, remarkOutput(telling));
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

/** Survives the loss of both standard streams; gives what `surviveLoss` does of the one of results. */
export function surviveLossOfOutput(): () => Promise<Error | undefined> {
  surviveLoss(process.stderr);
  return surviveLoss(process.stdout);
}
