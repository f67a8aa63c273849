import { mapIn } from '../../config/yaml/lines.ts';
import { plainLines, plainText } from '../../foundation/text.ts';
import { LONGEST_TEXT } from '../store/fields.ts';
import { type LeftOut, numberIn, short } from './results.ts';
import { type Direction, directionOf } from './units.ts';

/** Figure of another tool in the format of github-action-benchmark, with texts safe to display. */
export interface GabBench {
  readonly name: string;
  /** Empty if the file has none. */
  readonly unit: string;
  /** null if the value is not finite, which JSON cannot represent. */
  readonly value: number | null;
  readonly range?: string;
  readonly extra?: string;
}

/** Figures in a list of github-action-benchmark. Its files are not validated elsewhere, so invalid entries are returned with the reason. */
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

export const SMALLER = 'customSmallerIsBetter';

export const BIGGER = 'customBiggerIsBetter';

/** Better direction of a figure: by the tool if its name gives one, else by the unit. */
export function gabDirection(tool: string, unit: string): Direction {
  if (tool === SMALLER || tool === BIGGER) {
    return tool === BIGGER ? 'higher' : 'lower';
  }
  // Older versions kept all columns of Go in the unit: "ns/op\t 328 B/op".
  return directionOf(unit.split(/\t| {2,}/, 1)[0] ?? '');
}
