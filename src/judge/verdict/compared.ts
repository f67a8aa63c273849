import { median } from '../../foundation/statistics.ts';
import { ALL_OPERATIONS, METRIC_NAMES, METRICS, memberOperation, SATURATION } from '../../model/metric.ts';
import { ALL_TIERS, type FamilyRow, LEAST_MS, type Policy, rowsOf } from '../../model/policy.ts';
import { type KeptCell, keptCells, servicesOf } from '../../model/run/comparison.ts';
import { unitedLists } from '../../model/run/merge.ts';
import type { RoundsRecord } from '../../model/run/rounds.ts';
import type { RunInRounds } from '../../model/run/run.ts';
import type { Sample } from '../../model/run/sample.ts';
import { withWhatItTakes } from './coverage.ts';
import type { CellErrors, Compared, ComparisonInput, HeadReading, Lost, RoundCount } from './finding.ts';
import { isLeftBy, type Loss, lossesOfOperations, lossOfCell, lossOfService, withoutHoles } from './losses.ts';

/** Requests of one version in one round from which on its p99 is compared: its sampling error is then about 6%. */
const REQUESTS_FOR_P99 = 1000;

/** Share of the offered rate from which the achieved rate shows the load, not the service. */
const INFORMATIVE_BELOW = 0.99;

/**
 * Comparisons of a run in rounds: its kept rounds, aligned, as comparisons of the gate and the watch family; impossible ones with reasons; errors;
 * and the head's metrics with a budget. The achieved rate at a tier is compared only if a version did not sustain the offered rate, p99 only with
 * 1,000 requests per round and version.
 */
export function comparedOf(run: RunInRounds, policy: Policy): ComparisonInput {
  const record = run.rounds;
  const { base, head, decided = [], ended } = record;
  const isEnded = ended === 'rounds' || ended === 'budget';
  const hasRounds = record.profile.looks.length > 0;
  const cells = hasRounds ? keptCells(run) : [];
  const parts = servicesOf(record).map((service) => {
    const place = { suite: run.suite.name, service };
    const planned = cells.filter(({ cell }) => cell.service === service);
    const places = planned.map(({ cell }) => cell);
    const taking = (loss: Loss) => withWhatItTakes(loss, places);
    const loss = lossOfService(record, place);
    if (loss !== undefined) {
      return { ...NOTHING, lost: [taking(loss)] };
    }
    const lost = lossesOfOperations(record, place).map(taking);
    const isThere = ({ cell }: KeptCell) => lost.every((one) => one.cell.operation !== cell.operation);
    const own = planned.filter(isThere);
    return joined([
      { ...NOTHING, lost },
      ...[...new Set(own.map(({ cell }) => cell.tier))]
        .map((tier) => own.filter(({ cell }) => cell.tier === tier))
        .map(tierPart),
      membersPart(own),
      ...[...new Set(own.map(({ cell }) => cell.operation))].flatMap((operation) =>
        rowsOf({ operation, tier: ALL_TIERS }).map((row) => startPart(own, operation, row)),
      ),
    ]);
  });
  const { compared, lost, errors, tails } = joined(parts);
  return {
    compared,
    lost,
    errors,
    readings: readingsOf(cells, policy),
    rounds: hasRounds ? servicesOf(record).map((service) => countOf(record, service)) : [],
    looks: record.profile.looks,
    families: servicesOf(record)
      .filter((service) => hasRounds && [base, head].every(({ services }) => services.includes(service)))
      // A service with a clear result at a look ended there; the others continued until the plan or the clock ended them.
      .map((service) => ({ service, isFinal: isEnded && !decided.includes(service) })),
    day: run.startedAt.slice(0, 10),
    notes:
      tails.length === 0
        ? []
        : [{ kind: 'few-requests', cells: tails.map(({ cell }) => cell), fewest: REQUESTS_FOR_P99 }],
    remarks: [],
  };
}

interface Part {
  readonly compared: readonly Compared[];
  readonly lost: readonly Lost[];
  readonly errors: readonly CellErrors[];
  /** Cells with too few requests for a p99. */
  readonly tails: readonly KeptCell[];
}

const NOTHING: Part = { compared: [], lost: [], errors: [], tails: [] };

function joined(parts: readonly Part[]): Part {
  return unitedLists(parts) ?? NOTHING;
}

function tierPart(cells: readonly KeptCell[]): Part {
  const whole = cells.find(({ cell }) => cell.operation === ALL_OPERATIONS);
  const errors = whole === undefined ? [] : [errorsOf(whole)];
  const loss = whole && lossOfCell(whole);
  const compared = cells.filter(({ cell }) => rowsOf(cell).length > 0);
  const places = compared.map(({ cell }) => cell);
  const lost = loss === undefined ? [] : [withWhatItTakes(loss, places)];
  const parts = compared.map((kept) => (loss === undefined ? cellPart(kept) : leftPart(kept, loss)));
  return joined([{ ...NOTHING, errors, lost }, ...parts]);
}

/** Members of the service of a sample, if it has several programs. */
export function memberNames(sample: Sample | undefined): readonly string[] {
  return Object.keys(sample?.members ?? {});
}

