import type { ToolLoad } from '../model/load.ts';

/**
 * How much longer than planned a tool may send. Both tools send their last requests exactly when the time is up, so
 * that a delay of a millisecond there would lose them. What the slack adds is due after the part's end, and outside
 * of every measured window.
 */
export const SCHEDULE_SLACK_MS = 50;

const START_AND_REPORT_SECONDS = 15;

/** After so many seconds a tool has hung: its time, the wait for the last answers, its start and its own report. */
export function loadLimitSeconds(load: ToolLoad): number {
  return load.seconds + load.timeoutSeconds + START_AND_REPORT_SECONDS;
}
