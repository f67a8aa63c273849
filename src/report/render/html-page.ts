import type { Run } from '../../model/run/run.ts';
import { startOf } from '../views/facts.ts';
import { type Html, html, joinLines, type PageSection } from './html-markup.ts';
import { PAGE_STYLE } from './html-style.ts';

/** Nothing is loaded and nothing runs: the page can be opened from anywhere, also from a stranger's artifact. */
const CONTENT_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'";

/** What a page says, whatever was measured. */
export interface PageContent {
  readonly title: string;
  readonly facts: readonly string[];
  readonly summary: Html;
  readonly sections: readonly PageSection[];
  /** Beside the style of every page. */
  readonly style?: string;
}

/** What measured, and when. */
type PageOrigin = Pick<Run, 'wiregauge' | 'startedAt'>;

/** A whole page, self-contained: without scripts and without the network. */
export function pageOf(origin: PageOrigin, { title, facts, summary, sections, style = '' }: PageContent): Html {
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
<footer><p>Wiregauge ${origin.wiregauge} · ${startOf(origin)}</p></footer>
</body>
</html>
`;
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
