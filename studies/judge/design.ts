import type { Run } from '../../src/model/run/run.ts';
import type { RuntimeName } from '../../src/model/service.ts';
import type { Factorial } from '../../src/model/suite/factorial.ts';

/** The services of a run that make a factorial design. */
export interface FactorialDesign extends Pick<Factorial, 'factors' | 'lead'> {
  /** Where they ran, in a run of both runtimes. */
  readonly runtime: RuntimeName | undefined;
  /** With one level for each factor. Of services with the same levels the first counts. */
  readonly cells: Factorial['services'];
}

/** A service with its levels. */
export type DesignCell = Factorial['services'][number];

/** Two services that differ in one factor: what `own` has as a multiple of what `against` has. */
export interface FactorStep {
  readonly own: string;
  readonly against: string;
}

/** A level in the place of the first one of its factor, with everything that shows what that makes. */
export interface FactorContrast {
  readonly factor: string;
  readonly from: string;
  readonly to: string;
  readonly steps: readonly FactorStep[];
  /** The same at each level of another factor. What else the services of the steps have is the same at all of these levels. */
  readonly within: readonly {
    readonly factor: string;
    readonly level: string;
    readonly steps: readonly FactorStep[];
  }[];
}

/** The designs in a run: one, or one for each runtime; none with fewer than two services. */
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
 * Every level against the first one of its factor: the pairs of services that differ in nothing else. Put together they are the main effect of
 * the level, and those at one level of another factor its conditional effect there; if conditional effects differ, the factors interact
 * (Box, Hunter and Hunter, Statistics for Experimenters, 2nd edition, chapter 5). A design with holes has fewer pairs.
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

/** The services of a step alone. */
export function stepOf({ own, against }: FactorStep): FactorStep {
  return { own, against };
}

/** The service with these levels; undefined for a hole in the design. */
export function cellWith(levels: readonly string[], cells: FactorialDesign['cells']): DesignCell | undefined {
  return cells.find((cell) => isSame(cell.levels, levels));
}

/** True if both have the same levels. */
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

/** The pairs at each level of another factor, of those alone that have a twin at all of its levels that pairs have. */
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
