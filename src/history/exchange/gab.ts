/** What stands before the JSON in github-action-benchmark's data.js: its reader drops so many characters and parses the rest. */
export const GAB_PREFIX = 'window.BENCHMARK_DATA = ';

/** Its tools for figures that somebody else measured. */
export const SMALLER = 'customSmallerIsBetter';
export const BIGGER = 'customBiggerIsBetter';

const BIGGER_IS_BETTER: ReadonlySet<string> = new Set(['benchmarkjs', 'pytest', BIGGER]);

/** Which way the figures of one of its tools are better; it has no other sign of it. */
export function directionOf(tool: string): 'lower' | 'higher' {
  return BIGGER_IS_BETTER.has(tool) ? 'higher' : 'lower';
}

/** What makes a run of a data.js the one that it is. */
export function gabIdentity(run: Readonly<Record<'suite' | 'tool' | 'at' | 'sha', string>>): string {
  return JSON.stringify(['github-action-benchmark', run.suite, run.tool, run.at, run.sha]);
}

/** The tier and the metric of a series that has only a name, a unit and a tool. */
export const IMPORTED_PLACE = 'all';
export const IMPORTED_METRIC = 'value';
