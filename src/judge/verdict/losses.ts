import { withCode } from '../../foundation/errors.ts';
import { wordList } from '../../foundation/text.ts';
import { ALL_OPERATIONS, type CellKey, type MetricName, SATURATION, type Sample } from '../../model/metric.ts';
import { ALL_TIERS, rowsOf } from '../../model/policy.ts';
import type { KeptCell } from '../../model/run/comparison.ts';
import type { FailureRecord, RoundRecord, RoundsRecord } from '../../model/run/rounds.ts';
import type { Mark } from '../../model/sample/mark.ts';
import { operationsFor } from '../../model/suite/groups.ts';
import type { Compared, Lost, Uncompared } from './finding.ts';

/** A version that failed so often, if the other never did, is what failed. */
const FAILURES_OF_ONE_VERSION = 2;

/** With a mark in more than this share of the rounds, a cell says nothing of the service. */
const MOST_MARKED = 0.2;

/** Over this share of failed requests in both versions, a round does not measure the service's speed. */
const FAILING = 0.01;

/** Why nothing of a service can be compared; undefined if it can. */
export function lossOfService(record: RoundsRecord, place: { suite: string; service: string }): Loss | undefined {
  const { base, head, rounds } = record;
  const loss = (reason: Lost['reason'], detail: string): Loss => ({
    cell: { ...place, operation: ALL_OPERATIONS, tier: ALL_TIERS },
    reason,
    detail,
  });
  // A base does not have what only the configuration of the head describes, and there is nothing to fix in it.
  const failure = (side: 'base' | 'head', detail: string, of: FailureRecord): Loss =>
    side === 'base' && base.adopted !== undefined
      ? loss('new', `the base fails with the configuration of the head: ${detail}`)
      : { ...loss(`${side}-failed`, detail), ...evidenceIn(of) };
  if (!base.services.includes(place.service)) {
    return loss('new', 'the base does not have it');
  }
  if (!head.services.includes(place.service)) {
    return loss('gone', 'the head does not have it');
  }
  const unbuilt = record.unbuilt?.find(({ services }) => services.includes(place.service));
  if (unbuilt !== undefined) {
    return failure(unbuilt.side ?? 'head', reportedBy(unbuilt), unbuilt);
  }
  const own = rounds.filter(({ service }) => service === place.service);
  const failed = failedVersion(own);
  if (failed !== undefined) {
    const detail = `${failed.count} rounds failed: ${reportedBy(failed.last)}`;
    return failure(failed.side, detail, failed.last);
  }
  const hasRounds = record.profile.looks.length > 0;
  if (!hasRounds || own.some(({ outcome }) => outcome === 'kept')) {
    return undefined;
  }
  const { detail, next } = unkept(own);
  return { ...loss('missing', detail), ...(next !== undefined && { next }) };
}

/** The version of a service that failed again and again while the other never did; undefined if there is none. */
function failedVersion(own: readonly RoundRecord[]) {
  const failures = { base: failuresOf(own, 'base'), head: failuresOf(own, 'head') };
  for (const [side, other] of [['head', 'base'] as const, ['base', 'head'] as const]) {
    const last = failures[side].at(-1)?.failure;
    const count = failures[side].length;
    if (last !== undefined && count >= FAILURES_OF_ONE_VERSION && failures[other].length === 0) {
      return { side, count, last };
    }
  }
  return undefined;
}

/** What became of the rounds of a service of which none was kept. What was printed is told of one version alone. */
function unkept(rounds: readonly RoundRecord[]): Pick<Lost, 'detail' | 'next'> {
  const failed = rounds.filter(({ outcome }) => outcome === 'failed');
  const last = failed.at(-1)?.failure;
  const why = last === undefined ? '' : `: ${reportedBy(last)}`;
  return { detail: `none of ${rounds.length} rounds was kept, ${failed.length} failed${why}`, next: last?.next };
}

function reportedBy({ brief, message, code }: FailureRecord): string {
  return withCode(brief ?? message, code);
}

function evidenceIn({ printed, next }: FailureRecord): Pick<Lost, 'printed' | 'next'> {
  return { ...(printed !== undefined && { printed }), ...(next !== undefined && { next }) };
}

/** Operations of a service that only one version has. */
export function lossesOfOperations(record: RoundsRecord, place: { suite: string; service: string }): readonly Loss[] {
  const [base, head] = [operationsFor(record.base, place.service), operationsFor(record.head, place.service)];
  const loss = (operation: string, side: 'base' | 'head'): Loss => ({
    cell: { ...place, operation, tier: ALL_TIERS },
    reason: side === 'base' ? 'new' : 'gone',
    detail: `the ${side} does not have it`,
  });
  return [
    ...head.filter((operation) => !base.includes(operation)).map((operation) => loss(operation, 'base')),
    ...base.filter((operation) => !head.includes(operation)).map((operation) => loss(operation, 'head')),
  ];
}

