import { ALL_OPERATIONS, type CellKey, isCounted, METRIC_NAMES, METRICS, SATURATION } from '../../model/metric.ts';
import { ALL_TIERS, isGate, type Policy, type PolicyPlace, rowsOf, thresholdOf } from '../../model/policy.ts';
import type { PolicyChangeRecord, RoundsRecord } from '../../model/run/rounds.ts';
import type { Suite } from '../../model/suite/suite.ts';

/**
 * Policy that judges a comparison, and the head's changes to it: the base's policy, except where the head's is stricter; otherwise a pull request
 * could loosen the policy that judges it.
 */
export function judgingPolicy(
  base: Policy,
  head: Policy,
  suite: ComparedSuite,
): Pick<RoundsRecord, 'policy' | 'rules'> {
  const thresholds = thresholdChanges(base, head, suite);
  const rules = ruleChanges(base, head);
  const budgets = limitChanges(base.budgets, head.budgets, BUDGETS);
  const drift = limitChanges(base.drift, head.drift, DRIFT);
  const accepted = limitChanges(base.accepted, head.accepted, ACCEPTED);
  const changes = [...thresholds, ...rules, ...budgets, ...drift, ...accepted];
  if (changes.length === 0) {
    return { policy: base };
  }
  const recordsOf = (looser: boolean) =>
    changes.filter(({ isLooser }) => isLooser === looser).map(({ isLooser: _isLooser, ...record }) => record);
  const policy: Policy = {
    ...base,
    ...Object.fromEntries(rules.filter(({ isLooser }) => !isLooser).map(({ what }) => [what, head[what]])),
    ...(thresholds.some(({ isLooser }) => !isLooser) && { orStricter: head.thresholds }),
    budgets: withStricter(base.budgets, head.budgets, BUDGETS),
    drift: withStricter(base.drift, head.drift, DRIFT),
    accepted: stillAccepted(base.accepted, head.accepted),
  };
  const pending = recordsOf(true);
  const proposed = pending.length === 0 ? {} : { proposed: head };
  return { policy, rules: { pending, applied: recordsOf(false), ...proposed } };
}

interface ComparedSuite extends Pick<Suite, 'name' | 'services'> {
  readonly operations: readonly { readonly name: string }[];
  readonly tiers: readonly { readonly name: string }[];
}

interface Change extends PolicyChangeRecord {
  /** True if something can pass that failed before. */
  readonly isLooser: boolean;
}

/** Strictness of each rule: the larger, the stricter. */
const RULES = {
  alpha: ({ alpha }: Policy) => alpha,
  floor: ({ floor }: Policy) => -floor,
  proof: ({ proof }: Policy) => ['strict', 'usual'].indexOf(proof),
  inconclusive: ({ inconclusive }: Policy) => ['pass', 'warn', 'fail'].indexOf(inconclusive),
  answers: ({ answers }: Policy) => ['ignore', 'warn', 'fail'].indexOf(answers),
};

function ruleChanges(base: Policy, head: Policy) {
  const text = (value: string | number): string => (typeof value === 'number' ? percent(value) : value);
  return (Object.keys(RULES) as (keyof typeof RULES)[]).flatMap((what) => {
    const [before, now] = [RULES[what](base), RULES[what](head)];
    return now === before ? [] : [{ what, from: text(base[what]), to: text(head[what]), isLooser: now < before }];
  });
}

function thresholdChanges(base: Policy, head: Policy, suite: ComparedSuite): readonly Change[] {
  const groups = new Map<string, { readonly change: Change; readonly cells: CellKey[] }>();
  const all = comparisonsOf(suite);
  for (const { cell, metric, gate } of all) {
    const [before, after] = [base, head].map((policy) =>
      isGate(policy, { cell, metric }, gate) ? thresholdOf(policy, { cell, metric }) : Number.POSITIVE_INFINITY,
    );
    if (before !== undefined && after !== undefined && before !== after) {
      const [from, to] = [limitText(before), limitText(after)];
      const key = JSON.stringify([metric, from, to]);
      const group = groups.get(key) ?? { change: { metric, what: '', from, to, isLooser: after > before }, cells: [] };
      groups.set(key, group);
      group.cells.push(cell);
    }
  }
  return [...groups.values()].map(({ change, cells }) => {
    const { metric } = change;
    const whole = all.filter((one) => one.metric === metric).map(({ cell }) => cell);
    return { ...change, what: whereOf(cells, whole) };
  });
}

function limitText(threshold: number): string {
  return threshold === Number.POSITIVE_INFINITY ? 'not gating' : percent(threshold);
}

function percent(share: number): string {
  return `${Number((share * 100).toPrecision(6))}%`;
}

