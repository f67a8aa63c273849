import type { Judgement } from '../core/judgement.ts';
import { type Reading, readRun } from '../core/reading.ts';
import { type RunView, viewRun } from '../core/reading-view.ts';
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

/** Nothing is loaded and nothing runs: the page can be opened from anywhere, also from a stranger's artifact. */
const CONTENT_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'";

/** The report as one self-contained HTML page with inline charts, without scripts and without the network. */
export function htmlReport(judgement: Judgement): string {
  const view = viewRun(judgement.run);
  const reading = readRun(view);
  const sections = sectionsOf(judgement, view, reading).filter((section) => section !== undefined);
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${{ markup: CONTENT_POLICY }}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${view.run.suite.title} · Wiregauge</title>
<link rel="icon" href="data:,">
<style>${{ markup: PAGE_STYLE }}</style>
</head>
<body>
<a class="skip" href="#main">Skip to the report</a>
${header(view, sections)}
<main id="main" tabindex="-1">
${summary(reading)}
${joinLines(sections.map(sectionMarkup))}
</main>
<footer><p>Wiregauge ${view.run.wiregauge} · ${startOf(view.run)}</p></footer>
</body>
</html>
`;
  return page.markup;
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

function header(view: RunView, sections: readonly PageSection[]): Html {
  const { run, rounds } = view;
  const { runner, plan } = run;
  const facts = [
    startOf(run),
    `commit ${commitOf(run)}`,
    `${plan.profile.name} profile, ${rounds} ${rounds === 1 ? 'round' : 'rounds'}`,
    `${runner.cores} cores, ${runner.cpuModel}`,
    run.runtime.name === 'docker' ? 'containers' : 'plain processes',
  ];
  const links = sections.map(({ id, title }) => html`<li><a href="#${id}">${title}</a></li>`);
  return html`<header>
<h1>${run.suite.title}</h1>
<ul class="facts">${facts.map((fact) => html`<li>${fact}</li>`)}</ul>
<nav aria-label="Sections"><ul>${links}</ul></nav>
</header>`;
}

function summary({ summary: lines }: Reading): Html {
  return html`<section class="summary" aria-label="Summary">${lines.map((line) => html`<p>${sentence(line)}</p>`)}</section>`;
}

function sectionMarkup({ id, title, body }: PageSection): Html {
  return html`<section aria-labelledby="${id}">
<h2 id="${id}">${title}</h2>
${body}
</section>`;
}
