import { createInterface } from 'node:readline/promises';
import { terminalText } from '../../foundation/text.ts';

export interface Question {
  readonly text: string;
  /** Default for an empty answer. */
  readonly usual: string;
  /** Why an answer is invalid; undefined if it is valid. */
  readonly refusal: (answer: string) => string | undefined;
}

/** Repeats a question until the answer is valid; undefined if the terminal was closed, or Ctrl-C pressed. */
export type Ask = (question: Question) => Promise<string | undefined>;

export function hasTerminal(environment: NodeJS.ProcessEnv = process.env): boolean {
  return process.stdin.isTTY === true && process.stdout.isTTY === true && !environment['CI'];
}

export async function withQuestions<Result>(
  work: (ask: Ask) => Promise<Result>,
  input: NodeJS.ReadableStream = process.stdin,
  output: NodeJS.WritableStream = process.stdout,
): Promise<Result> {
  const lines = createInterface({ input, output });
  const stop = new AbortController();
  lines.once('close', () => stop.abort()).once('SIGINT', () => lines.close());
  const once = (text: string): Promise<string | undefined> =>
    stop.signal.aborted
      ? Promise.resolve(undefined)
      : lines.question(terminalText(text), { signal: stop.signal }).catch((thrown: unknown) => {
          if (!stop.signal.aborted) {
            throw thrown;
          }
          return undefined;
        });
  const say = (text: string): void => void output.write(terminalText(text));
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
