import { type HistoryComparison, type RunView, viewRun } from '../../../judge/index.ts';
import { isVersus } from '../../../model/index.ts';
import { comparisonPage } from '../../comparison/html.ts';
import {
  folded,
  type Html,
  html,
  joinLines,
  type PageContent,
  type PageSection,
  pageOf,
  sentence,
  table,
} from '../../render/html.ts';
import { sweepSection } from '../../sweep/html.ts';
import { findingsSections, roundsOnPage, versusPage } from '../../versus/html.ts';
import { viewRounds, viewVersus } from '../../versus/view.ts';
import { commitText, startOf } from '../../views/facts.ts';
import { AGAINST_COLUMNS, type AgainstRow, againstRows, againstSummary } from '../../views/past-comparison.ts';
import type { ComparisonJudgement, Judgement } from '../../views/published.ts';
import { type RunReading, runReading } from '../../views/run-sentences.ts';
import { slotFindingRows } from '../studies.ts';
import { percentileSection, timeSection, trendSection } from './charts.ts';
import {
  methodSection,
  publishedSection,
  readingSection,
  saturationSection,
  tiersSection,
  trustSection,
  turningSection,
} from './sections.ts';

/**
 * The report as one self-contained HTML page with inline charts, without scripts and without the network. Where two
 * versions were compared it is about the comparison; of a main job's rounds it has the claims and figures before the tiers.
 */
export function htmlReport(judgement: Judgement): string {
  const content = judgement.compared === undefined ? runContent(judgement) : comparedContent(judgement);
  return pageOf(judgement.run, content).markup;
}

function runContent(judgement: Judgement): PageContent {
  const view = viewRun(judgement.run);
  const reading = runReading(view);
  const rounds = viewRounds(judgement);
  const claims = rounds?.claims ?? [];
  const { before, after } = rounds === undefined ? { before: [], after: [] } : roundsOnPage(rounds);
  const sections = sectionsOf(judgement, view, reading).filter((section) => section !== undefined);
  return {
    title: view.run.suite.title,
    facts: runFacts(view),
    summary: html`${[...claims, ...reading.summary].map((line) => html`<p>${sentence(line)}</p>`)}`,
    sections: [...before, ...sections, ...after],
  };
}

function comparedContent({ run, compared, against }: ComparisonJudgement): PageContent {
  const page = isVersus(run) ? versusPage(run, viewVersus(run, compared)) : comparisonPage(run, compared);
  const baseline = against === undefined ? [] : [baselineSection(viewRun(run), against)];
  return { ...page, sections: [...page.sections, ...baseline] };
}

function sectionsOf({ against }: Judgement, view: RunView, reading: RunReading): readonly (PageSection | undefined)[] {
  const hasSamples = view.run.samples.length > 0;
  return [
    readingSection(reading),
    hasSamples ? sweepSection(view) : undefined,
    hasSamples ? trendSection(view) : undefined,
    hasSamples ? tiersSection(view) : undefined,
    hasSamples ? saturationSection(view) : undefined,
    hasSamples ? percentileSection(view) : undefined,
    hasSamples ? timeSection(view) : undefined,
    hasSamples ? turningSection(view) : undefined,
    publishedSection(view),
    ...findingsSections(slotFindingRows(view)),
    against === undefined ? undefined : baselineSection(view, against),
    trustSection(view),
    methodSection(view),
  ];
}

function runFacts({ run, rounds }: RunView): readonly string[] {
  const { runner, plan } = run;
  return [
    startOf(run),
    `commit ${commitText(run)}`,
    `${plan.profile.name} profile, ${rounds} ${rounds === 1 ? 'round' : 'rounds'}`,
    `${runner.cores} cores, ${runner.cpuModel}`,
    run.runtime.name === 'docker' ? 'containers' : 'plain processes',
  ];
}

/** The run against its stored past: what is suspicious first, then all comparisons; the single operations are folded. */
export function baselineSection(view: RunView, against: HistoryComparison): PageSection {
  const [first = '', ...others] = againstSummary(view, against);
  const { suspicious, whole, operations } = againstRows(view, against);
  return {
    id: 'baseline',
    title: 'Against the baseline',
    body: joinLines([
      html`<p>${sentence(first)}</p>`,
      ...[...others, `The baseline is ${against.file}.`].map((text) => html`<p class="note">${sentence(text)}</p>`),
      ...tables(suspicious, 'Suspicious against the baseline'),
      ...tables(whole, 'Against the baseline, all operations'),
      ...tables(operations, 'Against the baseline, each operation alone').map((one) =>
        folded('Each operation alone', one),
      ),
    ]),
  };
}

function tables(rows: readonly AgainstRow[], caption: string): readonly Html[] {
  if (rows.length === 0) {
    return [];
  }
  const lines = rows.map(({ place, texts }) => ({
    head: place,
    cells: texts.map((text, index) => (isText(index) ? html`<td class="text">${text}</td>` : html`<td>${text}</td>`)),
  }));
  const columns = AGAINST_COLUMNS.map((text, index) => (isText(index) ? { text, isText: true as const } : text));
  return [table({ caption, columns: ['', ...columns], rows: lines })];
}

/** The metric and the verdict are words, what stands between them are figures. */
function isText(column: number): boolean {
  return column === 0 || column === AGAINST_COLUMNS.length - 1;
}
