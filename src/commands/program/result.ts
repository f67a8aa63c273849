import { type HistoryEntry, plainSeries } from '../../history/index.ts';
import { columnsOf, showsColour, type Telling } from '../../host/index.ts';
import { ANSI, type Paint, PLAIN } from '../../report/index.ts';

/** The result of a command, for people and for programs. */
export interface Result {
  /** The lines that are printed, with their ends. */
  readonly text: () => string;
  readonly data: () => object;
}

/** Version of the layout of what `--json` prints; see docs/cli.md. */
export const RESULT_SCHEMA = 1;

/** Digits of a fraction: more than the noise allows, and few enough to be the same on every machine. */
const DIGITS = 6;

/** Prints the result of a command. */
export function tellResult({ command, json }: Telling, { text, data }: Result): void {
  process.stdout.write(json === true ? formatResult(command, data()) : text());
}

/** What the terminal can show that this program prints to. */
export function terminalPaint(): Paint {
  return { ...(showsColour(process.stdout) ? ANSI : PLAIN), columns: columnsOf(process.stdout) };
}

/** The document that `--json` prints; equal results give equal text. */
export function formatResult(command: string, data: object): string {
  const rounded = (_key: string, value: unknown) =>
    typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(DIGITS)) : value;
  const text = JSON.stringify({ schema: RESULT_SCHEMA, command, ...data }, rounded, 2);
  return `${text.replace(MEANT_FOR_TERMINALS, escaped)}\n`;
}

/** What JSON leaves as it is and a terminal may obey: the second set of control characters, and those that turn text around. */
const MEANT_FOR_TERMINALS = /[\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g;

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** A run of a history as data, each of its figures with what it is of. */
export function entryData(entry: HistoryEntry): object {
  return { ...entry, series: entry.series.map(plainSeries) };
}
