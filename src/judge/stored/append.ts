import { ConfigError } from '../../foundation/index.ts';
import type { Run } from '../../model/index.ts';
import { DEFAULT_POLICY, type Policy, runnerClass } from '../../model/index.ts';
import { type Baseline, isErrorsOnly, ordered, storedRunOf } from './baseline.ts';
import { comparisonName } from './candidates.ts';
import type { HistoryVerdict } from './comparison.ts';
import { judgeByStored } from './judge.ts';

/** A run that is to be stored. */
export interface RunToStore {
  readonly run: Run;
  readonly file: string;
  /** How it was taken, for the reviewer. */
  readonly note: string;
}

/**
 * The baseline with one more run, which is flagged if it is suspicious against the runs before it: flagged values
 * are no past that later runs are compared with, unless they turn out to be a new level. A run that is there already stays one, as it was.
 * Throws ConfigError for a run that was not completed, measured nothing, or belongs to another suite or runner class.
 */
export function appendRun(
  baseline: Baseline,
  { run, file, note }: RunToStore,
  policy: Policy = DEFAULT_POLICY,
): Baseline {
  refuseForeign(baseline, run, file);
  const stored = storedRunOf(run, note);
  if (Object.values(stored.cells).every(isErrorsOnly)) {
    throw new ConfigError(`${file}: no cell of the run measures its service; nothing to store`, {
      code: 'WG-407',
      next: 'See its report for the reason, and measure again.',
    });
  }
  if (baseline.runs.some(({ startedAt, commit }) => startedAt === stored.startedAt && commit === stored.commit)) {
    return baseline;
  }
  const { verdicts } = judgeByStored(run, baseline, policy);
  return ordered({ ...baseline, runs: [...baseline.runs, { ...stored, suspicious: verdicts.flatMap(flagsOf) }] });
}

function refuseForeign({ suite, runnerClass: kept }: Baseline, run: Run, file: string): void {
  if (!run.complete) {
    throw new ConfigError(`${file}: the run was not completed, so it cannot be a baseline`, {
      code: 'WG-407',
      next: 'Run `wiregauge run` to its end first.',
    });
  }
  const found = runnerClass(run.runner);
  if (run.suite.name !== suite || found !== kept) {
    throw new ConfigError(
      `${file}: the run is of ${run.suite.name} on ${found}, but the baseline of ${suite} on ${kept}`,
      {
        code: 'WG-404',
        next: 'Each suite and runner class has its own file: baselines/<suite>/<runner class>.json.',
      },
    );
  }
}

/** Advice that something is slower also keeps it out: a history must not learn a regression while it is short. */
function flagsOf(verdict: HistoryVerdict): readonly string[] {
  const isFlagged = 'standing' in verdict && verdict.standing === 'suspicious';
  return isFlagged ? [comparisonName(verdict.comparison)] : [];
}
