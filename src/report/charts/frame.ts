import { type Html, html } from '../render/markup.ts';
import { shortPath } from './paths.ts';

/** Space of a chart in its own units; a chart fills its column and keeps its proportions. */
export const CHART_PLOT = { width: 360, height: 216, left: 58, right: 350, top: 10, bottom: 182 } as const;

/** Position on an axis with a line and a label. */
export interface Tick {
  readonly at: number;
  readonly label: string;
}

/** Shapes of the services' marks, which repeat for further services. The style of the page has a color and dashes for each. */
const SHAPES: readonly ((x: number, y: number) => string)[] = Object.values({
  // The flags of an arc need no spaces.
  circle: (x: number, y: number) => `M${round(x - 3)} ${y}a3 3 0 106 0 3 3 0 10-6 0`,
  square: (x: number, y: number) => `M${round(x - 2.8)} ${round(y - 2.8)}h5.6v5.6h-5.6z`,
  triangle: (x: number, y: number) => `M${x} ${round(y - 3.8)}l3.8 6.6h-7.6z`,
  diamond: (x: number, y: number) => `M${x} ${round(y - 4)}l4 4-4 4-4-4z`,
  wedge: (x: number, y: number) => `M${x} ${round(y + 3.8)}l3.8-6.6h-7.6z`,
  cross: (x: number, y: number) => `M${round(x - 1.5)} ${round(y - 4)}h3v2.5h2.5v3h-2.5v2.5h-3v-2.5h-2.5v-3h2.5z`,
  bar: (x: number, y: number) => `M${round(x - 4)} ${round(y - 1.7)}h8v3.4h-8z`,
  saltire: (x: number, y: number) => `M${round(x - 4)} ${round(y - 2)}l2-2 2 2 2-2 2 2-2 2 2 2-2 2-2-2-2 2-2-2 2-2z`,
});

/** Line in the color and dashes of a service, given by its index in the run. */
export function serviceLine(service: number, path: string | null, kind: 'line' | 'thin' = 'line'): Html {
  return html`<path class="${kind} ${serviceClass(service)}" d="${shortPath(path ?? '')}"/>`;
}

/** Number of services with a style of their own. */
export const SERVICE_STYLES = SHAPES.length;

/** Marks in the color and shape of a service; hollow for a figure that something other than the service limits. */
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
  return SHAPES[service % SHAPES.length]?.(round(x), round(y)) ?? '';
}

/** Class that gives an element the color of a service. */
export function serviceClass(service: number): string {
  return `s${service % SHAPES.length}`;
}

/** Legend of the lines by service, in color, dashes and shape; further entries are for the rest. */
export function chartKey(labels: readonly string[], further: readonly Html[] = []): Html {
  const items = labels.map(
    (label, index) =>
      html`<li>${keyPicture([serviceLine(index, 'M1 6H33'), ...serviceMarks(index, [[17, 6]])])}${label}</li>`,
  );
  return html`<ul class="key">${items}${further}</ul>`;
}

/** Sample before a legend entry: from 0 to 34, around a height of 6. */
export function keyPicture(marks: Html | readonly Html[]): Html {
  return html`<svg viewBox="0 0 34 12" aria-hidden="true">${marks}</svg>`;
}

/** Position with one decimal, which is finer than any screen shows. */
export function round(position: number): number {
  return Math.round(position * 10) / 10;
}