/** Why something of a cell cannot be compared; see isLeftBy for what can. Undefined if all can. All of it is symmetric in the two versions. */
export function lossOfCell(kept: KeptCell): Loss | undefined {
  const loss = absence(kept) ?? CELL_FAULTS.flatMap((fault) => faultOf(kept, fault) ?? [])[0];
  return loss === undefined ? undefined : { cell: kept.cell, ...loss };
}

/** Whether a metric of a cell can be compared in spite of what the cell lost: whatever the load tool does, the service's own work per request is its own. */
export function isLeftBy({ reason }: Pick<Loss, 'reason'>, metric: MetricName): boolean {
  return metric === 'cpuMicrosPerRequest' && reason === 'generator-limited';
}

/** Why a service, an operation or a cell cannot be compared, before it is known what that takes. */
export interface Loss extends Omit<Lost, 'takes'> {
  /** Whether it comes from the machine and not from the change: then it hides what noise may hide. */
  readonly isOfMachine?: boolean | undefined;
}

type Reason = Pick<Loss, 'reason' | 'detail' | 'isOfMachine'>;

function absence({ base, head, sides }: KeptCell): Reason | undefined {
  const [inBase, inHead] = [base.some(isThere), head.some(isThere)];
  if (inBase && inHead) {
    return undefined;
  }
  if (inBase) {
    return { reason: 'gone', detail: `missing in all rounds of ${sides.head}` };
  }
  return inHead
    ? { reason: 'new', detail: `missing in all rounds of ${sides.base}` }
    : { reason: 'missing', detail: 'missing in all rounds of both versions' };
}

/** What may be wrong with a round, and in how many rounds it may be before a cell says nothing. */
interface CellFault {
  readonly reason: Lost['reason'];
  readonly says: string;
  readonly concerns: (cell: CellKey) => boolean;
  readonly isIn: (base: Sample | undefined, head: Sample | undefined) => boolean;
  /** Whether it is judged between services; left out for both kinds of comparisons. */
  readonly isOfVersus?: boolean;
  readonly mostRounds: number;
}

const CELL_FAULTS: readonly CellFault[] = [
  {
    reason: 'invalid',
    says: 'over 1% of the requests failed in both versions',
    concerns: ({ operation }) => operation === ALL_OPERATIONS,
    isIn: (base, head) => isFailing(base) && isFailing(head),
    isOfVersus: false,
    mostRounds: 0,
  },
  {
    // Of two versions the head is to blame, and errors are tested; a service that fails is not compared.
    reason: 'invalid',
    says: 'over 1% of the requests failed',
    concerns: () => true,
    isIn: (base, head) => isFailing(base) || isFailing(head),
    isOfVersus: true,
    mostRounds: MOST_MARKED,
  },
  {
    reason: 'generator-limited',
    says: 'the load tool was at its limit',
    concerns: () => true,
    isIn: (base, head) => has(base, 'generator-limited') || has(head, 'generator-limited'),
    mostRounds: MOST_MARKED,
  },
];

function faultOf({ cell, base, head, sides, isVersus }: KeptCell, fault: CellFault): Reason | undefined {
  const rounds = base.flatMap((sample, round) => (fault.isIn(sample, head[round]) ? [[sample, head[round]]] : []));
  const count = rounds.length;
  const isLoadTool = fault.reason === 'generator-limited';
  const isDisturbed = rounds.every((sides) => sides.some((sample) => has(sample, 'disturbed')));
  const disturbed = isDisturbed ? ', while other programs took over 10% of a core' : '';
  const isLeft = rowsOf(cell).some(({ metric }) => isLeftBy(fault, metric));
  const left = isLeft ? '; CPU per request is still compared' : '';
  // Other programs may be what took the core of the load tool.
  const isBeyond = isLoadTool && cell.tier === SATURATION && !isDisturbed;
  const beyond = isBeyond ? ': a load tool on one core cannot fill the core of this service' : '';
  if ((fault.isOfVersus ?? isVersus) !== isVersus || !fault.concerns(cell) || count <= fault.mostRounds * base.length) {
    return undefined;
  }
  const marked = isLoadTool ? markedBy({ base, head }) : undefined;
  const isOfHead = marked !== undefined && marked.head - marked.base > MORE_IN_HEAD * base.length;
  const failing = fault.isOfVersus === true ? failingSides({ base, head, sides }) : '';
  const whose = isOfHead ? ` (of ${sides.head} in ${marked.head}, of ${sides.base} in ${marked.base})` : '';
  const detail = `${fault.says}${failing} in ${count} of ${base.length} rounds${whose}${disturbed}${beyond}${left}`;
  return { reason: fault.reason, detail, isOfMachine: isLoadTool && !isOfHead };
}

