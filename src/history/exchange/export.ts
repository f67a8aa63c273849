import { BIGGER, SMALLER } from '../../adapters/github-action-benchmark.ts';
import { plainText } from '../../foundation/text.ts';
import type { HistoryEntry, ImportedCommit, ImportedPerson, Series } from '../store/entry.ts';
import { LONGEST_NAME } from '../store/fields.ts';

interface GabBench {
  readonly name: string;
  readonly value: number;
  readonly range?: string;
  readonly unit: string;
  readonly extra?: string;
}

interface GabRun {
  readonly commit: ImportedCommit & { readonly id: string };
  readonly date: number;
  readonly tool: string;
  readonly benches: readonly GabBench[];
}

/**
 * The history as a data.js that github-action-benchmark goes on appending to. What was imported from one is as it was.
 * Other suites become two, since it knows one direction for a file: "users (lower is better)" and "(higher is better)".
 */
export function formatGab(entries: readonly HistoryEntry[], repository: string): string {
  const ordered = [...entries].sort((left, right) => (left.at === right.at ? 0 : left.at < right.at ? -1 : 1));
  const suites = new Map<string, GabRun[]>();
  for (const entry of ordered) {
    for (const [suite, run] of runsOf(entry, repository)) {
      const known = suites.get(suite) ?? [];
      suites.set(suite, known);
      known.push(run);
    }
  }
  const last = ordered.at(-1);
  const data = {
    lastUpdate: last === undefined ? 0 : Date.parse(last.at),
    repoUrl: repository,
    entries: Object.fromEntries(suites),
  };
  return GAB_PREFIX + JSON.stringify(data, null, 2);
}

function runsOf(entry: HistoryEntry, repository: string): readonly (readonly [string, GabRun])[] {
  return partsOf(entry)
    .map((part) => [part.suite, runOf(entry, part, repository)] as const)
    .filter(([, run]) => run.benches.length > 0 || entry.imported !== undefined);
}

/** What of a run is one run of a data.js. */
interface GabPart {
  readonly suite: string;
  readonly tool: string;
  /** undefined for all. */
  readonly better: Series['better'] | undefined;
}

/** The runs of a data.js that a run becomes. */
function partsOf({ suite, imported }: HistoryEntry): readonly GabPart[] {
  if (imported !== undefined) {
    return [{ suite, tool: imported.tool, better: undefined }];
  }
  return [
    { suite: `${suite} (lower is better)`, tool: SMALLER, better: 'lower' },
    { suite: `${suite} (higher is better)`, tool: BIGGER, better: 'higher' },
    // It knows two directions; its page draws these as the others, and its alerts take them for costs.
    { suite: `${suite} (no direction)`, tool: SMALLER, better: 'unknown' },
  ];
}

/** What an import makes the ids of these runs of, once they are in a data.js. */
export function exportedIdentities(entries: readonly HistoryEntry[]): readonly string[] {
  return entries.flatMap((entry) =>
    partsOf(entry).map(({ suite, tool }) => {
      const sha = entry.commit?.sha ?? '';
      return gabIdentity({ suite: plainText(suite, LONGEST_NAME), tool, at: entry.at, sha });
    }),
  );
}

function runOf(entry: HistoryEntry, { tool, better }: GabPart, repository: string): GabRun {
  return {
    commit: commitOf(entry, repository),
    date: Date.parse(entry.at),
    tool,
    benches: entry.series.flatMap((series, place) =>
      better === undefined || series.better === better ? benchOf(entry, series, place) : [],
    ),
  };
}

function benchOf(entry: HistoryEntry, series: Series, place: number): readonly GabBench[] {
  const value = entry.values[place] ?? null;
  if (value === null) {
    return [];
  }
  const { service, operation, tier, metric, unit } = series;
  const name = entry.imported === undefined ? `${service}/${operation}/${tier} ${metric}` : operation;
  const note = entry.imported?.notes.find((one) => one.series === place);
  const spread = entry.spreads[place] ?? null;
  const range = spread === null ? note?.range : `± ${(100 * spread).toPrecision(2)}%`;
  return [
    {
      name,
      value,
      ...(range !== undefined && { range }),
      unit,
      ...(note?.extra !== undefined && { extra: note.extra }),
    },
  ];
}

const NOBODY: ImportedPerson = { name: '', username: '' };

/** Its page reads the committer's name of every commit, so there is one. */
function commitOf({ commit, at, imported }: HistoryEntry, repository: string): GabRun['commit'] {
  const id = commit?.sha ?? '';
  if (imported?.commit !== undefined) {
    return inOrder({ ...imported.commit, id });
  }
  return {
    author: NOBODY,
    committer: NOBODY,
    id,
    message: commit?.subject ?? '',
    timestamp: commit?.at ?? at,
    url: repository === '' ? '' : `${repository}/commit/${id}`,
  };
}

/** The keys as GitHub has them, so that a file that was imported and exported differs in nothing. */
function inOrder(commit: GabRun['commit']): GabRun['commit'] {
  const sorted = Object.entries(commit).sort(([left], [right]) => (left < right ? -1 : 1));
  return Object.fromEntries(sorted) as unknown as GabRun['commit'];
}

/** What stands before the JSON in github-action-benchmark's data.js: its reader drops so many characters and parses the rest. */
export const GAB_PREFIX = 'window.BENCHMARK_DATA = ';

/** What makes a run of a data.js the one that it is. */
export function gabIdentity(run: Readonly<Record<'suite' | 'tool' | 'at' | 'sha', string>>): string {
  return JSON.stringify(['github-action-benchmark', run.suite, run.tool, run.at, run.sha]);
}

/** The tier and the metric of a series that has only a name, a unit and a tool. */
export const IMPORTED_PLACE = 'all';

export const IMPORTED_METRIC = 'value';

/**
 * Those of the runs of a data.js that a history lacks. Its own runs have other names in an export, and github-action-benchmark,
 * which goes on with that, keeps them in it.
 */
export function withoutExported(
  runs: readonly HistoryEntry[],
  existing: readonly HistoryEntry[],
  nameRun: NameRun,
): readonly HistoryEntry[] {
  const known = new Set(exportedIdentities(existing).map(namedOnce(nameRun)));
  return runs.filter(({ run }) => !known.has(run));
}

/** Gives an id for what makes a run the one that it is: the same for the same, and another for any other. */
export type NameRun = (identity: string) => string;

/** The same, but that each of several runs that are alike has an id of its own. */
export function namedOnce(nameRun: NameRun): NameRun {
  const seen = new Map<string, number>();
  return (identity) => {
    const times = seen.get(identity) ?? 0;
    seen.set(identity, times + 1);
    return nameRun(times === 0 ? identity : `${identity} ${times}`);
  };
}
