import { type Baseline, ordered } from '../../core/baseline.ts';
import type { HistoryResult } from '../../core/history/comparison.ts';
import { judgeAgainstHistory } from '../../core/history/judge.ts';
import { TAIL_RUNS } from '../../core/history-store/change-updates.ts';
import { readChanges } from '../../core/history-store/changes.ts';
import { CHANGES_PATH } from '../../core/history-store/segments.ts';
import { storedRunsOf } from '../../core/history-store/stored-runs.ts';
import type { Run } from '../../core/run.ts';
import { runnerClass } from '../../core/runner.ts';
import type { Policy } from '../../core/verdict/policy.ts';
import type { ReadHistory } from './ports.ts';
import { historyEntries, historyIndex, newestSegments } from './read.ts';

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
