/** One figure of a benchmark tool, with a value for each time that it was measured. */
export interface ToolFigure {
  /** The benchmark, with its parameters. */
  readonly name: string;
  /** What of it: `time`, `throughput`, `memory` and so on. */
  readonly metric: string;
  readonly unit: string;
  readonly better: 'lower' | 'higher';
  readonly values: readonly number[];
  /** All that `values` has only a median or mean of, in the order in which it was measured; left out if the file lacks it. */
  readonly repetitions?: readonly number[] | undefined;
}

/** What one file of a benchmark tool says. */
export interface ToolRun {
  readonly figures: readonly ToolFigure[];
  /** When it was measured, as the file says it. */
  readonly at?: string | undefined;
  /** The commit that was measured, as the file says it. */
  readonly commit?: string | undefined;
}

/** Figures of one name, metric and unit become one, with the values of all of them: a benchmark that was repeated. */
export function together(figures: readonly ToolFigure[]): readonly ToolFigure[] {
  const found = new Map<string, ToolFigure>();
  for (const figure of figures) {
    const key = JSON.stringify([figure.name, figure.metric, figure.unit]);
    const known = found.get(key);
    found.set(key, known === undefined ? figure : { ...known, values: [...known.values, ...figure.values] });
  }
  return [...found.values()];
}

/** The figure with its summary alone, as a history and a run keep it. */
export function summarized({ name, metric, unit, better, values }: ToolFigure): Omit<ToolFigure, 'repetitions'> {
  return { name, metric, unit, better, values };
}

/** The figure with all its repetitions, as far as the file has them. */
export function repeated({ repetitions, ...figure }: ToolFigure): ToolFigure {
  return { ...figure, values: repetitions ?? figure.values };
}

/** A rate is better if it is higher, and anything else if it is lower. */
export function betterOf(unit: string): ToolFigure['better'] {
  return /(\/s|\/sec|per second)$/i.test(unit) ? 'higher' : 'lower';
}
