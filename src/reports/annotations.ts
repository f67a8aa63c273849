import type { Annotation } from '../core/annotation.ts';
import type { Run } from '../core/run.ts';
import type { ComparisonResult, Finding } from '../core/verdict/finding.ts';
import { claimsOf, mostDoubtful } from './compare-claims.ts';
import { headline } from './compare-headline.ts';
import { judged, rowOf, shiftText } from './compare-row.ts';
import { type ComparisonView, viewComparison } from './compare-view.ts';
import { cleanText } from './escape.ts';

/** GitHub shows ten errors and ten warnings of a step; the verdict is one of the errors. */
const MOST_ERRORS = 9;

const MOST_FAILURES = 5;

/** What could not be told is listed in the report; a noisy machine leaves dozens open. */
const MOST_DOUBTFUL = 3;

const LEVELS: Readonly<Record<ComparisonResult['exitCode'], Annotation['level']>> = {
  0: 'notice',
  1: 'error',
  2: 'error',
};

/**
 * The verdict, then each of what fails the pull request as an error (at most nine, the surest first), and as warnings what
 * failed in head only and what could not be told.
 */
export function annotationsOf(run: Run | undefined, result: ComparisonResult): readonly Annotation[] {
  const view = viewComparison(result, run);
  const claims = claimsOf(view);
  const failed = claims.filter(({ kind }) => kind === 'failed').slice(0, MOST_FAILURES);
  const errors = claims.filter(({ kind }) => kind !== 'failed').slice(0, MOST_ERRORS);
  const annotations: readonly Annotation[] = [
    { level: verdictLevel(result), title: 'Wiregauge', message: headline(view) },
    ...errors.map(({ kind, text }) => ({ level: 'error' as const, title: ERROR_TITLES[kind], message: `${text}.` })),
    ...failed.map(({ text }) => ({ level: 'warning' as const, title: ERROR_TITLES.failed, message: `${text}.` })),
    ...mostDoubtful(view.gate)
      .slice(0, MOST_DOUBTFUL)
      .map((finding) => doubt(view, finding)),
  ];
  const path = suiteFile(run);
  return annotations.map(({ level, title, message }) => ({
    level,
    title: cleanText(title, 100),
    message: cleanText(message, 1000),
    ...(path === undefined ? {} : { path }),
  }));
}

const ERROR_TITLES = {
  failed: 'Failed in head only',
  regressed: 'Regression',
  'over-budget': 'Over budget',
} as const;

/** A comparison that could not tell does not fail, but somebody should see it. */
function verdictLevel({ outcome, exitCode }: ComparisonResult): Annotation['level'] {
  return outcome === 'inconclusive' && exitCode === 0 ? 'warning' : LEVELS[exitCode];
}

function doubt(view: ComparisonView, finding: Finding): Annotation {
  const row = rowOf(view, finding);
  return {
    level: 'warning',
    title: 'Inconclusive',
    message: `${row.place}: ${shiftText(row)}, ${judged(row)}; noise ${row.noise}.`,
  };
}

function suiteFile(run: Run | undefined): string | undefined {
  const name = run?.suite.name ?? '';
  return /^[A-Za-z0-9_.-]{1,80}$/.test(name) ? `suites/${name}.yml` : undefined;
}
