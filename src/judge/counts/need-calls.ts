import { median } from '../../foundation/statistics.ts';
import { SIDES } from '../../model/fields.ts';
import { type CellKey, COUNTED, cellName, isExact } from '../../model/metric.ts';
import { ALL_TIERS, type Policy, thresholdOf } from '../../model/policy.ts';
import type { Side } from '../../model/rounds.ts';
import type { CallsRecord, CallsStart } from '../../model/run/calls.ts';
import type { Run, RunInRounds } from '../../model/run/run.ts';
import { budgetAnswers } from '../verdict/absolute.ts';
import type { Finding, HeadReading } from '../verdict/finding.ts';
import { countedReadings } from './figures.ts';
import { ruledFinding, type StartFigure } from './ruled.ts';
import { headSizes } from './sizes.ts';

const METRIC = 'queriesPerRequest';

/** Figures of each operation that was counted in both versions. */
export function callFigures({ suite }: CalledSuite, { starts }: CallsRecord): readonly StartFigure[] {
  const bases = sideFigures({ suite }, starts, 'base');
  return sideFigures({ suite }, starts, 'head').flatMap(({ cell, values: head }) => {
    const base = bases.find((one) => cellName(one.cell) === cellName(cell))?.values;
    return base === undefined ? [] : [{ cell, base, head }];
  });
}

/** Queries per request of each operation of the head, by start. */
export function headCalls({ suite, calls }: CalledSuite & Pick<Run, 'calls'>): readonly CalledReading[] {
  return sideFigures({ suite }, calls?.starts ?? [], 'head');
}

/** Budgets of a policy for queries, sizes and counts, compared with the head of a run that may have no base. */
export function countBudgets(run: Run, { budgets }: Policy) {
  const own = budgets.filter(({ metric }) => isExact(metric) || COUNTED.some((one) => one === metric));
  return budgetAnswers([...headCalls(run), ...headSizes(run), ...countedReadings(run)], { budgets: own });
}

interface CalledSuite {
  readonly suite: Pick<Run['suite'], 'name'>;
}

interface CalledReading extends HeadReading {
  readonly metric: typeof METRIC;
}

function sideFigures({ suite }: CalledSuite, starts: readonly CallsStart[], side: Side): readonly CalledReading[] {
  const services = Map.groupBy(
    starts.filter((one) => one.side === side),
    ({ service }) => service,
  );
  return [...services].flatMap(([service, own]) => {
    const operations = new Set(own.flatMap((start) => start.operations.map(({ operation }) => operation)));
    return [...operations].flatMap((operation) => {
      const cell = { suite: suite.name, service, operation, tier: ALL_TIERS };
      const values = own.flatMap((start) => figureOf(start, operation) ?? []);
      return values.length === 0 ? [] : [{ cell, metric: METRIC, better: 'lower', values }];
    });
  });
}

/** Median over the windows, so that a pool that reconnects once, or a background job, does not count as a query of a request. */
function figureOf({ operations, idle }: CallsStart, operation: string): number | undefined {
  const own = operations.filter((one) => one.operation === operation);
  const windows = (own[0]?.roundTrips ?? []).map((_, window) =>
    own
      .flatMap(({ commands, requests }) =>
        Object.entries(commands).map(([text, counts]) => (idle.includes(text) ? 0 : (counts[window] ?? 0) / requests)),
      )
      .reduce((sum, one) => sum + one, 0),
  );
  return median(windows);
}

/**
 * Verdicts on the calls of each operation. Counts are exact, so a difference in every start is real: from one command per request on it is a
 * regression, if it also exceeds the threshold of the policy. Less, such as a cache that seldom misses, is below the threshold.
 */
export function judgedCalls(run: RunInRounds, policy: Policy): readonly Finding[] {
  const figures = run.calls === undefined ? [] : callFigures(run, run.calls);
  return figures.map((figure) => findingOf(figure, policy));
}

function findingOf({ cell, base, head }: StartFigure, policy: Policy): Finding {
  const name = { cell, metric: METRIC };
  const [low, high] = [median(base) ?? 0, median(head) ?? 0];
  // Distance of every start of head above every start of base, and below.
  const [more, fewer] = [Math.min(...head) - Math.max(...base), Math.min(...base) - Math.max(...head)];
  const estimate = low === 0 ? Math.min(high, MAX_FROM_NONE) : high / low - 1;
  const isOver = more >= ONE && estimate >= thresholdOf(policy, name);
  return ruledFinding(name, policy, {
    ...{ base, head },
    change: estimate === 0 ? { estimate, low: 0, high: 0 } : { estimate },
    verdict: more > 0 ? (isOver ? 'regressed' : 'slower-within-limit') : fewer >= ONE ? 'improved' : 'unchanged',
  });
}

/** From zero, each query counts as +100%, up to a change that is still shown as a percentage and can be accepted. */
const MAX_FROM_NONE = 8;

/** Windows contain whole requests, so a difference of one is exact except for floating-point rounding. */
const ONE = 1 - 1e-9;

/** Commands of an operation that head sends more often than base, largest growth first. */
export function grownCommands(
  { starts }: CallsRecord,
  { service, operation }: CellKey,
): readonly { readonly need: string; readonly text: string; readonly base: number; readonly head: number }[] {
  const [base, head] = SIDES.map((side) => starts.find((one) => one.service === service && one.side === side));
  const perRequest = (start: CallsStart | undefined, need: string, text: string): number => {
    const own = start?.operations.find((one) => one.operation === operation && one.need === need);
    return (median(own?.commands[text] ?? []) ?? 0) / (own?.requests ?? 1);
  };
  return (head?.operations ?? [])
    .filter((one) => one.operation === operation)
    .flatMap(({ need, commands }) =>
      Object.keys(commands)
        .filter((text) => head?.idle.includes(text) === false)
        .map((text) => ({ need, text, base: perRequest(base, need, text), head: perRequest(head, need, text) })),
    )
    .filter((one) => one.head > one.base)
    .toSorted((left, right) => right.head - right.base - (left.head - left.base));
}
