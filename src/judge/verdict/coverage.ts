import { ALL_OPERATIONS, type CellKey } from '../../model/metric.ts';
import { ALL_TIERS, rowsOf } from '../../model/policy.ts';
import {
  type ComparisonResult,
  type Coverage,
  evidenceIn,
  type Finding,
  type Lost,
  type Uncompared,
  worseness,
} from './finding.ts';
import { isLeftBy, type Loss } from './losses.ts';

/** Loss with the planned comparisons that it prevents. Only a loss caused by the machine marks rows that count only if noise does not hide them. */
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

/** An operation that only one version has is not in any plan: it would have been measured at every tier. */
function placesOf(cell: CellKey, planned: readonly CellKey[]): readonly CellKey[] {
  const { service, operation, tier } = cell;
  const own = planned.filter((one) => one.service === service && (tier === ALL_TIERS || one.tier === tier));
  const found = own.filter((one) => operation === ALL_OPERATIONS || one.operation === operation);
  const tiers = [...new Set(own.map((one) => one.tier))];
  return found.length > 0 ? found : tiers.map((one) => ({ ...cell, tier: one }));
}

/** Number of rows that may fail a pull request, and how many of them were measured. Services and operations that only one version has do not count. */
export function coverageOf(result: Pick<ComparisonResult, 'answers'>): Coverage {
  const gate = evidenceIn(result, 'change').filter(({ family }) => family === 'gate');
  const seen = gate.filter(({ reason }) => reason !== 'too-few-rounds').length;
  const unseen = evidenceIn(result, 'loss')
    .filter(isHole)
    .reduce((sum, { rows }) => sum + rows, 0);
  return { rows: gate.length + unseen, seen };
}

/** True if a row that may fail a pull request should have been measured in both versions, and was not. */
export function isHole({ reason, rows }: Pick<Uncompared, 'reason' | 'rows'>): boolean {
  return rows > 0 && reason !== 'new' && reason !== 'gone';
}

/** True if every service that both versions have runs the same files in both: only the size of a build can differ. */
export function isNothingToMeasure(result: Pick<ComparisonResult, 'answers' | 'identical'>): boolean {
  return (
    (result.identical ?? []).length > 0 &&
    evidenceIn(result, 'change').every(({ metric }) => metric === 'sizeMiB') &&
    evidenceIn(result, 'loss').every(({ reason }) => reason === 'new' || reason === 'gone')
  );
}

/**
 * True if a comparison passed with all its gating comparisons measured and clear, and no responses changed: only then it may have a check mark. With
 * an anchor, this applies to the ratios to it.
 */
export function isFullPass(result: ComparisonResult): boolean {
  const { outcome, coverage, answers, isAnchored } = result;
  if (isAnchored) {
    return outcome === 'passed' && answers.some(({ by }) => by === 'drift');
  }
  const isClear = answers.every(
    (one) =>
      one.by !== 'response' &&
      (one.by !== 'loss' || one.of.rows === 0) &&
      (one.by !== 'change' || one.of.family !== 'gate' || one.of.verdict !== 'inconclusive'),
  );
  return outcome === 'passed' && (coverage.rows > 0 || isNothingToMeasure(result)) && isClear;
}

/** True if the base has none of the services, so that nothing was compared and nothing can be worse. */
export function isFirstRun(result: Pick<ComparisonResult, 'answers'>): boolean {
  const uncompared = evidenceIn(result, 'loss');
  const services = uncompared.filter(({ cell }) => cell.operation === ALL_OPERATIONS && cell.tier === ALL_TIERS);
  const isAll =
    services.length === uncompared.length && services.every(({ reason }) => reason === 'new' || reason === 'gone');
  return evidenceIn(result, 'change').length === 0 && isAll && services.some(({ reason }) => reason === 'new');
}

/** True if a comparison that may fail a pull request is accepted, or its interval is below its threshold. */
export function isSettled({ verdict, accepted, better, change, threshold }: Finding): boolean {
  const worst = better === 'lower' ? change.high : change.low;
  const isBelow = worst !== undefined && worseness({ better }, worst) < threshold;
  return accepted !== undefined || (verdict !== 'inconclusive' && isBelow);
}
