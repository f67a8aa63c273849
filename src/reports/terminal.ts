import type { BaselineComparison, Judgement } from '../core/judgement.ts';
import { readRun } from '../core/reading.ts';
import { MARK_MEANINGS } from '../core/reading-marks.ts';
import { placedMarks } from '../core/reading-trust.ts';
import { type RunView, serviceLabel, tierLabel, viewRun } from '../core/reading-view.ts';
import { ALL_OPERATIONS } from '../core/sample.ts';
import { metricLabel } from './compared.ts';
import { cleanText } from './escape.ts';
import { startOf } from './facts.ts';
import { coreLines, tierTable } from './terminal-table.ts';
import { ANSI, type Paint, PLAIN, wrapped } from './terminal-text.ts';
import { changeText, NOT_JUDGED_NOTE, verdictsByCell } from './verdict-words.ts';

/** The report for a terminal, as plain text of at most 100 columns; the summary comes first. */
export function terminalReport(judgement: Judgement): string {
  return render(judgement, PLAIN);
}

/** The same with ANSI colours, for a terminal that shows them. */
export function colouredTerminalReport(judgement: Judgement): string {
  return render(judgement, ANSI);
}

function render({ run, against }: Judgement, paint: Paint): string {
  const view = viewRun(run);
  const reading = readRun(view);
  const parts = [
    reading.summary.flatMap((line) => wrapped(line, '  ')).map(paint.strong),
    ...view.tiers.map((tier) => [...tierTable(view, tier, paint), ...(tier.isSaturation ? coreLines(view, tier) : [])]),
    legend(view),
    section('Reading', reading.results, paint),
    section('Limits', reading.limits, paint),
    section('Failures', failureLines(view), paint),
    section(`Against ${cleanText(against?.file ?? '', 80)}`, baselineLines(view, against), paint),
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

/** A line for each cell over all operations; the other reports have the single operations, too. */
function baselineLines(view: RunView, against: BaselineComparison | undefined): readonly string[] {
  if (against === undefined) {
    return [];
  }
  const { startedAt, commit, cpuModel, note } = against.provenance;
  const cells = verdictsByCell(against.verdicts).filter(({ cell }) => cell.operation === ALL_OPERATIONS);
  return [
    cleanText(`Measured ${startOf({ startedAt })}, commit ${commit?.slice(0, 10) ?? 'unknown'}, ${cpuModel}. ${note}`),
    NOT_JUDGED_NOTE,
    ...cells.map(({ cell, words, comparisons }) => {
      const changes = comparisons.map((one) => `${metricLabel(one.metric)} ${changeText(one)}`);
      const place = `${serviceLabel(view, cell.service)}, ${tierLabel(view, cell.tier)}: ${words}`;
      return cleanText(`${place}${changes.length === 0 ? '' : `: ${changes.join(', ')}`}`);
    }),
  ];
}
