import { terminalJson } from '../../foundation/text.ts';
import { columnsOf, type OutputOptions, print, printJson, showsColor } from '../../host/terminal/output.ts';
import { ANSI, type Paint, PLAIN } from '../../report/render/lines.ts';

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

export function terminalPaint(): Paint {
  return { ...(showsColor() ? ANSI : PLAIN), columns: columnsOf() };
}

/** JSON document of a result; equal results give equal text. */
export function formatResult(command: string, data: object): string {
  const rounded = (_key: string, value: unknown) =>
    typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(DIGITS)) : value;
  return `${terminalJson(JSON.stringify({ schema: RESULT_SCHEMA, command, ...data }, rounded, 2))}\n`;
}
