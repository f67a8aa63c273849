import { gatesUsually } from '../../model/families.ts';
import { ROUND_PROFILES } from '../../model/profile.ts';
import type { CellKey } from '../../model/sample.ts';
import type { Compared } from '../verdict/finding.ts';
import { withoutHoles } from '../verdict/holes.ts';
import type { ComparisonInput, Lost } from '../verdict/input.ts';

/** One metric of one cell that was measured elsewhere. */
export interface SampleSeries {
  readonly cell: CellKey;
  readonly metric: string;
  readonly better: 'lower' | 'higher';
  /** Whether it may fail a pull request; undefined where nothing is said. */
  readonly gate: boolean | undefined;
  /** By round. */
  readonly values: ReadonlyMap<number, { readonly base?: number; readonly head?: number }>;
}

/** Which version was first, by service and round. */
export type FirstSides = ReadonlyMap<string, ReadonlyMap<number, 'base' | 'head'>>;

/**
 * What is judged of figures that were measured elsewhere. The looks are the usual ones as far as the rounds go, since nobody
 * knows whether results were looked at before the last round; there is no day, and no counts of errors.
 */
export function samplesInput(series: readonly SampleSeries[], firstSides: FirstSides): ComparisonInput {
  const rounds = new Map([...firstSides].map(([service, sides]) => [service, [...sides.keys()].sort(byNumber)]));
  const candidates = series
    .map((one) => candidateOf(one, rounds.get(one.cell.service) ?? []))
    .sort((left, right) => compareNames(left, right));
  const absent = candidates.flatMap((one) => absenceOf(one) ?? []);
  const present = candidates.filter((one) => absenceOf(one) === undefined);
  const filled = cellsOf(present).map(withoutHoles);
  return {
    compared: filled.flatMap(({ compared }) => compared),
    lost: [...absent, ...filled.flatMap(({ lost }) => lost)],
    errors: [],
    readings: candidates.map(({ cell, metric, better, head }) => ({
      cell,
      metric,
      better,
      values: head.flatMap((value) => value ?? []),
    })),
    rounds: [...rounds]
      .map(([service, { length }]) => ({ service, kept: length, discarded: 0, failed: 0 }))
      .sort((left, right) => compareTexts(left.service, right.service)),
    looks: (ROUND_PROFILES['standard']?.looks ?? []).filter(({ spent }) => spent < 1),
    isFinal: true,
    day: undefined,
    notes: [...firstSides].flatMap(([service, sides]) => orderNote(service, [...sides.values()])).sort(compareTexts),
    remarks: [],
  };
}

function candidateOf(series: SampleSeries, rounds: readonly number[]): Compared {
  const { cell, metric, better, gate, values } = series;
  const read = (side: 'base' | 'head') => rounds.map((round) => values.get(round)?.[side]);
  return { cell, metric, better, gate: gate ?? gatesUsually(metric), base: read('base'), head: read('head') };
}

/** What only one version has, and what has no logarithm by its nature. */
function absenceOf({ cell, metric, gate, base, head }: Compared): Lost | undefined {
  if (metric === 'errorRate') {
    const detail = 'error rates are judged by their counts, which samples do not have';
    return { cell, metric, gate: false, reason: 'not-positive', detail };
  }
  const [inBase, inHead] = [base, head].map((values) => values.some((value) => value !== undefined));
  if (inBase && inHead) {
    return undefined;
  }
  return {
    cell,
    metric,
    gate,
    reason: inHead ? 'new' : 'gone',
    detail: `no sample of the ${inHead ? 'base' : 'head'}`,
  };
}

/** The comparisons of each cell together; they are sorted by cell. */
function cellsOf(candidates: readonly Compared[]): readonly (readonly Compared[])[] {
  const cells = new Map<string, Compared[]>();
  for (const one of candidates) {
    const key = namesOf(one).slice(0, -1).join(' ');
    cells.set(key, [...(cells.get(key) ?? []), one]);
  }
  return [...cells.values()];
}

/** With one version always first, whatever changes within a round looks like a change of the version. */
function orderNote(service: string, firsts: readonly ('base' | 'head')[]): readonly string[] {
  const [first] = firsts;
  return firsts.length > 1 && firsts.every((side) => side === first)
    ? [`${service}: ${first} was first in every round, so an effect of the order would be taken for a change.`]
    : [];
}

function namesOf({ cell, metric }: Compared): readonly string[] {
  return [cell.service, cell.tier, cell.operation, metric];
}

function compareNames(left: Compared, right: Compared): number {
  const others = namesOf(right);
  const orders = namesOf(left).map((name, index) => compareTexts(name, others[index] ?? ''));
  return orders.find((order) => order !== 0) ?? 0;
}

/** By code units: the order must not hang on the machine's language. */
function compareTexts(left: string, right: string): number {
  return left === right ? 0 : left < right ? -1 : 1;
}

function byNumber(left: number, right: number): number {
  return left - right;
}
