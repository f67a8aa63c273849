import { mean, median } from '../foundation/index.ts';
import {
  ALL_OPERATIONS,
  ALL_TIERS,
  type CellKey,
  COUNTED,
  type CountedStart,
  countedWindows,
  isGate,
  METRICS,
  type Policy,
  type RunInRounds,
  type Side,
  thresholdOf,
} from '../model/index.ts';
import { normalQuantile, studentQuantile, studentTail } from './inference/distributions.ts';
import type { AcceptedRegression, Finding, FindingFigures, Lost } from './verdict/finding.ts';
import { noiseLevel } from './verdict/findings.ts';

type CountedMetric = (typeof COUNTED)[number];

/** A start says how a service varies only beside another one. */
const FEWEST_STARTS = 2;

/**
 * Two checkouts of one commit differ by as much, in every start alike: by the lengths of their paths, where tables of hashes
 * and stacks come to lie. No change below it is one.
 */
const CHECKOUT = 0.001;

/** A finding before it is known what is accepted. */
type CountedFinding = Exclude<Finding, AcceptedRegression>;

/**
 * What the counts of instructions and system calls say of head against base: a finding for the whole of each service that was counted
 * in both versions, and for each of its operations. The counts hardly scatter, so a rule of their own judges them: docs/instructions.md.
 */
export function countedFindings(run: RunInRounds, policy: Policy): readonly CountedFinding[] {
  const starts = run.instructions?.starts ?? [];
  const figures = servicesIn(starts).flatMap((service) =>
    figuresOf(
      run,
      starts.filter((start) => start.service === service),
    ),
  );
  return figures.map((figure) => findingOf(figure, { policy, alpha: policy.alpha / figures.length }));
}

/** Of one service; without those that had too few starts, or counted nothing in a window. */
function figuresOf(run: RunInRounds, starts: readonly CountedStart[]): readonly Figure[] {
  const names = [...new Set(starts.flatMap(({ operations }) => operations.map(({ operation }) => operation)))];
  const cellOf = (operation: string) => {
    return { suite: run.suite.name, service: starts[0]?.service ?? '', operation, tier: ALL_TIERS };
  };
  // A single operation is the whole.
  return [ALL_OPERATIONS, ...(names.length > 1 ? names : [])].flatMap((operation) =>
    COUNTED.flatMap((metric) => {
      const windows = (side: Side) => windowsOf(run, sideOf(starts, side), { operation, metric });
      const figure = { cell: cellOf(operation), metric, base: windows('base'), head: windows('head') };
      return [figure.base, figure.head].every(isTelling) ? [figure] : [];
    }),
  );
}

function isTelling(starts: Windows): boolean {
  const isCounted = (windows: readonly number[]) => windows.length > 1 && windows.every((count) => count > 0);
  return starts.length >= FEWEST_STARTS && starts.every(isCounted);
}

/** Services that were to be counted and were not, in one version or in both. */
export function uncountedServices(run: RunInRounds): readonly Lost[] {
  const { starts = [], failures = [] } = run.instructions ?? {};
  const names = [...new Set(failures.map(({ service }) => service))];
  return names.flatMap((service) => {
    const own = starts.filter((start) => start.service === service);
    const isCounted = (['base', 'head'] as const).every((side) => sideOf(own, side).length >= FEWEST_STARTS);
    const failure = failures.filter((one) => one.service === service).at(-1);
    if (isCounted || failure === undefined) {
      return [];
    }
    const cell = { suite: run.suite.name, service, operation: ALL_OPERATIONS, tier: ALL_TIERS };
    const { side, message, brief = message, printed, next } = failure;
    return {
      cell,
      metric: 'instructionsPerRequest',
      reason: 'missing' as const,
      detail: `${side} could not be counted: ${brief}`,
      ...(printed !== undefined && { printed }),
      ...(next !== undefined && { next }),
      takes: [{ cell, metric: 'instructionsPerRequest', gate: true }],
    };
  });
}

/** What a reader must know of the counts: of which starts no windows agreed. */
export function notesOnCounts({ instructions }: RunInRounds): readonly string[] {
  const cold = (instructions?.starts ?? []).filter(({ warmFrom }) => warmFrom === undefined);
  return servicesIn(cold).map(
    (service) =>
      `${service} did not come to a steady number of instructions per request: its last windows count, and they may hold some of its warm-up.`,
  );
}

function servicesIn(starts: readonly CountedStart[]): readonly string[] {
  return [...new Set(starts.map(({ service }) => service))];
}

function sideOf(starts: readonly CountedStart[], side: Side): readonly CountedStart[] {
  return starts.filter((start) => start.side === side);
}

/** The counts per request of the windows that count, by start. */
type Windows = readonly (readonly number[])[];

