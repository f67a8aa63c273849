import { withCode } from '../../foundation/errors.ts';
import { formatChange } from '../../foundation/numbers.ts';
import { ALL_OPERATIONS, isCounted, METRICS, type MetricName, SATURATION } from '../../model/metric.ts';
import { ALL_TIERS } from '../../model/policy.ts';
import { referenceOf } from '../../model/run/comparison.ts';
import type { CountedStart, InstructionsRecord } from '../../model/run/instructions.ts';
import type { RunInRounds } from '../../model/run/run.ts';
import type { Finding, Lost } from '../verdict/finding.ts';
import { FEWEST_STARTS, servicesOfStarts, startsOfSide } from './figures.ts';

const METRIC = 'instructionsPerRequest';

const SIDES = ['base', 'head'] as const;

/** Services that were to be counted and were not, in one version or in both, if nothing else is played; beside rounds that is only noted. */
export function uncountedServices(run: RunInRounds): readonly Lost[] {
  const { instructions, rounds, suite } = run;
  if (instructions === undefined || rounds.profile.looks.length > 0) {
    return [];
  }
  return uncountedIn(run, instructions).map((service) => {
    const cell = { suite: suite.name, service, operation: ALL_OPERATIONS, tier: ALL_TIERS };
    const failure = failureOf(instructions, service) ?? tooFewStarts(run, instructions, service);
    const { side, message, brief = message, code, printed, next } = failure;
    return {
      cell,
      metric: METRIC,
      // Of a base, what only the configuration of the head describes is not missing.
      reason: side === 'base' && rounds.base.adopted !== undefined ? ('new' as const) : ('missing' as const),
      detail: side === undefined ? brief : `${side} could not be counted: ${withCode(brief, code)}`,
      ...(printed !== undefined && { printed }),
      ...(next !== undefined && { next }),
      takes: [{ cell, metric: METRIC, gate: true }],
    };
  });
}

type Failure = Omit<InstructionsRecord['failures'][number], 'service' | 'side'> &
  Partial<Pick<InstructionsRecord['failures'][number], 'side'>>;

/** Why a service of which nothing failed has too few starts: its time, somebody who ended it, or a job that counted nothing. */
function tooFewStarts({ rounds }: RunInRounds, { starts }: InstructionsRecord, service: string): Failure {
  const own = starts.filter((start) => start.service === service);
  const most = Math.max(...SIDES.map((side) => startsOfSide(own, side).length));
  if (most === 0 && rounds.shards?.kind === 'merged') {
    return { message: 'the job that measured it counted nothing; see its log for the reason' };
  }
  const of = rounds.versus === undefined ? 'version' : 'service';
  if (rounds.ended === 'interrupted' && rounds.rounds.length === 0) {
    return { message: `the measurement was interrupted before each ${of} had been started ${FEWEST_STARTS} times` };
  }
  return {
    message:
      most === 0
        ? `there was too little time left to start both ${of}s`
        : `each ${of} has to be started ${FEWEST_STARTS} times, and the first start left too little time for another`,
    next: 'Raise --budget, or select fewer services with --services.',
  };
}

function failureOf({ failures }: InstructionsRecord, service: string): Failure | undefined {
  return failures.findLast((one) => one.service === service);
}

/** Of the services that both versions have. */
function uncountedIn({ rounds: { base, head } }: RunInRounds, { starts }: InstructionsRecord): readonly string[] {
  return head.services.filter((service) => {
    const own = starts.filter((start) => start.service === service);
    const isShort = SIDES.some((side) => startsOfSide(own, side).length < FEWEST_STARTS);
    return base.services.includes(service) && isShort;
  });
}

/** What a reader must know of the counts: which services have none, though they were to have them, and of which no windows agreed. */
export function notesOnCounts(run: RunInRounds): readonly string[] {
  const { instructions, rounds } = run;
  if (instructions === undefined) {
    return [];
  }
  const uncounted = rounds.profile.looks.length === 0 ? [] : uncountedIn(run, instructions);
  return [
    ...uncounted.map((service) => {
      const failure = failureOf(instructions, service) ?? tooFewStarts(run, instructions, service);
      const { side, message, brief = message } = failure;
      const which = side === undefined ? ': ' : `, ${placeName({ side, service }, rounds)}: `;
      return `${service}: instructions were not counted${which}${brief}. The rounds do not need them.`;
    }),
    ...notesOnWarmUps(instructions.starts),
  ];
}

/** Which services were still warming up in windows that count. */
export function notesOnWarmUps(starts: readonly CountedStart[]): readonly string[] {
  const cold = servicesOfStarts(starts.filter(({ warmFrom }) => warmFrom === undefined));
  return cold.map(
    (service) =>
      `${service} did not reach a steady number of instructions per request: its last windows are used, and may include some of its warm-up.`,
  );
}

/** The name of a side: its version, or its service if services are compared. */
function placeName(
  { side, service }: Pick<InstructionsRecord['failures'][number], 'side' | 'service'>,
  { versus }: RunInRounds['rounds'],
): string {
  if (versus === undefined) {
    return side;
  }
  return side === 'base' ? referenceOf(versus, service) : service;
}

/** Of each service in which the counts and the rounds both speak and disagree, one sentence that says how that can be. */
export function disagreements(findings: readonly Finding[]): readonly string[] {
  const counted = findings.filter(({ cell, metric }) => metric === METRIC && cell.operation === ALL_OPERATIONS);
  return counted.flatMap((finding) => {
    const { service } = finding.cell;
    const timed = findings.filter(({ cell, metric }) => cell.service === service && !isCounted(metric));
    const slower = timed.find(({ family, verdict }) => family === 'gate' && verdict === 'regressed');
    const cpu = timed.find(
      ({ cell, metric }) =>
        metric === 'cpuMicrosPerRequest' && cell.tier === SATURATION && cell.operation === ALL_OPERATIONS,
    );
    if (finding.verdict === 'regressed') {
      return slower === undefined && isTold(cpu) ? [onlyCounts(finding, cpu)] : [];
    }
    return slower !== undefined && isTold(finding) ? [onlyRounds(finding, slower)] : [];
  });
}

function isTold(finding: Finding | undefined): finding is Finding {
  return finding !== undefined && finding.verdict !== 'inconclusive';
}

function onlyCounts({ cell, change }: Finding, cpu: Finding): string {
  return (
    `${cell.service} executes more instructions per request (${formatChange(change.estimate)}), but the rounds show no regression ` +
    `(CPU time per request at saturation ${formatChange(cpu.change.estimate)}): counts can show smaller changes than rounds, and instructions are only part of the time.`
  );
}

function onlyRounds({ cell, change }: Finding, slower: Finding): string {
  const { title } = METRICS[slower.metric as MetricName] ?? { title: slower.metric };
  return (
    `${cell.service} got worse in the rounds (${title} ${formatChange(slower.change.estimate)}), but its instructions per request did not ` +
    `(${formatChange(change.estimate)}): check kernel time, waiting, locks and cache misses, which are not counted.`
  );
}
