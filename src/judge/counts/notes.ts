import { withCode } from '../../foundation/errors.ts';
import { SIDES } from '../../model/fields.ts';
import { ALL_OPERATIONS } from '../../model/metric.ts';
import { ALL_TIERS } from '../../model/policy.ts';
import type { InstructionsRecord } from '../../model/run/instructions.ts';
import type { RunInRounds } from '../../model/run/run.ts';
import type { Lost } from '../verdict/finding.ts';
import { FEWEST_STARTS, startsOfSide } from './figures.ts';

const METRIC = 'instructionsPerRequest';

/** Services that should have been counted and were not, in one version or both, if there are no rounds; with rounds this is only a note. */
export function uncountedServices(run: RunInRounds): readonly Lost[] {
  const { instructions, rounds, suite } = run;
  if (instructions === undefined || rounds.profile.looks.length > 0) {
    return [];
  }
  return uncountedIn(run, instructions).map((service) => {
    const cell = { suite: suite.name, service, operation: ALL_OPERATIONS, tier: ALL_TIERS };
    const { side, message, brief = message, code, printed, next } = whyUncounted(run, instructions, service);
    return {
      cell,
      metric: METRIC,
      // Parts that only the head's configuration describes are not missing in a base.
      reason: side === 'base' && rounds.base.adopted !== undefined ? ('new' as const) : ('missing' as const),
      detail: side === undefined ? brief : { kind: 'uncounted', side, said: withCode(brief, code) },
      ...(printed !== undefined && { printed }),
      ...(next !== undefined && { next }),
      takes: [{ cell, metric: METRIC, gate: true }],
    };
  });
}

type Failure = Omit<InstructionsRecord['failures'][number], 'service' | 'side'> &
  Partial<Pick<InstructionsRecord['failures'][number], 'side'>>;

/** Reason for too few starts of a service without a failure: its time limit, an interruption, or a job that counted nothing. */
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

/** Services of a comparison with rounds that were not counted, with reasons. */
export function uncountedBesides(run: RunInRounds): readonly (Failure & { readonly service: string })[] {
  const { instructions, rounds } = run;
  return instructions === undefined || rounds.profile.looks.length === 0
    ? []
    : uncountedIn(run, instructions).map((service) => ({ service, ...whyUncounted(run, instructions, service) }));
}

function whyUncounted(run: RunInRounds, instructions: InstructionsRecord, service: string): Failure {
  return instructions.failures.findLast((one) => one.service === service) ?? tooFewStarts(run, instructions, service);
}

function uncountedIn({ rounds: { base, head } }: RunInRounds, { starts }: InstructionsRecord): readonly string[] {
  return head.services.filter((service) => {
    const own = starts.filter((start) => start.service === service);
    const isShort = SIDES.some((side) => startsOfSide(own, side).length < FEWEST_STARTS);
    return base.services.includes(service) && isShort;
  });
}
