import {
  type Block,
  fold,
  heading,
  list,
  paragraph,
  type Section,
  type Table,
  type TableRow,
} from '../../src/report/document.ts';
import { type Html, html } from '../../src/report/render/markup.ts';
import { aboutOf } from '../../src/report/views/about.ts';
import type { RunView } from '../../src/report/views/run-view.ts';
import { capital } from '../../src/report/views/service-comparison.ts';
import { shortLabels } from './axes.ts';
import { hollowMark, type SweepMetric, sweepCharts } from './chart.ts';
import {
  type SweepCell,
  type SweepLine,
  type SweepPoint,
  type SweepReading,
  sweepOf,
  timesReference,
} from './reading.ts';
import {
  atText,
  costNote,
  costTable,
  figureText,
  isBounded,
  lineRemarks,
  lineTable,
  multipleText,
  pointRemark,
  statusTable,
  sweepTitle,
} from './view.ts';

/** Figures over the argument that the suite sweeps: the cost of a response, and charts and a table for each load. */
export function sweepSections(view: RunView): readonly Section[] {
  const sweep = sweepOf(view);
  if (sweep === undefined) {
    return [];
  }
  const costs = costTable(sweep);
  const status = statusTable(sweep);
  const blocks: readonly Block[] = [
    ...(status === undefined ? [] : [status]),
    ...(costs === undefined ? [] : [costs, paragraph(costNote(sweep), 'note')]),
    { ...paragraph(chartNote(view), 'note'), only: ['html'] },
    ...hollowKey(sweep),
    ...sweep.lines.flatMap((line) => lineBlocks(sweep, line)),
  ];
  return [{ id: 'sweep', title: sweepTitle(sweep), blocks }];
}

function lineBlocks(sweep: SweepReading, drawn: SweepLine): readonly Block[] {
  const charts = (metric: SweepMetric): Block => ({ kind: 'figures', charts: sweepCharts(sweep, drawn, metric) });
  return [
    heading(capital(drawn.label)),
    charts('achievedRps'),
    lineTable(sweep, drawn),
    list(lineRemarks(drawn)),
    { ...fold(`p99 latency over ${sweep.title}, ${drawn.label}`, charts('latencyP99Ms')), only: ['html'] },
    // The table above has rate and p99, and the cost table the rest for one load.
    { ...fold(`All figures over ${sweep.title}, ${drawn.label}`, lineFigures(sweep, drawn)), only: ['html'] },
  ];
}

function chartNote({ services }: RunView): string {
  const labels = services.map(({ label }) => label);
  const left = labels[0]?.slice(0, labels[0].length - (shortLabels(labels)[0]?.length ?? 0)) ?? '';
  const named = left === '' ? '' : ` Labels omit “${left}”, the prefix of all names.`;
  return `Charts of the same figure share their scales, which are logarithmic if values differ by more than a factor of ten.${named}`;
}

function hollowKey({ lines }: SweepReading): readonly Block[] {
  const cells = lines.flatMap(({ points }) =>
    points.flatMap(({ services }) => services.flatMap(({ cell }) => cell ?? [])),
  );
  return cells.some(isBounded) ? [{ kind: 'figures', key: HOLLOW_KEY, charts: [] }] : [];
}

const HOLLOW_KEY: Html = html`<ul class="key"><li>${hollowMark()}hollow: limited by something other than the service: users who sent no faster (≥ in tables), the time limit, or the load tool; the tables of all figures show which</li></ul>`;

function lineFigures({ run, title }: SweepReading, { label, points }: SweepLine): Table {
  const reference = points[0]?.services[0]?.service.label ?? '';
  return {
    kind: 'table',
    isCaptioned: true,
    caption: `${capital(label)}, over ${title}; times: as a multiple of ${reference}`,
    groups: GROUPS,
    columns: [...COLUMNS, { text: 'remark', isText: true }],
    rows: points.flatMap((point) =>
      point.services.map((one) => ({
        ...figureRow(point, one),
        about: aboutOf(run, { services: [one.service.name], tier: point.tier }),
      })),
    ),
  };
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
  return {
    head: `${atText(point.at)}, ${service.label}`,
    cells: [
      figureText(cell, 'achievedRps'),
      times('achievedRps'),
      figureText(cell, 'latencyP50Ms'),
      figureText(cell, 'latencyP99Ms'),
      figureText(cell, 'cpuMicrosPerRequest'),
      times('cpuMicrosPerRequest'),
      figureText(cell, 'wireBytesPerRequest'),
      times('wireBytesPerRequest'),
      pointRemark(cell),
    ],
  };
}
