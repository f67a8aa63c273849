import { comparedOf } from '../../judge/verdict/compared.ts';
import type { Compared, Finding } from '../../judge/verdict/finding.ts';
import type { CellKey } from '../../model/sample.ts';
import type { ComparisonView } from '../comparison/compare-view.ts';

const BARS = [...'▁▂▃▄▅▆▇█'];

/** How to read a sparkline. */
export const SPARKLINE_KEY =
  'A bar is one round, in order: ▅ and higher where head had as much as base or more, ▄ and lower where it had less.';

/** More rounds than any profile has are cut. */
const MOST_BARS = 40;

/**
 * Draws a comparison as a bar for each kept round: head against base, both directions on one scale, so that the middle is no
 * change. Empty for a comparison whose rounds are not in the run.
 */
export function sparklines(view: ComparisonView): (finding: Finding) => string {
  const changes = roundChanges(view);
  return (finding) => barsOf(changes(finding), finding);
}

/** The log ratio of head to base in each kept round that has both, of the metric itself: up is more. None without the rounds. */
export function roundChanges({ run }: ComparisonView): (finding: Finding) => readonly number[] {
  if (run?.rounds === undefined) {
    return () => [];
  }
  const { compared } = comparedOf({ ...run, rounds: run.rounds }, run.rounds.policy);
  const byName = new Map(compared.map((one) => [nameOf(one), one]));
  return (finding) => logRatios(byName.get(nameOf(finding)));
}

function nameOf({ cell, metric }: { readonly cell: CellKey; readonly metric: string }): string {
  return JSON.stringify([cell.service, cell.operation, cell.tier, metric]);
}

function barsOf(changes: readonly number[], finding: Finding): string {
  const reach = reachOf(changes, finding);
  const bars = changes.slice(0, MOST_BARS).map((change) => {
    const level = Math.floor(((change / reach + 1) / 2) * BARS.length);
    return BARS[Math.max(0, Math.min(BARS.length - 1, level))] ?? '';
  });
  return `${bars.join('')}${changes.length > MOST_BARS ? '…' : ''}`;
}

function logRatios(compared: Compared | undefined): readonly number[] {
  return (compared?.base ?? []).flatMap((base, round) => {
    const head = compared?.head[round];
    return base === undefined || head === undefined ? [] : [Math.log(head) - Math.log(base)];
  });
}

/** What the highest bar stands for: small noise must look small, and one wild round must not press the others flat. */
function reachOf(changes: readonly number[], { threshold, change }: Finding): number {
  const limit = Math.log1p(threshold);
  const most = Math.max(4 * limit, 1.5 * Math.abs(Math.log1p(change.estimate)));
  return Math.min(Math.max(2 * limit, ...changes.map(Math.abs)), most);
}
