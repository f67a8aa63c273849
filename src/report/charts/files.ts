import page from '../../../generated/report-page.json' with { type: 'json' };
import { counted } from '../../foundation/numbers.ts';
import { cleanText } from '../../foundation/text.ts';
import { comparedOf } from '../../judge/verdict/compared.ts';
import { type ComparisonResult, type Finding, worseness } from '../../judge/verdict/finding.ts';
import { logComparison } from '../../judge/verdict/findings.ts';
import { cellName } from '../../model/metric.ts';
import type { RunInRounds } from '../../model/run/run.ts';
import { symbolOfResult } from '../comment/sections.ts';
import { comparisonDocument } from '../comparison/document.ts';
import {
  type Axis,
  axisMarks,
  axisOf,
  axisUpTo,
  bar,
  INTERVAL_PLOT,
  legendOf,
  mark,
  rowMarks,
} from '../comparison/plot.ts';
import { byService, rowOf, type ServiceFindings } from '../comparison/rows.ts';
import { type ComparisonView, viewComparison } from '../comparison/view.ts';
import { verdictWord } from '../comparison/words.ts';
import type { Table } from '../document.ts';
import { markdownLines, markdownLink, markdownOf, renderSection } from '../render/markdown.ts';
import { type Html, html, joinLines } from '../render/markup.ts';
import { round } from './frame.ts';

/** Limit of GitHub for summaries of check runs, in characters. */
const MAX_CHARACTERS = 65_535;

/**
 * Report of a comparison for a job's summary and a check run: the Markdown report, and the list of charts in the artifact at that address. At most
 * 65,535 characters.
 */
export function comparisonSummary(
  { run, result }: { readonly run: RunInRounds; readonly result: ComparisonResult },
  artifactUrl: string | undefined,
): string {
  const report = `${symbolOfResult(result)} ${markdownOf(comparisonDocument(run, result))}`;
  const link = markdownLink('the artifact', artifactUrl);
  if (link === undefined) {
    return report;
  }
  const short = `${report}The full report with its charts is in ${link}.\n\n`;
  const whole = `${short}${chartSection(run, result)}`;
  return whole.length <= MAX_CHARACTERS ? whole : short;
}

function chartSection(run: RunInRounds, result: ComparisonResult): string {
  const charts = chartsOf(run, result);
  const table: Table = {
    kind: 'table',
    caption: 'Charts in the artifact',
    columns: ['shows', { text: 'file', isText: true }],
    rows: charts.map(({ name, title }) => ({ head: title, cells: [`${CHARTS_FOLDER}/${name}`] })),
  };
  return charts.length === 0 ? '' : renderSection({ title: table.caption, lines: markdownLines([table]) });
}

/**
 * File name for each comparison: "<service>-<operation>-<tier>-<metric>.svg", with letters, digits, dots, dashes and underscores. Names are unique,
 * even if a file system ignores case, and different from those in `taken`.
 */
export function chartNames(
  all: readonly Pick<Finding, 'cell' | 'metric'>[],
  taken: readonly string[],
): readonly string[] {
  const used = new Set(taken.map((name) => name.toLowerCase()));
  return all.map(({ cell, metric }) => {
    const parts = [cell.service, cell.operation, cell.tier, metric].map((text) => {
      const plain = text.replace(/[^A-Za-z0-9._]+/g, '-').replace(/^[-.]+|[-.]+$/g, '');
      return plain.slice(0, 40) || 'x';
    });
    let name = `${parts.join('-')}.svg`;
    for (let count = 2; used.has(name.toLowerCase()); count += 1) {
      name = `${parts.join('-')}-${count}.svg`;
    }
    used.add(name.toLowerCase());
    return name;
  });
}

/** Chart for a reader of a comparison. */
export interface ChartFile {
  /** Name in CHARTS_FOLDER. */
  readonly name: string;
  /** Title; plain text that is not yet escaped. */
  readonly title: string;
  readonly svg: string;
}

/** Folder next to the other reports. */
export const CHARTS_FOLDER = 'charts';

const OVERVIEW = 'overview.svg';

/**
 * Charts of a comparison: one with everything that may fail a pull request, and one with its rounds for each comparison that changed or is
 * inconclusive. None if nothing was compared.
 */
export function chartsOf(run: RunInRounds, result: ComparisonResult): readonly ChartFile[] {
  const view = viewComparison(result, run);
  const drawn = drawnFindings(view);
  const names = chartNames(drawn, [OVERVIEW]);
  const changes = roundChanges(run);
  const overview =
    view.gate.length === 0 ? [] : [{ name: OVERVIEW, title: 'All gating comparisons', svg: overviewPicture(view) }];
  const charts = drawn.map((finding, index) => ({
    name: names[index] ?? '',
    title: rowOf(view, finding).place,
    svg: roundsPicture(view, finding, changes(finding)),
  }));
  return [...overview, ...charts];
}

