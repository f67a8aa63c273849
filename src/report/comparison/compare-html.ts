import { formatCount } from '../../foundation/reading-numbers.ts';
import type { ComparisonResult, Finding } from '../../judge/verdict/finding.ts';
import type { Run } from '../../model/run/run.ts';
import { COMPARE_STYLE } from '../render/compare-style.ts';
import {
  bullets,
  type Column,
  folded,
  type Html,
  html,
  joinLines,
  type PageSection,
  sentence,
  table,
} from '../render/html-markup.ts';
import { startOf } from '../views/facts.ts';
import { type ChangeGroup, changeGroups } from './compare-changes.ts';
import { intervalCharts, intervalKey } from './compare-chart.ts';
import { comparisonFacts, versionFacts } from './compare-facts.ts';
import { headline } from './compare-headline.ts';
import { readRounds } from './compare-rounds.ts';
import { byService, type FindingRow, judgedInFamily, rowOf } from './compare-row.ts';
import { type ComparisonView, viewComparison } from './compare-view.ts';

/** What stands on the page of a comparison. */
interface ComparisonPage {
  readonly title: string;
  readonly facts: readonly string[];
  readonly summary: Html;
  readonly sections: readonly PageSection[];
  readonly style: string;
}

/** A comparison of two versions as the parts of a page: the outcome first, then what changed, then everything. */
export function comparisonPage(run: Run, result: ComparisonResult): ComparisonPage {
  const view = viewComparison(result, run);
  const sections = [
    changedSection(view),
    result.findings.length === 0 ? undefined : allSection(view),
    roundsSection(view),
    methodSection(view),
  ];
  return {
    title: `Base against head: ${run.suite.title}`,
    facts: factsOf(view, run),
    summary: html`<p>${sentence(headline(view))}</p>${bullets(result.notes)}`,
    sections: sections.filter((section) => section !== undefined),
    style: COMPARE_STYLE,
  };
}

function factsOf(view: ComparisonView, run: Run): readonly string[] {
  const { runner, runtime, rounds } = run;
  return [
    startOf(run),
    ...versionFacts(view).map(({ name, value }) => `${name}: ${value}`),
    ...(rounds === undefined ? [] : [`${rounds.profile.name} profile`]),
    `${runner.cores} cores, ${runner.cpuModel}`,
    runtime.name === 'docker' ? 'containers' : 'plain processes',
  ];
}

function changedSection(view: ComparisonView): PageSection {
  const groups = changeGroups(view);
  const isWorse = ({ standing }: ChangeGroup) => standing === 'worse';
  const findings = groups.flatMap((group) => group.findings);
  const parts = [
    ...groups.filter(isWorse).flatMap(sentencesOf),
    ...(findings.length === 0 ? [] : [changedTable(view, findings)]),
    ...groups.filter((group) => !isWorse(group)).flatMap(sentencesOf),
  ];
  return {
    id: 'changed',
    title: 'What changed',
    body: parts.length === 0 ? html`<p>Nothing changed, as far as these rounds can see.</p>` : joinLines(parts),
  };
}

function sentencesOf({ title, standing, sentences }: ChangeGroup): readonly Html[] {
  if (sentences.length === 0) {
    return [];
  }
  const items = sentences.map((text) => html`<li>${sentence(text)}</li>`);
  return [html`<h3>${title}</h3><ul${standing === 'worse' ? html` class="failures"` : undefined}>${items}</ul>`];
}

function text(head: string): Column {
  return { text: head, isText: true };
}

const SURE_COLUMNS = ['noise', 'seen from', 'rounds'];

function changedTable(view: ComparisonView, findings: readonly Finding[]): Html {
  return table({
    caption: 'What is not unchanged, the worst first',
    isCaptionQuiet: true,
    columns: ['', text('verdict'), 'change', '95 % interval', 'threshold', ...SURE_COLUMNS],
    rows: findings.map((finding) => {
      const row = rowOf(view, finding);
      return {
        head: row.place,
        cells: [verdictCell(row, judgedInFamily(row)), ...figureCells(row), ...sureCells(row)],
      };
    }),
  });
}

function verdictCell({ standing, isWatched }: FindingRow, words: string): Html {
  const colour = standing === 'neutral' || isWatched ? undefined : html` class="${standing}"`;
  return html`<td class="text"><span${colour}>${words}</span></td>`;
}

function figureCells({ change, interval, threshold }: FindingRow): readonly Html[] {
  return [change, interval, threshold].map((figure) => html`<td>${figure}</td>`);
}

function sureCells({ noise, seen, rounds }: FindingRow): readonly Html[] {
  return [noise, seen, formatCount(rounds)].map((figure) => html`<td>${figure}</td>`);
}

function allSection(view: ComparisonView): PageSection {
  const tables = byService(view).map(([service, findings]) => {
    const caption = `All comparisons of ${view.labels.service(service)}`;
    return folded(`${caption} as a table`, allTable(view, caption, findings));
  });
  const hasWatched = view.gate.length < view.result.findings.length;
  const watched = hasWatched ? ' Below the line are metrics that are only watched.' : '';
  return {
    id: 'all',
    title: 'All comparisons',
    body: html`<p class="note">Each row is one metric at one load: the estimated change, its 95 % interval, and the threshold from which on it is a regression. Worse is to the right, also for rates, which fall when they get worse.${watched} An arrow goes on beyond the axis.</p>
${intervalKey(view)}
<div class="plots">${joinLines(intervalCharts(view))}</div>
${joinLines(tables)}`,
  };
}

function allTable(view: ComparisonView, caption: string, findings: readonly Finding[]): Html {
  return table({
    caption,
    isCaptionQuiet: true,
    columns: ['', text('verdict'), 'base → head', 'change', '95 % interval', 'threshold', ...SURE_COLUMNS],
    rows: findings.map((finding) => {
      const row = rowOf(view, finding);
      const words = row.isWatched ? `${row.verdict}, only watched` : row.verdict;
      const values = html`<td>${row.values}</td>`;
      return { head: row.label, cells: [verdictCell(row, words), values, ...figureCells(row), ...sureCells(row)] };
    }),
  });
}

function roundsSection(view: ComparisonView): PageSection {
  const { rounds, design } = readRounds(view);
  return {
    id: 'rounds',
    title: 'Rounds, and how sure this is',
    body: html`<div class="halves">
<div><h3>Rounds</h3>${bullets(rounds)}</div>
<div><h3>How sure</h3>${bullets(design)}</div>
</div>`,
  };
}

function methodSection(view: ComparisonView): PageSection | undefined {
  const facts = comparisonFacts(view).map(({ name, value }) => html`<dt>${name}</dt><dd>${value}</dd>`);
  return facts.length === 0
    ? undefined
    : {
        id: 'method',
        title: 'How it was measured',
        body: folded('Versions, profile, services, machine, tools', html`<dl>${joinLines(facts)}</dl>`),
      };
}
