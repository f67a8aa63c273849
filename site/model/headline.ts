import { formatChange } from '../../src/foundation/numbers.ts';
import type { HistoryChange } from '../../src/history/store/changes.ts';
import { anchorOf, type Series } from '../../src/history/store/entry.ts';
import { isErrorRate } from '../../src/model/metric.ts';
import { isWorse, shiftText } from './changes.ts';
import type { RunFacts, SeriesVerdict } from './runs.ts';
import { counted, figureText, seriesLabel, shown } from './words.ts';

/** Run in one line; `good` if it passed. */
export interface Headline {
  readonly status: 'worse' | 'unsure' | 'good' | 'same';
  readonly word: string;
  readonly text: string;
}

type Outcome = NonNullable<RunFacts['outcome']>;

const OUTCOMES: Readonly<Record<Outcome, Pick<Headline, 'status' | 'word'>>> = {
  passed: { status: 'good', word: 'Passed' },
  regressed: { status: 'worse', word: 'Regression' },
  failed: { status: 'worse', word: 'Failed' },
  inconclusive: { status: 'unsure', word: 'Inconclusive' },
  incomplete: { status: 'unsure', word: 'Incomplete' },
  suspicious: { status: 'worse', word: 'Suspicious' },
};

/** Result of the latest run of a suite. */
export interface SuiteHeadline extends Headline {
  readonly run: RunFacts;
}

const GRAVITY: readonly Headline['status'][] = ['worse', 'unsure', 'good', 'same'];

/**
 * Latest run of each suite, the worst first, then the newest: a passed suite hides no other. A pending regression makes a passed run unsure. A
 * comparison with an anchor and a planted slowdown have a line next to another run only if they are worse.
 */
export function suiteHeadlines(
  runs: readonly RunFacts[],
  series: ReadonlyMap<string, Series>,
  changes: readonly HistoryChange[],
): readonly SuiteHeadline[] {
  const latest = new Map<string, RunFacts>();
  for (const run of runs) {
    latest.set(JSON.stringify([run.suite, run.anchor !== undefined, run.kind === 'plant']), run);
  }
  const found = [...latest.values()].map((run) => ({ run, ...withPending(headline(run, series), run, changes) }));
  const reported = found.filter(
    ({ run, status }) =>
      isPlain(run) || status === 'worse' || !found.some((one) => isPlain(one.run) && one.run.suite === run.suite),
  );
  return reported.toSorted(
    (left, right) => GRAVITY.indexOf(left.status) - GRAVITY.indexOf(right.status) || right.run.at - left.run.at,
  );
}

/** True for a run with figures of a version, not those of an anchor or a plant. */
function isPlain({ anchor, kind }: RunFacts): boolean {
  return anchor === undefined && kind !== 'plant';
}

function withPending(found: Headline, { suite, anchor }: RunFacts, changes: readonly HistoryChange[]): Headline {
  const pending = changes.filter(
    (change) =>
      change.pending &&
      isWorse(change) &&
      change.series.suite === suite &&
      (anchorOf(change.series) !== undefined) === (anchor !== undefined),
  );
  const [first, ...others] = pending;
  if (first === undefined) {
    return found;
  }
  const more = others.length === 0 ? '' : ` and ${counted(others.length, 'more series')}`;
  const text = `${found.text}; pending: ${seriesLabel(first.series)} ${shiftText(first)}${more}`;
  return { ...found, text, status: found.status === 'worse' ? 'worse' : 'unsure' };
}

/** Headline of a run as a whole, the most serious series first. */
export function headline(run: RunFacts, series: ReadonlyMap<string, Series>): Headline {
  if (run.kind === 'plant') {
    const isFound = run.outcome === 'passed';
    return { status: isFound ? 'good' : 'worse', word: 'Planted slowdown', text: isFound ? 'found' : 'not found' };
  }
  const bad = run.verdicts.filter(({ verdict }) => verdict === 'regressed' || verdict === 'suspicious');
  const open = bad.filter(({ accepted }) => accepted === undefined);
  const outcome = run.outcome === undefined || isUnlimited(run) ? undefined : OUTCOMES[run.outcome];
  const claim = claimOf(open, series) ?? quietClaim(run, bad.length);
  return { status: outcome?.status ?? 'same', word: outcome?.word ?? 'Measured', text: claim };
}

/** A run that is only compared with an anchor has not passed anything. */
function isUnlimited({ anchor, outcome }: RunFacts): boolean {
  return anchor !== undefined && outcome === 'passed' && (anchor.limits ?? 0) === 0;
}

function claimOf(open: readonly SeriesVerdict[], series: ReadonlyMap<string, Series>): string | undefined {
  const isOfErrors = ({ key }: SeriesVerdict) => isErrorRate(series.get(key) ?? NO_SERIES);
  const [first, ...others] = [...open].sort(
    (left, right) => Number(isOfErrors(right)) - Number(isOfErrors(left)) || sizeOf(right) - sizeOf(left),
  );
  if (first === undefined) {
    return undefined;
  }
  const found = series.get(first.key);
  const more = others.length === 0 ? '' : `, and ${counted(others.length, 'more series')}`;
  return `${found === undefined ? 'a series' : seriesLabel(found)}${changeText(first, found)}${more}`;
}

/** Placeholder for an unknown series, which is not an error rate. */
const NO_SERIES = { metric: '', unit: '' };

/** Change with its interval; for an error rate its present value, since a change from 0 has no size. */
function changeText({ value, change, low, high }: SeriesVerdict, series: Series | undefined): string {
  if (series !== undefined && isErrorRate(series)) {
    return ` ${figureText(series, value)}`;
  }
  if (change === undefined) {
    return '';
  }
  const interval =
    low === undefined || high === undefined ? '' : ` (interval ${formatChange(low)} to ${formatChange(high)})`;
  return ` ${formatChange(change)}${interval}`;
}

function quietClaim(run: RunFacts, accepted: number): string {
  const { seriesCount, outcome, verdicts, anchor } = run;
  if (anchor !== undefined && isUnlimited(run)) {
    return `${counted(seriesCount, 'series')} against ${shown(anchor.name, 40)}; no drift limit is set`;
  }
  if (outcome === 'incomplete' || outcome === 'failed') {
    return 'something could not be measured; see the run for the reasons';
  }
  if (outcome === 'regressed' && accepted === 0) {
    return 'something without a series; see the run for the reasons';
  }
  const unsure = verdicts.filter(({ verdict }) => verdict === 'inconclusive').length;
  const parts = [
    `${counted(seriesCount, 'series')}, ${accepted === 0 ? 'none over its limit' : `${accepted} accepted`}`,
    ...(unsure === 0 ? [] : [`${unsure} inconclusive`]),
  ];
  return parts.join('; ');
}

function sizeOf({ change = 0 }: SeriesVerdict): number {
  return Math.abs(change);
}

/** Short title of a run: the subject of its commit, else its kind; empty for an imported run with a commit. */
export function runTitle({ subject = '', kind, run, sha }: RunFacts): string {
  return shown(subject.trim(), 120) || (kind === 'import' && sha !== undefined ? '' : `${kind} ${run}`);
}
