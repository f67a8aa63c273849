import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { ConfigError, KnownError } from '../../foundation/index.ts';
import { anchoredRuns, storedDrift } from '../../history/anchored/anchored-runs.ts';
import { storedNoise } from '../../history/anchored/stored-noise.ts';
import { historyBaseline, historyIndex, requireIndex } from '../../history/reader.ts';
import { namesIn, readText } from '../../host/index.ts';
import { type Baseline, judgeByStored, parseBaseline } from '../../judge/index.ts';
import {
  DEFAULT_POLICY,
  type FormerNames,
  type KnownNoise,
  type NoisePlace,
  type Policy,
  type Run,
  type StoredCounts,
  type StoredDrift,
} from '../../model/index.ts';
import type { RunWithStored } from '../../report/index.ts';
import { type HistoryPlaceFlags, USUAL_PLACE, withHistory } from '../history/place.ts';

/** What a run is compared with. */
export interface BaselineQuestion {
  /** A baseline file; "history" for that of the usual branch, "history:PATH" for one in a folder. */
  readonly against: string | undefined;
  /** Of the run. */
  readonly suite: string;
  readonly policy?: Policy;
}

/**
 * Reads stored runs now, so that a wrong path is known before anything is measured; without a path the run stands alone. What holds no
 * run yet is a baseline without runs: a branch or a folder of a history that nobody published to, and a file that `wiregauge baseline
 * update` would write. Throws ConfigError for any other file that is no baseline, HistoryError for a history that cannot be read.
 */
export async function comparedWithStored(question: BaselineQuestion): Promise<(run: Run) => RunWithStored> {
  const { against: file, suite, policy = DEFAULT_POLICY } = question;
  if (file === undefined) {
    return (run) => ({ run, against: undefined });
  }
  const { baseline, ...named } = await namedBaseline(file, suite);
  return (run) => ({ run, against: { ...named, ...judgeByStored(run, baseline, policy) } });
}

/** Whose counts of instructions are looked for. */
export interface CountsQuestion {
  readonly suite: string;
  readonly commit: string;
  /** A place as in BaselineQuestion; undefined: the baselines of the repository. */
  readonly stored?: string | undefined;
  /** Names of the suite that the history may not know yet. */
  readonly wasNamed?: FormerNames | undefined;
}

/**
 * The stored counts of a commit, the newest first: from the place that was named, or else from `baselines/`, which a pull request can
 * write to. What cannot be read is logged, since without stored counts the commit is counted.
 */
export async function storedCountsOf(
  { suite, commit, stored }: CountsQuestion,
  log: (line: string) => void,
): Promise<readonly StoredCounts[]> {
  for (const place of placesOf(suite, stored)) {
    const found = await countsIn(place, { suite, commit }, log);
    if (found.length > 0) {
      return found;
    }
  }
  return [];
}

/** Says that nothing stored is looked for. */
const NOWHERE = 'none';

function placesOf(suite: string, stored: string | undefined): readonly string[] {
  if (stored === undefined) {
    return baselinesOf(suite);
  }
  return stored === NOWHERE ? [] : [stored];
}

/** What the anchored runs of the default branch say to a comparison. */
interface StoredTrend {
  readonly drift: { readonly stored?: StoredDrift };
  readonly noise?: (place: NoisePlace) => KnownNoise | undefined;
}

/**
 * The drift of the default branch at a commit, and the noise of machines, from the named history. Empty without a history or runs. A history
 * that cannot be read is logged, because it decides nothing.
 */
export async function storedTrendOf(
  { suite, commit, stored, wasNamed }: CountsQuestion,
  log: (line: string) => void,
): Promise<StoredTrend> {
  if (stored === undefined || !HISTORY_PLACE.test(stored)) {
    return { drift: {} };
  }
  try {
    return await withHistory(historyPlace(stored), async ({ read }) => {
      if ((await historyIndex(read)) === undefined) {
        return { drift: {} };
      }
      const runs = await anchoredRuns(read, suite, wasNamed);
      return { drift: { stored: storedDrift(runs, commit) }, noise: (place) => storedNoise(runs, place) };
    });
  } catch (thrown) {
    if (!(thrown instanceof KnownError)) {
      throw thrown;
    }
    log(`the drift cannot be read: ${thrown.message}`);
    return { drift: {} };
  }
}

