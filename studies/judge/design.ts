import type { Run } from '../../src/model/run/run.ts';
import type { RuntimeName } from '../../src/model/service.ts';
import type { Factorial } from '../../src/model/suite/factorial.ts';

/** Services of a run that form a factorial design. */
export interface FactorialDesign extends Pick<Factorial, 'factors' | 'lead'> {
  /** Their runtime, in a run of both. */
  readonly runtime: RuntimeName | undefined;
  /** Services with one level for each factor. Of services with equal levels the first counts. */
  readonly cells: Factorial['services'];
}

export type DesignCell = Factorial['services'][number];

/** Two services that differ in one factor: the value of `own` as a multiple of that of `against`. */
export interface FactorStep {
  readonly own: string;
  readonly against: string;
}

/** A level instead of the first one of its factor, with all steps that show its effect. */
export interface FactorContrast {
  readonly factor: string;
  readonly from: string;
  readonly to: string;
  readonly steps: readonly FactorStep[];
  /** The same at each level of another factor. The other levels in the steps are the same at all of these levels. */
  readonly within: readonly {
    readonly factor: string;
    readonly level: string;
    readonly steps: readonly FactorStep[];
  }[];
}

/** Designs in a run: one, or one for each runtime; none with fewer than two services. */
export function designsIn({ suite, services }: Pick<Run, 'suite' | 'services'>): readonly FactorialDesign[] {
  const { factorial } = suite;
  if (factorial === undefined) {
    return [];
  }
  const { factors, lead } = factorial;
  return [...new Set(services.map(({ runtime }) => runtime))].flatMap((runtime) => {
    const names = services.filter((service) => service.runtime === runtime).map(({ name }) => name);
    const cells = factorial.services.filter(({ service }) => names.includes(service));
    return cells.length < 2 ? [] : [{ factors, lead, runtime, cells }];
  });
}

/**
 * Every level against the first one of its factor: the pairs of services that differ in nothing else. Combined they are the main effect of the level,
 * and those at one level of another factor its conditional effect there; if conditional effects differ, the factors interact (Box, Hunter and Hunter,
 * Statistics for Experimenters, 2nd edition, chapter 5). A design with holes has fewer pairs.
 */
export function contrastsOf({ factors, cells }: FactorialDesign): readonly FactorContrast[] {
  return factors.flatMap(({ name, levels: [from = '', ...others] }, place) =>
    others.flatMap((to) => {
      const pairs = cells.flatMap((cell) => pairOf(cell, place, from, to, cells));
      const within = factors.flatMap((other, at) => (at === place ? [] : conditional(pairs, { ...other, at, place })));
      return pairs.length === 0 ? [] : [{ factor: name, from, to, steps: pairs.map(stepOf), within }];
    }),
  );
}

interface Pair extends FactorStep {
  readonly levels: readonly string[];
}

function pairOf(
  { service, levels }: DesignCell,
  place: number,
  from: string,
  to: string,
  cells: FactorialDesign['cells'],
): readonly Pair[] {
  const partner = levels[place] === to ? cellWith(levels.with(place, from), cells) : undefined;
  return partner === undefined ? [] : [{ own: service, against: partner.service, levels }];
}

export function stepOf({ own, against }: FactorStep): FactorStep {
  return { own, against };
}

/** Service with these levels; undefined for a hole in the design. */
export function cellWith(levels: readonly string[], cells: FactorialDesign['cells']): DesignCell | undefined {
  return cells.find((cell) => isSame(cell.levels, levels));
}

export function isSame(left: readonly string[], right: readonly string[]): boolean {
  return left.length === right.length && left.every((level, place) => level === right[place]);
}

interface OtherFactor {
  readonly name: string;
  readonly levels: readonly string[];
  /** Indexes of the factor, and of the one in which the pairs differ. */
  readonly at: number;
  readonly place: number;
}

/** Pairs at each level of another factor, using only those with a counterpart at all of its levels that pairs have. */
function conditional(pairs: readonly Pair[], { name, levels, at, place }: OtherFactor): FactorContrast['within'] {
  const found = levels.filter((level) => pairs.some((pair) => pair.levels[at] === level));
  const restOf = (pair: Pair): string =>
    JSON.stringify(pair.levels.filter((_, index) => index !== at && index !== place));
  const common = (pair: Pair): boolean =>
    found.every((level) => pairs.some((other) => other.levels[at] === level && restOf(other) === restOf(pair)));
  const kept = pairs.filter(common);
  return found.length < 2 || kept.length === 0
    ? []
    : found.map((level) => ({
        factor: name,
        level,
        steps: kept.filter((pair) => pair.levels[at] === level).map(stepOf),
      }));
}
