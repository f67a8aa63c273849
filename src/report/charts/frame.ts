import type { ChartHtml } from '../document.ts';
import { aboutAttribute } from '../render/filters.ts';
import { type Html, html, joinLines } from '../render/markup.ts';
import type { About } from '../views/about.ts';
import { shortPath } from './paths.ts';

/** The space of a chart in its own units; a chart is as wide as its column and keeps its proportions. */
export const CHART_PLOT = { width: 360, height: 216, left: 58, right: 350, top: 10, bottom: 182 } as const;

/** A place on an axis that gets a line and a label. */
export interface Tick {
  readonly at: number;
  readonly label: string;
}

/** A chart: axes, what is drawn between them, and the words for readers who do not see it. */
export interface ChartContent {
  /** Unique on the page; letters, digits, dots and dashes. */
  readonly id: string;
  readonly title: string;
  readonly description: string;
  readonly xTitle: string;
  /** Positions are in the chart's own units. */
  readonly xTicks: readonly Tick[];
  readonly yTicks: readonly Tick[];
  readonly marks: readonly Html[];
  /** End of the plot, for charts with labels at its side. */
  readonly right?: number;
  /** For a chart over time: the values that a page shows second by second. */
  readonly seconds?: ChartSeconds;
  /** Subject, by which a page can hide it. */
  readonly about?: About | undefined;
}

/** The figures of a chart over time are in the last table below it. */
interface ChartSeconds {
  /** The head of its columns there. */
  readonly column: string;
  /** Where a second is on the axis of time. */
  readonly at: (second: number) => number;
}

/** An inline SVG with a name, which its first element gives, and a description, under its title as a caption. */
export function chart(content: ChartContent): ChartHtml {
  const { id, title, description, xTitle, xTicks, yTicks, marks, right = CHART_PLOT.right, seconds, about } = content;
  const { width, height, left, bottom } = CHART_PLOT;
  const rows = yTicks.map(({ at, label }) => html`<text y="${round(at + 4)}">${label}</text>`);
  const columns = xTicks.map(
    ({ at, label }) =>
      html`<text x="${round(at)}"${at > right - 14 ? html` text-anchor="end"` : undefined}>${label}</text>`,
  );
  const grid = yTicks.map(({ at }) => html`M${left} ${round(at)}H${right}`);
  const ticks = xTicks.map(({ at }) => html`M${round(at)} ${bottom}v4`);
  const { markup } = html`<figure class="chart"${about && aboutAttribute(about)}><figcaption>${title}</figcaption>
<svg viewBox="0 0 ${width} ${height}"${seconds && html` data-column="${seconds.column}" data-seconds="${round(seconds.at(0))} ${round(seconds.at(1) - seconds.at(0))}"`} role="img"><title id="${id}-title">${title}</title><desc>${description}</desc>
<path class="grid" d="${grid}"/><g class="y">${rows}</g>
<path class="axis" d="${ticks}M${left} ${bottom}H${right}"/><g class="x">${columns}</g>
<text x="${right}" y="${height - 4}" text-anchor="end">${xTitle}</text>
${joinLines(marks)}
</svg></figure>`;
  return { markup, about };
}

/** The shapes of the services' marks; services beyond them begin anew. The style of the page has a color and dashes for each. */
const SHAPES = [circle, square, triangle, diamond, wedge, cross, bar, saltire] as const;

/** A line in the color and dashes of a service, given by its place in the run. */
export function serviceLine(service: number, path: string | null, kind: 'line' | 'thin' = 'line'): Html {
  return html`<path class="${kind} ${serviceClass(service)}" d="${shortPath(path ?? '')}"/>`;
}

/** How many services have a style of their own. */
export const SERVICE_STYLES = SHAPES.length;

/** Marks in the color and shape of a service; a hollow one for a figure that something else than the service bounds. */
export function serviceMarks(
  service: number,
  places: readonly (readonly [x: number, y: number, title?: string | undefined])[],
  kind: 'mark' | 'hollow' = 'mark',
): readonly Html[] {
  const style = `${kind} ${serviceClass(service)}`;
  const titled = places.flatMap(([x, y, title]) =>
    title === undefined
      ? []
      : [html`<path class="${style}" d="${shapeAt(service, x, y)}"><title>${title}</title></path>`],
  );
  const shapes = places.flatMap(([x, y, title]) => (title === undefined ? [html`${shapeAt(service, x, y)}`] : []));
  return shapes.length === 0 ? titled : [html`<path class="${style}" d="${shapes}"/>`, ...titled];
}

function shapeAt(service: number, x: number, y: number): string {
  return (SHAPES[service % SHAPES.length] ?? circle)(round(x), round(y));
}

/** The class that gives an element the color of a service. */
export function serviceClass(service: number): string {
  return `s${service % SHAPES.length}`;
}

/** Legend of the lines by service, in color, dashes and shape; further entries name the rest. */
export function chartKey(labels: readonly string[], further: readonly Html[] = []): Html {
  const items = labels.map(
    (label, index) =>
      html`<li>${keyPicture([serviceLine(index, 'M1 6H33'), ...serviceMarks(index, [[17, 6]])])}${label}</li>`,
  );
  return html`<ul class="key">${items}${further}</ul>`;
}

/** Text before an entry of the key: drawn from 0 to 34, and around a height of 6. */
export function keyPicture(marks: Html | readonly Html[]): Html {
  return html`<svg viewBox="0 0 34 12" aria-hidden="true">${marks}</svg>`;
}

/** A position with one decimal, which is finer than any screen shows. */
export function round(position: number): number {
  return Math.round(position * 10) / 10;
}

// The flags of an arc need no blanks.
function circle(x: number, y: number): string {
  return `M${round(x - 3)} ${y}a3 3 0 106 0 3 3 0 10-6 0`;
}

function square(x: number, y: number): string {
  return `M${round(x - 2.8)} ${round(y - 2.8)}h5.6v5.6h-5.6z`;
}

function triangle(x: number, y: number): string {
  return `M${x} ${round(y - 3.8)}l3.8 6.6h-7.6z`;
}

function diamond(x: number, y: number): string {
  return `M${x} ${round(y - 4)}l4 4-4 4-4-4z`;
}

function wedge(x: number, y: number): string {
  return `M${x} ${round(y + 3.8)}l3.8-6.6h-7.6z`;
}

function cross(x: number, y: number): string {
  return `M${round(x - 1.5)} ${round(y - 4)}h3v2.5h2.5v3h-2.5v2.5h-3v-2.5h-2.5v-3h2.5z`;
}

function bar(x: number, y: number): string {
  return `M${round(x - 4)} ${round(y - 1.7)}h8v3.4h-8z`;
}

function saltire(x: number, y: number): string {
  return `M${round(x - 4)} ${round(y - 2)}l2-2 2 2 2-2 2 2-2 2 2 2-2 2-2-2-2 2-2-2 2-2z`;
}
