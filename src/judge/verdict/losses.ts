import { ALL_TIERS } from '../../model/families.ts';
import type { KeptCell } from '../../model/run/kept-cells.ts';
import type { RoundRecord, RoundsRecord } from '../../model/run/run-rounds.ts';
import { ALL_OPERATIONS, type CellKey, type Mark, SATURATION, type Sample } from '../../model/sample.ts';
import type { Lost } from './input.ts';

/** A version that failed so often, where the other never did, is what failed. */
const FAILURES_OF_ONE_VERSION = 2;

/** With a mark in more than this share of the rounds, a cell says nothing of the service. */
const MOST_MARKED = 0.2;

/** Over this share of failed requests in both versions, a round does not measure the service's speed. */
const FAILING = 0.01;

/** Why nothing of a service can be compared; undefined where it can. */
export function lossOfService(record: RoundsRecord, place: { suite: string; service: string }): Lost | undefined {
  const { base, head, rounds } = record;
  const loss = (reason: Lost['reason'], detail: string): Lost => ({
    cell: { ...place, operation: ALL_OPERATIONS, tier: ALL_TIERS },
    reason,
    detail,
    gate: true,
  });
  if (!base.services.includes(place.service)) {
    return loss('new', 'the base does not have it');
  }
  if (!head.services.includes(place.service)) {
    return loss('gone', 'the head does not have it');
  }
  const own = rounds.filter(({ service }) => service === place.service);
  const failures = { base: failuresOf(own, 'base'), head: failuresOf(own, 'head') };
  for (const [side, other] of [['head', 'base'] as const, ['base', 'head'] as const]) {
    const last = failures[side].at(-1);
    if (failures[side].length >= FAILURES_OF_ONE_VERSION && failures[other].length === 0) {
      return loss(`${side}-failed`, `${failures[side].length} rounds failed: ${last?.failure?.message ?? ''}`);
    }
  }
  const failed = own.filter(({ outcome }) => outcome === 'failed').length;
  return own.some(({ outcome }) => outcome === 'kept')
    ? undefined
    : loss('missing', `none of ${own.length} rounds was kept, ${failed} failed`);
}

/** Operations of a service that only one version has. */
export function lossesOfOperations(record: RoundsRecord, place: { suite: string; service: string }): readonly Lost[] {
  const [base, head] = [record.base.operations, record.head.operations];
  const loss = (operation: string, side: 'base' | 'head'): Lost => ({
    cell: { ...place, operation, tier: ALL_TIERS },
    reason: side === 'base' ? 'new' : 'gone',
    detail: `the ${side} does not have it`,
    gate: true,
  });
  return [
    ...head.filter((operation) => !base.includes(operation)).map((operation) => loss(operation, 'base')),
    ...base.filter((operation) => !head.includes(operation)).map((operation) => loss(operation, 'head')),
  ];
}

/** Why nothing of a cell can be compared; undefined where it can. All of it is symmetric in the two versions. */
export function lossOfCell(kept: KeptCell): Lost | undefined {
  const loss = absence(kept) ?? CELL_FAULTS.flatMap((fault) => faultOf(kept, fault) ?? [])[0];
  return loss === undefined ? undefined : { cell: kept.cell, gate: true, ...loss };
}

type Reason = Pick<Lost, 'reason' | 'detail'>;

function absence({ base, head }: KeptCell): Reason | undefined {
  const [inBase, inHead] = [base.some(isThere), head.some(isThere)];
  if (inBase && inHead) {
    return undefined;
  }
  if (inBase) {
    return { reason: 'gone', detail: 'no round has it in the head' };
  }
  return inHead
    ? { reason: 'new', detail: 'no round has it in the base' }
    : { reason: 'missing', detail: 'no round has it in either version' };
}

/** What may be wrong with a round, and in how many rounds it may be before a cell says nothing. */
interface CellFault {
  readonly reason: Lost['reason'];
  readonly says: string;
  readonly concerns: (cell: CellKey) => boolean;
  readonly isIn: (base: Sample | undefined, head: Sample | undefined) => boolean;
  readonly mostRounds: number;
}

const CELL_FAULTS: readonly CellFault[] = [
  {
    reason: 'invalid',
    says: 'over 1 % of the requests failed in both versions',
    concerns: ({ operation }) => operation === ALL_OPERATIONS,
    isIn: (base, head) => isFailing(base) && isFailing(head),
    mostRounds: 0,
  },
  {
    reason: 'generator-limited',
    says: 'the load tool was the limit',
    concerns: () => true,
    isIn: (base, head) => has(base, 'generator-limited') || has(head, 'generator-limited'),
    mostRounds: MOST_MARKED,
  },
  {
    reason: 'not-saturated',
    says: 'neither version filled its core',
    concerns: ({ tier }) => tier === SATURATION,
    // A head that alone no longer fills its core waits for something: a slowdown, and no fault of the measurement.
    isIn: (base, head) => has(base, 'not-saturated') && has(head, 'not-saturated'),
    mostRounds: MOST_MARKED,
  },
];

function faultOf({ cell, base, head }: KeptCell, fault: CellFault): Reason | undefined {
  const count = base.filter((sample, round) => fault.isIn(sample, head[round])).length;
  return fault.concerns(cell) && count > fault.mostRounds * base.length
    ? { reason: fault.reason, detail: `${fault.says} in ${count} of ${base.length} rounds` }
    : undefined;
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
