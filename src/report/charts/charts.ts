import type { ComparisonResult, Finding } from '../../judge/verdict/finding.ts';
import type { Run } from '../../model/run/run.ts';
import { roundChanges } from '../comment/comment-sparkline.ts';
import { rowOf } from '../comparison/compare-row.ts';
import { type ComparisonView, viewComparison } from '../comparison/compare-view.ts';
import { chartNames } from './charts-names.ts';
import { overviewPicture } from './charts-overview.ts';
import { roundsPicture } from './charts-rounds.ts';

/** A picture for a reader of a comparison. */
export interface ChartFile {
  /** In CHARTS_FOLDER. */
  readonly name: string;
  /** What is to be seen; plain text that is not yet escaped. */
  readonly title: string;
  readonly svg: string;
}

/** Beside the other reports. */
export const CHARTS_FOLDER = 'charts';

const OVERVIEW = 'overview.svg';

/** Besides the overview. */
const MOST_CHARTS = 20;

/**
 * The charts of a comparison: all that may fail a pull request in one, and one with its rounds for each comparison that changed or
 * could not be told. None where nothing was compared.
 */
export function chartsOf(run: Run, result: ComparisonResult): readonly ChartFile[] {
  const view = viewComparison(result, run);
  const drawn = drawnFindings(view);
  const names = chartNames(drawn, [OVERVIEW]);
  const changes = roundChanges(view);
  const overview =
    view.gate.length === 0
      ? []
      : [{ name: OVERVIEW, title: 'All comparisons that may fail', svg: overviewPicture(view) }];
  const charts = drawn.map((finding, index) => ({
    name: names[index] ?? '',
    title: rowOf(view, finding).place,
    svg: roundsPicture(view, finding, changes(finding)),
  }));
  return [...overview, ...charts];
}

/** What changed before what could not be told, what may fail before what is only watched. */
function drawnFindings({ result, gate }: ComparisonView): readonly Finding[] {
  const watched = result.findings.filter(({ family }) => family === 'watch');
  const changed = [...gate, ...watched]
    .filter(({ verdict }) => CHANGED.includes(verdict))
    .toSorted((left, right) => rankOf(left) - rankOf(right));
  const open = gate.filter(({ verdict }) => verdict === 'inconclusive');
  return [...changed.filter(isGate), ...open, ...changed.filter((one) => !isGate(one))].slice(0, MOST_CHARTS);
}

/** The worst first. */
const CHANGED: readonly Finding['verdict'][] = ['regressed', 'slower-within-limit', 'improved'];

function rankOf({ verdict }: Finding): number {
  return CHANGED.indexOf(verdict);
}

function isGate({ family }: Finding): boolean {
  return family === 'gate';
}
