import { withCode } from '../../foundation/errors.ts';
import { SIDES } from '../../model/fields.ts';
import { ALL_OPERATIONS, type MetricName, SATURATION } from '../../model/metric.ts';
import { ALL_TIERS, rowsOf } from '../../model/policy.ts';
import type { Side } from '../../model/rounds.ts';
import type { KeptCell } from '../../model/run/comparison.ts';
import type { FailureRecord, RoundRecord, RoundsRecord } from '../../model/run/rounds.ts';
import type { Sample } from '../../model/run/sample.ts';
import type { Mark } from '../../model/sample/mark.ts';
import { operationsFor } from '../../model/suite/groups.ts';
import type { Compared, Lost, Uncompared } from './finding.ts';
import type { Why } from './note.ts';

/** A version with this many failures is the failed one if the other never failed. */
const FAILURES_OF_ONE_VERSION = 2;

/** Largest share of rounds with a mark at which a cell still measures the service. */
const MAX_MARKED = 0.2;

/** Over this share of failed requests in both versions, a round does not measure the service's speed. */
const FAILING = 0.01;

/** Reason that nothing of a service can be compared; undefined if it can. */
export function lossOfService(record: RoundsRecord, place: { suite: string; service: string }): Loss | undefined {
  const { base, head, rounds } = record;
  const loss = (reason: Lost['reason'], detail: Why): Loss => ({
    cell: { ...place, operation: ALL_OPERATIONS, tier: ALL_TIERS },
    reason,
    detail,
  });
  // A base lacks parts that only the head's configuration describes, and nothing in it has to be fixed.
  const failure = (side: Side, of: FailureRecord, count?: number): Loss => {
    const isAdopted = side === 'base' && base.adopted !== undefined;
    const detail = { kind: 'failed', rounds: count, said: reportedBy(of), isAdopted } as const;
    return isAdopted ? loss('new', detail) : { ...loss(`${side}-failed`, detail), printed: of.printed, next: of.next };
  };
  if (!base.services.includes(place.service)) {
    return loss('new', { kind: 'not-in', side: 'base' });
  }
  if (!head.services.includes(place.service)) {
    return loss('gone', { kind: 'not-in', side: 'head' });
  }
  const unbuilt = record.unbuilt?.find(({ services }) => services.includes(place.service));
  if (unbuilt !== undefined) {
    return failure(unbuilt.side ?? 'head', unbuilt);
  }
  const own = rounds.filter(({ service }) => service === place.service);
  const failed = failedVersion(own);
  if (failed !== undefined) {
    return failure(failed.side, failed.last, failed.count);
  }
  const hasRounds = record.profile.looks.length > 0;
  if (!hasRounds || own.some(({ outcome }) => outcome === 'kept')) {
    return undefined;
  }
  const unkept = own.filter(({ outcome }) => outcome === 'failed');
  const last = unkept.at(-1)?.failure;
  const said = last && reportedBy(last);
  return {
    ...loss('missing', { kind: 'unkept', rounds: own.length, failed: unkept.length, said }),
    ...(last?.next !== undefined && { next: last.next }),
  };
}

/** Version that has all failures, if there are enough of them. */
function failedVersion(own: readonly RoundRecord[]) {
  const failures = own.flatMap(({ outcome, failure }) => (outcome === 'failed' && failure?.side ? [failure] : []));
  const last = failures.at(-1);
  const isAlone = failures.length >= FAILURES_OF_ONE_VERSION && failures.every(({ side }) => side === last?.side);
  return last?.side !== undefined && isAlone ? { side: last.side, count: failures.length, last } : undefined;
}

function reportedBy({ brief, message, code }: FailureRecord): string {
  return withCode(brief ?? message, code);
}

/** Operations of a service that only one version has. */
export function lossesOfOperations(record: RoundsRecord, place: { suite: string; service: string }): readonly Loss[] {
  const [base, head] = [operationsFor(record.base, place.service), operationsFor(record.head, place.service)];
  const loss = (operation: string, side: 'base' | 'head'): Loss => ({
    cell: { ...place, operation, tier: ALL_TIERS },
    reason: side === 'base' ? 'new' : 'gone',
    detail: { kind: 'not-in', side },
  });
  return [
    ...head.filter((operation) => !base.includes(operation)).map((operation) => loss(operation, 'base')),
    ...base.filter((operation) => !head.includes(operation)).map((operation) => loss(operation, 'head')),
  ];
}

/** Reason that a part of a cell cannot be compared; see isLeftBy for the rest. Undefined if all can. It is symmetric in the two versions. */
export function lossOfCell(kept: KeptCell): Loss | undefined {
  const loss = absence(kept) ?? faultOf(kept);
  return loss === undefined ? undefined : { cell: kept.cell, ...loss };
}