/** Comparisons of a suite, and whether each may fail by default. */
function comparisonsOf({ name: suite, services, operations, tiers }: ComparedSuite) {
  const all = [ALL_OPERATIONS, ...operations.map(({ name }) => name)];
  return services.flatMap((service) =>
    all.flatMap((operation) => [
      ...[SATURATION, ALL_TIERS, ...tiers.map(({ name }) => name)].flatMap((tier) => {
        const cell = { suite, service, operation, tier };
        return rowsOf(cell).map(({ metric, gate }) => ({ cell, metric, gate }));
      }),
      ...METRIC_NAMES.filter(isCounted).map((metric) => ({
        cell: { suite, service, operation, tier: ALL_TIERS },
        metric,
        gate: true,
      })),
    ]),
  );
}

/** Place of a comparison, unless it is everywhere: "at saturation of shop". */
function whereOf(some: readonly CellKey[], whole: readonly CellKey[]): string {
  const part = (key: 'tier' | 'operation' | 'service', before: string): readonly string[] => {
    const names = new Set(some.map((cell) => cell[key]));
    const rest = new Set(whole.map((cell) => cell[key]).filter((name) => !names.has(name)));
    if (rest.size === 0) {
      return [];
    }
    const isTiers = key === 'tier' && rest.size === 1 && rest.has(SATURATION);
    return [`${before} ${isTiers ? 'tiers' : [...names].join(', ')}`];
  };
  const isOfSome = some.every(({ operation }) => operation !== ALL_OPERATIONS);
  return [...part('tier', 'at'), ...(isOfSome ? part('operation', 'for') : []), ...part('service', 'of')].join(' ');
}

interface LimitLine extends PolicyPlace {
  readonly metric: string;
}

interface LimitKind<Line extends LimitLine> {
  readonly what: string;
  readonly text: (line: Line) => string;
  /** True if the first line forbids something that the second does not. */
  readonly isStricter: (one: Line, other: Line) => boolean;
  /** True if an additional line permits something. */
  readonly permits: boolean;
}

const isHigherBetter = (metric: string) =>
  METRIC_NAMES.some((name) => name === metric && METRICS[name].better === 'higher');

const BUDGETS: LimitKind<Policy['budgets'][number]> = {
  what: 'budget',
  text: ({ limit }) => String(limit),
  isStricter: (one, other) => (isHigherBetter(one.metric) ? one.limit > other.limit : one.limit < other.limit),
  permits: false,
};

const DRIFT: LimitKind<Policy['drift'][number]> = {
  what: 'drift',
  text: ({ limit }) => percent(limit),
  isStricter: (one, other) => one.limit < other.limit,
  permits: false,
};

const ACCEPTED: LimitKind<Policy['accepted'][number]> = {
  what: 'accepted',
  text: ({ upTo, until }) => `up to ${percent(upTo)} until ${until}`,
  isStricter: (one, other) => one.upTo < other.upTo || one.until < other.until,
  permits: true,
};

function isAlike(one: LimitLine, other: LimitLine): boolean {
  return placeText(one) === placeText(other) && one.metric === other.metric;
}

function placeText({ service, operation, tier }: PolicyPlace): string {
  const parts = [operation && `for ${operation}`, tier && `at ${tier}`, service && `of ${service}`];
  return parts.filter((part) => part !== undefined && part !== '').join(' ');
}

function limitChanges<Line extends LimitLine>(
  base: readonly Line[],
  head: readonly Line[],
  { what, text, isStricter, permits }: LimitKind<Line>,
): readonly Change[] {
  const named = (line: Line) => ({ metric: line.metric, what: [what, placeText(line)].join(' ').trim() });
  const gone = base.filter((line) => !head.some((one) => isAlike(one, line)));
  const changed = head.flatMap((line): readonly Change[] => {
    const before = base.filter((one) => isAlike(one, line));
    const [first] = before;
    if (first === undefined) {
      return [{ ...named(line), from: 'none', to: text(line), isLooser: permits }];
    }
    return before.some((one) => text(one) === text(line))
      ? []
      : [{ ...named(line), from: text(first), to: text(line), isLooser: isStricter(first, line) }];
  });
  return [...gone.map((line) => ({ ...named(line), from: text(line), to: 'none', isLooser: !permits })), ...changed];
}

/** Lines of the base, and those of the head that are new or stricter. */
function withStricter<Line extends LimitLine>(
  base: readonly Line[],
  head: readonly Line[],
  { isStricter }: LimitKind<Line>,
): Line[] {
  const stricter = head.filter((line) =>
    base.filter((one) => isAlike(one, line)).every((one) => isStricter(line, one)),
  );
  return [...base.filter((line) => !stricter.some((one) => isAlike(one, line))), ...stricter];
}

function stillAccepted(base: Policy['accepted'], head: Policy['accepted']): Policy['accepted'] {
  return base.flatMap((line) => {
    const own = head.filter((one) => isAlike(one, line));
    const upTo = Math.min(line.upTo, Math.max(...own.map((one) => one.upTo)));
    // ISO dates compare as strings.
    const until = own.every((one) => one.until < line.until)
      ? own
          .map((one) => one.until)
          .sort()
          .at(-1)
      : line.until;
    return until === undefined ? [] : [{ ...line, upTo, until }];
  });
}