function windowsOf(
  { suite }: RunInRounds,
  starts: readonly CountedStart[],
  { operation, metric }: { readonly operation: string; readonly metric: CountedMetric },
): Windows {
  return starts.map((start) => {
    const parts = start.operations
      .filter((one) => operation === ALL_OPERATIONS || one.operation === operation)
      .map((one) => {
        const share = suite.operations.find(({ name }) => name === one.operation)?.share ?? 0;
        const { instructions, syscalls } = countedWindows(start, one);
        const counts = metric === 'instructionsPerRequest' ? instructions : syscalls;
        return { share, perRequest: counts.map((count) => count / one.requests) };
      });
    const whole = parts.reduce((sum, { share }) => sum + share, 0);
    const windows = Math.min(...parts.map(({ perRequest }) => perRequest.length));
    return Array.from({ length: Math.max(0, windows) }, (_, window) =>
      parts.reduce((sum, { share, perRequest }) => sum + (share / whole) * (perRequest[window] ?? 0), 0),
    );
  });
}

/** One figure of both versions. */
interface Figure {
  readonly cell: CellKey;
  readonly metric: CountedMetric;
  readonly base: Windows;
  readonly head: Windows;
}

interface Rule {
  readonly policy: Policy;
  /** Of the error that the policy allows, the share of one figure. */
  readonly alpha: number;
}

function findingOf({ base, head, ...name }: Figure, { policy, alpha }: Rule): CountedFinding {
  const threshold = thresholdOf(policy, name);
  const limit = Math.log1p(threshold);
  const shift = shiftOf({ base: base.map(logarithms), head: head.map(logarithms) }, alpha);
  const { estimate, needed, half, error, spread, p } = shift;
  const figures: FindingFigures = {
    ...name,
    better: METRICS[name.metric].better,
    family: isGate(policy, name, true) ? 'gate' : 'watch',
    base: figureOf(base),
    head: figureOf(head),
    change: { estimate: Math.expm1(estimate), low: Math.expm1(estimate - half), high: Math.expm1(estimate + half) },
    threshold,
    noise: { level: noiseLevel(spread), sd: spread },
    detectable: Math.expm1(Math.max(limit, needed) + normalQuantile(0.9) * error),
    rounds: Math.min(base.length, head.length),
    adjustedP: p,
  };
  const verdict = verdictOf(estimate, needed, limit);
  // Nobody waits for more starts: what noise hides is said, and the outcome is left to the rest.
  return verdict === 'inconclusive'
    ? { ...figures, verdict, reason: 'not-seen', moreRounds: undefined, family: 'watch' }
    : { ...figures, verdict };
}

function verdictOf(estimate: number, needed: number, limit: number) {
  if (estimate >= limit && estimate >= needed) {
    return 'regressed';
  }
  if (estimate <= -limit && -estimate >= needed) {
    return 'improved';
  }
  if (needed > limit) {
    return 'inconclusive';
  }
  return estimate >= needed ? 'slower-within-limit' : 'unchanged';
}

function logarithms(windows: readonly number[]): readonly number[] {
  return windows.map(Math.log);
}

function figureOf(starts: Windows): number {
  return mean(starts.map(middleOf)) ?? 0;
}

interface Shift {
  /** log(head / base). */
  readonly estimate: number;
  /** From which estimate on head is worse for sure. */
  readonly needed: number;
  /** How far the 95 % interval goes to each side. */
  readonly half: number;
  /** The standard error of the estimate. */
  readonly error: number;
  /** The standard deviation that the error is made of. */
  readonly spread: number;
  /** For "head is worse by more than two checkouts differ". */
  readonly p: number;
}

/**
 * The median of its windows stands for a start, and the mean of its starts for a version. How sure that is follows from the scatter of
 * the starts, as if each were one figure, or from that of the windows within the starts, whichever says less.
 */
function shiftOf({ base, head }: Pick<Figure, 'base' | 'head'>, alpha: number): Shift {
  const starts = { base: base.map(middleOf), head: head.map(middleOf) };
  const estimate = (mean(starts.head) ?? 0) - (mean(starts.base) ?? 0);
  const scatters = [
    scatterIn([starts.base, starts.head], [base.length, head.length]),
    scatterIn([...base, ...head], [base.flat().length, head.flat().length]),
  ];
  const shifts = scatters.map(({ spread, error, freedom }) => ({
    estimate,
    needed: CHECKOUT + studentQuantile(1 - alpha, freedom) * error,
    half: CHECKOUT + studentQuantile(0.975, freedom) * error,
    error,
    spread,
    p: error === 0 ? Number(estimate <= CHECKOUT) : studentTail((estimate - CHECKOUT) / error, freedom),
  }));
  return shifts.reduce((left, right) => (right.needed > left.needed ? right : left));
}

function middleOf(windows: readonly number[]): number {
  return median(windows) ?? 0;
}

/** The standard deviation within groups, and the error of the difference of two means of so many values. */
function scatterIn(groups: readonly (readonly number[])[], sizes: readonly number[]) {
  const freedom = groups.reduce((sum, { length }) => sum + length - 1, 0);
  const squares = groups.reduce((sum, group) => sum + squaresOf(group), 0);
  const spread = Math.sqrt(squares / freedom);
  return { freedom, spread, error: spread * Math.sqrt(sizes.reduce((sum, size) => sum + 1 / size, 0)) };
}

function squaresOf(group: readonly number[]): number {
  const centre = mean(group) ?? 0;
  return group.reduce((sum, value) => sum + (value - centre) ** 2, 0);
}