/** True if a metric can be compared although the cell lost others: the service's work per request does not depend on the load tool. */
export function isLeftBy({ reason }: Pick<Loss, 'reason'>, metric: MetricName): boolean {
  return metric === 'cpuMicrosPerRequest' && reason === 'generator-limited';
}

/** Reason that a service, an operation or a cell cannot be compared, before its effect is known. */
export interface Loss extends Omit<Lost, 'takes'> {
  /** True if the machine causes it and not the change: then it hides the same rows as noise. */
  readonly isOfMachine?: boolean | undefined;
}

type Reason = Pick<Loss, 'reason' | 'detail' | 'isOfMachine'>;

function absence(kept: KeptCell): Reason | undefined {
  const [first, ...others] = SIDES.filter((side) => kept[side].every((sample) => sample === undefined));
  if (first === undefined) {
    return undefined;
  }
  const reason = others.length > 0 ? 'missing' : first === 'base' ? 'new' : 'gone';
  return { reason, detail: { kind: 'in-no-round', sides: [first, ...others] } };
}

/** Reason that a cell does not measure its service: in too many rounds, requests failed or the load tool was at its limit. */
function faultOf({ cell, base, head, isVersus }: KeptCell): Reason | undefined {
  const pairs = base.map((sample, round) => [sample, head[round]] as const);
  const rounds = pairs.length;
  const of = (marked: typeof pairs) => ({
    ...{ count: marked.length, rounds },
    isDisturbed: marked.every((pair) => pair.some((sample) => has(sample, 'disturbed'))),
  });
  // For two versions, the head is responsible, and errors are tested; a service that fails is not compared.
  const failing = pairs.filter((pair) => (isVersus ? pair.some(isFailing) : pair.every(isFailing)));
  const isConcerned = isVersus || cell.operation === ALL_OPERATIONS;
  if (isConcerned && failing.length > (isVersus ? MAX_MARKED * rounds : 0)) {
    const sides = SIDES.filter((side) => ({ base, head })[side].some(isFailing));
    return { reason: 'invalid', detail: { kind: 'errors', sides, ...of(failing) } };
  }
  const isLimited = (sample: Sample | undefined) => has(sample, 'generator-limited');
  const limited = of(pairs.filter((pair) => pair.some(isLimited)));
  if (limited.count <= MAX_MARKED * rounds) {
    return undefined;
  }
  const by = { base: base.filter(isLimited).length, head: head.filter(isLimited).length };
  const more = by.head - by.base > MORE_IN_HEAD * rounds ? by : undefined;
  // Other programs may have used the core of the load tool.
  const isBeyond = cell.tier === SATURATION && !limited.isDisturbed;
  const isCpuLeft = rowsOf(cell).some(({ metric }) => isLeftBy({ reason: 'generator-limited' }, metric));
  return {
    reason: 'generator-limited',
    detail: { kind: 'load-tool', more, isBeyond, isCpuLeft, ...limited },
    isOfMachine: more === undefined,
  };
}

/** Share of additional rounds in which the load tool reached its limit with the head, from which only a change explains it. */
const MORE_IN_HEAD = 0.5;

function has(sample: Sample | undefined, mark: Mark): boolean {
  return sample?.marks.includes(mark) ?? false;
}

function isFailing(sample: Sample | undefined): boolean {
  const failed = sample?.failures.reduce((sum, { count }) => sum + count, 0) ?? 0;
  return sample !== undefined && failed > FAILING * sample.requests;
}

/** Largest share of incomplete rounds with which a comparison is made. */
const MAX_HOLES = 0.2;

/**
 * Comparisons of one cell whose values all have a logarithm. A round in which one of them lacks a value is dropped for all, so that all cover the
 * same rounds; a comparison that lacks it in over 20% of the rounds is lost instead. Which rounds are dropped does not depend on which version is
 * which, so the test stays exact.
 */
export function withoutHoles(candidates: readonly Compared[]) {
  const holed = candidates.map((candidate) => ({ candidate, holes: holesOf(candidate) }));
  const isLost = ({ holes }: (typeof holed)[number]) => {
    const found = holes.filter((hole) => hole !== undefined).length;
    return found === holes.length || found > MAX_HOLES * holes.length;
  };
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
    return [before, now].every((value) => value > 0 && value < Number.POSITIVE_INFINITY) ? undefined : 'not-positive';
  });
}

function lossOf({ cell, metric, gate }: Compared, holes: readonly (Hole | undefined)[]): Lost {
  const missing = holes.filter((hole) => hole === 'missing').length;
  const all = holes.filter((hole) => hole !== undefined).length;
  const [reason, count] = all > 2 * missing ? (['not-positive', all - missing] as const) : (['missing', all] as const);
  const detail = { kind: 'holes', of: reason, count, rounds: holes.length } as const;
  return { cell, metric, takes: [{ cell, metric, gate }], reason, detail };
}
