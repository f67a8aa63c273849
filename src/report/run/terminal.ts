import { cleanText } from '../../foundation/index.ts';
import {
  type HistoryComparison,
  type HistoryVerdict,
  type RunView,
  serviceLabel,
  tierLabel,
  viewRun,
} from '../../judge/index.ts';
import { ALL_OPERATIONS, cellName, isVersus, MARK_MEANINGS } from '../../model/index.ts';
import { shortWords, storedChangeText, subjectOf } from '../comparison/stored-words.ts';
import { comparisonReport } from '../comparison/text.ts';
import { ANSI, type Paint, PLAIN, wrapped } from '../render/terminal.ts';
import { sweepText } from '../sweep/text.ts';
import { roundParts, terminalFindingLines, versusText } from '../versus/text.ts';
import { viewRounds, viewVersus } from '../versus/view.ts';
import { againstSummary, placeText } from '../views/past-comparison.ts';
import type { ComparisonJudgement, Judgement } from '../views/published.ts';
import { runReading } from '../views/run-sentences.ts';
import { metricLabel } from '../views/service-comparison.ts';
import { placedMarks } from '../views/trust.ts';
import { slotFindingRows } from './studies.ts';
import { coreLines, tierTable } from './terminal-table.ts';

/** The report for a terminal, as plain text of at most 100 columns; the summary comes first. */
export function terminalReport(judgement: Judgement): string {
  return render(judgement, PLAIN);
}

/** The same with ANSI colours, for a terminal that shows them. */
export function colouredTerminalReport(judgement: Judgement): string {
  return render(judgement, ANSI);
}

function render(judgement: Judgement, paint: Paint): string {
  const { run, against } = judgement;
  const view = viewRun(run);
  const baseline = section(`Against ${cleanText(against?.file ?? '', 80)}`, baselineLines(view, against), paint);
  if (judgement.compared !== undefined) {
    const comparison = comparedText(judgement, paint);
    return baseline.length === 0 ? comparison : `${comparison}\n${baseline.join('\n')}\n`;
  }
  const reading = runReading(view);
  const rounds = viewRounds(judgement);
  const claims = (rounds?.claims ?? []).map((claim) => cleanText(claim, 400));
  const parts = [
    [...claims, ...reading.summary].flatMap((line) => wrapped(line, '  ')).map(paint.strong),
    ...(rounds === undefined ? [] : roundParts(rounds, paint)),
    ...sweepText(view, paint),
    terminalFindingLines(slotFindingRows(view), paint),
    ...view.tiers.map((tier) => [...tierTable(view, tier, paint), ...(tier.isSaturation ? coreLines(view, tier) : [])]),
    legend(view),
    section('Reading', reading.results, paint),
    section('Limits', reading.limits, paint),
    section('Failures', failureLines(view), paint),
    baseline,
  ];
  return `${parts
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')}\n`;
}

function comparedText({ run, compared }: ComparisonJudgement, paint: Paint): string {
  return isVersus(run) ? versusText(viewVersus(run, compared), paint) : comparisonReport(run, compared, paint);
}

function legend(view: RunView): readonly string[] {
  const [reference] = view.services;
  const gains =
    view.services.length < 2 || reference === undefined
      ? []
      : wrapped(
          `better/worse: against ${reference.label}, lower is better for latency, errors and CPU time; same: under 2 %` +
            ` or 0.1 ms${view.rounds > 1 ? '; overlap: the ranges of the rounds overlap' : ''}`,
          '  ',
        );
  const marks = [...new Set(placedMarks(view).map(({ count }) => count.mark))];
  return [...gains, ...marks.flatMap((mark) => wrapped(`${mark}: ${MARK_MEANINGS[mark]}`, '  '))];
}

function section(title: string, lines: readonly string[], paint: Paint): readonly string[] {
  return lines.length === 0 ? [] : [paint.strong(title), ...lines.flatMap((line) => wrapped(`- ${line}`, '  '))];
}

function failureLines(view: RunView): readonly string[] {
  return view.run.failures.map(({ service, tier, round, message, next }) => {
    const place = `${serviceLabel(view, service)} at ${tierLabel(view, tier)}, round ${round}`;
    return cleanText(`${place}: ${message}${next === undefined ? '' : ` ${next}`}`, 600);
  });
}

/** How the run stands against its past, and a line for each cell over all operations; the other reports have the rest. */
export function baselineLines(view: RunView, against: HistoryComparison | undefined): readonly string[] {
  if (against === undefined) {
    return [];
  }
  const cells = new Map<string, HistoryVerdict[]>();
  for (const verdict of against.verdicts) {
    const { cell } = subjectOf(verdict);
    if (cell.operation === ALL_OPERATIONS) {
      cells.set(cellName(cell), [...(cells.get(cellName(cell)) ?? []), verdict]);
    }
  }
  return [...againstSummary(view, against), ...[...cells.values()].map((verdicts) => cellLine(view, verdicts))].map(
    (line) => cleanText(line, 600),
  );
}

/** Metrics with the same verdict share its words: "REST, saturation: no regression: achieved −2.8 %, p50 +0.4 %". */
function cellLine(view: RunView, verdicts: readonly HistoryVerdict[]): string {
  const [first] = verdicts;
  const byWords = new Map<string, string[]>();
  for (const verdict of verdicts) {
    const words = shortWords(verdict);
    byWords.set(words, [...(byWords.get(words) ?? []), ...figuresOf(verdict)]);
  }
  const parts = [...byWords].map(([words, figures]) =>
    figures.length === 0 ? words : `${words}: ${figures.join(', ')}`,
  );
  return `${first === undefined ? '' : placeText(view, subjectOf(first).cell)}: ${parts.join('; ')}`;
}

function figuresOf(verdict: HistoryVerdict): readonly string[] {
  if (verdict.kind === 'unmeasured') {
    return verdict.metric === undefined ? [] : [metricLabel(verdict.metric)];
  }
  return [`${metricLabel(verdict.comparison.metric)} ${storedChangeText(verdict.comparison)}`];
}
