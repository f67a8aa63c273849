import { type Baseline, ordered } from '../judge/stored/baseline.ts';
import type { HistoryResult } from '../judge/stored/comparison.ts';
import { judgeAgainstHistory } from '../judge/stored/judge.ts';
import type { Policy } from '../model/policy.ts';
import type { Run } from '../model/run/run.ts';
import { runnerClass } from '../model/runner.ts';
import type { ReadHistory } from './ports.ts';
import { historyEntries, historyIndex, newestSegments } from './read.ts';
import { TAIL_RUNS } from './store/change-updates.ts';
import { readChanges } from './store/changes.ts';
import { CHANGES_PATH } from './store/segments.ts';
import { storedRunsOf } from './store/stored-runs.ts';

/** How a single run stands against the published ones before it. Throws HistoryError where the history cannot be read. */
export async function standingInHistory(read: ReadHistory, run: Run, policy: Policy): Promise<HistoryResult> {
  return judgeAgainstHistory(run, await historyBaseline(read, run.suite.name, runnerClass(run.runner)), policy);
}

/** A baseline has at most 60 runs, and a history may have other suites, branches and imports among them: as many as for change points. */
const RUNS_READ = TAIL_RUNS;

/**
 * The newest runs of a suite in a history as a baseline: of the default branch, since each series' last change point. Empty where
 * the history has none. Throws HistoryError where it cannot be read.
 */
export async function historyBaseline(read: ReadHistory, suite: string, runnerClass: string): Promise<Baseline> {
  const index = await historyIndex(read);
  if (index === undefined) {
    return { suite, runnerClass, runs: [] };
  }
  const known = await read(CHANGES_PATH);
  const changes = known === undefined ? [] : readChanges(known, CHANGES_PATH);
  const entries = await historyEntries(read, newestSegments(index, RUNS_READ));
  return ordered({ suite, runnerClass, runs: storedRunsOf(entries, { suite, branch: index.branch, changes }) });
}
