import { formatCount, formatRatio, formatShare, NO_FIGURE } from '../../src/foundation/numbers.ts';
import { cleanText, wordList } from '../../src/foundation/text.ts';
import { type CellReading, hasMark } from '../../src/judge/reading/cells.ts';
import type { MetricName } from '../../src/model/metric.ts';
import type { Mark } from '../../src/model/sample/mark.ts';
import type { Table } from '../../src/report/document.ts';
import { aboutOf } from '../../src/report/views/about.ts';
import type { LabeledName } from '../../src/report/views/run-view.ts';
import { metricText } from '../../src/report/views/service-comparison.ts';
import { type SweepLine, type SweepPoint, type SweepReading, timesReference } from './reading.ts';

/** Display form of the argument: "1,000", "0.5". */
export function atText(at: number): string {
  return Number.isInteger(at) ? formatCount(at) : String(at);
}

/** Heading of the argument: "Over objects in an answer". */
export function sweepTitle({ title }: SweepReading): string {
  return `Over ${cleanText(title, 100)}`;
}

/** Marks under which a rate is below the service's capacity, and their text in a table. */
const BOUNDS: readonly { readonly mark: Mark; readonly words: (cell: CellReading) => string }[] = [
  { mark: 'not-saturated', words: () => 'the users sent no faster' },
  { mark: 'dropped', words: answeredInTime },
  { mark: 'generator-limited', words: () => 'the load tool was at its limit' },
];

/** True if a point is below the capacity of the service, and is drawn hollow. */
export function isBounded(cell: CellReading): boolean {
  return BOUNDS.some(({ mark }) => hasMark(cell, mark));
}

/** Short caveat of a point; empty if there is none. */
export function pointRemark(cell: CellReading | undefined): string {
  if (cell === undefined) {
    return 'not measured';
  }
  const bounds = BOUNDS.filter(({ mark }) => hasMark(cell, mark)).map(({ words }) => words(cell));
  const failing = hasMark(cell, 'failing') ? [`${formatShare(cell.figures.errorRate?.median ?? 0)} failed`] : [];
  return [...bounds, ...failing].join('; ');
}

function answeredInTime({ requests, failures, droppedRequests }: CellReading): string {
  const answered = requests - failures.reduce((sum, { count }) => sum + count, 0);
  return `answered ${formatCount(answered)} of ${formatCount(requests + droppedRequests)} in time`;
}

/** Metric of a cell with its unit, a dash if there is none. */
export function figureText(cell: CellReading | undefined, metric: MetricName): string {
  const figure = cell?.figures[metric];
  return metricText(metric, figure?.median);
}

/** Multiple of the reference's figure, empty for the reference. */
export function multipleText(times: number | undefined): string {
  return times === undefined ? '' : formatRatio(times);
}

/** By service: "1,003/s, p99 3.2 ms" at each point; "≥" if the users came no faster. */
export function lineTable({ run, title }: SweepReading, { label, points }: SweepLine): Table {
  const services = points[0]?.services.map(({ service }) => service) ?? [];
  return {
    kind: 'table',
    caption: `${label}, over ${title}`,
    columns: ['', ...points.map(({ at }) => atText(at))],
    rows: services.map((service, index) => ({
      head: service.label,
      about: aboutOf(run, { services: [service.name] }),
      cells: points.map((point) => shortText(point.services[index]?.cell)),
    })),
  };
}

function shortText(cell: CellReading | undefined): string {
  if (cell === undefined) {
    return 'not measured';
  }
  const least = hasMark(cell, 'not-saturated') ? '≥' : '';
  return `${least}${figureText(cell, 'achievedRps')}, p99 ${figureText(cell, 'latencyP99Ms')}`;
}

/** Remarks on the short table: points that something other than the service limits, and the reason. */
export function lineRemarks({ points }: SweepLine): readonly string[] {
  const isLeast = points.some(({ services }) => services.some(({ cell }) => hasMark(cell, 'not-saturated')));
  const least = isLeast ? ['≥: the users sent no faster, so more may be possible.'] : [];
  return [...least, ...points.flatMap(remarksAt)];
}

/** Sentence for the point, with services grouped by result. */
function remarksAt({ at, services }: SweepPoint): readonly string[] {
  const labels = new Map<string, string[]>();
  for (const { service, cell } of services) {
    const remark = cell === undefined ? '' : pointRemark({ ...cell, marks: cell.marks.filter(isReportedBelow) });
    if (remark !== '') {
      labels.set(remark, [...(labels.get(remark) ?? []), service.label]);
    }
  }
  const clauses = [...labels].map(([remark, names]) => `${wordList(names)}: ${remark}`);
  return clauses.length === 0 ? [] : [`At ${atText(at)}, ${clauses.join('; ')}.`];
}

