import { MeasurementError } from '../foundation/errors.ts';
import { endOfText } from '../foundation/text.ts';
import { causeFirst } from '../model/secrets/printed.ts';

/** Unexpected end of a service, one of its members, or a need, as far as the runtime knows. */
export type Ended = ProcessEnd | ContainerEnd | ListenerEnd;

export type ProcessEnd = { readonly of: 'process' } & (OverLimit | (ProcessExit & ProcessWords));

/** Wiregauge ended it when its memory exceeded the limit; its output is left out then. */
interface OverLimit {
  readonly kind: 'out-of-memory';
  readonly limitMiB: number;
  /** Memory in use. */
  readonly memoryMiB: number;
}

type ProcessExit =
  | { readonly kind: 'exit'; readonly code: number }
  | { readonly kind: 'signal'; readonly signal: NodeJS.Signals };

interface ProcessWords {
  /** Last lines that it printed, as one; empty without output. */
  readonly printed: string;
  /** Port that it should have listened on, if it printed that the port is in use. */
  readonly takenPort?: number | undefined;
}

export type ContainerEnd = { readonly of: 'container'; readonly name: string } & (
  | (ContainerExit & { readonly printed: string })
  // The engine, or the cluster, no longer has the container, for this reason.
  | { readonly kind: 'unknown'; readonly reason: string; readonly place?: 'cluster' }
);

/** The engine ends a program that exceeds its memory limit, and reports a signal as an exit code. */
type ContainerExit =
  | { readonly kind: 'out-of-memory'; readonly limitMiB: number }
  | { readonly kind: 'exit'; readonly code: number };

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
}): ContainerEnd {
  const printed = causeFirst(log, END_LINES).join('\n');
  return exitCode === 'out-of-memory'
    ? { of: 'container', name, kind: exitCode, limitMiB, printed }
    : { of: 'container', name, kind: 'exit', code: exitCode, printed };
}

const KEPT_CHARACTERS = 8000;

const LINE_CHARACTERS = 20;

/** Last lines of the log of a container. */
export function endOfLog(log: string, lines: number): string {
  return endOfText(log.trimEnd(), Math.max(KEPT_CHARACTERS, lines * LINE_CHARACTERS));
}

/** End of a program that listened at an address and was not started from here: only its disappearance is visible. */
interface ListenerEnd {
  readonly of: 'listener';
  readonly kind: 'unknown';
  readonly address: string;
}

/** The engine has lost a container: the engine was restarted, or the container removed. This is not the service's fault. */
export class EngineLost extends MeasurementError {
  static override readonly code = 'WG-202';
}

export function isLost({ of, kind }: Ended): boolean {
  return of === 'container' && kind === 'unknown';
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
export function endSentence(end: Ended): string {
  switch (end.of) {
    case 'process':
      return processSentence(end);
    case 'container':
      return containerSentence(end);
    case 'listener':
      return `nothing listens at ${end.address} any longer`;
  }
}

const OUT_OF_MEMORY = 'ran out of memory (OOM)';

function processSentence(end: ProcessEnd): string {
  if (end.kind === 'out-of-memory') {
    return `it ${OUT_OF_MEMORY}: it was stopped when its memory reached ${Math.round(end.memoryMiB)} MiB, over the limit of ${end.limitMiB} MiB`;
  }
  const { printed, takenPort } = end;
  const how = end.kind === 'exit' ? `it ended with exit code ${end.code}` : `it was killed by ${end.signal}`;
  const why = takenPort === undefined ? '' : `, because port ${takenPort} was in use`;
  return `${how}${why}; ${printed === '' ? 'it printed nothing' : `its last output: ${printed}`}`;
}

function containerSentence(end: ContainerEnd): string {
  if (end.kind === 'unknown') {
    return `the ${end.place ?? 'Docker engine'} has lost ${end.name}: ${end.reason}`;
  }
  const how =
    end.kind === 'out-of-memory'
      ? `${OUT_OF_MEMORY}: it was killed at its limit of ${end.limitMiB} MiB`
      : `ended with exit code ${end.code}`;
  return `${end.name} ${how}; ${end.printed === '' ? 'it printed nothing' : `its last output: ${end.printed}`}`;
}