const HISTORY_PLACE = /^history(:|$)/;

/** A branch that is missing has no runs, and reading does not create it. */
function historyPlace(place: string): HistoryPlaceFlags {
  const folder = place.slice('history:'.length);
  return { ...USUAL_PLACE, createBranch: true, ...(folder !== '' && { folder }) };
}

function baselinesOf(suite: string): readonly string[] {
  const folder = join('baselines', suite);
  return namesIn(folder, '*.json').map((name) => join(folder, `${name}.json`));
}

async function countsIn(
  place: string,
  { suite, commit }: Omit<CountsQuestion, 'stored'>,
  log: (line: string) => void,
): Promise<readonly StoredCounts[]> {
  try {
    const { file, baseline } = await namedBaseline(place, suite);
    const counted = baseline.runs.filter(({ counts }) => counts !== undefined);
    const own = counted.filter((run) => run.commit === commit && !run.dirty);
    if (counted.length > 0 && own.length === 0) {
      log(`${file} has no counts for base, commit ${commit.slice(0, SHORT_COMMIT)}`);
    }
    return own.toReversed().map(({ counts = [] }) => ({ commit, source: file, counts }));
  } catch (thrown) {
    if (!(thrown instanceof KnownError)) {
      throw thrown;
    }
    log(`stored counts cannot be read: ${thrown.message}`);
    return [];
  }
}

const SHORT_COMMIT = 7;

async function namedBaseline(place: string, suite: string): Promise<NamedBaseline> {
  return HISTORY_PLACE.test(place) ? await storedInHistory(place, suite) : storedInFile(place, suite);
}

interface NamedBaseline {
  /** What reports call it. */
  readonly file: string;
  /** The command that adds a run. */
  readonly store: string;
  readonly baseline: Baseline;
}

/** As `wiregauge baseline update` names a file: that of another kind of machine may come first. */
const RUNNER_CLASS = /^[a-z0-9]+-[a-z0-9_]+-\d+core(?=\.json$)/;

function storedInFile(file: string, suite: string): NamedBaseline {
  const [runnerClass] = RUNNER_CLASS.exec(basename(file)) ?? [];
  const folder = dirname(file);
  const isUsualName = runnerClass !== undefined && basename(folder) === suite;
  const store = `wiregauge baseline update${isUsualName && dirname(folder) !== 'baselines' ? ` --folder ${dirname(folder)}` : ''}`;
  if (isUsualName && !existsSync(file)) {
    return { file, store, baseline: { suite, runnerClass, runs: [] } };
  }
  const text = readText(
    file,
    `\`wiregauge baseline update\` writes baselines/${suite}/<runner class>.json, for example linux-x64-2core.json; check that the file exists.`,
  );
  return { file, store, baseline: parseBaseline(text, file) };
}

async function storedInHistory(place: string, suite: string): Promise<NamedBaseline> {
  const folder = place.slice('history:'.length);
  if (folder !== '' && !existsSync(folder)) {
    throw new ConfigError(`${place}: there is no folder ${folder}`, {
      code: 'WG-604',
      next: 'Use `--against history` for the published runs on their branch, or history:<folder> for those in a folder.',
    });
  }
  return await withHistory(historyPlace(place), async (store) => {
    await requireIndex(store);
    // The rule itself leaves out runs on other kinds of machine.
    const baseline = await historyBaseline(store.read, suite, 'any');
    return {
      file: store.name,
      store: `wiregauge publish${folder === '' ? ' --create-branch' : ` --folder ${folder}`}`,
      baseline,
    };
  });
}
