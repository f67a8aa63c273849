import { ConfigError } from '../../foundation/index.ts';
import { historyBaseline } from '../../history/index.ts';
import { readText } from '../../host/index.ts';
import { type Baseline, judgeByStored, parseBaseline } from '../../judge/index.ts';
import type { RunInRounds } from '../../model/index.ts';
import { DEFAULT_POLICY, isInRounds, isVersus, type Policy, parseRun, type Run, versusRun } from '../../model/index.ts';
import type { RunWithStored } from '../../report/index.ts';
import { requiredIndex, USUAL_PLACE, withHistory } from '../history/place.ts';

/** The run in a `run.json`; throws ConfigError where there is none or it is of another schema. */
export function readRunFile(file: string): Run {
  return parseRun(readText(file, 'Give the run.json that `wiregauge run` left in its output folder.'), file);
}

/**
 * The same for a run in which two versions were compared, or services with each other: of a main job the rounds in which it did so.
 * Throws ConfigError for any other.
 */
export function readComparison(file: string): RunInRounds {
  const run = readRunFile(file);
  const rounds = isInRounds(run) ? run : versusRun(run);
  if (rounds === undefined) {
    throw new ConfigError(`${file}: holds no comparison of two versions`, {
      next: '`wiregauge compare` makes one; `wiregauge report` shows this one.',
    });
  }
  return rounds;
}

/** The same for two versions of the same services; throws ConfigError also where services are held against each other. */
export function readVersions(file: string): RunInRounds {
  const run = readComparison(file);
  refuseVersus(run, file);
  return run;
}

/** Throws ConfigError for a run in which services are held against each other: none of them is the base of another. */
export function refuseVersus(run: Run, file: string): void {
  if (isVersus(run)) {
    throw new ConfigError(`${file}: compares services with each other, and no two versions`, {
      next: '`wiregauge report` shows it; `wiregauge compare` compares two versions.',
    });
  }
}

/** What a run is held against. */
export interface BaselineQuestion {
  /** A baseline file; "history" for that of the usual branch, "history:PATH" for one in a folder. */
  readonly against: string | undefined;
  /** Of the run. */
  readonly suite: string;
  readonly policy?: Policy;
}

/**
 * Reads stored runs now, so that a wrong path is known before anything is measured; without a path the run stands alone. Throws
 * ConfigError for a file that is no baseline, HistoryError for a history that cannot be read.
 */
export async function comparedWithStored(question: BaselineQuestion): Promise<(run: Run) => RunWithStored> {
  const { against: file, suite, policy = DEFAULT_POLICY } = question;
  if (file === undefined) {
    return (run) => ({ run, against: undefined });
  }
  const { name, baseline } = /^history(:|$)/.test(file) ? await storedInHistory(file, suite) : storedInFile(file);
  return (run) => ({ run, against: { file: name, ...judgeByStored(run, baseline, policy) } });
}

interface NamedBaseline {
  readonly name: string;
  readonly baseline: Baseline;
}

function storedInFile(file: string): NamedBaseline {
  const text = readText(file, 'Baselines lie under baselines/<suite>/; `wiregauge baseline update` writes one.');
  return { name: file, baseline: parseBaseline(text, file) };
}

async function storedInHistory(place: string, suite: string): Promise<NamedBaseline> {
  const folder = place.slice('history:'.length);
  return await withHistory({ ...USUAL_PLACE, ...(folder !== '' && { folder }) }, async (store) => {
    await requiredIndex(store);
    // The rule itself leaves out runs on other kinds of machine.
    return { name: store.name, baseline: await historyBaseline(store.read, suite, 'any') };
  });
}
