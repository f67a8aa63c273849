import { formatDuration, formatMs, formatRate, formatShare, NO_FIGURE } from '../../foundation/numbers.ts';
import { median } from '../../foundation/statistics.ts';
import type { Step } from '../../measure/knee/criteria.ts';
import type { KneeRecord, ServiceKnee } from '../../measure/knee/record.ts';
import { CHART_PLOT, chartKey, keyPicture, round, serviceLine } from '../charts/frame.ts';
import { cross, type PlotPoint, plot } from '../charts/plot.ts';
import { fromLeft, fromZero, latencyScale } from '../charts/scales.ts';
import { percentText } from '../comparison/words.ts';
import {
  type Document,
  type Figures,
  list,
  methodSection,
  paragraph,
  type Section,
  type TableRow,
} from '../document.ts';
import { type Html, html } from '../render/markup.ts';
import {
  commitText,
  type Fact,
  machineFacts,
  mixText,
  networkFacts,
  placeTexts,
  startOf,
  toolFacts,
} from '../views/facts.ts';
import { disturbedSentence, kneeSentence, loadWords, stepVerdictWords } from './words.ts';

/** Search for knees: the rate that each service sustains, charts over the offered rate, then every step. */
export function kneeDocument(record: KneeRecord): Document {
  const disturbed = disturbedSentence(record.services);
  const claims = record.services.length === 0 ? ['Nothing was measured.'] : record.services.map(kneeSentence);
  return {
    title: `Highest rates: ${record.suite.title}`,
    facts: [startOf(record), ...placeTexts(record)],
    summary: [
      ...claims.map((claim) => paragraph(claim, 'strong')),
      ...(disturbed === undefined ? [] : [paragraph(disturbed)]),
    ],
    sections: [
      chartSection(record),
      ...record.services.map((knee, place) => kneeSection(record, knee, place)),
      methodSection(factsOf(record)),
    ],
    origin: record,
  };
}

function chartSection(record: KneeRecord): Section {
  const note =
    'All operations together, latency counted from the scheduled time, on a logarithmic scale. Each mark is a step; the line connects the medians.';
  return {
    id: 'charts',
    title: 'Over the offered rate',
    blocks: [paragraph(note, 'note'), kneeCharts(record) ?? paragraph('No rate was tried.')],
    only: ['html'],
  };
}

function kneeSection(record: KneeRecord, knee: ServiceKnee, place: number): Section {
  return {
    id: `knee-${place + 1}`,
    title: knee.name,
    blocks: [
      list(notesOf(record, knee)),
      {
        kind: 'table',
        caption: `Steps of ${knee.name}, in order`,
        columns: ['offered', 'achieved', 'p50', 'p99', 'errors', 'core', { text: 'verdict', isText: true }],
        rows: knee.steps.map(rowOf),
      },
    ],
  };
}

const SAID_BY_RATE: readonly string[] = ['saturated', 'dropped', 'failing'];

function rowOf(step: Step): TableRow {
  const { achievedRps, latencyP50Ms, latencyP99Ms, errorRate, serviceCpuShare, start, verdict } = step;
  const marks = step.marks.filter(
    (mark) => mark !== 'generator-limited' && (verdict === 'none' || !SAID_BY_RATE.includes(mark)),
  );
  const words = [stepVerdictWords(step), ...marks, ...(start === 'fresh' ? ['fresh start'] : [])];
  return {
    head: loadWords(step),
    cells: [
      formatRate(achievedRps),
      ...[latencyP50Ms, latencyP99Ms].map((ms) => (ms === undefined ? NO_FIGURE : formatMs(ms))),
      formatShare(errorRate),
      serviceCpuShare === undefined ? NO_FIGURE : formatShare(serviceCpuShare),
      {
        text: words.filter((part) => part !== '').join('; '),
        tone: verdict === 'held' ? 'better' : verdict === 'not-held' ? 'worse' : undefined,
      },
    ],
  };
}

function notesOf(record: KneeRecord, knee: ServiceKnee): readonly string[] {
  const ended = knee.steps.find((step) => step.ended !== undefined)?.ended;
  return [
    heldSentence(record, knee),
    ...(ended === undefined ? [] : [`How it ended: ${ended}`]),
    ...(knee.failure?.next === undefined ? [] : [knee.failure.next]),
  ];
}

function heldSentence({ criteria }: KneeRecord, { p99LimitMs }: ServiceKnee): string {
  const answered = `${percentText(criteria.heldShare)} of it is answered`;
  const failed = `at most ${percentText(criteria.errorShare)} of the requests fail`;
  if (p99LimitMs === undefined) {
    return `A rate is sustained if ${answered} and ${failed}.`;
  }
  const why =
    criteria.p99Ms === undefined
      ? ` (${criteria.p99Times} times the p99 at low load, but at least ${formatMs(criteria.p99LeastMs)})`
      : '';
  return `A rate is sustained if ${answered}, ${failed}, and p99 is at most ${formatMs(p99LimitMs)}${why}.`;
}

