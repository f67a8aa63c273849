import { rounded } from '../../judge/stored/stored-run.ts';
import { judgeRun } from '../../judge/verdict/judge.ts';
import { isMetric } from '../../model/metric.ts';
import type { AnchorRecord } from '../../model/run/anchor.ts';
import type { RunInRounds } from '../../model/run/run.ts';
import { anchorUnit, type HistoryEntry, withLoads } from '../store/entry.ts';
import { type EntryFacts, entryOf } from '../store/run-entry.ts';

const SPREAD_DIGITS = 3;

/**
 * History entry of a comparison with an anchor: the ratios of head and anchor, which do not depend on the machine, each with half of the 95
 * % interval of its logarithm.
 */
export function anchoredEntryOf(run: RunInRounds, anchor: AnchorRecord, facts: EntryFacts): HistoryEntry {
  const { outcome, answers } = judgeRun(run);
  const known = answers.flatMap((one) => (one.by === 'drift' && isMetric(one.of.metric) ? [one] : []));
  const { counts: _counts, ...entry } = entryOf(run, facts);
  const { name, commit, through } = anchor;
  return {
    ...entry,
    kind: 'anchored',
    series: withLoads(
      known.map(({ of: { cell, metric, better } }) => {
        const { suite, service, operation, tier } = cell;
        return { suite, service, operation, tier, metric, unit: anchorUnit(name), better };
      }),
      run.suite.tiers,
    ),
    values: known.map(({ of }) => rounded(of.ratio.ratio)),
    spreads: known.map(({ of }) => Number(of.ratio.spread.toPrecision(SPREAD_DIGITS))),
    outcome,
    verdicts: known.flatMap(({ fails, of: { change } }, series) => {
      const { estimate, low, high } = change;
      const figures = { change: rounded(estimate), low: rounded(low), high: rounded(high) };
      return fails ? [{ series, verdict: 'regressed' as const, ...figures }] : [];
    }),
    anchor: {
      name,
      commit,
      ...(through !== undefined && { through: through.commit }),
      limits: known.filter(({ of }) => of.limit !== undefined).length,
    },
  };
}
