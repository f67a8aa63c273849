import { type Html, html } from '../render/html-markup.ts';

/** A picture that stands by itself: its words, its size in the units of the plot, and what is drawn. */
export interface PictureContent {
  readonly title: string;
  readonly description: string;
  readonly width: number;
  readonly height: number;
  readonly body: Html;
}

/** Pixels for a unit of the plot. */
const SCALE = 1.5;

/**
 * Plain rules without variables, since programs that show pictures know less than browsers do. On a ground of its own, and so the same
 * in a light and in a dark page.
 */
const STYLE = html`
text { font: 11px system-ui, -apple-system, "Segoe UI", Roboto, "Liberation Sans", sans-serif; fill: #575d66; }
text.title { font-size: 13px; font-weight: 600; fill: #17191c; }
text.group { font-weight: 600; fill: #17191c; }
.grid { stroke: #d9dce1; fill: none; }
.axis { stroke: #9aa1ab; fill: none; }
.limit { stroke: #575d66; stroke-width: 1.5; fill: none; }
.dashed { stroke-width: 1; stroke-dasharray: 3 3; }
.interval { fill: none; stroke-width: 2; }
.estimate { stroke: #fff; stroke-width: 1; }
.round { fill: #17191c; fill-opacity: 0.7; }
.interval.v-regressed { stroke: #a3173b; } .estimate.v-regressed { fill: #a3173b; }
.interval.v-improved { stroke: #0b6a43; } .estimate.v-improved { fill: #0b6a43; }
.interval.v-accepted, .interval.v-slower { stroke: #c2510c; } .estimate.v-accepted, .estimate.v-slower { fill: #c2510c; }
.interval.v-unchanged { stroke: #17191c; } .estimate.v-unchanged { fill: #17191c; }
.interval.v-inconclusive { stroke: #575d66; } .estimate.v-inconclusive { fill: #fff; stroke: #575d66; stroke-width: 1.5; }
`;

/** The text of an SVG file. */
export function picture({ title, description, width, height, body }: PictureContent): string {
  const { markup } =
    html`<svg xmlns="http://www.w3.org/2000/svg" viewBox="${-MARGIN} ${-MARGIN} ${width + 2 * MARGIN} ${height + 2 * MARGIN}" width="${SCALE * (width + 2 * MARGIN)}" height="${SCALE * (height + 2 * MARGIN)}" role="img" aria-labelledby="title text">
<title id="title">${title}</title><desc id="text">${description}</desc>
<style>${STYLE}</style>
<rect x="${-MARGIN}" y="${-MARGIN}" width="100%" height="100%" fill="#fff"/>
${body}
</svg>
`;
  // What XML cannot hold, whoever wrote it.
  return markup.replace(/[\p{Surrogate}\uFFFE\uFFFF]/gu, '\uFFFD');
}

const MARGIN = 10;