function failingSides({ base, head, sides }: Pick<KeptCell, 'base' | 'head' | 'sides'>): string {
  const names = [...(base.some(isFailing) ? [sides.base] : []), ...(head.some(isFailing) ? [sides.head] : [])];
  return ` in ${wordList(names)}`;
}

/** In so much more of the rounds only a change can be why the load tool met its limit with the head: noise is no excuse then. */
const MORE_IN_HEAD = 0.5;

/** In how many rounds the load tool was the limit of each version. */
function markedBy({ base, head }: Pick<KeptCell, 'base' | 'head'>): { readonly base: number; readonly head: number } {
  const count = (side: KeptCell['base']) => side.filter((sample) => has(sample, 'generator-limited')).length;
  return { base: count(base), head: count(head) };
}

function failuresOf(rounds: readonly RoundRecord[], side: 'base' | 'head'): readonly RoundRecord[] {
  return rounds.filter(({ outcome, failure }) => outcome === 'failed' && failure?.side === side);
}

function isThere(sample: Sample | undefined): boolean {
  return sample !== undefined;
}

function has(sample: Sample | undefined, mark: Mark): boolean {
  return sample?.marks.includes(mark) ?? false;
}

function isFailing(sample: Sample | undefined): boolean {
  const failed = sample?.failures.reduce((sum, { count }) => sum + count, 0) ?? 0;
  return sample !== undefined && failed > FAILING * sample.requests;
}

/** With more holes than this share of the rounds, a comparison is not made. */
const MOST_HOLES = 0.2;

/** What is left of the comparisons of one cell, and what of them could not be made. */
interface Filled {
  readonly compared: readonly Compared[];
  readonly lost: readonly Lost[];
}

/**
 * The comparisons of one cell whose values all have a logarithm. A round in which one of them lacks a value is dropped
 * for all of them, so that all speak of the same rounds; one that lacks it in over 20% of the rounds is lost instead.
 * Which rounds are dropped does not depend on which version is which, so the test stays exact.
 */
export function withoutHoles(candidates: readonly Compared[]): Filled {
  const holed = candidates.map((candidate) => ({ candidate, holes: holesOf(candidate) }));
  const isLost = ({ holes }: (typeof holed)[number]) => !holes.some((hole) => hole === undefined) || tooMany(holes);
  const whole = holed.filter((one) => !isLost(one));
  const isDropped = (_: unknown, round: number) => whole.some(({ holes }) => holes[round] !== undefined);
  return {
    compared: whole.map(({ candidate }) => {
      const dropped = candidate.base.map(isDropped);
      const keep = (value: number | undefined, round: number) => (dropped[round] ? undefined : value);
      return { ...candidate, base: candidate.base.map(keep), head: candidate.head.map(keep) };
    }),
    lost: holed.filter(isLost).map(({ candidate, holes }) => lossOf(candidate, holes)),
  };
}

type Hole = Extract<Uncompared['reason'], 'missing' | 'not-positive'>;

function holesOf({ base, head }: Compared): readonly (Hole | undefined)[] {
  return base.map((before, round) => {
    const now = head[round];
    if (before === undefined || now === undefined) {
      return 'missing';
    }
    return hasLogarithm(before) && hasLogarithm(now) ? undefined : 'not-positive';
  });
}

function hasLogarithm(value: number): boolean {
  return value > 0 && value < Number.POSITIVE_INFINITY;
}

function tooMany(holes: readonly (Hole | undefined)[]): boolean {
  return holes.filter((hole) => hole !== undefined).length > MOST_HOLES * holes.length;
}

function lossOf({ cell, metric, gate }: Compared, holes: readonly (Hole | undefined)[]): Lost {
  const takes = [{ cell, metric, gate }];
  const count = (reason: Hole) => holes.filter((hole) => hole === reason).length;
  const [missing, notPositive] = [count('missing'), count('not-positive')];
  const of = `of ${holes.length} rounds`;
  return notPositive > missing
    ? { cell, metric, takes, reason: 'not-positive', detail: `not above 0 in ${notPositive} ${of}` }
    : { cell, metric, takes, reason: 'missing', detail: `missing in ${missing + notPositive} ${of}` };
}
