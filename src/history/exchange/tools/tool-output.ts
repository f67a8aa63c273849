import type { z } from 'zod';
import { firstIssue, median, plainText } from '../../../foundation/index.ts';
import { excessInFigures, type MicroBenchmarks } from '../../../model/index.ts';
import type { HistoryEntry, Series } from '../../store/entry.ts';

import { HistoryError, type HistoryPlace, LONGEST_NAME, malformed, parseJson, timeText } from '../../store/fields.ts';
import { spreadOf } from '../../store/run-entry.ts';
import { IMPORTED_PLACE, type NameRun } from '../export.ts';
import { criterionLines, googleBenchmark, hyperfine, jmh, k6, pytestBenchmark } from './json-formats.ts';
import { goBenchmarks, rustBenchmarks } from './text-formats.ts';
import { repeated, summarized, type ToolFigure, type ToolRun, together } from './tool-figures.ts';

type Reader = (text: string, place: HistoryPlace) => ToolRun;

const READERS = {
  'go-test': goBenchmarks,
  'pytest-benchmark': jsonOf(pytestBenchmark),
  'google-benchmark': jsonOf(googleBenchmark),
  jmh: jsonOf(jmh),
  criterion: criterion,
  k6: jsonOf(k6),
  hyperfine: jsonOf(hyperfine),
} as const satisfies Record<string, Reader>;

/** A benchmark tool whose output can enter a history. */
export type BenchmarkTool = keyof typeof READERS;

export const BENCHMARK_TOOLS = Object.keys(READERS) as readonly BenchmarkTool[];

function jsonOf(schema: z.ZodType<ToolRun>): Reader {
  return (text, place) => fitted(schema, parseJson(text, place), place);
}

function fitted(schema: z.ZodType<ToolRun>, value: unknown, place: HistoryPlace): ToolRun {
  const parsed = schema.safeParse(value);
  if (!parsed.success) {
    throw malformed(place, firstIssue(parsed.error));
  }
  return parsed.data;
}

/** cargo-criterion prints a document of JSON on each line; criterion itself prints lines of text. */
function criterion(text: string, place: HistoryPlace): ToolRun {
  const lines = text.split(/\r?\n/).flatMap((line, index) => (line.startsWith('{') ? [{ line, index }] : []));
  return lines.length === 0
    ? rustBenchmarks(text)
    : fitted(
        criterionLines,
        lines.map(({ line, index }) => parseJson(line, { ...place, line: index + 1 })),
        place,
      );
}

/** What the output of a benchmark tool does not say, or what to take instead of what it says. */
export interface ToolOutput {
  readonly tool: BenchmarkTool;
  readonly suite: string;
  /** When it was measured, in the one form of the history; undefined: what the file says. */
  readonly at: string | undefined;
  readonly commit: string | undefined;
  /** For a file that does not say when it was measured. */
  readonly now: string;
  readonly nameRun: NameRun;
}

const MOST_FIGURES = 10_000;

/**
 * The run in the output of a benchmark tool: a series for each benchmark and what was measured of it, its value the median of all
 * times that it was measured. Throws HistoryError for a file that is something else, or has no figure.
 */
export function readToolOutput(text: string, file: string, output: ToolOutput): HistoryEntry {
  const place = { file, line: 1 };
  const { tool, suite, nameRun, now } = output;
  const found = READERS[tool](text, place);
  const figures = found.figures.map(summarized);
  const { length } = figures;
  if (length === 0 || length > MOST_FIGURES) {
    throw malformed(
      place,
      length === 0 ? `has no figures of ${tool}` : `has ${length} figures; the limit is ${MOST_FIGURES}`,
    );
  }
  const at = output.at ?? (found.at === undefined ? undefined : timeText(found.at)) ?? now;
  const commit = output.commit ?? found.commit;
  const name = plainText(suite, LONGEST_NAME);
  return {
    run: nameRun(JSON.stringify([tool, name, at, commit ?? '', figures])),
    at,
    suite: name,
    kind: 'import',
    series: figures.map((figure) => seriesOf(figure, name, tool)),
    values: figures.map(({ values }) => median(values) ?? null),
    spreads: figures.map(({ values }) => spreadOf(values)),
    ...(commit !== undefined && { commit: { sha: plainText(commit, LONGEST_NAME) } }),
    tags: [],
    tools: {},
    rounds: Math.min(...figures.map(({ values }) => values.length)),
    verdicts: [],
    links: {},
  };
}

/**
 * The same output as micro-benchmarks, of whichever tool it is: the first whose figures are in it. Throws HistoryError, naming the
 * tools, for a file that is of none.
 */
export function readMicroBenchmarks(text: string, file: string): MicroBenchmarks {
  const { tool, figures } = readAnyTool(text, file);
  return { file: plainName(file), tool, figures: figures.map(summarized) };
}

/** The figures of one file of a benchmark tool. */
export interface ToolFigures {
  readonly tool: BenchmarkTool;
  readonly figures: readonly ToolFigure[];
}

/** The same with all repetitions that the file has, instead of a median or mean of them. Throws HistoryError as well. */
export function readRepetitions(text: string, file: string): ToolFigures {
  const { tool, figures } = readAnyTool(text, file);
  return { tool, figures: together(figures.map(repeated)) };
}

function readAnyTool(text: string, file: string): ToolFigures {
  const place = { file, line: 1 };
  for (const tool of BENCHMARK_TOOLS) {
    const figures = figuresOf(tool, text, place);
    const excess = excessInFigures(figures);
    if (excess !== undefined) {
      throw malformed(place, excess);
    }
    if (figures.length > 0) {
      return {
        tool,
        figures: figures.map((figure) => ({
          ...figure,
          name: plainName(figure.name),
          metric: plainName(figure.metric),
          unit: plainName(figure.unit),
        })),
      };
    }
  }
  throw malformed(place, `has no figures of ${BENCHMARK_TOOLS.join(', ')}`);
}

function plainName(text: string): string {
  return plainText(text, LONGEST_NAME);
}

/** Nothing if it is the output of another tool. */
function figuresOf(tool: BenchmarkTool, text: string, place: HistoryPlace): ToolRun['figures'] {
  try {
    return READERS[tool](text, place).figures;
  } catch (thrown) {
    if (thrown instanceof HistoryError) {
      return [];
    }
    throw thrown;
  }
}

function seriesOf({ name, metric, unit, better }: ToolFigure, suite: string, tool: string): Series {
  return {
    suite,
    service: tool,
    operation: plainName(name),
    tier: IMPORTED_PLACE,
    metric: plainName(metric),
    unit: plainName(unit),
    better,
  };
}
