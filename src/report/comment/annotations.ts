import { cleanText } from '../../foundation/text.ts';
import { notesOnAcceptance } from '../../judge/verdict/acceptances.ts';
import { isFullPass, isHole } from '../../judge/verdict/coverage.ts';
import type { Answer, ComparisonResult } from '../../judge/verdict/finding.ts';
import { isAbout } from '../../model/policy.ts';
import type { RunInRounds } from '../../model/run/run.ts';
import type { Annotation, SourcePlace, SourcePlaces } from '../../project/places.ts';
import { rowOf } from '../comparison/rows.ts';
import { type Claim, claimsOf, clauseOf, headline, mostDoubtful } from '../comparison/sentences.ts';
import { type ComparisonView, viewComparison } from '../comparison/view.ts';
import { noteText } from '../views/notes.ts';

/** GitHub shows ten of each per step; one warning is reserved for later failures, such as that of the comment. */
const MOST = { error: 10, warning: 9 } as const;

/**
 * Verdict, then errors for everything that fails the pull request, and warnings for failures of the head only, changed responses, mistakes in
 * acceptances and inconclusive comparisons: each on its line of the configuration, the most important first. Each level has as many as GitHub shows;
 * the last one gives the number of the others.
 */
export function annotationsOf(run: RunInRounds, result: ComparisonResult, places: SourcePlaces): readonly Annotation[] {
  const view = viewComparison(result, run);
  const claims = claimsOf(view).map((claim) => annotationOf(view, claim, places));
  const open = result.answers.filter(({ fails }) => !fails);
  const warnings = (title: string, isOf: (answer: Answer) => boolean) =>
    open.filter(isOf).map((one) => annotation('warning', title, `${clauseOf(view, one)}.`, places.cell(one.cell)));
  const isLost = (one: Answer, isOfShard: boolean) =>
    one.by === 'loss' && isHole(one.of) && (one.of.reason === 'shard-lost') === isOfShard;
  // A comparison with missing measurements or changed responses does not fail, but is a warning.
  const level = result.exitCode !== 0 ? 'error' : isFullPass(result) ? 'notice' : 'warning';
  const doubts = mostDoubtful(view.gate).map((finding) => {
    const row = rowOf(view, finding);
    const message = `${row.place}: ${row.shift}, ${row.judged}; noise ${row.noise}.`;
    return annotation('warning', 'Inconclusive', message, places.cell(finding.cell));
  });
  const all: readonly Annotation[] = [
    annotation(level, 'Wiregauge', headline(view), places.suite),
    ...claims,
    ...warnings('Not compared', (one) => isLost(one, true)),
    ...warnings('Responses changed', ({ by }) => by === 'response'),
    ...acceptanceWarnings(view, places),
    ...doubts,
    ...warnings('Not compared', (one) => isLost(one, false)),
  ];
  return [
    ...all.filter(({ level }) => level === 'notice'),
    ...limited('error', all, places),
    ...limited('warning', all, places),
  ];
}

function annotationOf(view: ComparisonView, { title, text, answer }: Claim, places: SourcePlaces): Annotation {
  const { by, of, cell } = answer;
  const row = by === 'change' ? rowOf(view, of) : undefined;
  const figures = row === undefined ? '' : `, ${row.values} ${row.interval}`;
  const budgets = view.run?.rounds.policy.budgets ?? [];
  const place =
    by === 'budget'
      ? places.budget(budgets.findIndex((one) => one.limit === of.limit && isAbout(one, of)))
      : places.cell(cell);
  return annotation(by === 'loss' ? 'warning' : 'error', title, `${text}${figures}.`, place);
}

function acceptanceWarnings({ run, findings }: ComparisonView, places: SourcePlaces): readonly Annotation[] {
  const day = run?.startedAt.slice(0, 'yyyy-mm-dd'.length);
  const accepted = run?.rounds.policy.accepted ?? [];
  return accepted.flatMap((acceptance, index) =>
    notesOnAcceptance(acceptance, findings, day)
      .flatMap((note) => noteText(note))
      .map((message) => annotation('warning', 'Acceptance', message, places.acceptance(index))),
  );
}

function annotation(
  level: Annotation['level'],
  title: string,
  message: string,
  place: SourcePlace | undefined,
): Annotation {
  return { level, title: cleanText(title, 100), message: cleanText(message, 1000), ...place };
}

function limited(level: keyof typeof MOST, all: readonly Annotation[], { suite }: SourcePlaces): readonly Annotation[] {
  const own = all.filter((one) => one.level === level);
  if (own.length <= MOST[level]) {
    return own;
  }
  const shown = own.slice(0, MOST[level] - 1);
  const message = `${own.length - shown.length} more are in the report.`;
  return [...shown, annotation(level, 'Wiregauge', message, suite)];
}
