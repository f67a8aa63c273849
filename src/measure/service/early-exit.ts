import { MeasurementError } from '../../foundation/index.ts';
import type { Service } from '../../model/index.ts';
import { type Ended, endSentence, type RunningService } from '../../runtime/index.ts';

/** A service that was started. */
interface Started {
  readonly service: Service;
  readonly running: RunningService;
}

/** The end of a service, or of something that it needs. */
export interface StartedEnd {
  /** "shop", or "db (needed by shop)". */
  readonly whose: string;
  /** Who was not ready by then: "it was", or "shop was". */
  readonly until: string;
  readonly end: Ended;
}

/** Settles when the service, or something that it needs, ends by itself. */
export async function endOf({ service, running }: Started): Promise<StartedEnd> {
  const { ended, needEnded = new Promise<never>(() => undefined) } = running;
  return await Promise.race([
    ended.then((end) => ({ whose: service.name, until: 'it was', end })),
    needEnded.then(({ name, end }) => ({
      whose: `${name} (needed by ${service.name})`,
      until: `${service.name} was`,
      end,
    })),
  ]);
}

/**
 * Never resolves: rejects with a MeasurementError as soon as the service, or something that it needs, ends by itself; `when` tells
 * what was going on ("under load").
 */
export async function untilItEnds(started: Started, when: string): Promise<never> {
  const ended = await endOf(started);
  throw new MeasurementError(`${ended.whose} ended by itself ${when}: ${endSentence(ended.end)}`, {
    next: moreMemory(ended) ?? 'Look at the last lines that it printed; a limit of memory is a usual cause.',
  });
}

/** What to do about an end for lack of memory; undefined for any other. */
export function moreMemory({ whose, end }: StartedEnd): string | undefined {
  return end.kind === 'out-of-memory'
    ? `Give ${whose} more, \`limits: { memoryMiB: 1024 }\`, or see what it keeps in memory.`
    : undefined;
}
