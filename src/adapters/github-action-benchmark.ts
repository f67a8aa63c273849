import { plainLines, plainText } from '../foundation/index.ts';
import { type LeftOut, numberIn, recordOf } from './tool-run.ts';
import { type Direction, directionOf } from './units.ts';

/** A figure of another tool as github-action-benchmark keeps it, its texts made harmless. */
export interface GabBench {
  readonly name: string;
  /** Empty if the file has none. */
  readonly unit: string;
  /** null if the other tool had none: JSON has no way to write what is not a number. */
  readonly value: number | null;
  readonly range?: string;
  readonly extra?: string;
}

const LONGEST_NAME = 400;

const LONGEST_TEXT = 2000;

/** Figures in a list of github-action-benchmark, whose data.js or custom input file nothing else checks; the rest is left out by name. */
export function readBenches(list: readonly unknown[]): {
  readonly benches: readonly GabBench[];
  readonly leftOut: readonly LeftOut[];
} {
  const benches: GabBench[] = [];
  const leftOut: LeftOut[] = [];
  for (const [index, one] of list.entries()) {
    const found = benchOf(recordOf(one) ?? {});
    if ('why' in found) {
      leftOut.push({
        name: found.name ?? `figure ${index + 1}`,
        why: plainText(found.why, LONGEST_NAME),
        kind: 'unread',
      });
    } else {
      benches.push(found);
    }
  }
  return { benches, leftOut };
}

function benchOf({ name, unit, value, range, extra }: Readonly<Record<string, unknown>>) {
  const own = typeof name === 'string' ? plainText(name, LONGEST_NAME) : undefined;
  const found = value === null ? null : numberIn(value);
  if (own === undefined || typeof found === 'string') {
    return { name: own, why: own === undefined ? 'has no name' : String(found) };
  }
  return {
    name: own,
    unit: typeof unit === 'string' ? plainText(unit, LONGEST_NAME) : '',
    value: found,
    ...(typeof range === 'string' && { range: plainText(range, LONGEST_TEXT) }),
    ...(typeof extra === 'string' && { extra: plainLines(extra, LONGEST_TEXT) }),
  };
}

/** Its tools for figures that somebody else measured, whose names say the direction. */
export const SMALLER = 'customSmallerIsBetter';

export const BIGGER = 'customBiggerIsBetter';

/** Which way a figure of one of its tools is better: by the name of the tool if that says it, else by the unit. */
export function gabDirection(tool: string, unit: string): Direction {
  if (tool === SMALLER || tool === BIGGER) {
    return tool === BIGGER ? 'higher' : 'lower';
  }
  // Of Go, older versions kept all that follows in the unit: "ns/op\t 328 B/op".
  return directionOf(unit.split(/\t| {2,}/, 1)[0] ?? '');
}
