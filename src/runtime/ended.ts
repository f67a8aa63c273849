import { MeasurementError } from '../foundation/errors.ts';
import { endOfText } from '../foundation/text.ts';
import { causeFirst } from '../model/secrets/printed.ts';

/** Unexpected end of a service, one of its members, or a need, as far as the runtime knows. */
export interface Ended {
  /** A listener was not started from here. */
  readonly of: 'process' | 'container' | 'listener';
  /** `lost`: the engine, or the cluster, no longer knows the container. */
  readonly kind?: 'out-of-memory' | 'lost' | undefined;
  readonly how: string;
  /** The last lines that it printed; empty if it printed nothing, left out if they do not explain the end. */
  readonly printed?: string;
}

/** End of a process by an exit code or a signal; `takenPort` is its port, if it printed that the port is in use. */
export function processEnd(cause: number | NodeJS.Signals, printed: string, takenPort?: number): Ended {
  const how = typeof cause === 'number' ? `it ended with exit code ${cause}` : `it was killed by ${cause}`;
  const why = takenPort === undefined ? '' : `, because port ${takenPort} was in use`;
  return { of: 'process', how: `${how}${why}`, printed };
}

const OUT_OF_MEMORY = 'ran out of memory (OOM)';

/** End of a process that Wiregauge stopped. */
export function processOverLimit(memoryMiB: number, limitMiB: number): Ended {
  const how = `it ${OUT_OF_MEMORY}: it was stopped when its memory reached ${Math.round(memoryMiB)} MiB, over the limit of ${limitMiB} MiB`;
  return { of: 'process', kind: 'out-of-memory', how };
}

const END_LINES = 5;

/** Observed end of a container, with the lines of its log that show the cause. */
export function containerEnd({
  name,
  exitCode,
  limitMiB,
  log,
}: {
  readonly name: string;
  readonly exitCode: number | 'out-of-memory';
  readonly limitMiB: number;
  readonly log: string;
}): Ended {
  const kind = exitCode === 'out-of-memory' ? exitCode : undefined;
  const how = kind
    ? `${OUT_OF_MEMORY}: it was killed at its limit of ${limitMiB} MiB`
    : `ended with exit code ${exitCode}`;
  return { of: 'container', kind, how: `${name} ${how}`, printed: causeFirst(log, END_LINES).join('\n') };
}

export function lostContainer(name: string, reason: string, holder = 'Docker engine'): Ended {
  return { of: 'container', kind: 'lost', how: `the ${holder} has lost ${name}: ${reason}` };
}

const KEPT_CHARACTERS = 8000;

const LINE_CHARACTERS = 20;

/** Last lines of the log of a container. */
export function endOfLog(log: string, lines: number): string {
  return endOfText(log.trimEnd(), Math.max(KEPT_CHARACTERS, lines * LINE_CHARACTERS));
}

/** The engine has lost a container: the engine was restarted, or the container removed. This is not the service's fault. */
export class EngineLost extends MeasurementError {
  static override readonly code = 'WG-202';
}

/** Advice for an end without information about the service. */
export const WHEN_LOST =
  'The engine or the cluster was restarted, or the container was removed or evicted. Measure again while all keep running.';

export interface NeedEnd {
  readonly name: string;
  readonly end: Ended;
  /** Set for a member. */
  readonly family?: 'members';
}

/** Name of a need or a member in messages: "db (needed by shop)", "api (member of shop)". */
export function needName({ name, family }: Pick<NeedEnd, 'name' | 'family'>, service: string): string {
  return `${name} (${family === 'members' ? 'member of' : 'needed by'} ${service})`;
}

/** End as one sentence for people, without a period. */
export function endSentence({ how, printed }: Ended): string {
  const words = printed === '' ? 'it printed nothing' : `its last output: ${printed}`;
  return printed === undefined ? how : `${how}; ${words}`;
}
