import page from '../../../generated/report-page.json' with { type: 'json' };
import { counted } from '../../foundation/numbers.ts';
import { cleanText } from '../../foundation/text.ts';
import type { Finding } from '../../judge/verdict/finding.ts';
import { worseness } from '../../judge/verdict/findings.ts';
import { type Axis, axisMarks, axisOf, axisUpTo, bar, INTERVAL_PLOT, mark, rowMarks } from '../comparison/plot.ts';
import {
  byService,
  type FindingRow,
  judgedInFamily,
  rowOf,
  type ServiceFindings,
  shiftText,
} from '../comparison/rows.ts';
import { type ComparisonView, viewComparison } from '../comparison/view.ts';
import { verdictWord } from '../comparison/words.ts';
import { type Html, html, joinLines } from '../render/markup.ts';
import { round } from './frame.ts';

/** Down to the first line of the key. */
const OVERVIEW_HEAD = 38;

/** All comparisons that may fail a pull request as one SVG file: service by service, on one scale. */
export function overviewPicture(view: ComparisonView): string {
  const services = byService(viewComparison({ ...view.result, findings: view.gate }, view.run));
  const axis = axisOf(view.gate);
  const lines = services.reduce((sum, [, findings]) => sum + 1 + findings.length, 0);
  const bottom = INTERVAL_PLOT.top + lines * INTERVAL_PLOT.row;
  const groups = services.map((service, index) => {
    const before = services.slice(0, index).reduce((sum, [, findings]) => sum + 1 + findings.length, 0);
    return serviceMarks(view, service, { axis, top: INTERVAL_PLOT.top + before * INTERVAL_PLOT.row });
  });
  const key = keyEntries([...new Set(view.gate.map(verdictWord)), 'threshold']);
  const head = OVERVIEW_HEAD + (key.at(-1)?.line ?? 0) * KEY.line;
  return picture({
    title: 'Head against base',
    description: spokenOverview(view),
    width: INTERVAL_PLOT.width,
    height: head + bottom + INTERVAL_PLOT.foot,
    body: html`<text class="title" x="0" y="13">Head against base: change with its 95% interval</text>
${keyMarks(key, view.gate)}
<g transform="translate(0 ${head})">
${axisMarks(axis, bottom)}
${joinLines(groups)}
</g>`,
  });
}

interface GroupPlace {
  readonly axis: Axis;
  readonly top: number;
}

function serviceMarks(view: ComparisonView, [service, findings]: ServiceFindings, { axis, top }: GroupPlace): Html {
  const rows = findings.map((finding, index) =>
    rowMarks(finding, { label: rowOf(view, finding).label, y: top + (index + 1.5) * INTERVAL_PLOT.row, axis }),
  );
  const name = cleanText(view.labels.service(service), 28);
  return html`<text class="group" x="0" y="${round(top + INTERVAL_PLOT.row / 2 + 5)}">${name}</text>
${joinLines(rows)}`;
}

/** An entry of the key: its mark, the letters of its word, and the space behind it. */
const KEY = { mark: 36, letter: 6, gap: 12, line: 16 } as const;

interface KeyEntry {
  readonly word: string;
  readonly x: number;
  readonly line: number;
}

/** Which shape is which verdict, for those that occur, on as many lines as it takes. */
function keyEntries(words: readonly string[]): readonly KeyEntry[] {
  const entries: KeyEntry[] = [];
  let [x, line] = [0, 0];
  for (const word of words) {
    const width = KEY.mark + word.length * KEY.letter;
    [x, line] = x > 0 && x + width > INTERVAL_PLOT.width ? [0, line + 1] : [x, line];
    entries.push({ word, x, line });
    x += width + KEY.gap;
  }
  return entries;
}

