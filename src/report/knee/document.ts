import { formatDuration, formatMs, formatRate, formatShare, NO_FIGURE } from '../../foundation/numbers.ts';
import type { Step } from '../../measure/knee/criteria.ts';
import type { KneeRecord, ServiceKnee } from '../../measure/knee/record.ts';
import {
  claimBlocks,
  type Document,
  list,
  methodSection,
  paragraph,
  type Section,
  type TableRow,
} from '../document.ts';
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
import { kneeCharts } from './chart.ts';
import { disturbedSentence, gapSentence, kneeSentence, loadWords, stepVerdictWords } from './words.ts';

/** A search for knees: what each service holds, charts over the offered rate, then every step. */
export function kneeDocument(record: KneeRecord): Document {
  const disturbed = disturbedSentence(record.services);
  const claims = record.services.length === 0 ? ['Nothing was measured.'] : record.services.map(kneeSentence);
  return {
    title: `Highest rates: ${record.suite.title}`,
    facts: [startOf(record), ...placeTexts(record)],
    summary: claimBlocks([...claims, ...(disturbed === undefined ? [] : [disturbed])]),
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
        isCaptionQuiet: true,
        columns: ['offered', 'achieved', 'p50', 'p99', 'errors', 'core', { text: 'verdict', isText: true }],
        rows: knee.steps.map(rowOf),
      },
    ],
  };
}

const SAID_BY_VERDICT: readonly string[] = ['saturated', 'generator-limited', 'dropped', 'failing'];

function rowOf(step: Step): TableRow {
  const { achievedRps, latencyP50Ms, latencyP99Ms, errorRate, serviceCpuShare, start, verdict } = step;
  const marks = step.marks.filter((mark) => verdict === 'none' || !SAID_BY_VERDICT.includes(mark));
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
  const gap = gapSentence(knee.conclusion);
  const ended = knee.steps.find((step) => step.ended !== undefined)?.ended;
  return [
    ...(gap === undefined ? [] : [gap]),
    heldSentence(record, knee),
    ...(ended === undefined ? [] : [`How it ended: ${ended}`]),
    ...(knee.failure?.next === undefined ? [] : [knee.failure.next]),
  ];
}

/** Criterion for a sustained rate, with the p99 limit of this service. */
function heldSentence({ criteria }: KneeRecord, { p99LimitMs }: ServiceKnee): string {
  const answered = `${formatShare(criteria.heldShare)} of it is answered`;
  const failed = `at most ${formatShare(criteria.errorShare)} of the requests fail`;
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
    ...networkFacts(suite),
    ...machineFacts(record),
    ...toolFacts(record),
  ];
}
