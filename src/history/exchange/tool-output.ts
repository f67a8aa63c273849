import { median } from '../../foundation/statistics.ts';
import { plainText } from '../../foundation/text.ts';
import { type BenchmarkTool, readOutput } from '../adapters/adapters.ts';
import type { LeftOut, ToolFailure } from '../adapters/results.ts';
import { type HistoryEntry, IMPORTED_RUN } from '../store/entry.ts';
import { LONGEST_NAME, malformed, timeText } from '../store/fields.ts';
import { spreadOf } from '../store/run-entry.ts';
import { IMPORTED_PLACE, type NameRun } from './export.ts';

/** Facts about a run that the output of a benchmark tool lacks, or that override it. */
interface ToolOutput {
  readonly tool: BenchmarkTool;
  readonly suite: string;
  /** Time of measurement, in the format of the history; undefined to use that of the file. */
  readonly at: string | undefined;
  readonly commit: string | undefined;
  /** Default for a file without a time. */
  readonly now: string;
  readonly nameRun: NameRun;
}

const MAX_FIGURES = 10_000;

/**
 * Run in the output of a benchmark tool: one series per benchmark and metric, with the median of its repetitions. Throws HistoryError for
 * other content, or if there are no figures.
 */
export function readToolOutput(
  text: string,
  file: string,
  output: ToolOutput,
): { readonly entry: HistoryEntry; readonly failures: readonly ToolFailure[]; readonly leftOut: readonly LeftOut[] } {
  const place = { file, line: 1 };
  const { tool, suite, nameRun, now } = output;
  const found = readOutput(tool, text);
  if (typeof found === 'string') {
    throw malformed(place, found);
  }
  const { failures, leftOut } = found;
  const figures = found.figures.map(({ repetitions: _repetitions, counts: _counts, ...figure }) => figure);
  const { length } = figures;
  if (length === 0 || length > MAX_FIGURES) {
    const none = [...failures, ...leftOut].map(({ name, why }) => `; ${name} ${why}`).slice(0, 3);
    throw malformed(
      place,
      length === 0 ? `has no figures of ${tool}${none.join('')}` : `has ${length} figures; the limit is ${MAX_FIGURES}`,
    );
  }
  const at = output.at ?? (found.at === undefined ? undefined : timeText(found.at)) ?? now;
  const commit = output.commit ?? found.commit;
  const name = plainText(suite, LONGEST_NAME);
  const entry: HistoryEntry = {
    run: nameRun(JSON.stringify([tool, name, at, commit ?? '', figures])),
    at,
    suite: name,
    ...IMPORTED_RUN,
    series: figures.map((figure) => ({
      suite: name,
      service: tool,
      operation: figure.name,
      tier: IMPORTED_PLACE,
      metric: figure.metric,
      unit: figure.unit,
      better: figure.better,
    })),
    values: figures.map(({ values }) => median(values) ?? null),
    spreads: figures.map(({ values }) => spreadOf(values)),
    ...(commit !== undefined && { commit: { sha: plainText(commit, LONGEST_NAME) } }),
    rounds: Math.min(...figures.map(({ values }) => values.length)),
  };
  return { entry, failures, leftOut };
}