function factsOf(record: KneeRecord): readonly Fact[] {
  const { step, budgetSeconds, suite, criteria } = record;
  return [
    { name: 'Started', value: startOf(record) },
    { name: 'Commit', value: commitText(record) },
    { name: 'Wiregauge', value: record.wiregauge },
    { name: 'Configuration hash', value: record.configHash },
    {
      name: 'Steps',
      value: `${step.measureSeconds} s measured after ${step.warmupSeconds} s of warm-up, one start of the service for all steps unless requests pile up; until the two rates are ${formatShare(criteria.resolution)} apart, within ${formatDuration(budgetSeconds)}`,
    },
    { name: 'Requests', value: mixText(suite) },
    ...networkFacts(record),
    ...machineFacts(record),
    ...toolFacts(record),
  ];
}

type FigureOf = (step: Step) => number | undefined;

/** p99 and achieved rate of every step over its offered rate, with a legend; undefined without a rate. */
function kneeCharts(record: KneeRecord): Figures | undefined {
  const courses = record.services.map(({ name, steps, p99LimitMs: limitMs }, index) => {
    const open = steps.filter(({ offeredRps, ended }) => offeredRps !== undefined && ended === undefined);
    return { name, index, limitMs, steps: open };
  });
  const offered = courses.flatMap(({ steps }) => steps.map(({ offeredRps = 0 }) => offeredRps));
  if (offered.length === 0) {
    return undefined;
  }
  const x = fromLeft(offered, formatRate, true);
  const highest = Math.max(...offered);
  const p99Of: FigureOf = ({ latencyP99Ms }) => latencyP99Ms;
  const rateOf: FigureOf = ({ achievedRps }) => achievedRps;
  const values = (figureOf: FigureOf) => courses.flatMap(({ steps }) => steps.flatMap((step) => figureOf(step) ?? []));
  const latency = latencyScale([...values(p99Of), ...courses.flatMap(({ limitMs }) => limitMs ?? [])]);
  const rate = fromZero([highest, ...values(rateOf)], formatRate);
  const limits = courses.flatMap(({ index, limitMs }) => {
    const y = round(latency.at(limitMs ?? 0));
    return limitMs === undefined ? [] : [serviceLine(index, `M${CHART_PLOT.left} ${y}H${CHART_PLOT.right}`, 'thin')];
  });
  const all = `M${round(x.at(0))} ${round(rate.at(0))}L${round(x.at(highest))} ${round(rate.at(highest))}`;
  const shared = { xTitle: 'offered', x, xText: formatRate };
  const seriesOfAll = (figureOf: FigureOf) =>
    courses.map((course) => ({
      ...{ index: course.index, label: course.name },
      line: mediansOf(course.steps, figureOf),
      points: course.steps.map((step) => ({
        x: step.offeredRps ?? 0,
        y: figureOf(step),
        ...(step.verdict !== 'held' && { mark: 'missed' as const, remark: 'not sustained' }),
      })),
    }));
  const key = [
    html`<li>${keyPicture(cross(0, 17, 6))}not sustained</li>`,
    html`<li>${sample('thin s0')}p99 limit for a sustained rate</li>`,
    html`<li>${sample('offered')}full offered rate</li>`,
  ];
  return {
    kind: 'figures',
    key: chartKey(
      courses.map(({ name }) => name),
      key,
    ),
    charts: [
      plot({
        ...{ ...shared, id: 'saturate-p99', title: 'p99 latency', bands: limits },
        ...{ y: latency, yText: formatMs, series: seriesOfAll(p99Of) },
      }),
      plot({
        ...{
          ...shared,
          id: 'saturate-achieved',
          title: 'Achieved rate',
          bands: [html`<path class="offered" d="${all}"/>`],
        },
        ...{ y: rate, yText: formatRate, series: seriesOfAll(rateOf) },
      }),
    ],
  };
}

function mediansOf(steps: readonly Step[], figureOf: FigureOf): readonly PlotPoint[] {
  const rates = [...new Set(steps.map(({ offeredRps = 0 }) => offeredRps))].sort((left, right) => left - right);
  return rates.map((rate) => ({
    x: rate,
    y: median(steps.flatMap((step) => (step.offeredRps === rate ? (figureOf(step) ?? []) : []))),
  }));
}

function sample(style: string): Html {
  return keyPicture(html`<path class="${style}" d="M1 6H33"/>`);
}