/** Changes for the worse, one for each kept round with both versions. */
function roundChanges(run: RunInRounds): (finding: Finding) => readonly number[] {
  const nameOf = ({ cell, metric }: Pick<Finding, 'cell' | 'metric'>) => JSON.stringify([cellName(cell), metric]);
  const byName = new Map(comparedOf(run, run.rounds.policy).compared.map((one) => [nameOf(one), one]));
  return (finding) => {
    const compared = byName.get(nameOf(finding));
    return compared === undefined ? [] : logComparison(compared).differences.map(Math.expm1);
  };
}

function drawnFindings({ findings, gate }: ComparisonView): readonly Finding[] {
  const placeOf = ({ family, verdict }: Finding) => DRAWN.indexOf(`${family} ${verdict}`);
  return [...gate, ...findings.filter(({ family }) => family === 'watch')]
    .filter((one) => placeOf(one) >= 0)
    .toSorted((left, right) => placeOf(left) - placeOf(right))
    .slice(0, 20);
}

/** Verdicts with a chart, the worst first. */
const DRAWN: readonly string[] = [
  ...['gate regressed', 'gate slower-within-limit', 'gate improved', 'gate inconclusive'],
  ...['watch regressed', 'watch slower-within-limit', 'watch improved'],
];

/** Height down to the first line of the legend. */
const OVERVIEW_HEAD = 38;

/** All comparisons that may fail a pull request as one SVG file: by service, on one scale. */
function overviewPicture(view: ComparisonView): string {
  const services = byService(view.gate);
  const axis = axisOf(view.gate);
  const lines = services.reduce((sum, [, findings]) => sum + 1 + findings.length, 0);
  const bottom = INTERVAL_PLOT.top + lines * INTERVAL_PLOT.row;
  const groups = services.map((service, index) => {
    const before = services.slice(0, index).reduce((sum, [, findings]) => sum + 1 + findings.length, 0);
    return serviceMarks(view, service, axis, INTERVAL_PLOT.top + before * INTERVAL_PLOT.row);
  });
  const key = keyEntries([...legendOf(view.gate), { of: undefined, words: 'threshold' }]);
  const head = OVERVIEW_HEAD + (key.at(-1)?.line ?? 0) * KEY.line;
  return picture(
    'Head against base',
    spokenOverview(view),
    head + bottom + INTERVAL_PLOT.foot,
    html`<text class="title" x="0" y="13">Head against base: change with its 95% interval</text>
${keyMarks(key)}
<g transform="translate(0 ${head})">
${axisMarks(axis, bottom)}
${joinLines(groups)}
</g>`,
  );
}

function serviceMarks(view: ComparisonView, [service, findings]: ServiceFindings, axis: Axis, top: number): Html {
  const rows = findings.map((finding, index) =>
    rowMarks(finding, rowOf(view, finding).label, top + (index + 1.5) * INTERVAL_PLOT.row, axis),
  );
  const name = cleanText(view.labels.service(service), 28);
  return html`<text class="group" x="0" y="${round(top + INTERVAL_PLOT.row / 2 + 5)}">${name}</text>
${joinLines(rows)}`;
}

/** Widths of a legend entry: its mark, a letter of its text, and the space after it. */
const KEY = { mark: 36, letter: 6, gap: 12, line: 16 } as const;

interface KeyEntry {
  /** Undefined for the threshold. */
  readonly of: Finding | undefined;
  readonly words: string;
  readonly x: number;
  readonly line: number;
}

/** Legend of the shapes of the verdicts that occur, on the lines that it needs. */
function keyEntries(all: readonly Pick<KeyEntry, 'of' | 'words'>[]): readonly KeyEntry[] {
  const entries: KeyEntry[] = [];
  let [x, line] = [0, 0];
  for (const { of, words } of all) {
    const width = KEY.mark + words.length * KEY.letter;
    [x, line] = x > 0 && x + width > INTERVAL_PLOT.width ? [0, line + 1] : [x, line];
    entries.push({ of, words, x, line });
    x += width + KEY.gap;
  }
  return entries;
}

function keyMarks(entries: readonly KeyEntry[]): Html {
  const items = entries.map(({ of, words, x, line }) => {
    const shape =
      of === undefined ? html`<path class="limit" d="M17 -6v12"/>` : html`${bar(of, 'M3 0H31')}${mark(of, 17, 0)}`;
    return html`<g transform="translate(${x} ${28 + line * KEY.line})">${shape}<text x="${KEY.mark}" y="4">${words}</text></g>`;
  });
  return joinLines(items);
}

