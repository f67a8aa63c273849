import { PROTOCOLS } from '../../protocols/index.ts';
import type { SaturateBench, Started } from './bench.ts';

/** Longer than this a service is not waited for. */
const LIMIT_SECONDS = 5;
const PAUSE_MS = 100;

/** Quick answers in a row: one may find a gap in a queue. */
const QUICK_ANSWERS = 3;

/** This program's own share in the time of an answer, which is more than that of a load tool. */
const LEAST_MS = 50;

/**
 * Whether a service has done all that the step before left it, within 5 s: it answers three requests in a row as quickly as it may under
 * a load that it holds.
 */
export async function drains(
  bench: Pick<SaturateBench, 'suite' | 'client' | 'clock' | 'signal'>,
  { service, running }: Started,
  limitMs = LEAST_MS,
): Promise<boolean> {
  const { suite, client, clock, signal } = bench;
  const [first] = suite.operations;
  const protocol = PROTOCOLS[service.protocol];
  const request = first && protocol.target(first, service, running.address).requests[0];
  if (first === undefined || request === undefined) {
    return true;
  }
  const asks = async (): Promise<boolean> => {
    try {
      protocol.canonical(await client.call(service, running.address, request), first);
      return true;
    } catch {
      return false;
    }
  };
  const untilMs = clock.steadyMs() + LIMIT_SECONDS * 1000;
  let quick = 0;
  while (quick < QUICK_ANSWERS && clock.steadyMs() < untilMs) {
    signal.throwIfAborted();
    const askedMs = clock.steadyMs();
    const isAnswered = await asks();
    quick = isAnswered && clock.steadyMs() - askedMs <= Math.max(limitMs, LEAST_MS) ? quick + 1 : 0;
    if (quick === 0) {
      await clock.sleep(PAUSE_MS, signal);
    }
  }
  return quick >= QUICK_ANSWERS;
}
