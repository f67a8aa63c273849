/** A day of UTC, or a moment with its zone: without one a time would be another on every machine. */
const ZONED = /^(\d{4}-\d\d-\d\d)(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)? ?(?:Z|[+-]\d\d:?\d\d))?$/;

/** A time in the one form of the history, 2026-11-21T10:00:00.000Z; undefined for what is no time of these millennia or lacks a zone. */
export function timeText(time: string | number): string | undefined {
  const date = new Date(time);
  if (Number.isNaN(date.getTime()) || (typeof time === 'string' && !isZoned(time))) {
    return undefined;
  }
  const text = date.toISOString();
  return text.length === '2026-11-21T10:00:00.000Z'.length ? text : undefined;
}

/** A 31 February would be read as one of March. */
function isZoned(time: string): boolean {
  const [, day] = ZONED.exec(time) ?? [];
  return day !== undefined && new Date(day).toISOString().startsWith(day);
}
