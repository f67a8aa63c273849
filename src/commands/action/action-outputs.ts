import type { ComparisonResult, Finding, Uncompared } from '../../judge/verdict/finding.ts';
import type { RunInRounds } from '../../model/run/kept-cells.ts';
import { SATURATION } from '../../model/sample.ts';

/** What later steps of a workflow can build on: the outputs of action.yml that come from a comparison. */
export function comparisonOutputs(run: RunInRounds, result: ComparisonResult): Readonly<Record<string, string>> {
  return {
    outcome: result.outcome,
    regressions: JSON.stringify(result.findings.filter(isRegression).map(regressionOf)),
    detectable: result.uncompared.some(isOfLostShard) ? '' : detectableText(result.findings),
    minutes: (run.spent.totalSeconds / 60).toFixed(1),
  };
}

/** What it would have shown is not known. */
function isOfLostShard({ reason }: Uncompared): boolean {
  return reason === 'shard-lost';
}

function isRegression({ family, verdict, accepted }: Finding): boolean {
  return family === 'gate' && verdict === 'regressed' && accepted === undefined;
}

function regressionOf({ cell, metric, change }: Finding) {
  const { service, operation, tier } = cell;
  return { service, operation, tier, metric, change: change.estimate, low: change.low, high: change.high };
}

/** Of the least quiet service, so that it holds for all; in per cent. */
function detectableText(findings: readonly Finding[]): string {
  const seen = findings
    .filter(({ metric, cell }) => metric === 'cpuMicrosPerRequest' && cell.tier === SATURATION)
    .map(({ detectable }) => detectable);
  const isKnown = seen.length > 0 && seen.every((share) => share !== undefined);
  return isKnown ? (100 * Math.max(...seen)).toFixed(1) : '';
}
