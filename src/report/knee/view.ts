import { formatDuration, formatMs, formatRate, formatShare, NO_FIGURE } from '../../foundation/numbers.ts';
import type { Step } from '../../measure/knee/criteria.ts';
import type { KneeRecord, ServiceKnee } from '../../measure/knee/record.ts';
import { commitText, type Fact, machineFacts, mixText, networkFacts, startOf, toolFacts } from '../views/facts.ts';
import { disturbedSentence, gapSentence, kneeSentence, loadWords, stepVerdictWords } from './words.ts';

/** A search for knees in words and rows; nothing in it is escaped yet. */
export interface KneeView {
  readonly title: string;
  /** What each service holds. */
  readonly claims: readonly string[];
  readonly services: readonly KneeRows[];
  readonly facts: readonly Fact[];
}

/** The steps of one service. */
export interface KneeRows {
  readonly name: string;
  readonly notes: readonly string[];
  readonly rows: readonly StepRow[];
}

/** One step of a table. */
export interface StepRow {
  readonly load: string;
  readonly achieved: string;
  readonly p50: string;
  readonly p99: string;
  readonly errors: string;
  /** In use, of the service's core. */
  readonly core: string;
  readonly verdict: string;
  readonly standing: Step['verdict'];
}

/** Looks at a search for knees. */
export function viewKnees(record: KneeRecord): KneeView {
  const disturbed = disturbedSentence(record.services);
  const claims = record.services.length === 0 ? ['Nothing was measured.'] : record.services.map(kneeSentence);
  return {
    title: `Highest rates: ${record.suite.title}`,
    claims: [...claims, ...(disturbed === undefined ? [] : [disturbed])],
    services: record.services.map((knee) => ({
      name: knee.name,
      notes: notesOf(record, knee),
      rows: knee.steps.map(rowOf),
    })),
    facts: factsOf(record),
  };
}

function rowOf(step: Step): StepRow {
  const { achievedRps, latencyP50Ms, latencyP99Ms, errorRate, serviceCpuShare, start } = step;
  const marks = step.marks.filter((mark) => step.verdict === 'none' || !SAID_BY_VERDICT.includes(mark));
  const fresh = start === 'fresh' ? ['fresh start'] : [];
  return {
    load: loadWords(step),
    achieved: formatRate(achievedRps),
    p50: latencyP50Ms === undefined ? NO_FIGURE : formatMs(latencyP50Ms),
    p99: latencyP99Ms === undefined ? NO_FIGURE : formatMs(latencyP99Ms),
    errors: formatShare(errorRate),
    core: serviceCpuShare === undefined ? NO_FIGURE : formatShare(serviceCpuShare),
    verdict: [stepVerdictWords(step), ...marks, ...fresh].filter((part) => part !== '').join('; '),
    standing: step.verdict,
  };
}

const SAID_BY_VERDICT: readonly string[] = ['saturated', 'generator-limited', 'dropped', 'failing'];

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

/** What counts as held, with the p99 of this service. */
function heldSentence({ criteria }: KneeRecord, { p99LimitMs }: ServiceKnee): string {
  const answered = `${formatShare(criteria.heldShare)} of it is answered`;
  const failed = `at most ${formatShare(criteria.errorShare)} of the requests fail`;
  if (p99LimitMs === undefined) {
    return `A rate is held if ${answered} and ${failed}.`;
  }
  const why =
    criteria.p99Ms === undefined
      ? ` (${criteria.p99Times} times the p99 at low load, but at least ${formatMs(criteria.p99LeastMs)})`
      : '';
  return `A rate is held if ${answered}, ${failed}, and p99 is at most ${formatMs(p99LimitMs)}${why}.`;
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
