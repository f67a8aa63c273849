import { terminalJson } from '../../foundation/text.ts';
import { type HistoryEntry, plainSeries } from '../../history/store/entry.ts';
import type { OutputFolder } from '../../host/files/output.ts';
import { columnsOf, type OutputOptions, print, printJson, showsColor } from '../../host/terminal/output.ts';
import type { Document } from '../../report/document.ts';
import { htmlOf } from '../../report/render/html.ts';
import { ANSI, type Paint, PLAIN } from '../../report/render/lines.ts';
import { markdownOf } from '../../report/render/markdown.ts';

/** Version of the layout of what `--json` prints; see docs/cli.md. */
const RESULT_SCHEMA = 1;

/** Digits of a fraction: more than the noise allows, and few enough to be the same on every machine. */
const DIGITS = 6;

/** Prints the result of a command: its lines, or with `--json` its data. */
export function printResult({ command, json }: OutputOptions, data: object, text: string): void {
  if (json === true) {
    printJson(formatResult(command, data));
  } else {
    print(text);
  }
}

/** Writes a document as Markdown and HTML, and returns the paths. */
export async function writeDocument(
  folder: OutputFolder,
  name: string,
  document: Document,
): Promise<readonly string[]> {
  return [await folder.write(`${name}.md`, markdownOf(document)), await folder.write(`${name}.html`, htmlOf(document))];
}

/** Colors that the terminal supports. */
export function terminalPaint(): Paint {
  return { ...(showsColor() ? ANSI : PLAIN), columns: columnsOf() };
}

/** JSON document of a result; equal results give equal text. */
export function formatResult(command: string, data: object): string {
  const rounded = (_key: string, value: unknown) =>
    typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(DIGITS)) : value;
  return `${terminalJson(JSON.stringify({ schema: RESULT_SCHEMA, command, ...data }, rounded, 2))}\n`;
}

/** Run of a history as data, each figure with its series. */
export function entryData(entry: HistoryEntry): object {
  return { ...entry, series: entry.series.map(plainSeries) };
}
