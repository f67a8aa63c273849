import { ConfigError } from '../../foundation/errors.ts';
import { mistakesIn, placeIn, severalOf } from '../mistakes.ts';

/** Path to a value in a file: keys of maps and indexes of items, from 0. */
export type Path = readonly (string | number)[];

/** Returns the place for messages: "wiregauge.yml:12:5: services.api.port"; for a missing value, that of the nearest one around it. */
export type PlaceOf = (path: Path) => string;

/** Content of a file before validation, with the places of its parts. */
export interface PlacedContent {
  readonly content: unknown;
  readonly placeOf: PlaceOf;
}

/** Text of a configuration file, and its path for messages. */
export interface SourceText {
  readonly file: string;
  readonly text: string;
  /** Content that replaces the text, for generated services of a family. */
  readonly placed?: PlacedContent;
}

/** Result of the work. A ConfigError that it throws gets the affected lines of the file, with a mark below the place. */
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
    : new ConfigError(message, { code, next, printed, brief, cause, framed: `${message}\n${frame}` });
}

/** Longer lines are truncated on both sides of the place. */
const WIDEST = 100;

/** Characters before the place in a truncated line. */
const BEFORE = 40;

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
  // As long as the key or the value at the place.
  const [marked = ''] = /^(?:"[^"]*"|'[^']*'|[^\s:,[\]{}#]+|.)/.exec(found.slice(column - 1)) ?? [];
  const mark = '^'.repeat(Math.min(Math.max(marked.length, 1), room));
  return [
    ...(before === '' ? [] : [`  ${String(line - 1).padStart(width)} | ${shown(before)}`]),
    `  ${line} | ${shown(found)}`,
    `  ${' '.repeat(width)} | ${' '.repeat(column - 1 - start)}${mark}`,
  ].join('\n');
}

/** Replaces control characters, which may move the cursor, and keeps the width. */
function plainLine(line = ''): string {
  return line.replaceAll(/\p{Cc}/gu, ' ').trimEnd();
}
