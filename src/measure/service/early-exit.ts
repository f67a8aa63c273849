import { MeasurementError } from '../../foundation/index.ts';
import type { Service } from '../../model/index.ts';
import { type Ended, endSentence, type RunningService } from '../../runtime/index.ts';
import { tellingLine, tellingLines } from '../../secrets/index.ts';

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
  /** What it printed. */
  readonly log: () => Promise<string>;
}

/** Settles when the service, or something that it needs, ends by itself. */
export async function endOf({ service, running }: Started): Promise<StartedEnd> {
  const { ended, needEnded = new Promise<never>(() => undefined) } = running;
  return await Promise.race([
    ended.then((end) => ({ whose: service.name, until: 'it was', end, log: () => logOf(running, end) })),
    needEnded.then(({ name, end }) => ({
      whose: `${name} (needed by ${service.name})`,
      until: `${service.name} was`,
      end,
      log: async () => lastWords(end),
    })),
  ]);
}

/** The whole log; of what was removed meanwhile only its last words are left. */
async function logOf(running: RunningService, end: Ended): Promise<string> {
  return (await running.logs().catch(() => '')) || lastWords(end);
}

function lastWords(end: Ended): string {
  return 'printed' in end ? end.printed : '';
}

/** How a service ended, for an error: in words; in brief, with the one line of its log that says most; and the telling lines of that. */
export async function evidenceOf({ end, log }: StartedEnd): Promise<{ words: string; brief: string; printed: string }> {
  const words = endSentence(end);
  const silent = 'printed' in end ? endSentence({ ...end, printed: '' }) : words;
  const printed = await log();
  const line = tellingLine(printed, process.env);
  return {
    words,
    brief: `${silent.replace(/; it (?:had )?printed nothing$/, '')}${line === undefined ? '' : `; it printed: ${line}`}`,
    printed: tellingLines(printed, process.env),
  };
}

/**
 * Never resolves: rejects with a MeasurementError as soon as the service, or something that it needs, ends by itself; `when` tells
 * what was going on ("under load").
 */
export async function untilItEnds(started: Started, when: string): Promise<never> {
  const ended = await endOf(started);
  const { words, brief, printed } = await evidenceOf(ended);
  const what = `${ended.whose} ended by itself ${when}`;
  throw new MeasurementError(`${what}: ${words}`, {
    brief: `${what}: ${brief}`,
    printed,
    next: moreMemory(ended) ?? 'Look at the last lines that it printed.',
  });
}

/** What to do about an end for lack of memory; undefined for any other. */
export function moreMemory({ whose, end }: StartedEnd): string | undefined {
  return end.kind === 'out-of-memory'
    ? `Give ${whose} more, \`limits: { memoryMiB: 1024 }\`, or see what it keeps in memory.`
    : undefined;
}
