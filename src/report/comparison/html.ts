import { cleanText, formatCount } from '../../foundation/index.ts';
import type { ComparisonResult, Finding } from '../../judge/index.ts';
import type { RunInRounds } from '../../model/index.ts';
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
} from '../render/html.ts';
import { COMPARE_STYLE } from '../render/html-style.ts';
import { startOf } from '../views/facts.ts';
import { headline } from './headline.ts';
import { type Axis, axisMarks, axisOf, bar, INTERVAL_PLOT, mark, rowMarks } from './plot.ts';
import { readRounds } from './rounds.ts';
import {
  byService,
  type ChangeGroup,
  changeGroups,
  type FindingRow,
  judgedInFamily,
  rowOf,
  type ServiceFindings,
  shiftText,
} from './rows.ts';
import { comparisonFacts, versionFacts } from './shards.ts';
import { type ComparisonView, viewComparison } from './view.ts';
import { counted, verdictWord } from './words.ts';

/** What stands on the page of a comparison. */
interface ComparisonPage {
  readonly title: string;
  readonly facts: readonly string[];
  readonly summary: Html;
  readonly sections: readonly PageSection[];
  readonly style: string;
}

/** A comparison of two versions as the parts of a page: the outcome first, then what changed, then everything. */
export function comparisonPage(run: RunInRounds, result: ComparisonResult): ComparisonPage {
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

function factsOf(view: ComparisonView, run: RunInRounds): readonly string[] {
  const { runner, runtime, rounds } = run;
  return [
    startOf(run),
    ...versionFacts(view).map(({ name, value }) => `${name}: ${value}`),
    `${rounds.profile.name} profile`,
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

/** A plot for each service: estimate, 95 % interval and threshold of each comparison, on one scale for all of them. */
export function intervalCharts(view: ComparisonView): readonly Html[] {
  // The tails that are only watched are far noisier than the rest: the axis is not for them.
  const axis = axisOf(view.gate.length > 0 ? view.gate : view.result.findings);
  return byService(view).map((service, index) => intervalChart(view, service, { axis, index }));
}

/** Says which shape is which verdict, for the verdicts that occur. */
export function intervalKey({ result }: ComparisonView): Html {
  const kinds = new Map(result.findings.map((finding) => [verdictWord(finding), finding] as const));
  const items = [...kinds].map(
    ([word, finding]) =>
      html`<li><svg viewBox="0 0 34 12" width="34" height="12" aria-hidden="true">${bar(finding, 'M1 6H33')}${mark(finding, 17, 6)}</svg>${word}</li>`,
  );
  return html`<ul class="key">${items}<li><svg viewBox="0 0 34 12" width="34" height="12" aria-hidden="true"><path class="limit" d="M17 0V12"/></svg>threshold</li></ul>`;
}

interface Placed {
  readonly axis: Axis;
  readonly index: number;
}

function intervalChart(view: ComparisonView, [service, findings]: ServiceFindings, { axis, index }: Placed): Html {
  const rows = findings.map((finding) => rowOf(view, finding));
  const bottom = INTERVAL_PLOT.top + findings.length * INTERVAL_PLOT.row;
  const title = cleanText(view.labels.service(service), 80);
  const id = `intervals-${index}`;
  const marks = findings.map((finding, line) =>
    rowMarks(finding, { label: rows[line]?.label ?? '', y: middleOf(line), axis }),
  );
  const firstWatched = rows.findIndex(({ isWatched }) => isWatched);
  return html`<figure class="chart intervals"><figcaption>${title}</figcaption>
<svg viewBox="0 0 ${INTERVAL_PLOT.width} ${bottom + INTERVAL_PLOT.foot}" role="img" aria-labelledby="${id}-title ${id}-text"><title id="${id}-title">Change of each comparison, ${title}</title><desc id="${id}-text">${spoken(title, rows)}</desc>
${firstWatched > 0 ? html`<path class="grid" d="M0 ${INTERVAL_PLOT.top + firstWatched * INTERVAL_PLOT.row}H${INTERVAL_PLOT.right}"/>` : undefined}
${axisMarks(axis, bottom)}
${joinLines(marks)}
</svg></figure>`;
}

function middleOf(line: number): number {
  return INTERVAL_PLOT.top + (line + 0.5) * INTERVAL_PLOT.row;
}

function spoken(service: string, rows: readonly FindingRow[]): string {
  const words = [...new Set(rows.map(({ verdict }) => verdict))];
  const counts = words.map((word) => `${rows.filter(({ verdict }) => verdict === word).length} ${word}`);
  const changed = rows
    .filter(({ verdict }) => verdict !== 'unchanged' && verdict !== 'inconclusive')
    .map((row) => `${row.label}: ${shiftText(row)}, ${row.verdict}.`);
  return [`${service}, ${counted(rows.length, 'comparison')}: ${counts.join(', ')}.`, ...changed].join(' ');
}
