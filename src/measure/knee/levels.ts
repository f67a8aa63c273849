import type { Step } from './step.ts';

/** What the steps at one rate say of it. */
export interface RateLevel {
  readonly rate: number;
  readonly steps: readonly Step[];
  /** Steps that held it, and those that did not; the load tool at its limit did not. */
  readonly held: number;
  readonly failed: number;
}

/** The rates that were played, the lowest first. */
export function rateLevels(steps: readonly Step[]): readonly RateLevel[] {
  const byRate = new Map<number, Step[]>();
  for (const step of steps) {
    if (step.ratePerSecond !== undefined) {
      byRate.set(step.ratePerSecond, [...(byRate.get(step.ratePerSecond) ?? []), step]);
    }
  }
  return [...byRate]
    .map(([rate, own]) => {
      const held = own.filter(({ verdict }) => verdict === 'held').length;
      return { rate, steps: own, held, failed: own.length - held };
    })
    .sort((left, right) => left.rate - right.rate);
}

/** Whether all that is known of a rate is that the load tool was at its limit. */
export function isToolsOnly({ steps }: RateLevel): boolean {
  return steps.every(({ verdict }) => verdict === 'tool-limited');
}

/** A held rate and the next one above it that is not. */
export interface Gap {
  readonly held: RateLevel | undefined;
  readonly failed: RateLevel | undefined;
}

/** By the majority of each rate's steps: the lowest rate that is not held, and the highest below it that is. */
export function gapOf(levels: readonly RateLevel[]): Gap {
  const failed = levels.find((level) => level.failed >= level.held);
  const below = levels.filter(({ rate }) => failed === undefined || rate < failed.rate);
  return { held: below.at(-1), failed };
}
