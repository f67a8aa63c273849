import { scaleLinear, scaleSymlog } from 'd3-scale';
import { formatChange } from '../../foundation/numbers.ts';
import { cleanText } from '../../foundation/text.ts';
import { type Finding, worseness } from '../../judge/verdict/finding.ts';
import { keyPicture, round } from '../charts/frame.ts';
import { type Html, html, joinLines } from '../render/markup.ts';
import type { ComparisonView } from './view.ts';
import { percentText, verdictWord } from './words.ts';

/** Plot of a service in its own units: labels on the left, a row for each comparison, its estimate as a number on the right. */
export const INTERVAL_PLOT = { width: 500, left: 184, right: 442, top: 6, row: 19, foot: 34 } as const;

/** Shapes around the origin, so that a verdict shows without its color. */
const SHAPES: Readonly<Record<Finding['verdict'], string>> = {
  regressed: 'M-3.6 -3.6h7.2v7.2h-7.2z',
  'slower-within-limit': 'M0 -4.4l4.4 4.4l-4.4 4.4l-4.4 -4.4z',
  unchanged: 'M-3 0a3 3 0 1 0 6 0a3 3 0 1 0 -6 0',
  improved: 'M0 -4.2l4 7h-8z',
  inconclusive: 'M-3.4 0a3.4 3.4 0 1 0 6.8 0a3.4 3.4 0 1 0 -6.8 0',
};

/** Axis for changes for the worse; beyond its ends an arrow replaces the rest. */
export interface Axis {
  readonly at: (worse: number) => number;
  readonly most: number;
  readonly ticks: readonly number[];
}

/** Common axis for these findings, with every estimate and threshold. */
export function axisOf(findings: readonly Finding[]): Axis {
  const most = Math.max(0.02, ...findings.map(({ threshold }) => threshold));
  const sizes = (ends: readonly (keyof Finding['change'])[]) =>
    findings.flatMap(({ better, change }) => ends.map((end) => Math.abs(worseness({ better }, change[end] ?? 0))));
  // The interval of one very noisy comparison must not compress all others: beyond three thresholds an arrow replaces it.
  const widest = Math.min(Math.max(0.05, ...sizes(['low', 'high'])), 3 * most);
  return axisUpTo(Math.max(widest, 1.2 * most, ...sizes(['estimate'])));
}

/** Up to this change the axis is linear; a larger one would leave no room for the others. */
const MAX_LINEAR = 0.25;

/** Ticks of a nonlinear axis, as many as fit. */
const WIDE_TICKS = [0.1, 0.5, 2, 10, 50, 250, 1000];

/** Axis for changes up to that size on both sides: linear up to 25%, else nearly logarithmic from 5%. */
export function axisUpTo(most: number): Axis {
  const ends: [number, number] = [INTERVAL_PLOT.left, INTERVAL_PLOT.right];
  if (most <= MAX_LINEAR) {
    const scale = scaleLinear().domain([-most, most]).nice(10).range(ends).clamp(true);
    return { at: (worse) => round(scale(worse)), most: scale.domain()[1] ?? most, ticks: scale.ticks(5) };
  }
  const scale = scaleSymlog().domain([-most, most]).constant(0.05).range(ends).clamp(true);
  const sides = WIDE_TICKS.filter((tick) => tick <= most).slice(-2);
  return { at: (worse) => round(scale(worse)), most, ticks: [...sides.map((tick) => -tick).toReversed(), 0, ...sides] };
}

/** Grid lines of the axis from top to bottom, with their labels below. */
export function axisMarks({ at, ticks }: Axis, bottom: number): Html {
  const labels = ticks.map(
    (tick) =>
      html`<path class="${tick === 0 ? 'axis' : 'grid'}" d="M${at(tick)} ${INTERVAL_PLOT.top}V${bottom}"/><text x="${at(tick)}" y="${bottom + 14}" text-anchor="middle">${tickText(tick)}</text>`,
  );
  return html`${joinLines(labels)}
<text x="${INTERVAL_PLOT.left}" y="${bottom + 29}">← better</text><text x="${INTERVAL_PLOT.right}" y="${bottom + 29}" text-anchor="end">worse →</text>`;
}

function tickText(tick: number): string {
  return tick === 0 ? '0' : percentText(Math.abs(tick));
}

/** Comparison: its label, threshold, interval and estimate. */
export function rowMarks(finding: Finding, label: string, y: number, axis: Axis): Html {
  const words = cleanText(label, 31);
  return html`<text x="0" y="${round(y + 4)}">${words}</text>${intervalMarks(finding, axis, y)}<text x="${INTERVAL_PLOT.width}" y="${round(y + 4)}" text-anchor="end">${formatChange(finding.change.estimate)}</text>`;
}

