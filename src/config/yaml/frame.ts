import { ConfigError } from '../../foundation/errors.ts';
import { mistakesIn, placeIn, severalOf } from '../mistakes.ts';

/** What leads to a value in a file: keys of maps and numbers of items, from 0. */
export type Path = readonly (string | number)[];

/** What a file has before a schema had a say, and where. */
export interface PlacedContent {
  readonly content: unknown;
  /** "wiregauge.yml:12:5: services.api.port", for messages; if there is no such thing, the place of what it would be in. */
  readonly placeOf: (path: Path) => string;
}

/** A configuration file's text and the path by which messages name it. */
export interface SourceText {
  readonly file: string;
  readonly text: string;
  /** What is read instead of the text, if it is only described there, as the services of a family are. */
  readonly placed?: PlacedContent;
}

/** What the work gives. A ConfigError that it throws gets the lines of the file that it is about, with a mark below the place. */
export function framed<Result>(source: SourceText, work: () => Result): Result {
  try {
    return work();
  } catch (thrown) {
    throw thrown instanceof ConfigError
      ? severalOf(mistakesIn(thrown).map((mistake) => withFrame(mistake, source)))
      : thrown;
  }
}

function withFrame(mistake: ConfigError, { file, text }: SourceText): ConfigError {
  const { code, message, next, brief, printed, cause } = mistake;
  const place = placeIn(mistake);
  const frame = place.file === file && mistake.framed === undefined ? frameAt(text, place) : '';
  return frame === ''
    ? mistake
    : new ConfigError(message, {
        code,
        ...(next !== undefined && { next }),
        ...(printed !== undefined && { printed }),
        brief,
        cause,
        framed: `${message}\n${frame}`,
      });
}

/** Longer lines are cut on both sides of the place. */
const WIDEST = 100;

/** Of a cut line, what stands before the place. */
const BEFORE = 40;

/** The line of a place with the one before it, numbered, and a mark below what stands there; empty if there is no such line. */
function frameAt(text: string, { line, column }: { readonly line: number; readonly column: number }): string {
  const lines = text.split('\n', line);
  const found = plainLine(lines[line - 1]);
  const before = plainLine(lines[line - 2]);
  if (found === '' || column < 1) {
    return '';
  }
  const start = found.length <= WIDEST ? 0 : Math.max(0, column - 1 - BEFORE);
  const shown = (of: string): string => of.slice(start, start + WIDEST);
  const width = String(line).length;
  const room = Math.max(1, start + WIDEST - column + 1);
  const mark = '^'.repeat(Math.min(lengthAt(found.slice(column - 1)), room));
  return [
    ...(before === '' ? [] : [`  ${String(line - 1).padStart(width)} | ${shown(before)}`]),
    `  ${line} | ${shown(found)}`,
    `  ${' '.repeat(width)} | ${' '.repeat(column - 1 - start)}${mark}`,
  ].join('\n');
}

/** As wide as it is in the file, without what would move a cursor. */
function plainLine(line = ''): string {
  return line.replaceAll(/\p{Cc}/gu, ' ').trimEnd();
}

/** The length of the key or the value that a text begins with. */
function lengthAt(text: string): number {
  const [first = ''] = /^(?:"[^"]*"|'[^']*'|[^\s:,[\]{}#]+|.)/.exec(text) ?? [];
  return Math.max(first.length, 1);
}
