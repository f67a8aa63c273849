import type { ComparisonResult } from './finding.ts';

/** Digits of every number: more than the noise allows, and few enough to be the same on every machine. */
const DIGITS = 6;

/** A comparison's result as JSON text; equal results give equal text. */
export function formatComparison(result: ComparisonResult): string {
  const rounded = (_key: string, value: unknown) =>
    typeof value === 'number' ? Number(value.toPrecision(DIGITS)) : value;
  return `${JSON.stringify(result, rounded, 2)}\n`;
}
