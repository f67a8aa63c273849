import { formatMs, formatRate, formatShare } from '../../foundation/numbers.ts';
import { wordList } from '../../foundation/text.ts';
import type { Step } from '../../measure/knee/criteria.ts';
import type { Conclusion, GapEnd, ServiceKnee } from '../../measure/knee/record.ts';

/** Load of a step: "3,100/s", "50 workers, closed loop". */
export function loadWords({ offeredRps, ratePerSecond, workers }: Step): string {
  const rate = offeredRps ?? ratePerSecond;
  return rate === undefined ? `${workers} workers, closed loop` : formatRate(rate);
}

/** Verdict of a step on its rate: "sustained", "not sustained: p99, rate", "load tool at its limit"; empty for a closed loop. */
export function stepVerdictWords({ verdict, reasons, marks }: Step): string {
  switch (verdict) {
    case 'held':
      return 'sustained';
    case 'not-held':
      return `not sustained: ${reasons.map((reason) => REASONS[reason]).join(', ')}`;
    case 'tool-limited':
      return TOOL_AT_LIMIT;
    case 'none':
      return marks.includes('generator-limited') ? TOOL_AT_LIMIT : '';
  }
}

const TOOL_AT_LIMIT = 'load tool at its limit';

const REASONS: Readonly<Record<Step['reasons'][number], string>> = {
  ended: 'the service exited',
  errors: 'errors',
  rate: 'rate',
  p99: 'p99',
  'load-tool': 'load tool',
};

/** One line on a step, for progress: "rest at 3,100/s: 3,099/s, p50 1.20 ms, p99 8.00 ms: sustained". */
function stepSentence(service: string, step: Step): string {
  const { achievedRps, latencyP50Ms, latencyP99Ms, errorRate, ended, start } = step;
  const figures = [
    formatRate(achievedRps),
    ...(latencyP50Ms === undefined ? [] : [`p50 ${formatMs(latencyP50Ms)}`]),
    ...(latencyP99Ms === undefined ? [] : [`p99 ${formatMs(latencyP99Ms)}`]),
    ...(errorRate === 0 ? [] : [`${formatShare(errorRate)} errors`]),
    ...(start === 'fresh' ? ['fresh start'] : []),
  ];
  const seen = ended === undefined ? figures.join(', ') : ended;
  return [`${service} at ${loadWords(step)}`, seen, stepVerdictWords(step)].filter((part) => part !== '').join(': ');
}

/** Progress messages of a search. */
export const KNEE_WORDS = { step: stepSentence, knee: kneeSentence };

/** One sentence on the rate that a service sustains: "rest sustains 3,100/s (p99 8.00 ms); at 3,400/s p99 is 310 ms." */
export function kneeSentence({
  name,
  conclusion,
  ended,
  failure,
}: Pick<ServiceKnee, 'name' | 'conclusion' | 'ended' | 'failure'>): string {
  const { kind, held, notHeld } = conclusion;
  switch (kind) {
    case 'found':
      return `${name} sustains ${heldWords(held)}; ${failedWords(notHeld)}.`;
    case 'at-least':
      return `${name} sustains at least ${heldWords(held)}; ${notHeld === undefined ? ENDS[ended] : failedWords(notHeld)}.`;
    case 'none':
      return `${name} sustains none of the tested rates; ${failedWords(notHeld)}.`;
    case 'inconclusive':
      return `${name}: inconclusive: ${doubtWords(conclusion, ended)}.`;
    case 'unmeasured':
      return `${name}: not measured: ${(failure?.message ?? (ended === 'done' ? NOTHING : ENDS[ended])).replace(/\.$/, '')}.`;
  }
}

const NOTHING = 'no request was answered in the closed loop';

/** Reason that no more is known. */
const ENDS: Readonly<Record<ServiceKnee['ended'], string>> = {
  done: 'further steps would show nothing new',
  steps: 'the search reached its limit of steps',
  budget: 'the time budget ran out first',
  interrupted: 'the search was interrupted',
  failed: 'the measurement failed',
};

/** Warning about services whose knee was limited by disturbed steps, if any. */
export function disturbedSentence(knees: readonly ServiceKnee[]): string | undefined {
  const names = knees.filter(isBoundedByOthers).map(({ name }) => name);
  return names.length === 0
    ? undefined
    : `Other programs or the hypervisor took over 10% of a core in every step in which ${wordList(names)} did not sustain the higher rate: on a quiet machine, it may sustain more.`;
}

function isBoundedByOthers({ conclusion, steps }: ServiceKnee): boolean {
  const { notHeld } = conclusion;
  const own = steps.filter(({ offeredRps, verdict }) => verdict !== 'none' && offeredRps === notHeld?.offeredRps);
  return own.length > 0 && own.every(({ marks }) => marks.includes('disturbed'));
}

function heldWords(end: GapEnd | undefined): string {
  if (end === undefined) {
    return 'no rate';
  }
  const p99 = end.latencyP99Ms === undefined ? '' : ` (p99 ${formatMs(end.latencyP99Ms)})`;
  return `${formatRate(end.offeredRps)}${p99}`;
}

function failedWords(end: GapEnd | undefined): string {
  if (end === undefined) {
    return 'no higher rate was tried';
  }
  const { reasons, latencyP99Ms } = end;
  const at = `at ${formatRate(end.offeredRps)}`;
  if (reasons.includes('ended')) {
    return `${at} it exits`;
  }
  if (reasons.includes('errors')) {
    return `${at} ${formatShare(end.errorRate)} of its requests fail`;
  }
  if (reasons.includes('load-tool')) {
    return `${at} the load tool is at its limit`;
  }
  return reasons.includes('p99') && latencyP99Ms !== undefined
    ? `${at} p99 is ${formatMs(latencyP99Ms)}`
    : `${at} it answers ${formatRate(end.achievedRps)}`;
}

function doubtWords({ contested, held, notHeld }: Conclusion, ended: ServiceKnee['ended']): string {
  const torn = contested.map(
    ({ offeredRps, held: some, steps }) => `${formatRate(offeredRps)} was sustained in ${some} of ${steps} steps`,
  );
  const sure = [
    ...(held === undefined ? [] : [`it sustains ${heldWords(held)}`]),
    ...(notHeld === undefined ? [] : [failedWords(notHeld)]),
  ];
  const early = torn.length === 0 && ended !== 'done' ? [ENDS[ended]] : [];
  return [...early, ...torn, ...sure].join('; ');
}
