import { escapeMarkdown } from '../../foundation/escape.ts';
import { type RunView, serviceLabel, tierLabel, viewRun } from '../../judge/reading/reading-view.ts';
import { MARK_MEANINGS } from '../../model/reading-marks.ts';
import { comparisonSections } from '../comparison/compare-markdown.ts';
import { joinSections, type MarkdownSection, markdownTable } from '../render/markdown-section.ts';
import { sweepParts } from '../sweep/sweep-markdown.ts';
import { markdownFindingLines, roundSections, versusSections } from '../versus/versus-markdown.ts';
import { viewRounds, viewVersus } from '../versus/versus-view.ts';
import { factsOf } from '../views/facts.ts';
import type { Judgement } from '../views/judgement.ts';
import { runReading } from '../views/reading.ts';
import { baselineSections, publishedLines } from './markdown-against.ts';
import { mainTable, operationLines } from './markdown-tables.ts';
import { slotFindingRows } from './study-view.ts';

/**
 * The report as GitHub's Markdown: the summary first, one table, the rest folded; always under 60,000 characters.
 * Where two versions were compared it is about the comparison; of a main job's rounds it has the claims and figures before the tiers.
 * Everything that comes from outside is escaped.
 */
export function markdownReport(judgement: Judgement): string {
  const view = viewRun(judgement.run);
  if (judgement.compared !== undefined) {
    const versus = viewVersus(judgement.run, judgement.compared);
    const sections =
      versus === undefined ? comparisonSections(judgement.run, judgement.compared) : versusSections(versus);
    return joinSections([...sections, ...baselineSections(view, judgement.against)]);
  }
  const reading = runReading(view);
  const rounds = viewRounds(judgement);
  const summary = [...(rounds?.claims ?? []), ...reading.summary];
  const [first = '', ...others] = summary.map((line) => escapeMarkdown(line, 1000));
  const sections: readonly MarkdownSection[] = [
    open([`**${first}**`, ...others].flatMap((line, index) => (index === 0 ? [line] : ['', line]))),
    open(failureLines(view)),
    ...(rounds === undefined ? [] : roundSections(rounds)),
    ...sweepParts(view),
    open(markdownFindingLines(slotFindingRows(view))),
    view.run.suite.sweep === undefined ? open(mainTable(view)) : folded('Tier by tier', mainTable(view)),
    open(tableNotes(view)),
    open(list(reading.limits)),
    ...baselineSections(view, judgement.against),
    folded('Reading', list(reading.results)),
    folded('By operation', operationLines(view)),
    folded('Beside the published figures', publishedLines(view)),
    folded('How it was measured', factLines(view)),
  ];
  return joinSections(sections);
}

function open(lines: readonly string[]): MarkdownSection {
  return { title: undefined, lines };
}

function folded(title: string, lines: readonly string[]): MarkdownSection {
  return { title, lines };
}

function list(sentences: readonly string[]): readonly string[] {
  return sentences.map((sentence) => `- ${escapeMarkdown(sentence, 1000)}`);
}

function tableNotes(view: RunView): readonly string[] {
  const reference = view.services[0]?.label;
  if (view.services.length < 2 || reference === undefined) {
    return [];
  }
  const overlap = view.rounds > 1 ? '; “overlap”: the ranges of the rounds overlap' : '';
  const surer = view.run.versus === undefined ? '' : ' How sure a difference is, only the rounds above say.';
  return [
    `Better and worse are against ${escapeMarkdown(reference)}; “same” is under 2 % or 0.1 ms${overlap}.${surer}`,
  ];
}

function failureLines(view: RunView): readonly string[] {
  return view.run.failures.map(({ service, tier, round, message, next }) => {
    const place = `${serviceLabel(view, service)} at ${tierLabel(view, tier)}, round ${round}`;
    const hint = next === undefined ? '' : ` ${escapeMarkdown(next)}`;
    return `- **Failed: ${escapeMarkdown(place)}.** ${escapeMarkdown(message, 1000)}${hint}`;
  });
}

function factLines(view: RunView): readonly string[] {
  const rows = factsOf(view.run).map(({ name, value }) => [escapeMarkdown(name), escapeMarkdown(value, 1000)]);
  const meanings = Object.entries(MARK_MEANINGS).map(([mark, meaning]) => [`Mark “${mark}”`, escapeMarkdown(meaning)]);
  return markdownTable(['', ''], [...rows, ...meanings]);
}
