import { cleanText } from '../../foundation/escape.ts';
import { type RunView, serviceLabel, tierLabel, viewRun } from '../../judge/reading/reading-view.ts';
import { MARK_MEANINGS } from '../../model/reading-marks.ts';
import { comparisonReport } from '../comparison/compare-text.ts';
import { ANSI, type Paint, PLAIN, wrapped } from '../render/terminal-text.ts';
import { sweepText } from '../sweep/sweep-terminal.ts';
import { roundParts, terminalFindingLines, versusText } from '../versus/versus-text.ts';
import { viewRounds, viewVersus } from '../versus/versus-view.ts';
import type { Judgement } from '../views/judgement.ts';
import { runReading } from '../views/reading.ts';
import { placedMarks } from '../views/reading-trust.ts';
import { slotFindingRows } from './study-view.ts';
import { baselineLines } from './terminal-against.ts';
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
  const { run, against, compared } = judgement;
  const view = viewRun(run);
  const baseline = section(`Against ${cleanText(against?.file ?? '', 80)}`, baselineLines(view, against), paint);
  if (compared !== undefined) {
    const versus = viewVersus(run, compared);
    const comparison = versus === undefined ? comparisonReport(run, compared, paint) : versusText(versus, paint);
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
