import { plainText } from '../../foundation/text.ts';
import { BIGGER, SMALLER } from '../adapters/github-action-benchmark.ts';
import { type HistoryEntry, oldestFirst, type Series } from '../store/entry.ts';
import { LONGEST_NAME } from '../store/fields.ts';

/**
 * History as a data.js that github-action-benchmark can append to. Imported runs are unchanged. Other suites are split by direction, since
 * it has one direction per file: "users (lower is better)" and "(higher is better)".
 */
export function formatGab(entries: readonly HistoryEntry[], repository: string): string {
  const ordered = entries.toSorted(oldestFirst);
  const runs = ordered.flatMap((entry) =>
    partsOf(entry).flatMap(({ suite, tool, better }) => {
      const benches = entry.series.flatMap((series, place) =>
        better === undefined || series.better === better ? benchOf(entry, series, place) : [],
      );
      const run = { commit: commitOf(entry, repository), date: Date.parse(entry.at), tool, benches };
      return benches.length > 0 || entry.imported !== undefined ? [{ suite, run }] : [];
    }),
  );
  const suites = [...Map.groupBy(runs, ({ suite }) => suite)];
  const last = ordered.at(-1);
  const data = {
    lastUpdate: last === undefined ? 0 : Date.parse(last.at),
    repoUrl: repository,
    entries: Object.fromEntries(suites.map(([suite, all]) => [suite, all.map(({ run }) => run)])),
  };
  return GAB_PREFIX + JSON.stringify(data, null, 2);
}

/** Suites that a run is in, each with the direction of its series; undefined for all series. */
function partsOf({ suite, imported }: HistoryEntry): readonly {
  readonly suite: string;
  readonly tool: string;
  readonly better: Series['better'] | undefined;
}[] {
  if (imported !== undefined) {
    return [{ suite, tool: imported.tool, better: undefined }];
  }
  return [
    { suite: `${suite} (lower is better)`, tool: SMALLER, better: 'lower' },
    { suite: `${suite} (higher is better)`, tool: BIGGER, better: 'higher' },
    // Its format has only two directions; its alerts treat these series as costs.
    { suite: `${suite} (no direction)`, tool: SMALLER, better: 'unknown' },
  ];
}

/** Figure of a run; JSON leaves out undefined fields. */
function benchOf(entry: HistoryEntry, series: Series, place: number) {
  const value = entry.values[place] ?? null;
  const { service, operation, tier, metric, unit } = series;
  const name = entry.imported === undefined ? `${service}/${operation}/${tier} ${metric}` : operation;
  const note = entry.imported?.notes.find((one) => one.series === place);
  const spread = entry.spreads[place] ?? null;
  const range = spread === null ? note?.range : `± ${(100 * spread).toPrecision(2)}%`;
  return value === null ? [] : [{ name, value, range, unit, extra: note?.extra }];
}

const NO_PERSON = { name: '', username: '' };

/** Commit for its page, which requires a committer name. */
function commitOf({ commit, at, imported }: HistoryEntry, repository: string): object {
  const id = commit?.sha ?? '';
  if (imported?.commit !== undefined) {
    // In the order of GitHub's keys, so that an imported file is exported unchanged.
    const fields = Object.entries({ ...imported.commit, id }).sort(([left], [right]) => (left < right ? -1 : 1));
    return Object.fromEntries(fields);
  }
  return {
    author: NO_PERSON,
    committer: NO_PERSON,
    id,
    message: commit?.subject ?? '',
    timestamp: commit?.at ?? at,
    url: repository === '' ? '' : `${repository}/commit/${id}`,
  };
}

/** Prefix of the JSON in github-action-benchmark's data.js. */
export const GAB_PREFIX = 'window.BENCHMARK_DATA = ';

export function gabIdentity(run: Readonly<Record<'suite' | 'tool' | 'at' | 'sha', string>>): string {
  return JSON.stringify(['github-action-benchmark', run.suite, run.tool, run.at, run.sha]);
}

/** Tier and metric of series that only have a name, a unit and a tool. */
export const IMPORTED_PLACE = 'all';

export const IMPORTED_METRIC = 'value';

/** Runs of a data.js that a history lacks, without its own runs that were exported earlier under other ids. */
export function withoutExported(
  runs: readonly HistoryEntry[],
  existing: readonly HistoryEntry[],
  nameRun: NameRun,
): readonly HistoryEntry[] {
  const exported = existing.flatMap((entry) =>
    partsOf(entry).map(({ suite, tool }) => {
      const sha = entry.commit?.sha ?? '';
      return gabIdentity({ suite: plainText(suite, LONGEST_NAME), tool, at: entry.at, sha });
    }),
  );
  const known = new Set(exported.map(namedOnce(nameRun)));
  return runs.filter(({ run }) => !known.has(run));
}

/** Returns the id for an identity: the same for the same identity, and another for any other. */
export type NameRun = (identity: string) => string;

/** Like `nameRun`, but gives repeated identities different ids. */
export function namedOnce(nameRun: NameRun): NameRun {
  const seen = new Map<string, number>();
  return (identity) => {
    const times = seen.get(identity) ?? 0;
    seen.set(identity, times + 1);
    return nameRun(times === 0 ? identity : `${identity} ${times}`);
  };
}
