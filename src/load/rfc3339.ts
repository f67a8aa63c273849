import { MeasurementError } from '../foundation/errors.ts';
import type { RecordTime } from './records-columns.ts';

/** A time as text in whole nanoseconds. */
export type ReadTime = (text: string) => RecordTime;

const FORM = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d)$/;
const SECOND_LENGTH = 19;

/**
 * Reads RFC 3339 times of any zone to the nanosecond, where JavaScript's own Date stops at the millisecond. Many times
 * of the same second come one after the other, so the last second is remembered.
 */
export function timeReader(): ReadTime {
  let lastSecond: string | undefined;
  let lastZone = '';
  let seconds = 0;
  return (text) => {
    if (lastSecond === undefined || !(text.startsWith(lastSecond) && text.endsWith(lastZone))) {
      seconds = secondsOf(text);
      lastSecond = text.slice(0, SECOND_LENGTH);
      lastZone = text.slice(text.endsWith('Z') ? -1 : -6);
    }
    return { seconds, nanoseconds: nanosecondsIn(text, text.length - lastZone.length) };
  };
}

/** The fraction of a second: a point and up to nine digits, or nothing at all. */
function nanosecondsIn(text: string, to: number): number {
  let nanoseconds = 0;
  let unit = 1e8;
  for (let at = SECOND_LENGTH + 1; at < to; at += 1) {
    const digit = text.charCodeAt(at) - 48;
    if (!(digit >= 0 && digit <= 9 && unit >= 1 && text[SECOND_LENGTH] === '.')) {
      throw malformedTime(text);
    }
    nanoseconds += digit * unit;
    unit /= 10;
  }
  return nanoseconds;
}

function secondsOf(text: string): number {
  const [, second, , zone] = FORM.exec(text) ?? [];
  const milliseconds = Date.parse(`${second}${zone}`);
  if (Number.isNaN(milliseconds)) {
    throw malformedTime(text);
  }
  return milliseconds / 1000;
}

function malformedTime(text: string): MeasurementError {
  return new MeasurementError(`A load tool's record has no time: ${JSON.stringify(text.slice(0, 40))}`, {
    next: 'Check that the pinned version of the tool ran (see tools/load).',
  });
}
