import { formatChange } from '../../src/foundation/index.ts';
import type { Series } from '../../src/history/store/index.ts';
import { isErrorRate } from '../../src/model/index.ts';
import type { RunFacts, SeriesVerdict } from './runs.ts';
import { counted, figureText, seriesLabel, shown } from './words.ts';

/** The latest run in one line. */
export interface Headline {
  readonly standing: 'worse' | 'better' | 'same' | 'unsure';
  readonly word: string;
  readonly text: string;
}

type Outcome = NonNullable<RunFacts['outcome']>;

const OUTCOMES: Readonly<Record<Outcome, Pick<Headline, 'standing' | 'word'>>> = {
  passed: { standing: 'same', word: 'Passed' },
  regressed: { standing: 'worse', word: 'Regression' },
  failed: { standing: 'worse', word: 'Failed' },
  inconclusive: { standing: 'unsure', word: 'Inconclusive' },
  incomplete: { standing: 'unsure', word: 'Incomplete' },
  suspicious: { standing: 'worse', word: 'Suspicious' },
};

/** What is said of a run as a whole, the gravest series first. */
export function headline(run: RunFacts, series: ReadonlyMap<string, Series>): Headline {
  const bad = run.verdicts.filter(({ verdict }) => verdict === 'regressed' || verdict === 'suspicious');
  const open = bad.filter(({ accepted }) => accepted === undefined);
  const outcome = run.outcome === undefined || isUnlimited(run) ? undefined : OUTCOMES[run.outcome];
  const claim = claimOf(open, series) ?? quietClaim(run, bad.length);
  return { standing: outcome?.standing ?? 'same', word: outcome?.word ?? 'Measured', text: claim };
}

/** A run that is only compared with an anchor has passed nothing. */
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

/** Where nobody knows a series, it is none of error rates. */
const NO_SERIES = { metric: '', unit: '' };

/** The change with its interval; of an error rate what it is now, since a change from 0 has no size. */
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
  const { kind, seriesCount, outcome, verdicts, anchor } = run;
  if (kind === 'import') {
    return `${counted(seriesCount, 'series')}, imported without verdicts`;
  }
  if (anchor !== undefined && isUnlimited(run)) {
    return `${counted(seriesCount, 'series')} against ${shown(anchor.name, 40)}; no limit of drift is set`;
  }
  if (outcome === 'incomplete' || outcome === 'failed') {
    return 'something could not be measured; the run has the reasons';
  }
  if (outcome === 'regressed' && accepted === 0) {
    return 'something that no series has; the run has the reasons';
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

/** The run in few words: the subject of its commit, else what kind of run it was. */
export function runTitle({ subject, kind, run }: RunFacts): string {
  return subject === undefined || subject.trim() === '' ? `${kind} ${run}` : shown(subject, 120);
}
