import { existsSync } from 'node:fs';
import { ConfigError, withFallback } from '../../foundation/errors.ts';
import { shortCommit } from '../../foundation/text.ts';
import { anchoredRuns, storedDrift, storedNoise } from '../../history/anchored.ts';
import { plantFor, storedPlants } from '../../history/plants.ts';
import { historyBaseline, historyIndex, requireIndex } from '../../history/reader.ts';
import { judgeByStored } from '../../judge/stored/judge.ts';
import type { ComparisonJob } from '../../measure/session/comparison.ts';
import { DEFAULT_POLICY, type Policy } from '../../model/policy.ts';
import type { StoredCounts } from '../../model/run/kept-counts.ts';
import type { Run, RunInRounds } from '../../model/run/run.ts';
import type { FormerNames } from '../../model/suite/former-names.ts';
import { baselineSentence } from '../../report/stored/against.ts';
import type { RunWithStored } from '../../report/views/judgment.ts';
import { type HistoryPlaceFlags, USUAL_PLACE, withHistory } from '../history/place.ts';
import { BASELINES } from '../program/options.ts';

/**
 * Comparison of a run with stored runs in a place: "history" for the branch, "history:PATH" for a folder. Reads them at once, so that a wrong path
 * is reported before measuring; without a place there is nothing to compare with. A branch or a folder without a history has no runs. Throws
 * ConfigError for a path that is not a history, HistoryError for an unreadable one.
 */
export async function comparedWithStored(
  place: string | undefined,
  suite: string,
  policy: Policy = DEFAULT_POLICY,
): Promise<(run: Run) => RunWithStored> {
  if (place === undefined) {
    return (run) => ({ run, against: undefined });
  }
  const { baseline, ...named } = await storedRunsIn(place, suite);
  return (run) => ({ run, against: { ...named, ...judgeByStored(run, baseline, policy) } });
}

/** Comparison of two versions with a sentence on its head and the stored runs of a folder. Unchanged for any other place, and without stored runs. */
export async function withBaseline(
  run: RunInRounds,
  stored: string,
  log: (line: string) => void,
): Promise<RunWithStored & { readonly run: RunInRounds }> {
  const none = { run, against: undefined };
  if (storedFolder(stored) === undefined) {
    return none;
  }
  return await logging({ what: 'the stored baseline', none, stored, log }, async () => {
    const judge = await comparedWithStored(stored, run.suite.name, run.rounds.policy);
    const { against } = judge(run);
    return against === undefined || against.past.stored === 0
      ? none
      : { run: { ...run, rounds: { ...run.rounds, baseline: baselineSentence(run, against) } }, against };
  });
}

interface CountsQuestion {
  readonly suite: string;
  readonly commit: string;
  /** Place: "history", "history:PATH" or "none". */
  readonly stored: string;
  /** Former names that the history may still contain. */
  readonly wasNamed?: FormerNames | undefined;
}

/** Default place of stored runs: the folder of the repository, if it exists, which a pull request can write to. */
export function usualStored(): string {
  return existsSync(BASELINES) ? `${FOLDER}${BASELINES}` : NOWHERE;
}

export const NOWHERE = 'none';

const FOLDER = 'history:';

/** Folder of a place; undefined for the branch, and for none. */
function storedFolder(stored: string): string | undefined {
  return stored.startsWith(FOLDER) ? stored.slice(FOLDER.length) : undefined;
}

/** Stored counts of a commit, newest first. An unreadable history is logged, and the commit is counted again. */
export async function storedCountsOf(
  { suite, commit, stored }: CountsQuestion,
  log: (line: string) => void,
): Promise<readonly StoredCounts[]> {
  const none: readonly StoredCounts[] = [];
  return await logging({ what: 'stored counts', none, stored, log }, async () => {
    const { file, baseline } = await storedRunsIn(stored, suite);
    const counted = baseline.filter(({ counts }) => counts !== undefined);
    const own = counted.filter((run) => run.commit === commit && !run.dirty);
    if (counted.length > 0 && own.length === 0) {
      log(`${file} has no counts for base, commit ${shortCommit(commit)}`);
    }
    return own.toReversed().map(({ counts = [] }) => ({ commit, source: file, counts }));
  });
}

/** Drift of the default branch, noise of machines, and plants. */
type StoredTrend = Pick<ComparisonJob, 'stored' | 'storedNoise' | 'storedPlant'>;

/**
 * Drift of the default branch at a commit, and the noise of machines, from the history. Empty without a history or runs. An unreadable history is
 * only logged, since the drift decides nothing.
 */
export async function storedTrendOf(
  { suite, commit, stored, wasNamed }: CountsQuestion,
  log: (line: string) => void,
): Promise<StoredTrend> {
  const none: StoredTrend = {};
  return await logging({ what: 'the drift', none, stored, log }, () =>
    withHistory(placeFlags(stored), async ({ read }) => {
      if ((await historyIndex(read)) === undefined) {
        return none;
      }
      const runs = await anchoredRuns(read, suite, wasNamed);
      const plants = await storedPlants(read, suite);
      return {
        stored: storedDrift(runs, commit),
        storedNoise: (place) => storedNoise(runs, place),
        storedPlant: (place) => plantFor(plants, place),
      };
    }),
  );
}

async function logging<Found>(
  { what, none, stored, log }: { what: string; none: Found; stored: string; log: (line: string) => void },
  read: () => Promise<Found>,
): Promise<Found> {
  if (stored === NOWHERE) {
    return none;
  }
  return await withFallback(read, ({ message }) => {
    log(`${what} cannot be read: ${message}`);
    return none;
  });
}

/** Place of stored runs. A missing branch has no runs, and is not created. */
function placeFlags(place: string): HistoryPlaceFlags {
  const folder = storedFolder(place);
  if (place !== 'history' && (folder === undefined || folder === '')) {
    throw new ConfigError(`${place} is neither history nor history:<folder>`, {
      code: 'WG-604',
      next: `Files of stored runs are no longer read: add runs with \`wiregauge baseline update\`, then use history:${BASELINES}.`,
    });
  }
  return { ...USUAL_PLACE, createBranch: true, folder };
}

/** Stored runs of a suite, with the name of their place and the command that adds one. */
async function storedRunsIn(place: string, suite: string) {
  const { folder, ...flags } = placeFlags(place);
  if (folder !== undefined && folder !== BASELINES && !existsSync(folder)) {
    throw new ConfigError(`${place}: there is no folder ${folder}`, {
      code: 'WG-604',
      next: 'Use `history` for the published runs on their branch, or history:<folder> for those in a folder.',
    });
  }
  const update = `wiregauge baseline update${folder === BASELINES ? '' : ` --folder ${folder}`}`;
  return await withHistory({ ...flags, folder }, async (store) => {
    await requireIndex(store);
    return {
      file: store.name,
      store: folder === undefined ? 'wiregauge publish --create-branch' : update,
      // The rule itself leaves out runs on other kinds of machine.
      baseline: await historyBaseline(store.read, suite),
    };
  });
}