function keyMarks(entries: readonly KeyEntry[], findings: readonly Finding[]): Html {
  const items = entries.map(({ word, x, line }) => {
    const finding = findings.find((one) => verdictWord(one) === word);
    const shape =
      finding === undefined
        ? html`<path class="limit" d="M17 -6v12"/>`
        : html`${bar(finding, 'M3 0H31')}${mark(finding, 17, 0)}`;
    return html`<g transform="translate(${x} ${28 + line * KEY.line})">${shape}<text x="${KEY.mark}" y="4">${word}</text></g>`;
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

/** More rounds than any profile has are not drawn. */
const MOST_ROUNDS = 60;

/** The number of rounds from one label to the next. */
const LABELLED = 5;

/** A comparison as an SVG file: its estimate with the interval, and below it the change in each kept round, given as log ratios. */
export function roundsPicture(view: ComparisonView, finding: Finding, logRatios: readonly number[]): string {
  const row = rowOf(view, finding);
  const drawn = logRatios.slice(0, MOST_ROUNDS);
  // For a rate, less is worse.
  const worse = drawn.map((change) => Math.expm1(finding.better === 'lower' ? change : -change));
  const axis = axisUpTo(reachOf(finding, worse));
  const bottom = INTERVAL_PLOT.top + INTERVAL_PLOT.row + worse.length * ROUND + 4;
  const limit = axis.at(finding.threshold);
  return picture({
    title: row.place,
    description: spokenRounds(row, logRatios.length),
    width: INTERVAL_PLOT.width,
    height: ROUNDS_HEAD + bottom + INTERVAL_PLOT.foot,
    body: html`${heading(row)}
<g transform="translate(0 ${ROUNDS_HEAD})">
${axisMarks(axis, bottom)}
<path class="limit dashed" d="M${limit} ${INTERVAL_PLOT.top}V${bottom}"/>
${rowMarks(finding, { label: 'estimate, 95% interval', y: INTERVAL_PLOT.top + INTERVAL_PLOT.row / 2, axis })}
${joinLines(worse.map((change, index) => roundMark(change, { index, count: worse.length, axis })))}
</g>`,
  });
}

/** All of the interval and the threshold; rounds stretch the axis to twice that at most, so that a wild one presses nothing flat. */
function reachOf({ better, change, threshold }: Finding, worse: readonly number[]): number {
  const ends = [change.low, change.high, change.estimate].map((end) => Math.abs(worseness({ better }, end ?? 0)));
  const needed = 1.2 * Math.max(0.02, threshold, ...ends);
  return Math.max(needed, Math.min(2 * needed, Math.max(0, ...worse.map(Math.abs))));
}

function heading(row: FindingRow): Html {
  const lines = [
    `${shiftText(row)}: ${row.verdict}${row.isWatched ? ', not gating' : ''}`,
    `${row.values}; threshold ${row.threshold} (dashed)`,
    `noise ${row.noise}, smallest detectable ${row.seen}; ${counted(row.rounds, 'round')}`,
  ];
  const texts = lines.map((line, index) => html`<text x="0" y="${31 + 15 * index}">${cleanText(line, 72)}</text>`);
  return html`<text class="title" x="0" y="13">${cleanText(row.place, 50)}</text>${texts}`;
}

interface RoundPlace {
  readonly index: number;
  readonly count: number;
  readonly axis: Axis;
}

/** A dot, or an arrow for a round beyond the axis. */
function roundMark(change: number, { index, count, axis }: RoundPlace): Html {
  const y = round(INTERVAL_PLOT.top + INTERVAL_PLOT.row + (index + 0.5) * ROUND);
  const x = axis.at(change);
  const side = Math.abs(change) > axis.most ? Math.sign(change) * 3 : 0;
  const path = side === 0 ? `M${x - 2.5} ${y}a2.5 2.5 0 1 0 5 0a2.5 2.5 0 1 0 -5 0` : `M${x} ${y}l${-2 * side} 3v-6z`;
  const number = index + 1;
  const isLabelled = number === 1 || number === count || number % LABELLED === 0;
  const label = isLabelled
    ? html`<text x="${INTERVAL_PLOT.left - 8}" y="${round(y + 3.5)}" text-anchor="end">${number === 1 ? 'round 1' : number}</text>`
    : undefined;
  return html`${label}<path class="round" d="${path}"/>`;
}

function spokenRounds(row: FindingRow, rounds: number): string {
  return `${row.place}: ${shiftText(row)}, ${judgedInFamily(row)}; threshold ${row.threshold}. Each dot is one of ${counted(rounds, 'kept round')}; worse is to the right.`;
}

/** A picture that stands by itself: its words, its size in the units of the plot, and what is drawn. */
interface PictureContent {
  readonly title: string;
  readonly description: string;
  readonly width: number;
  readonly height: number;
  readonly body: Html;
}

/** Pixels for a unit of the plot. */
const SCALE = 1.5;

/** The text of an SVG file. */
export function picture({ title, description, width, height, body }: PictureContent): string {
  const { markup } =
    html`<svg xmlns="http://www.w3.org/2000/svg" viewBox="${-MARGIN} ${-MARGIN} ${width + 2 * MARGIN} ${height + 2 * MARGIN}" width="${SCALE * (width + 2 * MARGIN)}" height="${SCALE * (height + 2 * MARGIN)}" role="img" aria-labelledby="title text">
<title id="title">${title}</title><desc id="text">${description}</desc>
<style>${{ markup: page.pictureStyle }}</style>
<rect x="${-MARGIN}" y="${-MARGIN}" width="100%" height="100%" fill="#fff"/>
${body}
</svg>
`;
  // Characters that XML cannot hold.
  return markup.replace(/[\p{Surrogate}\uFFFE\uFFFF]/gu, '\uFFFD');
}

const MARGIN = 10;
