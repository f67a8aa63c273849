import { setImmediate as pause } from 'node:timers/promises';
import { terminalJson, terminalText } from '../../foundation/text.ts';
import { isInWorkflow, type WorkflowCommand, withoutCommands, workflowCommand } from '../workflow.ts';

export type Output = 'out' | 'err';

const streamOf = (to: Output): NodeJS.WriteStream => (to === 'out' ? process.stdout : process.stderr);

/** Prints wrapped text, in which untrusted parts cannot control a terminal or a workflow. Nothing else in this program prints. */
export function print(text: string, to: Output = 'out'): void {
  streamOf(to).write(printedText(text, streamOf(to)));
}

export function printLine(line: string, to: Output = 'out'): void {
  print(`${line}\n`, to);
}

export function printJson(json: string): void {
  const text = terminalJson(json);
  // Outside of strings JSON contains neither.
  const inLog = () => text.replaceAll('##[', '#\\u0023[').replaceAll('::', ':\\u003a');
  process.stdout.write(isInWorkflow() ? inLog() : text);
}

export function printScript(script: string): void {
  process.stdout.write(script);
}

export function printCommand(command: WorkflowCommand, to: Output = 'out'): void {
  streamOf(to).write(workflowCommand(command));
}

/** Own colors; other control sequences are removed. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they begin with a control character.
const OWN_COLORS = /(\u001b\[(?:1|2|22|31|32|36|39)m)/;

/** Maximum length of a part that is processed at once, to limit memory; longer lines are broken, except those of `printJson`. */
const MAX_PART = 2 ** 16;

export function printedText(
  text: string,
  stream: Pick<NodeJS.WriteStream, 'isTTY'>,
  environment = process.env,
): string {
  const hasColors = text.includes('\u001b') && showsColor(stream, environment);
  const printed = (part: string): string => {
    const shown = hasColors
      ? part
          .split(OWN_COLORS)
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
    const part = text.slice(start, start + MAX_PART);
    const end = start + part.length === text.length ? part.length : part.lastIndexOf('\n') + 1;
    parts.push(end === 0 ? `${part}\n` : part.slice(0, end));
    start += end === 0 ? part.length : end;
  }
  return parts;
}

/** True to write colors to a stream: a terminal that supports them, or FORCE_COLOR; NO_COLOR takes precedence. */
export function showsColor(
  stream: Pick<NodeJS.WriteStream, 'isTTY'> = process.stdout,
  environment: NodeJS.ProcessEnv = process.env,
): boolean {
  const { NO_COLOR: no, FORCE_COLOR: force, TERM: terminal } = environment;
  if (no || force === '0' || force === 'false') {
    return false;
  }
  return force !== undefined || (stream.isTTY === true && terminal !== 'dumb');
}

const LEAST_COLUMNS = 60;

/** Default without a terminal, and maximum, since longer lines are hard to read. */
const MAX_COLUMNS = 100;

export function columnsOf({ columns = MAX_COLUMNS }: Pick<NodeJS.WriteStream, 'columns'> = process.stdout): number {
  return Math.min(MAX_COLUMNS, Math.max(LEAST_COLUMNS, columns));
}

/** True if the output goes to a file or to another program. */
export function isPiped(): boolean {
  return !process.stdout.isTTY;
}

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

export interface OutputOptions {
  /** Name on the command line: "history list". */
  readonly command: string;
  /** Prints nothing but one JSON document to standard output. */
  readonly json?: boolean | undefined;
}

export function remarkOutput({ json }: Pick<OutputOptions, 'json'>): Output {
  return json === true ? 'err' : 'out';
}

export function remarkLog(options: Pick<OutputOptions, 'json'>): (line: string) => void {
  return (line) => printLine(line, remarkOutput(options));
}

/** Continues if a stream fails, since a measurement must still clean up. Returns a function for the error; none for a closed pipe. */
export function surviveLoss(stream: NodeJS.WriteStream): () => Promise<Error | undefined> {
  let lost: Error | undefined;
  stream.on('error', (error: NodeJS.ErrnoException) => {
    lost ??= error.code === 'EPIPE' ? undefined : error;
  });
  return async () => {
    // An error of the last write is reported asynchronously.
    await pause();
    return lost;
  };
}

export function surviveLossOfOutput(): () => Promise<Error | undefined> {
  surviveLoss(process.stderr);
  return surviveLoss(process.stdout);
}
