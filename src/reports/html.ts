import type { Judgement } from '../core/judgement.ts';
import { type Reading, readRun } from '../core/reading.ts';
import { type RunView, viewRun } from '../core/reading-view.ts';
import type { ComparisonResult } from '../core/verdict/finding.ts';
import { comparisonPage } from './compare-html.ts';
import { commitOf, startOf } from './facts.ts';
import { baselineSection } from './html-against.ts';
import { percentileSection, timeSection, trendSection } from './html-charts.ts';
import { type Html, html, joinLines, type PageSection, sentence } from './html-markup.ts';
import {
  methodSection,
  publishedSection,
  readingSection,
  saturationSection,
  tiersSection,
  trustSection,
  turningSection,
} from './html-sections.ts';
import { PAGE_STYLE } from './html-style.ts';
import { versusPage } from './versus-html.ts';
import { viewVersus } from './versus-view.ts';

/** Nothing is loaded and nothing runs: the page can be opened from anywhere, also from a stranger's artifact. */
const CONTENT_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'";

/** What a page says, whatever was measured. */
interface PageContent {
  readonly title: string;
  readonly facts: readonly string[];
  readonly summary: Html;
  readonly sections: readonly PageSection[];
  /** Beside the style of every page. */
  readonly style?: string;
}

/**
 * The report as one self-contained HTML page with inline charts, without scripts and without the network. Where two
 * versions were compared it is about the comparison: a service against another is the main job's question.
 */
export function htmlReport({ run, against, compared }: Judgement): string {
  const content = compared === undefined ? runContent({ run, against }) : comparedContent(run, compared, against);
  return pageOf(run, content).markup;
}

function pageOf(run: Judgement['run'], { title, facts, summary, sections, style = '' }: PageContent): Html {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${{ markup: CONTENT_POLICY }}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · Wiregauge</title>
<link rel="icon" href="data:,">
<style>${{ markup: PAGE_STYLE + style }}</style>
</head>
<body>
<a class="skip" href="#main">Skip to the report</a>
${header(title, facts, sections)}
<main id="main" tabindex="-1">
<section class="summary" aria-label="Summary">${summary}</section>
${joinLines(sections.map(sectionMarkup))}
</main>
<footer><p>Wiregauge ${run.wiregauge} · ${startOf(run)}</p></footer>
</body>
</html>
`;
}

function runContent(judgement: Judgement): PageContent {
  const view = viewRun(judgement.run);
  const reading = readRun(view);
  return {
    title: view.run.suite.title,
    facts: runFacts(view),
    summary: html`${reading.summary.map((line) => html`<p>${sentence(line)}</p>`)}`,
    sections: sectionsOf(judgement, view, reading).filter((section) => section !== undefined),
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

function sectionsOf({ against }: Judgement, view: RunView, reading: Reading): readonly (PageSection | undefined)[] {
  const hasSamples = view.run.samples.length > 0;
  return [
    readingSection(reading),
    hasSamples ? trendSection(view) : undefined,
    hasSamples ? tiersSection(view) : undefined,
    hasSamples ? saturationSection(view) : undefined,
    hasSamples ? percentileSection(view) : undefined,
    hasSamples ? timeSection(view) : undefined,
    hasSamples ? turningSection(view) : undefined,
    publishedSection(view),
    against === undefined ? undefined : baselineSection(view, against),
    trustSection(view),
    methodSection(view),
  ];
}

function runFacts({ run, rounds }: RunView): readonly string[] {
  const { runner, plan } = run;
  return [
    startOf(run),
    `commit ${commitOf(run)}`,
    `${plan.profile.name} profile, ${rounds} ${rounds === 1 ? 'round' : 'rounds'}`,
    `${runner.cores} cores, ${runner.cpuModel}`,
    run.runtime.name === 'docker' ? 'containers' : 'plain processes',
  ];
}

function header(title: string, facts: readonly string[], sections: readonly PageSection[]): Html {
  const links = sections.map(({ id, title: name }) => html`<li><a href="#${id}">${name}</a></li>`);
  return html`<header>
<h1>${title}</h1>
<ul class="facts">${facts.map((fact) => html`<li>${fact}</li>`)}</ul>
<nav aria-label="Sections"><ul>${links}</ul></nav>
</header>`;
}

function sectionMarkup({ id, title, body }: PageSection): Html {
  return html`<section aria-labelledby="${id}">
<h2 id="${id}">${title}</h2>
${body}
</section>`;
}
