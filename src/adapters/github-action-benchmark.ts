import { plainLines, plainText } from '../foundation/text.ts';
import { mapIn } from './json.ts';
import { type LeftOut, numberIn, short } from './results.ts';
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

const LONGEST_TEXT = 2000;

/** Figures in a list of github-action-benchmark, whose data.js or custom input file nothing else checks; the rest is left out by name. */
export function readBenches(list: readonly unknown[]) {
  const benches: GabBench[] = [];
  const leftOut: LeftOut[] = [];
  for (const [index, one] of list.entries()) {
    const { name, unit, value, range, extra } = mapIn(one);
    const read = value === null ? null : numberIn(value);
    if (typeof name !== 'string') {
      leftOut.push({ name: `figure ${index + 1}`, why: 'has no name', kind: 'unread' });
    } else if (typeof read === 'string') {
      leftOut.push({ name: short(name), why: short(read), kind: 'unread' });
    } else {
      benches.push({
        name: short(name),
        unit: typeof unit === 'string' ? short(unit) : '',
        value: read,
        ...(typeof range === 'string' && { range: plainText(range, LONGEST_TEXT) }),
        ...(typeof extra === 'string' && { extra: plainLines(extra, LONGEST_TEXT) }),
      });
    }
  }
  return { benches, leftOut } as const;
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
