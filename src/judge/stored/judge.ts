import type { Policy } from '../../model/policy.ts';
import type { Run } from '../../model/run/run.ts';
import type { Baseline, StoredRun, Stratum } from './baseline.ts';
import { candidatesOf } from './candidates.ts';
import type { HistoryResult, PastRuns } from './comparison.ts';
import { judgeFamilies } from './judge-families.ts';
import { measuredCells } from './measured-cells.ts';
import { configurationOf, controlMsOf, isSameConfiguration, isSameStratum, stratumOf } from './stored-run.ts';
import { runsWith, unmeasuredOf } from './unmeasured.ts';

/**
 * A run held against the stored runs that were measured before it, with its configuration, cell by cell and metric by
 * metric. The same run and baseline always give the same verdicts: later runs do not change them, nor does the run itself
 * where it is stored already.
 */
export function judgeAgainstHistory(run: Run, baseline: Baseline, policy: Policy): HistoryResult {
  const before = baseline.runs.filter(({ startedAt }) => Date.parse(startedAt) < Date.parse(run.startedAt));
  const configuration = configurationOf(run);
  const past = before.filter((stored) => isSameConfiguration(stored.configuration, configuration));
  const stratum = stratumOf(run.runner);
  const cells = measuredCells(run);
  const candidates = cells
    .filter(({ cell, spoiled }) => spoiled === undefined && runsWith(past, cell) > 0)
    .flatMap((cell) => candidatesOf(cell, { past, stratum, policy }));
  return {
    past: pastOf(before, past, stratum),
    verdicts: [
      ...judgeFamilies(candidates, { alpha: policy.alpha, controlMs: controlMsOf(run) }),
      ...unmeasuredOf(run, cells, past),
    ],
    confirmationBase: confirmationBase({ runs: before }),
  };
}

/** The full name of a commit; it becomes part of a command, so nothing else of a file may pass for one. */
const COMMIT = /^[0-9a-f]{40}([0-9a-f]{24})?$/;

/**
 * The commit to compare a suspicious run with: that of the newest run in which nothing was suspicious. Undefined where
 * there is none, or only such whose files had been changed since their commit.
 */
export function confirmationBase({ runs }: Pick<Baseline, 'runs'>): string | undefined {
  const clean = runs.filter(({ suspicious, dirty }) => suspicious.length === 0 && !dirty);
  return clean.findLast(({ commit }) => commit !== undefined && COMMIT.test(commit))?.commit;
}

function pastOf(before: readonly StoredRun[], past: readonly StoredRun[], stratum: Stratum): PastRuns {
  const newest = past.at(-1);
  return {
    stored: before.length,
    configured: past.length,
    onMachine: past.filter((stored) => isSameStratum(stored.stratum, stratum)).length,
    stratum,
    newest: newest && { startedAt: newest.startedAt, commit: newest.commit, note: newest.note },
  };
}
