import { NAME } from '../../foundation/names.ts';
import { cleanText } from '../../foundation/text.ts';
import { notesOnAcceptance } from '../../judge/verdict/acceptances.ts';
import { isFullPass, isHole } from '../../judge/verdict/coverage.ts';
import type { ComparisonResult, Finding, Uncompared } from '../../judge/verdict/finding.ts';
import { isAbout } from '../../model/policy.ts';
import type { RunInRounds } from '../../model/run/run.ts';
import type { Annotation, SourcePlace, SourcePlaces } from '../../project/places.ts';
import { answerClause, type Claim, cellOfAnswer, claimsOf, lossClause, mostDoubtful } from '../comparison/claims.ts';
import { headline } from '../comparison/headline.ts';
import { rowOf, shiftText, verdictText } from '../comparison/rows.ts';
import { type ComparisonView, viewComparison } from '../comparison/view.ts';

/** GitHub shows ten of each of a step; one warning is left for what fails later, as the comment may. */
const MOST = { error: 10, warning: 9 } as const;

/**
 * The verdict, then as errors what fails the pull request, and as warnings what failed in head only, which answers changed, what is wrong
 * with acceptances and what is inconclusive: each on the line of the configuration that it is about, the most important first. Of a level there are
 * as many as GitHub shows; the last one says how many more there would be.
 */
export function annotationsOf(
  run: RunInRounds | undefined,
  result: ComparisonResult,
  places: SourcePlaces = placesOf(run),
): readonly Annotation[] {
  const view = viewComparison(result, run);
  const claims = claimsOf(view);
  const losses = result.uncompared.filter((one) => isHole(one) && one.reason !== 'head-failed');
  const told = (claim: Claim) => annotationOf(view, claim, places);
  const all: readonly Annotation[] = [
    annotation(verdictLevel(result), { title: 'Wiregauge', message: headline(view) }, places.suite),
    ...claims.filter(({ kind }) => kind !== 'failed').map(told),
    ...claims.filter(({ kind }) => kind === 'failed').map(told),
    ...losses.filter(isOfShard).map((loss) => lossWarning(view, loss, places)),
    ...answerWarnings(view, places),
    ...acceptanceWarnings(view, places),
    ...mostDoubtful(view.gate).map((finding) => doubt(view, finding, places)),
    ...losses.filter((loss) => !isOfShard(loss)).map((loss) => lossWarning(view, loss, places)),
  ];
  return [
    ...all.filter(({ level }) => level === 'notice'),
    ...limited('error', all, places),
    ...limited('warning', all, places),
  ];
}

const LEVELS: Readonly<Record<ComparisonResult['exitCode'], Annotation['level']>> = {
  0: 'notice',
  1: 'error',
  2: 'error',
};

/** A comparison that did not see everything, or saw other answers, does not fail, but somebody should see that. */
function verdictLevel(result: ComparisonResult): Annotation['level'] {
  return result.exitCode === 0 && !isFullPass(result) ? 'warning' : LEVELS[result.exitCode];
}

const CLAIMS: Readonly<Record<Claim['kind'], Pick<Annotation, 'level' | 'title'>>> = {
  failed: { level: 'warning', title: 'Failed in head only' },
  regressed: { level: 'error', title: 'Regression' },
  answers: { level: 'error', title: 'Answers changed' },
  'over-budget': { level: 'error', title: 'Over budget' },
  drift: { level: 'error', title: 'Drift' },
};

function annotationOf(
  view: ComparisonView,
  { kind, text, cell, finding, budget }: Claim,
  places: SourcePlaces,
): Annotation {
  const { run } = view;
  const row = finding === undefined ? undefined : rowOf(view, finding);
  const figures = row === undefined ? '' : `, ${row.values} ${row.interval}`;
  const { level, title } = CLAIMS[kind];
  const index =
    budget === undefined
      ? undefined
      : run?.rounds.policy.budgets.findIndex((one) => one.limit === budget.limit && isAbout(one, budget));
  const place = budget === undefined ? places.cell(cell) : places.budget(index ?? -1);
  return annotation(level, { title, message: `${text}${figures}.` }, place);
}

function answerWarnings(view: ComparisonView, places: SourcePlaces): readonly Annotation[] {
  const changed = view.result.answers.filter(({ verdict }) => verdict === 'warns');
  return changed.map((one) => {
    const words = { title: 'Answers changed', message: `${answerClause(view, one)}.` };
    return annotation('warning', words, places.cell(cellOfAnswer(view, one)));
  });
}

function acceptanceWarnings({ run, result }: ComparisonView, places: SourcePlaces): readonly Annotation[] {
  const day = run?.startedAt.slice(0, 'yyyy-mm-dd'.length);
  const accepted = run?.rounds.policy.accepted ?? [];
  return accepted.flatMap((acceptance, index) =>
    notesOnAcceptance(acceptance, result.findings, day).map((message) =>
      annotation('warning', { title: 'Acceptance', message }, places.acceptance(index)),
    ),
  );
}

function doubt(view: ComparisonView, finding: Finding, places: SourcePlaces): Annotation {
  const row = rowOf(view, finding);
  const message = `${row.place}: ${shiftText(row)}, ${verdictText(row)}; noise ${row.noise}.`;
  return annotation('warning', { title: 'Inconclusive', message }, places.cell(finding.cell));
}

function isOfShard({ reason }: Uncompared): boolean {
  return reason === 'shard-lost';
}

function lossWarning(view: ComparisonView, loss: Uncompared, places: SourcePlaces): Annotation {
  const message = `${lossClause(view, loss)}.`;
  return annotation('warning', { title: 'Not compared', message }, places.cell(loss.cell));
}

type Words = Pick<Annotation, 'title' | 'message'>;

function annotation(level: Annotation['level'], { title, message }: Words, place: SourcePlace | undefined): Annotation {
  return { level, title: cleanText(title, 100), message: cleanText(message, 1000), ...place };
}

function limited(level: keyof typeof MOST, all: readonly Annotation[], { suite }: SourcePlaces): readonly Annotation[] {
  const own = all.filter((one) => one.level === level);
  if (own.length <= MOST[level]) {
    return own;
  }
  const shown = own.slice(0, MOST[level] - 1);
  const message = `${own.length - shown.length} more are in the report.`;
  return [...shown, annotation(level, { title: 'Wiregauge', message }, suite)];
}

/** Where the files are not at hand: the suite's, without a line. */
function placesOf(run: RunInRounds | undefined): SourcePlaces {
  const name = run?.suite.name ?? '';
  const suite = NAME.test(name) ? { path: `suites/${name}.yml` } : undefined;
  return { suite, cell: () => suite, budget: () => suite, acceptance: () => suite };
}