function spokenOverview({ gate }: ComparisonView): string {
  const words = [...new Set(gate.map(verdictWord))];
  const counts = words.map((word) => `${gate.filter((finding) => verdictWord(finding) === word).length} ${word}`);
  return `${counted(gate.length, 'comparison')}: ${counts.join(', ')}. Worse is to the right.`;
}

const ROUNDS_HEAD = 71;

const ROUND = 9;

/** Comparison as an SVG file: its estimate with the interval, and below it the change in each kept round. */
function roundsPicture(view: ComparisonView, finding: Finding, changes: readonly number[]): string {
  const row = rowOf(view, finding);
  const worse = changes.slice(0, 60);
  const axis = axisUpTo(reachOf(finding, worse));
  const bottom = INTERVAL_PLOT.top + INTERVAL_PLOT.row + worse.length * ROUND + 4;
  const limit = axis.at(finding.threshold);
  return picture(
    row.place,
    `${row.place}: ${row.shift}, ${row.judged}${row.gating}; threshold ${row.threshold}. Each dot is one of ${counted(changes.length, 'kept round')}; worse is to the right.`,
    ROUNDS_HEAD + bottom + INTERVAL_PLOT.foot,
    html`${heading(row)}
<g transform="translate(0 ${ROUNDS_HEAD})">
${axisMarks(axis, bottom)}
<path class="limit dashed" d="M${limit} ${INTERVAL_PLOT.top}V${bottom}"/>
${rowMarks(finding, 'estimate, 95% interval', INTERVAL_PLOT.top + INTERVAL_PLOT.row / 2, axis)}
${joinLines(worse.map((change, index) => roundMark(change, index, worse.length, axis)))}
</g>`,
  );
}

/** Axis limit: the whole interval and the threshold; rounds at most double it, so that an extreme one does not flatten the rest. */
function reachOf({ better, change, threshold }: Finding, worse: readonly number[]): number {
  const ends = [change.low, change.high, change.estimate].map((end) => Math.abs(worseness({ better }, end ?? 0)));
  const needed = 1.2 * Math.max(0.02, threshold, ...ends);
  return Math.max(needed, Math.min(2 * needed, Math.max(0, ...worse.map(Math.abs))));
}

function heading(row: ReturnType<typeof rowOf>): Html {
  const lines = [
    `${row.shift}: ${row.verdict}${row.gating}`,
    `${row.values}; threshold ${row.threshold} (dashed)`,
    `noise ${row.noise}, smallest detectable ${row.seen}; ${counted(row.rounds, 'round')}`,
  ];
  const texts = lines.map((line, index) => html`<text x="0" y="${31 + 15 * index}">${cleanText(line, 72)}</text>`);
  return html`<text class="title" x="0" y="13">${cleanText(row.place, 50)}</text>${texts}`;
}

/** A dot, or an arrow for a round beyond the axis. */
function roundMark(change: number, index: number, count: number, axis: Axis): Html {
  const y = round(INTERVAL_PLOT.top + INTERVAL_PLOT.row + (index + 0.5) * ROUND);
  const x = axis.at(change);
  const side = Math.abs(change) > axis.most ? Math.sign(change) * 3 : 0;
  const path = side === 0 ? `M${x - 2.5} ${y}a2.5 2.5 0 1 0 5 0a2.5 2.5 0 1 0 -5 0` : `M${x} ${y}l${-2 * side} 3v-6z`;
  const number = index + 1;
  const isLabeled = number === 1 || number === count || number % 5 === 0;
  const label = isLabeled
    ? html`<text x="${INTERVAL_PLOT.left - 8}" y="${round(y + 3.5)}" text-anchor="end">${number === 1 ? 'round 1' : number}</text>`
    : undefined;
  return html`${label}<path class="round" d="${path}"/>`;
}

/** Pixels per unit of the plot. */
const SCALE = 1.5;

function picture(title: string, description: string, height: number, body: Html): string {
  const { width } = INTERVAL_PLOT;
  const { markup } =
    html`<svg xmlns="http://www.w3.org/2000/svg" viewBox="${-MARGIN} ${-MARGIN} ${width + 2 * MARGIN} ${height + 2 * MARGIN}" width="${SCALE * (width + 2 * MARGIN)}" height="${SCALE * (height + 2 * MARGIN)}" role="img" aria-labelledby="title text">
<title id="title">${title}</title><desc id="text">${description}</desc>
<style>${{ markup: page.pictureStyle }}</style>
<rect x="${-MARGIN}" y="${-MARGIN}" width="100%" height="100%" fill="#fff"/>
${body}
</svg>
`;
  // Characters that XML does not allow.
  return markup.replace(/[\p{Surrogate}\uFFFE\uFFFF]/gu, '\uFFFD');
}

const MARGIN = 10;
