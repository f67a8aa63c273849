import type { HistoryEntry } from '../../src/history/store/entry.ts';
import { seriesKey } from '../../src/history/store/entry.ts';

/** Run without its figures, as the page describes it. */
export interface RunFacts extends Pick<HistoryEntry, 'run' | 'suite' | 'kind' | 'tags' | 'rounds' | 'links'> {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly sha: string | undefined;
  readonly subject: string | undefined;
  /** Pull request that it was measured for, or that its commit came from. */
  readonly pullRequest: number | undefined;
  /** Machine as one text; equal texts mean the same machine. */
  readonly machine: string | undefined;
  readonly verdicts: readonly SeriesVerdict[];
  readonly seriesCount: number;
  readonly outcome: HistoryEntry['outcome'] | undefined;
  /** Only for a run that was compared with an anchor. */
  readonly anchor: HistoryEntry['anchor'] | undefined;
}

/** Report of one series of a run. */
export interface SeriesVerdict {
  readonly key: string;
  readonly verdict: HistoryEntry['verdicts'][number]['verdict'];
  /** Result of the run, in the unit of the series. */
  readonly value: number | undefined;
  readonly change: number | undefined;
  readonly low: number | undefined;
  readonly high: number | undefined;
  readonly accepted: string | undefined;
}

export function runFacts(entry: HistoryEntry): RunFacts {
  const { run, suite, kind, commit, tags, rounds, outcome, anchor, links } = entry;
  return {
    ...{ run, suite, kind, tags, rounds, outcome, anchor, links },
    at: Date.parse(entry.at),
    sha: commit?.sha,
    subject: commit?.subject,
    pullRequest: entry.pullRequest ?? pullRequestIn(commit?.subject),
    machine: entry.runner && `${entry.runner.cpuModel}, ${entry.runner.cores} cores`,
    verdicts: verdictsOf(entry),
    seriesCount: entry.values.filter((value) => value !== null).length,
  };
}

/** Number that GitHub puts at the end of a squashed commit's subject, or at the start of a merge's. */
function pullRequestIn(subject: string | undefined): number | undefined {
  const found = /^Merge pull request #(\d{1,9}) |\(#(\d{1,9})\)$/.exec(subject ?? '');
  const number = found?.[1] ?? found?.[2];
  return number === undefined ? undefined : Number(number);
}

function verdictsOf({ verdicts, series, values }: HistoryEntry): readonly SeriesVerdict[] {
  return verdicts.flatMap(({ series: place, verdict, change, low, high, accepted }) => {
    const found = series[place];
    const value = values[place] ?? undefined;
    return found === undefined ? [] : [{ key: seriesKey(found), verdict, value, change, low, high, accepted }];
  });
}
