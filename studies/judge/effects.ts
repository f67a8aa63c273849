import type { StudyEvidence, Times } from '../../src/judge/study/versus.ts';
import type { MetricName } from '../../src/model/metric.ts';
import { cellWith, type DesignCell, type FactorialDesign, type FactorStep, isSame, stepOf } from './design.ts';
import { toReference } from './findings.ts';
import { slotFigure } from './slots.ts';

export interface FigurePlace {
  readonly tier: string;
  readonly metric: MetricName;
}

export interface Effect {
  readonly times: Times;
  readonly by: 'rounds' | 'slots';
  /** Number of measured steps. */
  readonly measured: number;
}

/** One combination of levels against another, and the contribution of each part of the difference. */
export interface LeadReading {
  readonly own: string;
  readonly against: string;
  readonly whole: Effect;
  /** Their product is the whole; empty if no path between the two was measured step by step. */
  readonly parts: readonly { readonly name: string; readonly factors: readonly string[]; readonly effect: Effect }[];
}

/**
 * Geometric mean of the effect of each measured step on a value; by rounds or by slots, whichever measured more of them, and by rounds if both
 * measured the same number. Undefined if none was.
 */
export function effectOf(
  steps: readonly FactorStep[],
  place: FigurePlace,
  evidence: StudyEvidence,
): Effect | undefined {
  const found = KINDS.flatMap((by) => {
    const figures = figuresBy(by, place, evidence);
    const known = steps.filter((step) => isMeasured(step, figures));
    return known.length === 0
      ? []
      : [
          together(
            known.map((step) => ({ step, weight: 1 / known.length })),
            { by, figures },
          ),
        ];
  });
  return found.toSorted((left, right) => right.measured - left.measured)[0];
}

/**
 * Decomposed lead of the design at a place. A path from one combination of levels to the other changes one part of the lead at a time; a part
 * contributes the effect of its step, so the product of the steps of a path is the whole. If the factors interact, the contribution of a part depends
 * on the order, so it is the geometric mean over all orders in which each service on the path was measured, like Shapley's value (A Value for
 * n-Person Games, 1953), which uses all orders. Undefined if the two were not measured, or the design has no lead.
 */
export function leadAt(design: FactorialDesign, place: FigurePlace, evidence: StudyEvidence): LeadReading | undefined {
  const { lead, cells } = design;
  const of = lead && cellWith(lead.of, cells);
  const from = lead && cellWith(lead.against, cells);
  const step = of && from && { own: of.service, against: from.service };
  const whole = step && effectOf([step], place, evidence);
  if (lead === undefined || of === undefined || from === undefined || whole === undefined) {
    return undefined;
  }
  const figures = figuresBy(whole.by, place, evidence);
  const known = cells.filter(({ service }) => isMeasured({ own: service, against: from.service }, figures));
  const changes = lead.parts.map(({ factors }) =>
    factors.map((name) => design.factors.findIndex((one) => one.name === name)),
  );
  const ways = waysBetween(from, of, { changes, cells: known });
  const parts = lead.parts.map(({ name, factors }, part) => {
    const own = ways.flat().filter((one) => one.part === part);
    const terms = own.map((one) => ({ step: stepOf(one), weight: 1 / ways.length }));
    return { name, factors, effect: together(terms, { by: whole.by, figures }) };
  });
  return { own: of.service, against: from.service, whole, parts: ways.length === 0 ? [] : parts };
}

interface WayStep extends FactorStep {
  /** Part of the lead. */
  readonly part: number;
}

interface WayMap {
  /** Factors that each part of the lead changes. */
  readonly changes: readonly (readonly number[])[];
  readonly cells: FactorialDesign['cells'];
}

/** Every order in which the parts lead from one cell to the other, through existing cells. */
function waysBetween(from: DesignCell, to: DesignCell, map: WayMap): readonly (readonly WayStep[])[] {
  if (isSame(from.levels, to.levels)) {
    return [[]];
  }
  return map.changes.flatMap((places, part) => {
    const levels = from.levels.map((level, place) => (places.includes(place) ? (to.levels[place] ?? level) : level));
    const next = isSame(levels, from.levels) ? undefined : cellWith(levels, map.cells);
    return next === undefined
      ? []
      : waysBetween(next, to, map).map((rest) => [{ part, own: next.service, against: from.service }, ...rest]);
  });
}

const KINDS = ['rounds', 'slots'] as const;

type Figures = (service: string) => { readonly times: Times; readonly reference: string } | undefined;

/** Rounds without an interval count only if there are no slots, as in a finding. */
function figuresBy(by: Effect['by'], place: FigurePlace, { paired, slots }: StudyEvidence): Figures {
  return (service) => {
    if (by === 'slots') {
      const times = slots && slotFigure({ service, ...place }, slots);
      return times && { times, reference: '' };
    }
    const found = paired && toReference(service, { service, ...place }, paired);
    return found === undefined || (found.times.low === undefined && slots !== undefined) ? undefined : found;
  };
}

/** Figures of rounds are comparable only as multiples of the same reference. */
function isMeasured({ own, against }: FactorStep, figures: Figures): boolean {
  const [left, right] = [figures(own), figures(against)];
  return left !== undefined && right !== undefined && left.reference === right.reference;
}

/** Smaller than any combined weight of steps. */
const NO_WEIGHT = 1e-9;

/** Weighted steps as one effect: a service that several of them share counts once, with its weights added up. */
function together(
  terms: readonly { readonly step: FactorStep; readonly weight: number }[],
  { by, figures }: { readonly by: Effect['by']; readonly figures: Figures },
): Effect {
  const weights = new Map<string, number>();
  for (const { step, weight } of terms) {
    weights.set(step.own, (weights.get(step.own) ?? 0) + weight);
    weights.set(step.against, (weights.get(step.against) ?? 0) - weight);
  }
  const parts = [...weights].flatMap(([service, weight]) => {
    const figure = figures(service);
    return figure === undefined || Math.abs(weight) < NO_WEIGHT ? [] : [{ weight, times: figure.times }];
  });
  return { times: weightedProduct(parts), by, measured: terms.length };
}

/**
 * Product of independent figures, each to the power of its weight, with an interval derived from theirs. With c the weights, t the logarithms of the
 * figures, and l and u those of the ends of their 95% intervals, the logarithm is sum(c t), and its 95% interval extends down by the root of sum((c t
 * - min(c l, c u))^2) and up by the root of sum((c t - max(c l, c u))^2): the method of variance estimates recovery (Zou, Huang and Zhang, A note on
 * confidence interval estimation for a linear function of binomial proportions, 2009). No interval if a figure has none.
 */
export function weightedProduct(parts: readonly { readonly weight: number; readonly times: Times }[]): Times {
  const terms = parts.map(({ weight, times: { times, low, high } }) => {
    const value = weight * Math.log(times);
    const ends =
      low === undefined || high === undefined ? undefined : [weight * Math.log(low), weight * Math.log(high)];
    return { value, down: ends && value - Math.min(...ends), up: ends && Math.max(...ends) - value };
  });
  const sum = terms.reduce((whole, { value }) => whole + value, 0);
  const rootOf = (sizes: readonly (number | undefined)[]): number | undefined =>
    sizes.reduce<number | undefined>(
      (root, size) => (root === undefined || size === undefined ? undefined : Math.hypot(root, size)),
      0,
    );
  const [down, up] = [rootOf(terms.map((term) => term.down)), rootOf(terms.map((term) => term.up))];
  return {
    times: Math.exp(sum),
    low: down === undefined ? undefined : Math.exp(sum - down),
    high: up === undefined ? undefined : Math.exp(sum + up),
  };
}
