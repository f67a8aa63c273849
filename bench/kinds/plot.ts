import { scaleLog } from 'd3-scale';
import {
  FIGURE_KEYS,
  type Figure,
  type Kept,
  KINDS,
  type Kind,
  LANGUAGE_KEYS,
  LANGUAGES,
  type Language,
  multipleOf,
} from './kind.ts';

/** The picture in its own units: a row for each kind, with the languages side by side. */
const PLOT = { width: 760, label: 150, panel: 290, gap: 20, top: 64, row: 24, foot: 40 } as const;

const BOTTOM = PLOT.top + PLOT.row * KINDS.size;

/** How many times as much as without the change. */
const TICKS = [0.5, 1, 2, 5, 10, 20];

const MARKS: Readonly<Record<Figure, { readonly words: string; readonly shape: string; readonly paint: string }>> = {
  rate: { words: 'time per request at saturation', shape: 'M0 -5l5 9h-10z', paint: 'fill="#d97706"' },
  cpu: {
    words: 'CPU time',
    shape: 'M-4 -4h8v8h-8z',
    paint: 'fill="none" stroke="#0f766e" stroke-width="2"',
  },
  instructions: {
    words: 'instructions',
    shape: 'M-4 0a4 4 0 1 0 8 0a4 4 0 1 0 -8 0',
    paint: 'fill="#1d4ed8"',
  },
};

/** The changes that were measured, as a picture: how many times as many instructions, as much CPU time and time of a request. */
export function plotOf(kept: Kept): string {
  const labels = [...KINDS].map(
    ([, words], row) => `<text x="${PLOT.label - 10}" y="${middleOf(row) + 4}" text-anchor="end">${words}</text>`,
  );
  const panels = LANGUAGE_KEYS.map((language, place) =>
    panelOf(kept, language, PLOT.label + place * (PLOT.panel + PLOT.gap)),
  );
  const height = BOTTOM + PLOT.foot;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${PLOT.width} ${height}" width="${PLOT.width}" height="${height}" font-family="sans-serif" font-size="12" role="img">
<title>Twelve kinds of changes: instructions, CPU time and time of a request, as multiples</title>
<rect width="100%" height="100%" fill="#ffffff"/>
${[...legend(), ...labels, ...panels].join('\n')}
<text x="${PLOT.width - 10}" y="${height - 6}" text-anchor="end">times as much as without the change</text>
</svg>
`;
}

const LEGEND_WIDTH = 130;

function legend(): readonly string[] {
  return FIGURE_KEYS.map((figure, place) => {
    const x = PLOT.label + place * LEGEND_WIDTH;
    return `${mark(figure, x, 16)}<text x="${x + 10}" y="20">${MARKS[figure].words}</text>`;
  });
}

function panelOf(kept: Kept, language: Language, left: number): string {
  const at = scaleLog()
    .domain([TICKS[0] ?? 1, TICKS.at(-1) ?? 1])
    .range([left, left + PLOT.panel])
    .clamp(true);
  const lines = TICKS.map((tick) => {
    const x = round(at(tick));
    const color = tick === 1 ? '#374151' : '#d1d5db';
    return `<path stroke="${color}" d="M${x} ${PLOT.top}V${BOTTOM}"/><text x="${x}" y="${BOTTOM + 16}" text-anchor="middle">${tick}</text>`;
  });
  const marks = [...KINDS.keys()].flatMap((kind, row) =>
    FIGURE_KEYS.toReversed().flatMap((figure) => {
      const multiple = drawnOf(kept, kind, [language, figure]);
      return multiple === undefined ? [] : [mark(figure, round(at(multiple)), middleOf(row))];
    }),
  );
  const title = `<text x="${left}" y="${PLOT.top - 14}" font-weight="bold">${LANGUAGES[language]}</text>`;
  return [title, ...lines, ...marks].join('\n');
}

/** Of the rate, how many times as long a request takes the service. */
function drawnOf(kept: Kept, kind: Kind, column: readonly [Language, Figure]): number | undefined {
  const multiple = multipleOf(kept, kind, column);
  return multiple !== undefined && column[1] === 'rate' ? 1 / multiple : multiple;
}

function mark(figure: Figure, x: number, y: number): string {
  const { shape, paint } = MARKS[figure];
  return `<path transform="translate(${x} ${y})" d="${shape}" ${paint}/>`;
}

function middleOf(row: number): number {
  return PLOT.top + PLOT.row * (row + 0.5);
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
