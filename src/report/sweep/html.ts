import type { RunView } from '../../judge/index.ts';
import {
  type SweepCell,
  type SweepLine,
  type SweepPoint,
  type SweepReading,
  sweepOf,
  timesReference,
} from '../../judge/index.ts';
import { shortLabels } from '../charts/frame.ts';
import {
  folded,
  type Html,
  html,
  joinLines,
  type PageSection,
  sentence,
  type TableRow,
  table,
} from '../render/html.ts';
import { capital } from '../run/html/charts.ts';
import { hollowMark, sweepCharts } from './chart.ts';
import {
  atText,
  costNote,
  costTable,
  figureText,
  isBounded,
  lineTable,
  multipleText,
  pointRemark,
  type SweepTable,
  sweepTitle,
} from './view.ts';

/** The figures over the argument that the suite sweeps: what an answer costs, and for each load charts and a table. */
export function sweepSection(view: RunView): PageSection | undefined {
  const sweep = sweepOf(view);
  if (sweep === undefined) {
    return undefined;
  }
  const costs = costTable(sweep);
  return {
    id: 'sweep',
    title: sweepTitle(sweep),
    body: html`${
      costs === undefined
        ? undefined
        : html`${plainTable(costs)}
<p class="note">${sentence(costNote(sweep))}</p>
`
    }<p class="note">${chartNote(view)}</p>
${hollowKey(sweep)}
${joinLines(sweep.lines.map((_, place) => linePart(sweep, place)))}`,
  };
}

function linePart(sweep: SweepReading, place: number): Html {
  const drawn = sweep.lines[place];
  if (drawn === undefined) {
    return html``;
  }
  const charts = html`<div class="charts">${joinLines(sweepCharts(sweep, { place, metric: 'latencyP99Ms' }))}</div>`;
  return html`<h3>${capital(drawn.label)}</h3>
<div class="charts">${joinLines(sweepCharts(sweep, { place, metric: 'achievedRps' }))}</div>
${plainTable(lineTable(sweep, drawn))}
${folded(`p99 latency over ${sweep.title}, ${drawn.label}`, charts)}
${folded(`All figures over ${sweep.title}, ${drawn.label}`, lineFigures(sweep, drawn))}`;
}

function chartNote({ services }: RunView): string {
  const labels = services.map(({ label }) => label);
  const left = labels[0]?.slice(0, labels[0].length - (shortLabels(labels)[0]?.length ?? 0)) ?? '';
  const named = left === '' ? '' : ` Labels leave out “${left}”, with which all names begin.`;
  return `All charts of a figure have the same scales, which are logarithmic where figures differ by more than ten times.${named}`;
}

function hollowKey({ lines }: SweepReading): Html | undefined {
  const cells = lines.flatMap(({ points }) =>
    points.flatMap(({ services }) => services.flatMap(({ cell }) => cell ?? [])),
  );
  return cells.some(isBounded)
    ? html`<ul class="key"><li>${hollowMark()}hollow: bounded by something else than the service: the users came no faster (≥ in tables), the time limit ended it, or the load tool was at its own limit; the tables of all figures say which</li></ul>`
    : undefined;
}

function plainTable({ caption, columns, rows }: SweepTable): Html {
  return table({
    caption,
    columns,
    rows: rows.map(({ head, texts }) => ({ head, cells: texts.map((text) => html`<td>${text}</td>`) })),
  });
}

function lineFigures({ title }: SweepReading, { label, points }: SweepLine): Html {
  const reference = points[0]?.services[0]?.service.label ?? '';
  return table({
    caption: `${capital(label)}, over ${title}; times: as a multiple of ${reference}`,
    groups: GROUPS,
    columns: [...COLUMNS, { text: 'remark', isText: true }],
    rows: points.flatMap((point) => point.services.map((one) => figureRow(point, one))),
  });
}

const GROUPS = [
  { text: '' },
  { text: 'requests/s', span: 2 },
  { text: 'latency', span: 2 },
  { text: 'CPU/request', span: 2 },
  { text: 'on the wire', span: 2 },
  { text: '' },
];

const COLUMNS = ['', 'achieved', 'times', 'p50', 'p99', 'time', 'times', 'bytes', 'times'];

function figureRow(point: SweepPoint, { service, cell }: SweepCell): TableRow {
  const times = (metric: Parameters<typeof timesReference>[2]) => multipleText(timesReference(point, service, metric));
  const texts = [
    figureText(cell, 'achievedRps'),
    times('achievedRps'),
    figureText(cell, 'latencyP50Ms'),
    figureText(cell, 'latencyP99Ms'),
    figureText(cell, 'cpuMicrosPerRequest'),
    times('cpuMicrosPerRequest'),
    figureText(cell, 'wireBytesPerRequest'),
    times('wireBytesPerRequest'),
  ];
  return {
    head: `${atText(point.at)}, ${service.label}`,
    cells: [...texts.map((text) => html`<td>${text}</td>`), html`<td class="text">${pointRemark(cell)}</td>`],
  };
}
