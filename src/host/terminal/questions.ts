import { createInterface } from 'node:readline/promises';
import { terminalText } from '../../foundation/text.ts';

/** A question at a terminal. */
export interface Question {
  readonly text: string;
  /** What an empty answer stands for. */
  readonly usual: string;
  /** Why an answer will not do; undefined if it does. */
  readonly refusal: (answer: string) => string | undefined;
}

/** Asks until an answer does; undefined if the terminal was closed, or Ctrl-C pressed. */
export type Ask = (question: Question) => Promise<string | undefined>;

/** Where answers come from, and where questions go. */
export interface Terminal {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
}

/** Whether there is somebody to ask. */
export function hasTerminal(environment: NodeJS.ProcessEnv = process.env): boolean {
  return process.stdin.isTTY === true && process.stdout.isTTY === true && !environment['CI'];
}

/** Does the work with somebody to ask, and lets go of the terminal. */
export async function withQuestions<Result>(
  work: (ask: Ask) => Promise<Result>,
  terminal: Terminal = { input: process.stdin, output: process.stdout },
): Promise<Result> {
  const lines = createInterface(terminal);
  const stop = new AbortController();
  lines.once('close', () => stop.abort()).once('SIGINT', () => lines.close());
  const once = (text: string): Promise<string | undefined> =>
    stop.signal.aborted
      ? Promise.resolve(undefined)
      : lines
          .question(terminalText(text), { signal: stop.signal })
          .catch((thrown: unknown) => unlessStopped(stop.signal, thrown));
  const say = (text: string): void => void terminal.output.write(terminalText(text));
  try {
    return await work((question) => answered(question, once, say));
  } finally {
    lines.close();
  }
}

async function answered(
  { text, usual, refusal }: Question,
  once: (text: string) => Promise<string | undefined>,
  say: (text: string) => void,
): Promise<string | undefined> {
  for (;;) {
    const given = await once(`${text} [${usual}]: `);
    if (given === undefined) {
      return undefined;
    }
    const answer = given.trim() || usual;
    const why = refusal(answer);
    if (why === undefined) {
      return answer;
    }
    say(`  ${why}\n`);
  }
}

function unlessStopped(signal: AbortSignal, thrown: unknown): undefined {
  if (!signal.aborted) {
    throw thrown;
  }
}
