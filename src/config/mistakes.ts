import { ConfigError } from '../foundation/errors.ts';

/** Several mistakes of one file; none of them if something was left out since it depends on another part that is wrong. */
class SeveralMistakes extends ConfigError {
  readonly all: readonly ConfigError[];

  constructor(all: readonly ConfigError[]) {
    const [first] = all;
    const next = all.slice(0, MOST).at(-1)?.next;
    const text = textOf(all);
    super(text, {
      brief: first === undefined ? '' : `${all.length} errors, the first: ${first.brief}`,
      framed: textOf(all, ({ framed, message }) => framed ?? message),
      // A comment on a pull request has room for the brief message and these lines.
      printed: text,
      ...(next !== undefined && { next }),
      ...(first !== undefined && { code: first.code }),
    });
    this.all = all;
  }
}

/** More of them help nobody. */
const MOST = 20;

/** The end of the first line. */
const LINE_END = /$/m;

/** Each begins its line with its place and ends it with its code; what to do stands behind the last of those that it is good for. */
function textOf(all: readonly ConfigError[], words: (one: ConfigError) => string = ({ message }) => message): string {
  const shown = all.slice(0, MOST);
  const lines = shown.flatMap((one, index) => {
    const { next } = one;
    const isLastWithIt = index + 1 < shown.length && shown[index + 1]?.next !== next;
    return [
      words(one).replace(LINE_END, ` (${one.code})`),
      ...(isLastWithIt && next !== undefined ? [`  ${next}`] : []),
    ];
  });
  const count = all.length > MOST ? `first ${MOST} of ${all.length}` : all.length;
  return `${count} errors:\n${lines.join('\n')}`;
}

/** Collects what is wrong with a file, so that a user learns of all of it at once. */
export class Mistakes {
  readonly #found: ConfigError[] = [];
  #leavesOut = false;

  /** What the work gives; undefined if that throws a ConfigError, which is kept. */
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

  /** The same for each of several; gives what succeeded. */
  each<Item, Result>(items: readonly Item[], work: (item: Item, index: number) => Result): readonly Result[] {
    return items.flatMap((item, index) => {
      const result = this.attempt(() => ({ is: work(item, index) }));
      return result === undefined ? [] : [result.is];
    });
  }

  /** Throws what was found, in the order of the file: one mistake as it is, several as one ConfigError. Without any, gives the result. */
  without<Result>(result: Result | undefined): Result {
    if (this.#leavesOut || result === undefined) {
      throw severalOf(this.#found);
    }
    return result;
  }
}

/** Several mistakes as one error, in the order of their file; a place that is wrong for several services of a family names the first. */
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

/** The mistakes that an error tells of. */
export function mistakesIn(error: ConfigError): readonly ConfigError[] {
  return error instanceof SeveralMistakes ? error.all : [error];
}

/** Leaves a check out that depends on a part of the file that is wrong, and was told of. */
export function leftOut(): never {
  throw new SeveralMistakes([]);
}

/** The message without the service of a family in it: `file:1:2: matrix.0.port (api-h1.port): …`. */
function withoutCell({ message }: ConfigError): string {
  return message.replace(/^([^ ]+:\d+:\d+: \S+) \([^ ()]+\): /, '$1: ');
}

/** Line and column as one number to sort by. */
function positionIn(mistake: ConfigError): number {
  const { line, column } = placeIn(mistake);
  return line * 1e7 + column;
}

/** The place that a message begins with, line and column from 1; 0 and no file if it names none. */
export function placeIn({ message }: ConfigError): {
  readonly file: string;
  readonly line: number;
  readonly column: number;
} {
  const [, file = '', line = '0', column = '0'] = /^([^:]+):(\d{1,7}):(\d{1,7}): /.exec(message) ?? [];
  return { file, line: Number(line), column: Number(column) };
}
