import { type ComparisonResult, evidenceIn, type Finding, type Uncompared } from '../../judge/verdict/finding.ts';
import { ALL_OPERATIONS, COUNTED } from '../../model/metric.ts';
import type { RunInRounds } from '../../model/run/run.ts';
import { type Labels, reportLabels } from '../views/run-view.ts';

/** Comparison of two versions with the words for its parts; input of every report of it. */
export interface ComparisonView {
  readonly result: ComparisonResult;
  /** Undefined for figures that were measured elsewhere. */
  readonly run: RunInRounds | undefined;
  readonly labels: Labels;
  readonly findings: readonly Finding[];
  readonly losses: readonly Uncompared[];
  /** Findings that may fail a pull request, each reported once. */
  readonly gate: readonly Finding[];
}

const NAMES: Labels = { service: (name) => name, operation: (name) => name, tier: (name) => name };

const VIEWS = new WeakMap<ComparisonResult, ComparisonView>();

/** View of a comparison, made once for all of its reports; without a run, its parts are called by their names. */
export function viewComparison(result: ComparisonResult, run?: RunInRounds): ComparisonView {
  const known = VIEWS.get(result);
  if (known !== undefined && known.run === run) {
    return known;
  }
  const [findings, losses] = [evidenceIn(result, 'change'), evidenceIn(result, 'loss')];
  const gate = findings.filter((one) => one.family === 'gate' && !isCoveredByWhole(one, findings));
  const view = { result, run, labels: run === undefined ? NAMES : reportLabels(run), findings, losses, gate };
  VIEWS.set(result, view);
  return view;
}

/** Function of a view that is evaluated once per view. */
export function oncePerView<Made>(make: (view: ComparisonView) => Made): (view: ComparisonView) => Made {
  const all = new WeakMap<ComparisonView, { readonly made: Made }>();
  return (view) => {
    const known = all.get(view) ?? { made: make(view) };
    all.set(view, known);
    return known.made;
  };
}

/** A count that changed in all operations alike is reported once, as that of the whole service. */
function isCoveredByWhole({ cell, metric }: Finding, findings: readonly Finding[]): boolean {
  if (cell.operation === ALL_OPERATIONS || !COUNTED.some((one) => one === metric)) {
    return false;
  }
  const own = findings.filter((one) => one.metric === metric && one.cell.service === cell.service);
  return own.length > 0 && own.every(({ verdict }) => verdict === own[0]?.verdict);
}