function intervalMarks(finding: Finding, axis: Axis, y: number): Html {
  const { better, change, threshold } = finding;
  const ends = [change.low, change.high].map((end) => (end === undefined ? undefined : worseness({ better }, end)));
  const [low, high] = ends.every((end) => end !== undefined) ? ends.toSorted((left, right) => left - right) : [];
  const interval = low === undefined || high === undefined ? [] : [bar(finding, barPath(low, high, axis, y))];
  return html`<path class="limit" d="M${axis.at(threshold)} ${y - 6}v12"/>${interval}${mark(finding, axis.at(worseness({ better }, change.estimate)), y)}`;
}

function barPath(low: number, high: number, { at, most }: Axis, y: number): string {
  const left = low < -most ? `M${INTERVAL_PLOT.left + 5} ${y - 4}l-5 4l5 4` : '';
  const right = high > most ? `M${INTERVAL_PLOT.right - 5} ${y - 4}l5 4l-5 4` : '';
  return `M${at(low)} ${y}H${at(high)}${left}${right}`;
}

/** Interval in the color of its verdict. */
export function bar(finding: Finding, path: string): Html {
  return html`<path class="interval ${colorOf(finding)}" d="${path}"/>`;
}

/** Estimate in the shape and color of its verdict. */
export function mark(finding: Finding, x: number, y: number): Html {
  return html`<path class="estimate ${colorOf(finding)}" transform="translate(${x} ${y})" d="${SHAPES[finding.verdict]}"/>`;
}

/** An accepted regression keeps its shape, without the alarm. */
function colorOf({ verdict, accepted }: Finding): string {
  return accepted === undefined ? `v-${verdict.split('-')[0] ?? ''}` : 'v-accepted';
}

/** Part of a plot for a table row: the area of the axis. */
const ROW_BOX = { x: INTERVAL_PLOT.left - 6, width: INTERVAL_PLOT.right - INTERVAL_PLOT.left + 12, height: 20 };

/** Estimate, 95% interval and threshold of a comparison for a table row, which also has the numbers. */
export function rowPlot(finding: Finding, axis: Axis): Html {
  const grid = axis.ticks.map(
    (tick) => html`<path class="${tick === 0 ? 'axis' : 'grid'}" d="M${axis.at(tick)} 0v${ROW_BOX.height}"/>`,
  );
  return plotBox(ROW_BOX.height, html`${grid}${intervalMarks(finding, axis, ROW_BOX.height / 2)}`);
}

/** Axis of the rows of a table, for the head of their column. */
export function axisHead({ at, ticks }: Axis): Html {
  const labels = ticks.map((tick) => {
    const [x, anchor] = endAnchor(at(tick));
    return html`<text x="${x}" y="26" text-anchor="${anchor}">${tickText(tick)}</text>`;
  });
  return plotBox(
    30,
    html`<text x="${INTERVAL_PLOT.left}" y="11">← better</text><text x="${INTERVAL_PLOT.right}" y="11" text-anchor="end">worse →</text>${labels}`,
  );
}

/** Labels at the ends of the axis stay within the picture. */
function endAnchor(x: number): readonly [x: number, anchor: 'start' | 'middle' | 'end'] {
  const { left, right } = INTERVAL_PLOT;
  return x < left + 12 ? [left - 6, 'start'] : x > right - 12 ? [right + 6, 'end'] : [x, 'middle'];
}

function plotBox(height: number, marks: Html): Html {
  return html`<svg class="row" viewBox="${ROW_BOX.x} 0 ${ROW_BOX.width} ${height}" aria-hidden="true">${marks}</svg>`;
}

/** Entry for each shape and color that occurs: a finding with them, and the verdicts that have them. */
export function legendOf(findings: readonly Finding[]) {
  return [...Map.groupBy(findings, (one) => `${one.verdict} ${colorOf(one)}`).values()].flatMap((alike) =>
    alike.slice(0, 1).map((of) => ({ of, words: [...new Set(alike.map(verdictWord))].join(', ') })),
  );
}

/** Legend of the verdicts that occur, by shape. */
export function intervalKey({ findings }: ComparisonView): Html {
  const items = legendOf(findings).map(
    ({ of, words }) => html`<li>${keyPicture([bar(of, 'M1 6H33'), mark(of, 17, 6)])}${words}</li>`,
  );
  return html`<ul class="key">${items}<li>${keyPicture(html`<path class="limit" d="M17 0V12"/>`)}threshold</li></ul>`;
}
