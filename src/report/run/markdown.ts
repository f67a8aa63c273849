import { escapeMarkdown, formatRate, NO_FIGURE } from '../../foundation/index.ts';
import {
  type HistoryComparison,
  type RunView,
  type ServiceView,
  serviceLabel,
  type TierView,
  tierLabel,
  viewRun,
} from '../../judge/index.ts';
import { formatMetric, formatRange, isMainJob, isVersus, MARK_MEANINGS, type MetricName } from '../../model/index.ts';
import { comparisonSections } from '../comparison/markdown.ts';
import { joinSections, type MarkdownSection, markdownTable } from '../render/markdown.ts';
import { sweepParts } from '../sweep/text.ts';
import { markdownFindingLines, roundSections, versusSections } from '../versus/markdown.ts';
import { viewRounds, viewVersus } from '../versus/view.ts';
import { factsOf } from '../views/facts.ts';
import { AGAINST_COLUMNS, type AgainstRow, againstRows, againstSummary } from '../views/past-comparison.ts';
import { type Judgement, publishedRows, publishedServices } from '../views/published.ts';
import { runReading } from '../views/run-sentences.ts';
import {
  type ComparedPlace,
  cellAt,
  changeWords,
  compareServices,
  MAIN_METRICS,
  metricLabel,
  offeredAt,
  type ServiceComparison,
  wholeOf,
} from '../views/service-comparison.ts';
import { slotFindingRows } from './studies.ts';

/**
 * The report as GitHub's Markdown: the summary first, one table, the rest folded; always under 60,000 characters.
 * Where two versions were compared it is about the comparison; of a main job's rounds it has the claims and figures before the tiers.
 * Everything that comes from outside is escaped.
 */
export function markdownReport(judgement: Judgement): string {
  const view = viewRun(judgement.run);
  if (judgement.compared !== undefined) {
    const { run, compared } = judgement;
    const sections = isVersus(run) ? versusSections(viewVersus(run, compared)) : comparisonSections(run, compared);
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
  const surer = isMainJob(view.run) ? ' How sure a difference is, only the rounds above say.' : '';
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

/** How the run stands against its stored past, what is suspicious, and the folded table of all comparisons. */
export function baselineSections(view: RunView, against: HistoryComparison | undefined): readonly MarkdownSection[] {
  if (against === undefined) {
    return [];
  }
  const [first = '', ...others] = againstSummary(view, against).map((text) => escapeMarkdown(text, 1000));
  const { suspicious, whole, operations } = againstRows(view, against);
  const head = `Against ${escapeMarkdown(against.file)}: **${first}**`;
  return [
    { title: undefined, lines: [head, ...others.flatMap((line) => ['', line])] },
    { title: undefined, lines: againstTable(suspicious) },
    { title: 'Against the baseline, comparison by comparison', lines: againstTable([...whole, ...operations]) },
  ];
}

function againstTable(rows: readonly AgainstRow[]): readonly string[] {
  if (rows.length === 0) {
    return [];
  }
  const cells = rows.map(({ place, texts }) => [place, ...texts].map((text) => escapeMarkdown(text)));
  return markdownTable(['', ...AGAINST_COLUMNS], cells);
}

/** The study's figures beside ours, with where they come from; nothing for a suite without any. */
export function publishedLines(view: RunView): readonly string[] {
  const { published } = view.run.suite;
  if (published === undefined) {
    return [];
  }
  const services = publishedServices(view).map(({ label }) => escapeMarkdown(label));
  const rows = publishedRows(view).map(({ tier, metric, services: pairs }) => [
    escapeMarkdown(tier.label),
    escapeMarkdown(metricLabel(metric)),
    ...pairs.flatMap(({ published: theirs, ours }) => [
      escapeMarkdown(theirs ?? NO_FIGURE),
      escapeMarkdown(ours ?? NO_FIGURE),
    ]),
  ]);
  return [
    `Published: ${escapeMarkdown(published.source)}. ${escapeMarkdown(published.note)}`,
    '',
    'The machines differ, so the figures stand side by side and are not compared.',
    '',
    ...markdownTable(
      ['load', 'metric', ...services.flatMap((label) => [`${label} published`, `${label} here`])],
      rows,
      2,
    ),
  ];
}

/** One row per tier and service, over all operations. */
export function mainTable(view: RunView): readonly string[] {
  const rows = view.tiers.flatMap((tier) => placeRows(view, wholeOf(tier), tierTitle(view, wholeOf(tier))));
  const hasMarks = rows.some((row) => row.at(-1) !== '');
  const header = ['load', 'service', ...MAIN_METRICS.map(metricLabel), ...(hasMarks ? ['marks'] : [])];
  return markdownTable(header, hasMarks ? rows : rows.map((row) => row.slice(0, -1)), 2);
}

/** The same per operation, a table for each tier. */
export function operationLines(view: RunView): readonly string[] {
  const metrics = MAIN_METRICS.filter((metric) => metric !== 'cpuMicrosPerRequest');
  const header = ['operation', 'service', ...metrics.map(metricLabel)];
  return view.tiers.flatMap((tier) => {
    const rows = tier.operations.slice(1).flatMap((operation) => {
      const place = { tier, operation };
      const offered = offeredAt(view, place);
      const title = escapeMarkdown(operation.label) + (offered === undefined ? '' : `, ${formatRate(offered)}`);
      return placeRows(view, place, title).map((row) => row.slice(0, header.length));
    });
    return rows.length === 0 ? [] : [`**${escapeMarkdown(tier.label)}**`, '', ...markdownTable(header, rows, 2), ''];
  });
}

function tierTitle(view: RunView, place: ComparedPlace): string {
  const offered = offeredAt(view, place);
  const rate = offered === undefined ? '' : formatRate(offered);
  const label = escapeMarkdown(place.tier.label);
  // A tier may be called by its rate.
  return rate === '' || rate === place.tier.label ? label : `${label}, ${rate}`;
}

function placeRows(view: RunView, place: ComparedPlace, title: string): readonly (readonly string[])[] {
  return view.services.map((service, index) => {
    const cells = MAIN_METRICS.map((metric) => valueText(metric, compareServices(view, place, metric)[index]));
    return [index === 0 ? title : '', escapeMarkdown(service.label), ...cells, marksText(view, place.tier, service)];
  });
}

function valueText(metric: MetricName, compared: ServiceComparison | undefined): string {
  if (compared?.cell === undefined) {
    return 'not measured';
  }
  const { figure, change } = compared;
  if (figure === undefined) {
    return NO_FIGURE;
  }
  const range = figure.rounds > 1 ? formatRange(metric, figure.low, figure.high) : '';
  const words = change === undefined ? '' : changeWords(change);
  return [formatMetric(metric, figure.median), range === '' ? '' : `[${range}]`, words === '' ? '' : `(${words})`]
    .flatMap((part) => (part === '' ? [] : [escapeMarkdown(part)]))
    .join(' ');
}

function marksText(view: RunView, tier: TierView, service: ServiceView): string {
  const marks = cellAt(view, wholeOf(tier), service)?.marks ?? [];
  return marks
    .map(({ mark, rounds }) => (rounds < view.rounds ? `${mark} (${rounds} of ${view.rounds} rounds)` : mark))
    .map((words) => escapeMarkdown(words))
    .join(', ');
}
