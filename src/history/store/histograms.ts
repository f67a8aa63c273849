import { runIn } from './entry-fields.ts';
import { fieldsOf, HISTORY_SCHEMA, malformed, parseFields, textField } from './fields.ts';
import { HistoryError } from './history-error.ts';

/** Latency distributions by cell, "service/operation/tier": hdr-histogram V2, compressed, base64. */
export type RunHistograms = Readonly<Record<string, string>>;

/** The distributions of one run. */
export interface HistogramsOfRun {
  readonly run: string;
  readonly cells: RunHistograms;
}

const LONGEST_HISTOGRAM = 200_000;
const MOST_CELLS = 2000;
const CELL = /^[^/]{1,400}\/[^/]{1,400}\/[^/]{1,400}$/;
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/;

/** The distributions in a file's text, in the order in which they were published; throws HistoryError. */
export function readHistograms(text: string, file: string): readonly HistogramsOfRun[] {
  return wholeLines(text, file).map((line, index) => {
    const fields = parseFields(line, { file, line: index + 1 });
    const { of, place } = fieldsOf(fields.of['cells'], fields.place, 'cells');
    const names = Object.keys(of);
    if (names.length > MOST_CELLS || !names.every((name) => CELL.test(name))) {
      throw malformed(place, 'cells has too many names, or one that is not like service/operation/tier');
    }
    const cells = names.map((name) => [name, textField({ of, place }, name, LONGEST_HISTOGRAM)] as const);
    if (!cells.every(([, histogram]) => BASE64.test(histogram))) {
      throw malformed(place, 'cells has a distribution that is not base64');
    }
    return { run: runIn(fields), cells: Object.fromEntries(cells) };
  });
}

/** The text with the distributions of more runs; those that it has stay as they are. Throws HistoryError. */
export function appendedHistograms(text: string, added: readonly HistogramsOfRun[], file: string): string {
  const known = new Set(readHistograms(text, file).map(({ run }) => run));
  const lines = added
    .filter(({ run }) => !known.has(run))
    .map(({ run, cells }) => `${JSON.stringify({ schema: HISTORY_SCHEMA, run, cells })}\n`);
  return text + lines.join('');
}

function wholeLines(text: string, file: string): readonly string[] {
  const lines = text.split('\n');
  const place = { file, line: lines.length };
  if (lines.pop() !== '') {
    throw new HistoryError('truncated', place, 'does not end in a line break, so the last line was cut short');
  }
  return lines;
}
