import { ALL_OPERATIONS, type CellKey } from '../../model/metric.ts';
import { ALL_TIERS, rowsOf } from '../../model/policy.ts';
import {
  type ComparisonResult,
  type Coverage,
  type Finding,
  hasTooFewRounds,
  isInconclusive,
  type Lost,
  type Uncompared,
} from './finding.ts';
import { isLeftBy, type Loss } from './losses.ts';

/** A loss with the comparisons that it takes of the cells that were planned. Only the machine's own hide what counts if it can be seen. */
export function withWhatItTakes(loss: Loss, planned: readonly CellKey[]): Lost {
  const { isOfMachine, ...reported } = loss;
  const { cell } = reported;
  const takes = placesOf(cell, planned).flatMap((place) =>
    rowsOf(place)
      .filter(({ metric }) => !isLeftBy(loss, metric))
      .map(({ metric, gate, ifSeen }) => ({ cell: place, metric, gate, ifSeen: isOfMachine === true && ifSeen })),
  );
  return { ...reported, takes };
}

/** An operation that only one version has is in no plan: it would have been measured at every tier. */
function placesOf(cell: CellKey, planned: readonly CellKey[]): readonly CellKey[] {
  const { service, operation, tier } = cell;
  const own = planned.filter((one) => one.service === service && (tier === ALL_TIERS || one.tier === tier));
  const found = own.filter((one) => operation === ALL_OPERATIONS || one.operation === operation);
  const tiers = [...new Set(own.map((one) => one.tier))];
  return found.length > 0 ? found : tiers.map((one) => ({ ...cell, tier: one }));
}

/** How many rows may fail a pull request, and how many of them were seen. What only one version has was never to be seen. */
export function coverageOf(findings: readonly Finding[], uncompared: readonly Uncompared[]): Coverage {
  const gate = findings.filter(({ family }) => family === 'gate');
  const seen = gate.filter((finding) => !hasTooFewRounds(finding)).length;
  const unseen = uncompared.filter(isHole).reduce((sum, { rows }) => sum + rows, 0);
  return { rows: gate.length + unseen, seen };
}

/** True if something that may fail a pull request should have been seen in both versions, and was not. */
export function isHole({ reason, rows }: Pick<Uncompared, 'reason' | 'rows'>): boolean {
  return rows > 0 && reason !== 'new' && reason !== 'gone';
}

/** True if every service that both versions have runs the same files in both: nothing but the size of a build can differ. */
export function isNothingToMeasure({
  identical = [],
  findings,
  uncompared,
}: Pick<ComparisonResult, 'identical' | 'findings' | 'uncompared'>): boolean {
  const isOfOne = ({ reason }: Uncompared): boolean => reason === 'new' || reason === 'gone';
  return identical.length > 0 && findings.every(({ metric }) => metric === 'sizeMiB') && uncompared.every(isOfOne);
}

/**
 * True if a comparison passed with all its gating comparisons visible and clear, and no responses changed: only then may it have a check mark.
 * With an anchor, that is what has a ratio to it.
 */
export function isFullPass(result: ComparisonResult): boolean {
  const { outcome, findings, uncompared, coverage, answers, drifts } = result;
  if (drifts !== undefined) {
    return outcome === 'passed' && drifts.length > 0;
  }
  const isOpen = findings.some((finding) => finding.family === 'gate' && isInconclusive(finding));
  const isLacking = uncompared.some(({ rows }) => rows > 0);
  return (
    outcome === 'passed' &&
    (coverage.rows > 0 || isNothingToMeasure(result)) &&
    !isOpen &&
    !isLacking &&
    answers.length === 0
  );
}
