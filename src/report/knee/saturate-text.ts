import { cleanText } from '../../foundation/escape.ts';
import type { SaturateRecord } from '../../measure/knee/record.ts';
import { COLUMNS, fitted, type Paint, wrapped } from '../render/terminal-text.ts';
import { type KneeRows, STEP_COLUMNS, type StepRow, stepCells, viewSaturate } from './saturate-view.ts';

/** A search for knees for a terminal, at most 100 columns; what each service holds comes first. */
export function saturateText(record: SaturateRecord, paint: Paint): string {
  const { claims, services } = viewSaturate(record);
  const parts = [
    claims.flatMap((claim) => wrapped(cleanText(claim, 600), '  ')).map(paint.strong),
    ...services.map((knee) => terminalKneeLines(knee, paint)),
  ];
  return `${parts.map((lines) => lines.join('\n')).join('\n\n')}\n`;
}

function terminalKneeLines({ name, notes, rows }: KneeRows, paint: Paint): readonly string[] {
  const head = paint.strong(line([cleanText(name, 80), ...STEP_COLUMNS.slice(1)]));
  return [
    head,
    ...rows.flatMap((row) => rowLines(row, paint)),
    ...notes.flatMap((note) => wrapped(cleanText(note, 600), '  ')),
  ];
}

const LOAD = 24;
const WIDTHS = [10, 10, 10, 9, 8];
const GAP = '  ';
const FIGURES = WIDTHS.reduce((sum, width) => sum + width, LOAD) + GAP.length;

/** What is said of a step stands in lines of its own column. */
function rowLines(row: StepRow, paint: Paint): readonly string[] {
  const said: string[] = [];
  for (const part of cleanText(row.verdict, 200).split('; ')) {
    const longer = `${said.at(-1)}; ${part}`;
    if (said.length > 0 && longer.length <= COLUMNS - FIGURES) {
      said.splice(-1, 1, longer);
    } else {
      said.push(part);
    }
  }
  const [first = '', ...others] = said.map(coloured(row, paint));
  const figures = line(stepCells({ ...row, verdict: '' }));
  return [`${figures}${GAP}${first}`.trimEnd(), ...others.map((text) => `${' '.repeat(FIGURES)}${text}`)];
}

function coloured({ standing }: StepRow, paint: Paint): (text: string) => string {
  switch (standing) {
    case 'held':
      return paint.better;
    case 'not-held':
      return paint.worse;
    default:
      return (text) => text;
  }
}

function line([first = '', ...others]: readonly string[]): string {
  return (
    fitted(first, LOAD, 'left') + WIDTHS.map((width, index) => fitted(others[index] ?? '', width, 'right')).join('')
  );
}
