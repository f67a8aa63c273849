import { cleanText } from '../../foundation/escape.ts';
import type { Finding } from '../../judge/verdict/finding.ts';
import { worseness } from '../../judge/verdict/series.ts';
import { type Axis, axisMarks, axisUpTo, INTERVAL_PLOT, rowMarks } from '../comparison/compare-plot.ts';
import { type FindingRow, judgedInFamily, rowOf, shiftText } from '../comparison/compare-row.ts';
import type { ComparisonView } from '../comparison/compare-view.ts';
import { counted } from '../comparison/compare-words.ts';
import { type Html, html, joinLines } from '../render/html-markup.ts';
import { round } from './chart-frame.ts';
import { picture } from './charts-svg.ts';

const ROUNDS_HEAD = 71;
const ROUND = 9;

/** More rounds than any profile has are not drawn. */
const MOST_ROUNDS = 60;

/** Every so many rounds there is a label. */
const LABELLED = 5;

/** A comparison as an SVG file: its estimate with the interval, and below it the change in each kept round, given as log ratios. */
export function roundsPicture(view: ComparisonView, finding: Finding, logRatios: readonly number[]): string {
  const row = rowOf(view, finding);
  const drawn = logRatios.slice(0, MOST_ROUNDS);
  // Of a rate, less is worse.
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
${rowMarks(finding, { label: 'estimate, 95 % interval', y: INTERVAL_PLOT.top + INTERVAL_PLOT.row / 2, axis })}
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
    `${shiftText(row)}: ${row.verdict}${row.isWatched ? ', only watched' : ''}`,
    `${row.values}; threshold ${row.threshold} (dashed)`,
    `noise ${row.noise}, seen from ${row.seen}; ${counted(row.rounds, 'round')}`,
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
