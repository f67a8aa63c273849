import type { Acceptance, RunInRounds } from '../../model/index.ts';
import { type ComparisonResult, type Finding, isRegression, mayFail, type Regression } from './finding.ts';
import type { JudgedRun } from './judge.ts';

/** The label of a pull request that accepts the regressions that its comment shows. */
export const ACCEPTED_LABEL = 'wiregauge: accepted';

/** Who put the label on a pull request, or commented, and when; texts from outside. */
export interface LabelEvent {
  readonly by: string;
  readonly at: string;
}

/** What a comment showed of a comparison that may fail, for the acceptance that may follow. */
export interface ShownRow {
  readonly service: string;
  readonly operation: string;
  readonly tier: string;
  readonly metric: string;
  /** The worse end of the interval, so that the same change is accepted when it is measured again: 0.08 is 8 %. */
  readonly upTo: number;
  /** Whether it was a regression, accepted or not. */
  readonly isRed: boolean;
}

/** What a comment showed of a commit. */
export interface ShownResult {
  readonly head: string;
  readonly rows: readonly ShownRow[];
}

/** The largest change for the worse that a policy can accept: 1000 %. */
export const MOST_ACCEPTED = 10;

/** What a comment shows that somebody may accept: nothing if nothing regressed, else all that got worse, the regressions first. */
export function shownRows({ findings }: Pick<ComparisonResult, 'findings'>): readonly ShownRow[] {
  const rows = findings
    .filter(mayFail)
    .map(shownRow)
    .filter(({ upTo }) => upTo > 0);
  const red = rows.filter(({ isRed }) => isRed);
  return red.length === 0 ? [] : [...red, ...rows.filter(({ isRed }) => !isRed)];
}

function shownRow({ cell, metric, better, change, verdict }: Finding): ShownRow {
  const { service, operation, tier } = cell;
  const { estimate, low = estimate, high = estimate } = change;
  const upTo = Math.min(better === 'lower' ? high : -low, MOST_ACCEPTED);
  return { service, operation, tier, metric, upTo, isRed: verdict === 'regressed' };
}

/**
 * The run with the regressions accepted that a comment showed when the label was set: at most at the size that it showed. What it showed
 * as no regression is accepted for the same commit only, which is measured anew, and not exactly alike. Failures, errors and budgets are
 * no regressions and stay what they are. The file alone gives the same verdict again.
 */
export function acceptedByLabel(judged: JudgedRun, event: LabelEvent, shown: ShownResult): RunInRounds {
  const isSame = judged.run.rounds.head.commit === shown.head && !judged.run.rounds.head.dirty;
  const why = `label "${ACCEPTED_LABEL}", set when ${shown.head.slice(0, 10)} was shown`;
  return withAccepted(judged, (finding) => {
    const row = shown.rows.find((one) => isOf(one, finding));
    return row === undefined || !(row.isRed || isSame) ? undefined : { ...event, why, upTo: row.upTo };
  });
}

/** The run with every regression accepted up to the size that a comment gives, which says so in its own words. */
export function acceptedBySize(judged: JudgedRun, event: LabelEvent, upTo: number): RunInRounds {
  const percent = Number((upTo * 100).toPrecision(6));
  return withAccepted(judged, () => ({ ...event, upTo, why: `comment "/wiregauge accept ${percent}%"` }));
}

function isOf(row: ShownRow, { cell, metric }: Finding): boolean {
  return (
    row.service === cell.service && row.operation === cell.operation && row.tier === cell.tier && row.metric === metric
  );
}

type Terms = Pick<Acceptance, 'upTo' | 'why' | 'by' | 'at'>;

/** Each holds for the day on which the run was measured. */
function withAccepted({ run, result }: JudgedRun, termsOf: (finding: Regression) => Terms | undefined): RunInRounds {
  const red = result.findings.filter(isRegression).filter(({ family }) => family === 'gate');
  const accepted = red.flatMap((finding): readonly Acceptance[] => {
    const terms = termsOf(finding);
    const { service, operation, tier } = finding.cell;
    const until = run.startedAt.slice(0, 'yyyy-mm-dd'.length);
    return terms === undefined ? [] : [{ service, operation, tier, metric: finding.metric, until, ...terms }];
  });
  const policy = { ...run.rounds.policy, accepted: [...run.rounds.policy.accepted, ...accepted] };
  return { ...run, rounds: { ...run.rounds, policy } };
}
