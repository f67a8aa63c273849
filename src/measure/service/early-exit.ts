import { MeasurementError } from '../../foundation/index.ts';
import type { Service } from '../../model/index.ts';
import { OUT_OF_MEMORY, type RunningService } from '../../runtime/index.ts';

/** A service that was started. */
interface Started {
  readonly service: Service;
  readonly running: RunningService;
}

/** The end of a service, or of something that it needs. */
export interface EndWords {
  /** "shop", or "db (needed by shop)". */
  readonly whose: string;
  /** Who was not ready by then: "it was", or "shop was". */
  readonly until: string;
  readonly sentence: string;
}

/** Settles when the service, or something that it needs, ends by itself. */
export async function endOf({ service, running }: Started): Promise<EndWords> {
  const { ended, needEnded = new Promise<never>(() => undefined) } = running;
  return await Promise.race([
    ended.then((sentence) => ({ whose: service.name, until: 'it was', sentence })),
    needEnded.then(({ name, sentence }) => ({
      whose: `${name} (needed by ${service.name})`,
      until: `${service.name} was`,
      sentence,
    })),
  ]);
}

/**
 * Never resolves: rejects with a MeasurementError as soon as the service, or something that it needs, ends by itself; `when` tells
 * what was going on ("under load").
 */
export async function untilItEnds(started: Started, when: string): Promise<never> {
  const end = await endOf(started);
  throw new MeasurementError(`${end.whose} ended by itself ${when}: ${end.sentence}`, {
    next: moreMemory(end) ?? 'Look at the last lines that it printed; a limit of memory is a usual cause.',
  });
}

/** What to do about an end for lack of memory; undefined for any other. */
export function moreMemory({ whose, sentence }: EndWords): string | undefined {
  return sentence.includes(OUT_OF_MEMORY)
    ? `Give ${whose} more, \`limits: { memoryMiB: 1024 }\`, or see what it keeps in memory.`
    : undefined;
}
