import type { HistoryEntry } from './entry.ts';
import { HISTORY_SCHEMA } from './fields.ts';
import { plainSeries, type Series } from './series.ts';

/** The line that says what series the runs with these columns have figures of. */
export function columnsLine(columns: number, series: readonly Series[]): string {
  return `${JSON.stringify({ schema: HISTORY_SCHEMA, columns, series: series.map(plainSeries) })}\n`;
}

/** The line of a run; its series are those of the columns, in their order. What is empty is left out. */
export function entryLine(entry: HistoryEntry, columns: number): string {
  const { run, at, suite, kind, values, spreads, commit, branch, tags, pullRequest, runner, tools } = entry;
  const { settings, controlMs, rounds, outcome, verdicts, links, imported } = entry;
  const line = {
    schema: HISTORY_SCHEMA,
    run,
    at,
    suite,
    kind,
    columns,
    values: values.map(plainZero),
    spreads: spreads.map(plainZero),
    commit,
    branch,
    tags: filled(tags),
    pullRequest,
    runner,
    tools: Object.keys(tools).length === 0 ? undefined : tools,
    settings,
    controlMs,
    rounds,
    outcome,
    verdicts: filled(verdicts),
    links: Object.keys(links).length === 0 ? undefined : links,
    imported,
  };
  return `${JSON.stringify(line)}\n`;
}

function filled<Item>(items: readonly Item[]): readonly Item[] | undefined {
  return items.length === 0 ? undefined : items;
}

/** JSON has no sign for 0; a figure that is written must be the one that is read. */
function plainZero(figure: number | null): number | null {
  return figure === 0 ? 0 : figure;
}
