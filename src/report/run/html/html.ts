import { type RunView, viewRun } from '../../../judge/reading/reading-view.ts';
import type { ComparisonResult } from '../../../judge/verdict/finding.ts';
import { comparisonPage } from '../../comparison/compare-html.ts';
import { html, type PageSection, sentence } from '../../render/html-markup.ts';
import { type PageContent, pageOf } from '../../render/html-page.ts';
import { sweepSection } from '../../sweep/sweep-html.ts';
import { findingsSections, roundsOnPage, versusPage } from '../../versus/versus-html.ts';
import { viewRounds, viewVersus } from '../../versus/versus-view.ts';
import { commitText, startOf } from '../../views/facts.ts';
import type { Judgement } from '../../views/judgement.ts';
import { type RunReading, runReading } from '../../views/reading.ts';
import { slotFindingRows } from '../study-view.ts';
import { baselineSection } from './html-against.ts';
import { percentileSection, timeSection, trendSection } from './html-charts.ts';
import {
  methodSection,
  publishedSection,
  readingSection,
  saturationSection,
  tiersSection,
  trustSection,
  turningSection,
} from './html-sections.ts';

/**
 * The report as one self-contained HTML page with inline charts, without scripts and without the network. Where two
 * versions were compared it is about the comparison; of a main job's rounds it has the claims and figures before the tiers.
 */
export function htmlReport(judgement: Judgement): string {
  const { run, against, compared } = judgement;
  const content = compared === undefined ? runContent(judgement) : comparedContent(run, compared, against);
  return pageOf(run, content).markup;
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

function comparedContent(
  run: Judgement['run'],
  compared: ComparisonResult,
  against: Judgement['against'],
): PageContent {
  const versus = viewVersus(run, compared);
  const page = versus === undefined ? comparisonPage(run, compared) : versusPage(run, versus);
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
