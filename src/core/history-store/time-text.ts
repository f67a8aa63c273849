/** A time in the one form of the history, 2026-11-21T10:00:00.000Z; undefined for what is no time of these millennia. */
export function timeText(time: string | number): string | undefined {
  const date = new Date(time);
  if (Number.isNaN(date.getTime())) {
    return undefined;
  }
  const text = date.toISOString();
  return text.length === '2026-11-21T10:00:00.000Z'.length ? text : undefined;
}
