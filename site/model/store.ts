import type { HistoryEntry } from '../../src/history/store/entry.ts';
import { type Series, seriesKey } from '../../src/history/store/entry.ts';
import { type RunFacts, runFacts } from './runs.ts';

/** Figures of one series, one per run; NaN if a run has none. */
export interface Line {
  readonly values: Float32Array;
  /** Relative spread over the rounds. */
  readonly spreads: Float32Array;
}

/** Figures of a segment: a column for each of its series. */
interface Chunk {
  readonly file: string;
  readonly columns: ReadonlyMap<string, Line>;
}

/** Runs that were read, in order of time. */
export interface Store {
  readonly series: ReadonlyMap<string, Series>;
  readonly runs: readonly RunFacts[];
  /** Index of a run in `runs`, by its id. */
  readonly places: ReadonlyMap<string, number>;
  readonly chunks: readonly Chunk[];
  /** Index of each run's segment in `chunks`, and index of the run in that segment. */
  readonly chunkOf: Uint16Array;
  readonly rowOf: Uint32Array;
}

export const EMPTY_STORE: Store = {
  series: new Map(),
  runs: [],
  places: new Map(),
  chunks: [],
  chunkOf: new Uint16Array(),
  rowOf: new Uint32Array(),
};

/** Store with one more segment; a run in two segments keeps the first. */
export function withSegment(store: Store, file: string, entries: readonly HistoryEntry[]): Store {
  const series = new Map(store.series);
  const chunk: Chunk = { file, columns: columnsOf(entries, series) };
  const located = store.runs.map((facts, place) => ({
    facts,
    chunk: store.chunkOf[place] ?? 0,
    row: store.rowOf[place] ?? 0,
  }));
  for (const [row, entry] of entries.entries()) {
    if (!store.places.has(entry.run)) {
      located.push({ facts: runFacts(entry), chunk: store.chunks.length, row });
    }
  }
  located.sort((left, right) => left.facts.at - right.facts.at);
  return {
    series,
    runs: located.map(({ facts }) => facts),
    places: new Map(located.map(({ facts }, place) => [facts.run, place])),
    chunks: [...store.chunks, chunk],
    chunkOf: Uint16Array.from(located, (one) => one.chunk),
    rowOf: Uint32Array.from(located, ({ row }) => row),
  };
}

/** Adds new series; known ones stay unchanged, since newer segments are read first. */
function columnsOf(entries: readonly HistoryEntry[], known: Map<string, Series>): Map<string, Line> {
  const columns = new Map<string, Line>();
  const found = new Map<string, Series>();
  const lines = new Map<readonly Series[], readonly Line[]>();
  for (const [row, { series, values, spreads }] of entries.entries()) {
    const into = lines.get(series) ?? linesFor(series, entries.length, columns, found);
    lines.set(series, into);
    for (const [place, line] of into.entries()) {
      line.values[row] = values[place] ?? Number.NaN;
      line.spreads[row] = spreads[place] ?? Number.NaN;
    }
  }
  for (const [key, series] of found) {
    if (!known.has(key)) {
      known.set(key, series);
    }
  }
  return columns;
}

function linesFor(
  series: readonly Series[],
  length: number,
  columns: Map<string, Line>,
  found: Map<string, Series>,
): readonly Line[] {
  return series.map((one) => {
    const key = seriesKey(one);
    found.set(key, withLoadOf(found.get(key) ?? one, one));
    const line = columns.get(key) ?? emptyLine(length);
    columns.set(key, line);
    return line;
  });
}

/** Within a segment the newest runs come last: their load counts. */
function withLoadOf(series: Series, { load }: Series): Series {
  return load === undefined || load === series.load ? series : { ...series, load };
}

/** Figures of a series for a range of runs, from the first index (inclusive) to the second (exclusive); default: all runs. */
export function lineOf(store: Store, key: string, [from, to] = [0, store.runs.length]): Line {
  const line = emptyLine(Math.max(0, to - from));
  const columns = store.chunks.map((chunk) => chunk.columns.get(key));
  for (let place = from; place < to; place += 1) {
    const column = columns[store.chunkOf[place] ?? 0];
    const row = store.rowOf[place] ?? 0;
    line.values[place - from] = column?.values[row] ?? Number.NaN;
    line.spreads[place - from] = column?.spreads[row] ?? Number.NaN;
  }
  return line;
}

export interface Figure {
  readonly value: number;
  /** Relative spread over the rounds; undefined if there were too few. */
  readonly spread: number | undefined;
}

/** Figure of a run; undefined if it has none. */
export function figureAt(store: Store, key: string, place: number): Figure | undefined {
  const column = store.chunks[store.chunkOf[place] ?? -1]?.columns.get(key);
  const row = store.rowOf[place] ?? 0;
  const [value, spread] = [column?.values[row] ?? Number.NaN, column?.spreads[row] ?? Number.NaN];
  return Number.isNaN(value) ? undefined : { value, spread: Number.isNaN(spread) ? undefined : spread };
}

function emptyLine(length: number): Line {
  return { values: new Float32Array(length).fill(Number.NaN), spreads: new Float32Array(length).fill(Number.NaN) };
}
