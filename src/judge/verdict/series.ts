import type { Paired } from '../inference/family-test.ts';
import type { Compared } from './finding.ts';

/** A comparison as logarithms, up is worse whichever way its metric is better. */
export interface LogComparison {
  readonly compared: Compared;
  readonly base: readonly (number | undefined)[];
  readonly head: readonly (number | undefined)[];
  /** log(head / base) of the rounds that have both. */
  readonly differences: readonly number[];
}

/** The logarithms of a comparison whose values all have one. */
export function logComparison(compared: Compared): LogComparison {
  const sign = compared.better === 'lower' ? 1 : -1;
  const logarithm = (value: number | undefined) => (value === undefined ? undefined : sign * Math.log(value));
  const [base, head] = [compared.base.map(logarithm), compared.head.map(logarithm)];
  const differences = base.flatMap((before, round) => {
    const now = head[round];
    return before === undefined || now === undefined ? [] : [now - before];
  });
  return { compared, base, head, differences };
}

/** The first so many rounds, for the test of a family. */
export function pairedOf({ base, head }: LogComparison, rounds: number): Paired {
  return { base: resized(base, rounds), head: resized(head, rounds) };
}

/** The same with worse and better exchanged. */
export function mirrored({ base, head }: Paired): Paired {
  const turned = (value: number | undefined) => (value === undefined ? undefined : -value);
  return { base: base.map(turned), head: head.map(turned) };
}

function resized(values: readonly (number | undefined)[], length: number): readonly (number | undefined)[] {
  return Array.from({ length }, (_, round) => values[round]);
}

/** The relative change of the metric itself that a shift of the logarithms is: -0.04 of a rate is 4 % fewer. */
export function changeOfShift({ better }: Pick<Compared, 'better'>, shift: number): number {
  // The sum makes a plain zero of a negative one.
  return Math.expm1(better === 'lower' ? shift : -shift) + 0;
}

/** How much worse a relative change of the metric is: the same for a latency, 1 / (1 + change) - 1 for a rate. */
export function worseness({ better }: Pick<Compared, 'better'>, change: number): number {
  return better === 'lower' ? change : -change / (1 + change);
}
