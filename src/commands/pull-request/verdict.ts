import { ConfigError, KnownError, messageOf, withCode } from '../../foundation/errors.ts';
import { cleanText, shortCommit, wordList } from '../../foundation/text.ts';
import type { CheckRun } from '../../github/api/checks.ts';
import { isFullPass } from '../../judge/verdict/coverage.ts';
import type { ComparisonResult } from '../../judge/verdict/finding.ts';
import type { JudgedRun } from '../../judge/verdict/judge.ts';
import { configPlaces } from '../../project/places.ts';
import { comparisonSummary } from '../../report/charts/files.ts';
import { annotationsOf } from '../../report/comment/annotations.ts';
import { type Unjudged, unjudgedLine, unjudgedSummary } from '../../report/comment/unjudged.ts';
import { headline } from '../../report/comparison/sentences.ts';
import { viewComparison } from '../../report/comparison/view.ts';
import { exitCodeFor, type FailOn } from '../program/options.ts';

/** End of a job that compared two versions: its judgment, and the error if it ended early. */
export interface ComparisonEnd {
  readonly judged?: JudgedRun | undefined;
  readonly thrown?: unknown;
}

/** Verdict on a commit, from which the exit code, outputs, check run, summary and comment are made. */
export type Verdict = {
  readonly outcome: ComparisonResult['outcome'];
  readonly exitCode: number;
  readonly conclusion: CheckRun['conclusion'];
  /** Judged commit; undefined for none, and for a working tree with changes. */
  readonly head: string | undefined;
} & (
  | { readonly judged: JudgedRun; readonly unjudged?: undefined }
  | { readonly judged?: undefined; readonly unjudged: Unjudged }
);

/**
 * Verdict to report for a commit. A head that was not judged fails: because nothing was judged, the job ended early without a regression, or
 * another commit was judged. `head` is the commit of the event; undefined: the measured one.
 */
export function verdictOf(
  { judged, thrown }: ComparisonEnd,
  { head, failOn }: { readonly head?: string | undefined; readonly failOn?: FailOn | undefined } = {},
): Verdict {
  const { commit, dirty } = judged?.run.rounds.head ?? {};
  const measured = dirty === true ? undefined : commit;
  const isOther = head !== undefined && measured !== head;
  const isRed = judged?.result.outcome === 'regressed' || judged?.result.outcome === 'failed';
  if (judged === undefined || isOther || (thrown !== undefined && !isRed)) {
    const why = judged === undefined || thrown !== undefined ? thrown : otherHead(measured);
    return { outcome: 'incomplete', exitCode: 2, conclusion: 'failure', head, unjudged: unjudgedBy(why, head) };
  }
  const { result } = judged;
  const exitCode = exitCodeFor(result, failOn);
  return { outcome: result.outcome, exitCode, conclusion: conclusionOf(result, failOn), head: measured, judged };
}

function otherHead(measured: string | undefined): ConfigError {
  const what = measured === undefined ? 'a working tree with changes' : `the commit ${shortCommit(measured)}`;
  return new ConfigError(`${what} was measured instead`, {
    code: 'WG-404',
    next: 'Judge what this workflow measured.',
  });
}

/** Error for open pull requests with the same head: they share check runs, so each would pass by the result of another base. Undefined for a single one. */
export function sharedHead(numbers: readonly number[]): ConfigError | undefined {
  if (numbers.length < 2) {
    return undefined;
  }
  const names = numbers.toSorted((left, right) => left - right).map((number) => `#${number}`);
  return new ConfigError(`${wordList(names)} have the same head, and share its check runs`, {
    code: 'WG-509',
    next: 'Close all but one, and run the workflow again.',
  });
}

/** Conclusion of the check: neutral for a pass with gaps or changed responses. */
export function conclusionOf(result: ComparisonResult, failOn: FailOn | undefined): CheckRun['conclusion'] {
  if (exitCodeFor(result, failOn) !== 0) {
    return 'failure';
  }
  return isFullPass(result) ? 'success' : 'neutral';
}

/** Reason that a commit was not judged; an internal error is only logged. */
export function unjudgedBy(thrown: unknown, head: string | undefined): Unjudged {
  if (!(thrown instanceof KnownError)) {
    const next = 'Please report the lines in the log of the workflow run.';
    return { head, cause: 'an internal error ended the job', next };
  }
  const { brief, code, printed, next } = thrown;
  return { head, cause: withCode(brief || messageOf(thrown), code), printed, next };
}

/** Longer titles are cut; the summary has all of it. */
const MAX_TITLE = 250;

/**
 * Verdict for GitHub: a title, Markdown for a job or a check run, and annotations of the configuration. `policy` is the file with the thresholds, if
 * not those of the suite.
 */
export function verdictPage(
  { judged, unjudged }: Verdict,
  { reportUrl, policy }: { readonly reportUrl?: string | undefined; readonly policy?: string | undefined },
) {
  if (judged === undefined) {
    const title = cleanText(unjudgedLine(unjudged), MAX_TITLE);
    return { title, summary: unjudgedSummary(unjudged), annotations: [] };
  }
  const { run, result } = judged;
  return {
    title: cleanText(headline(viewComparison(result, run)), MAX_TITLE),
    summary: comparisonSummary(judged, reportUrl),
    annotations: annotationsOf(run, result, configPlaces(process.cwd(), run, policy)),
  };
}
