import type * as z from 'zod';
import { ConfigError } from '../foundation/errors.ts';

/** Mistake in a value, by the path to the part that is wrong. */
export interface Misfit {
  readonly path: (string | number)[];
  readonly message: string;
}

/** First mistake of a list of conditions, with the path to the part that is wrong and the message; none if all are false. */
export function firstMisfit(
  rules: readonly (readonly [isWrong: boolean, path: string | string[], message: string])[],
): readonly Misfit[] {
  return rules.flatMap(([isWrong, path, message]) => (isWrong ? { path: [path].flat(), message } : [])).slice(0, 1);
}

/** Refinement that reports the mistakes of a value whose parts are valid. */
export function refusing<Found>(misfitsOf: (found: Found) => readonly Misfit[]) {
  return (found: Found, context: z.RefinementCtx): void => {
    for (const misfit of context.issues.length > 0 ? [] : misfitsOf(found)) {
      context.addIssue({ code: 'custom', ...misfit });
    }
  };
}

/** Several mistakes of one file; empty if a check was skipped because another part is wrong. */
class SeveralMistakes extends ConfigError {
  readonly all: readonly ConfigError[];

  constructor(all: readonly ConfigError[]) {
    const [first] = all;
    const text = textOf(all);
    super(text, {
      brief: first === undefined ? '' : `${all.length} errors, the first: ${first.brief}`,
      framed: textOf(all, ({ framed, message }) => framed ?? message),
      // Comments on pull requests show the brief message and these lines.
      printed: text,
      next: shownOf(all).at(-1)?.next,
      code: first?.code,
    });
    this.all = all;
  }
}

const MAX_MISTAKES = 20;

/** Names in a file may be long, and the room in a comment is limited. */
const MAX_CHARACTERS = 4000;

function shownOf(all: readonly ConfigError[]): readonly ConfigError[] {
  let characters = 0;
  return all.slice(0, MAX_MISTAKES).filter(({ message, next = '' }, index) => {
    characters += message.length + next.length;
    return index === 0 || characters <= MAX_CHARACTERS;
  });
}

const LINE_END = /$/m;

/** Lists mistakes, each with its place and code. A `next` that consecutive mistakes share is printed once, after the last of them. */
function textOf(all: readonly ConfigError[], words: (one: ConfigError) => string = ({ message }) => message): string {
  const shown = shownOf(all);
  const lines = shown.flatMap((one, index) => {
    const { next } = one;
    const isLastWithIt = index + 1 < shown.length && shown[index + 1]?.next !== next;
    return [
      words(one).replace(LINE_END, ` (${one.code})`),
      ...(isLastWithIt && next !== undefined ? [`  ${next}`] : []),
    ];
  });
  const count = all.length > shown.length ? `first ${shown.length} of ${all.length}` : all.length;
  return `${count} errors:\n${lines.join('\n')}`;
}

/** Collects all mistakes of a file, to report them at once. */
export class Mistakes {
  readonly #found: ConfigError[] = [];
  #leavesOut = false;

  /** Result of the work; undefined if it throws a ConfigError, which is collected. */
  attempt<Result>(work: () => Result): Result | undefined {
    try {
      return work();
    } catch (thrown) {
      if (!(thrown instanceof ConfigError)) {
        throw thrown;
      }
      this.#found.push(...mistakesIn(thrown));
      this.#leavesOut = true;
      return undefined;
    }
  }

  /** Results of the calls that succeed, one call per item. */
  each<Item, Result>(items: readonly Item[], work: (item: Item, index: number) => Result): readonly Result[] {
    return items.flatMap((item, index) => {
      const result = this.attempt(() => ({ is: work(item, index) }));
      return result === undefined ? [] : [result.is];
    });
  }

  /** Returns the result, or throws the collected mistakes in the order of the file: a single one unchanged, several as one ConfigError. */
  without<Result>(result: Result | undefined): Result {
    if (this.#leavesOut || result === undefined) {
      throw severalOf(this.#found);
    }
    return result;
  }
}

/** Results of the calls, one per item. Throws the mistakes of all of them as one ConfigError. */
export function collectMistakes<Item, Result>(
  items: readonly Item[],
  work: (item: Item, index: number) => Result,
): readonly Result[] {
  const mistakes = new Mistakes();
  return mistakes.without(mistakes.each(items, work));
}

/** Several mistakes as one error, in the order of the file. A mistake that several services of a family share is listed once. */
export function severalOf(found: readonly ConfigError[]): ConfigError {
  const mistakes = found.filter(
    (one, index) => found.findIndex((other) => withoutCell(other) === withoutCell(one)) === index,
  );
  const [first, second] = mistakes;
  if (first !== undefined && second === undefined) {
    return first;
  }
  const files = [...new Set(mistakes.map((one) => placeIn(one).file))];
  return new SeveralMistakes(
    files.flatMap((file) =>
      mistakes
        .filter((one) => placeIn(one).file === file)
        .toSorted((left, right) => positionIn(left) - positionIn(right)),
    ),
  );
}

/** Mistakes that an error contains: those collected in it, or the error; none for other errors. */
export function mistakesIn(error: unknown): readonly ConfigError[] {
  return error instanceof SeveralMistakes ? error.all : error instanceof ConfigError ? [error] : [];
}

/** Skips a check that depends on a part of the file whose mistake is already reported. */
export function leftOut(): never {
  throw new SeveralMistakes([]);
}

/** Message without the service of a family: `file:1:2: matrix.0.port (api-h1.port): …`. */
function withoutCell({ message }: ConfigError): string {
  return message.replace(/^([^ ]+:\d+:\d+: \S+) \([^ ()]+\): /, '$1: ');
}

function positionIn(mistake: ConfigError): number {
  const { line, column } = placeIn(mistake);
  return line * 1e7 + column;
}

/** Place at the start of a message, line and column from 1. Without a place, the file is empty and both are 0. */
export function placeIn({ message }: ConfigError): {
  readonly file: string;
  readonly line: number;
  readonly column: number;
} {
  const [, file = '', line = '0', column = '0'] = /^([^:]+):(\d{1,7}):(\d{1,7}): /.exec(message) ?? [];
  return { file, line: Number(line), column: Number(column) };
}
