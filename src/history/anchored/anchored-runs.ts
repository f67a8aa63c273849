import { median } from '../../foundation/statistics.ts';
import { rounded } from '../../judge/stored/stored-run.ts';
import type { AnchoredRatio, AnchorRecord, StoredDrift } from '../../model/run/anchor.ts';
import { type FormerNames, presentNames } from '../../model/suite/former-names.ts';
import { historyIndex, newestSegments, presentEntries, type ReadHistory } from '../reader.ts';
import { isOfDefaultBranch, TAIL_RUNS } from '../store/changes.ts';
import type { EntryAnchor, HistoryEntry } from '../store/entry.ts';

/** An anchored run of the default branch. */
export interface AnchoredRun {
  readonly at: string;
  readonly commit: string;
  readonly anchor: EntryAnchor;
  readonly ratios: readonly AnchoredRatio[];
  /** On what, how, and in how many rounds. */
  readonly measured: Pick<HistoryEntry, 'runner' | 'settings' | 'rounds'>;
}

/** A commit as it is stored: nothing else is given to git. */
const SHA = /^[0-9a-f]{40,64}$/;

const NAME = /^[A-Za-z0-9_.-]{1,80}$/;

/**
 * The newest anchored runs of a suite on the default branch, the oldest first; none if there is no history. Whatever in them is no commit, no
 * name or no ratio is left out, since anybody who may write to the branch may have written it. Throws HistoryError if the history cannot be
 * read. `names` are former names that the history may not know yet.
 */
export async function anchoredRuns(
  read: ReadHistory,
  suite: string,
  names?: FormerNames,
): Promise<readonly AnchoredRun[]> {
  const index = await historyIndex(read);
  if (index === undefined) {
    return [];
  }
  const entries = await presentEntries(read, index, newestSegments(index, TAIL_RUNS));
  return entries
    .filter((entry) => entry.suite === suite && isOfDefaultBranch(entry, index.branch))
    .flatMap(anchoredRun)
    .map((run) => ({ ...run, ratios: run.ratios.map(presentNames(names, run.ratios)) }))
    .sort((left, right) => (left.at < right.at ? -1 : left.at > right.at ? 1 : 0));
}

function anchoredRun(entry: HistoryEntry): readonly AnchoredRun[] {
  const { at, anchor, commit, kind } = entry;
  const isWhole = kind === 'anchored' && anchor !== undefined && commit !== undefined && commit.dirty !== true;
  const isNamed = isWhole && [anchor.commit, commit.sha, anchor.through ?? commit.sha].every((sha) => SHA.test(sha));
  return isNamed && anchor.name !== '' && anchor.name.length <= MOST_NAME
    ? [{ at, commit: commit.sha, anchor, ratios: ratiosOf(entry), measured: entry }]
    : [];
}

const MOST_NAME = 100;

/** More metrics of services than any suite has. */
const MOST_RATIOS = 2000;

function ratiosOf({ series, values, spreads }: HistoryEntry): readonly AnchoredRatio[] {
  const found = series.flatMap(({ service, operation, tier, metric }, place) => {
    const [ratio, spread] = [values[place] ?? 0, spreads[place] ?? -1];
    const isNamed = [service, operation, tier, metric].every((name) => NAME.test(name));
    return isNamed && ratio > 0 && spread >= 0 ? [{ service, operation, tier, metric, ratio, spread }] : [];
  });
  return found.slice(0, MOST_RATIOS);
}

/**
 * The runs that a chain to an anchor can go on from, the best first: the newest that was compared with the anchor itself, so that the chain
 * has one link and no more, and then the newest that has links already.
 */
export function chainLinks(
  runs: readonly AnchoredRun[],
  { commit, head }: { readonly commit: string; readonly head: string | undefined },
): readonly NonNullable<AnchorRecord['through']>[] {
  const own = runs.filter((run) => run.anchor.commit === commit && run.commit !== head && run.ratios.length > 0);
  const direct = own.filter(({ anchor }) => anchor.through === undefined).at(-1);
  const chained = own.filter(({ anchor }) => anchor.through !== undefined).at(-1);
  return [direct, chained].flatMap((run) => (run === undefined ? [] : [{ commit: run.commit, ratios: run.ratios }]));
}

/** So many runs of the default branch stand for what is usual there. */
const RECENT_RUNS = 20;

/**
 * How far the default branch is from its newest anchor: where the base of a comparison was measured, there, else in the newest run. Without
 * anchored runs there is no anchor.
 */
export function storedDrift(runs: readonly AnchoredRun[], base: string | undefined): StoredDrift {
  const newest = runs.at(-1);
  if (newest === undefined) {
    return { ratios: [], recent: { runs: 0, ratios: [] } };
  }
  const { name, commit } = newest.anchor;
  const own = runs.filter(({ anchor }) => anchor.commit === commit);
  const start = own.findLast((run) => run.commit === base) ?? newest;
  const recent = own.slice(-RECENT_RUNS);
  return {
    anchor: { name, commit },
    commit: start.commit,
    ratios: start.ratios,
    recent: { runs: recent.length, ratios: start.ratios.map((ratio) => middleOf(ratio, recent)) },
  };
}

/** Its interval is that of a median of so many runs, by the intervals of the runs themselves. */
function middleOf(wanted: AnchoredRatio, runs: readonly AnchoredRun[]): AnchoredRatio {
  const same = runs.flatMap(({ ratios }) => ratios.filter((one) => isSame(one, wanted)));
  const [ratio, spread] = [median(same.map((one) => one.ratio)), median(same.map((one) => one.spread))];
  return {
    ...wanted,
    ratio: ratio ?? wanted.ratio,
    spread: rounded((MEDIAN_FACTOR * (spread ?? wanted.spread)) / Math.sqrt(Math.max(1, same.length))),
  };
}

/** A median scatters so many times as much as a mean. */
const MEDIAN_FACTOR = Math.sqrt(Math.PI / 2);

function isSame(left: AnchoredRatio, right: AnchoredRatio): boolean {
  const places = (one: AnchoredRatio) => [one.service, one.operation, one.tier, one.metric].join(' ');
  return places(left) === places(right);
}