/** Each member that both versions of a service have, under each load of all operations together. */
function membersPart(cells: readonly KeptCell[]): Part {
  const whole = cells.filter(({ cell }) => cell.operation === ALL_OPERATIONS);
  const candidates = whole.flatMap((kept) => {
    const [before, now] = [kept.base, kept.head].map((side) => new Set(side.flatMap(memberNames)));
    const loss = lossOfCell(kept);
    return [...(before ?? [])]
      .filter((name) => now?.has(name))
      .flatMap((name) => {
        const cell = { ...kept.cell, operation: memberOperation(name) };
        const left = rowsOf(cell).filter(({ metric }) => loss === undefined || isLeftBy(loss, metric));
        return left.map((row) =>
          candidateOf({ ...kept, cell }, row, (sample) => sample?.members?.[name]?.cpuMicrosPerRequest),
        );
      });
  });
  return joined(candidates.map((one) => ({ ...NOTHING, ...withoutHoles([one]) })));
}

function startPart(cells: readonly KeptCell[], operation: string, { metric, gate, ifSeen }: FamilyRow): Part {
  const whole = cells.filter(({ cell }) => cell.operation === operation);
  const first = whole[0];
  if (first === undefined) {
    return NOTHING;
  }
  const figures = (side: 'base' | 'head') =>
    first[side].map((_, round) => {
      const found = whole.flatMap((kept) => kept[side][round]?.values[metric] ?? []);
      return found.length === 0 ? undefined : Math.max(...found);
    });
  const [base, head] = [figures('base'), figures('head')];
  const isShort = (all: typeof base) => (median(all.flatMap((one) => one ?? [])) ?? 0) < (LEAST_MS.get(metric) ?? 0);
  if (isShort(base) && isShort(head)) {
    return NOTHING;
  }
  const { better } = METRICS[metric];
  const cell = { ...first.cell, tier: ALL_TIERS };
  const { compared, lost } = withoutHoles([{ cell, metric, better, gate, ifSeen, base, head }]);
  return { ...NOTHING, compared, lost: lost.map((one) => ({ ...one, takes: [] })) };
}

function cellPart(kept: KeptCell): Part {
  const loss = lossOfCell(kept);
  const lost = loss === undefined ? [] : [withWhatItTakes(loss, [kept.cell])];
  return joined([{ ...NOTHING, lost }, leftPart(kept, loss)]);
}

/** Comparisons of one cell that a loss leaves, of the cell itself or of all operations of its tier. */
function leftPart(kept: KeptCell, loss: Loss | undefined): Part {
  const left = rowsOf(kept.cell).filter(({ metric }) => loss === undefined || isLeftBy(loss, metric));
  const filled = withoutHoles(left.filter((row) => isInformative(kept, row)).map((row) => candidateOf(kept, row)));
  const lacksTail = left.some(({ metric }) => metric === 'latencyP99Ms') && !hasTail(kept);
  return { ...NOTHING, ...filled, tails: lacksTail ? [kept] : [] };
}

function isInformative(kept: KeptCell, { metric }: FamilyRow): boolean {
  if (metric === 'latencyP99Ms') {
    return hasTail(kept);
  }
  return metric !== 'achievedRps' || kept.cell.tier === SATURATION || isOverloaded(kept);
}

function hasTail({ base, head }: KeptCell): boolean {
  return [...base, ...head].every((sample) => sample === undefined || sample.requests >= REQUESTS_FOR_P99);
}

function isOverloaded({ base, head }: KeptCell): boolean {
  const isBelow = (sample: Sample | undefined) => {
    const offered = sample?.offeredRps;
    return offered !== undefined && (sample?.values.achievedRps ?? offered) < INFORMATIVE_BELOW * offered;
  };
  return [base, head].some((side) => side.filter(isBelow).length > side.length / 5);
}

function candidateOf(
  { cell, base, head }: KeptCell,
  { metric, gate, ifSeen }: FamilyRow,
  read = (sample: Sample | undefined) => sample?.values[metric],
): Compared {
  const { better } = METRICS[metric];
  return { cell, metric, better, gate, ifSeen, base: base.map(read), head: head.map(read) };
}

function errorsOf({ cell, base, head }: KeptCell): CellErrors {
  const rounds = base.flatMap((before, round) => {
    const now = head[round];
    return before === undefined || now === undefined ? [] : [{ base: countsOf(before), head: countsOf(now) }];
  });
  return { cell, rounds };
}

function countsOf({ requests, failures }: Sample): CellErrors['rounds'][number]['base'] {
  const failed = failures.reduce((sum, { count }) => sum + count, 0);
  return { failed, requests: Math.max(requests, failed) };
}

function readingsOf(cells: readonly KeptCell[], { budgets }: Policy): readonly HeadReading[] {
  const required = METRIC_NAMES.filter((name) => budgets.some(({ metric }) => metric === name));
  return cells.flatMap(({ cell, head }) =>
    required.flatMap((metric) => {
      const values = head.flatMap((sample) => sample?.values[metric] ?? []).filter(Number.isFinite);
      return values.length === 0 ? [] : [{ cell, metric, better: METRICS[metric].better, values }];
    }),
  );
}

function countOf({ rounds }: RoundsRecord, service: string): RoundCount {
  const own = rounds.filter((round) => round.service === service);
  const count = (outcome: RoundsRecord['rounds'][number]['outcome']) =>
    own.filter((round) => round.outcome === outcome).length;
  return { service, kept: count('kept'), discarded: count('discarded'), failed: count('failed') };
}