/** The table itself has a symbol for the others. */
function isReportedBelow({ mark }: CellReading['marks'][number]): boolean {
  return mark !== 'not-saturated';
}

/** Services at full rate compared with the first one, by point; undefined for a sweep without that load, or with one service. */
export function statusTable({ run, lines }: SweepReading): Table | undefined {
  const line = lines.find(({ isFullRate }) => isFullRate);
  const [reference, ...others] = line?.points[0]?.services.map(({ service }) => service) ?? [];
  if (line === undefined || reference === undefined || others.length === 0) {
    return undefined;
  }
  const { label, points } = line;
  const heads = points.map(({ at }) => atText(at));
  const rowOf = (service: LabeledName, metric: MetricName) => points.map((point) => statusText(point, service, metric));
  return {
    kind: 'table',
    isCaptioned: true,
    caption: `How the services compare, ${label}: times ${reference.label}`,
    groups: [{ text: '' }, { text: 'requests/s', span: points.length }, { text: 'CPU/request', span: points.length }],
    columns: ['', ...heads, ...heads],
    rows: others.map((service) => ({
      head: service.label,
      about: aboutOf(run, { services: [service.name] }),
      cells: [...rowOf(service, 'achievedRps'), ...rowOf(service, 'cpuMicrosPerRequest')],
    })),
  };
}

/** Nothing is ranked if something other than the services limited a rate, or if they failed. */
function statusText(point: SweepPoint, service: LabeledName, metric: MetricName): string {
  const cells = [point.services[0], point.services.find((one) => one.service.name === service.name)].map(
    (one) => one?.cell,
  );
  const times = timesReference(point, service, metric);
  const isSpoiled = cells.some((cell) => cell !== undefined && (isBounded(cell) || hasMark(cell, 'failing')));
  return times === undefined || isSpoiled ? NO_FIGURE : formatRatio(times);
}

/** Cost of one more object and of a whole response for each service; undefined if it was not measured. */
export function costTable(sweep: SweepReading): Table | undefined {
  const line = sweep.lines.find(({ isFullRate }) => isFullRate) ?? sweep.lines[0];
  const services = line?.points[0]?.services.map(({ service }) => service) ?? [];
  const hasBytes = line?.points.some((point) => point.services.some(({ cell }) => cell?.figures.wireBytesPerRequest));
  if (line === undefined || (sweep.furtherObjects.length === 0 && !hasBytes)) {
    return undefined;
  }
  const { points } = line;
  return {
    kind: 'table',
    isCaptioned: true,
    caption: `What an answer costs, ${line.label} (in brackets: times ${services[0]?.label ?? ''})`,
    columns: ['', 'CPU of one more', ...points.map(({ at }) => `bytes at ${atText(at)}`)],
    rows: services.map((service, index) => ({
      head: service.label,
      about: aboutOf(sweep.run, { services: [service.name] }),
      cells: [furtherText(sweep, service.name), ...points.map((point) => bytesText(point, index))],
    })),
  };
}

function furtherText({ furtherObjects }: SweepReading, name: string): string {
  const found = furtherObjects.find(({ service }) => service.name === name);
  const isReference = found !== undefined && found === furtherObjects[0] && found.times === 1;
  return found === undefined
    ? NO_FIGURE
    : `${formatRatio(found.cpuMicros)} µs${bracketed(isReference ? undefined : found.times)}`;
}

function bytesText(point: SweepPoint, index: number): string {
  const one = point.services[index];
  const times = one && timesReference(point, one.service, 'wireBytesPerRequest');
  return `${figureText(one?.cell, 'wireBytesPerRequest')}${bracketed(times)}`;
}

function bracketed(times: number | undefined): string {
  return times === undefined ? '' : ` (${formatRatio(times)})`;
}

export function costNote({ furtherObjects }: SweepReading): string {
  const [first] = furtherObjects;
  const cpu =
    first === undefined
      ? ''
      : `CPU of one more: the difference in the service’s CPU time per request between ${atText(first.to)} and ${atText(first.from)}, divided by the number between them: the cost of making, copying and sending one more, without the fixed cost of a request. `;
  return `${cpu}Bytes are on the wire, request and answer.`;
}
