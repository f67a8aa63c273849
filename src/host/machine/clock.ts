import { setTimeout as timeout } from 'node:timers/promises';
import type { Clock } from '../../runtime/ports.ts';

/** The machine's clock; a sleep that is aborted rejects with the signal's reason. */
export const systemClock: Clock = {
  nowMs: () => Date.now(),
  steadyMs: () => performance.now(),

  async sleep(milliseconds, signal) {
    try {
      await timeout(milliseconds, undefined, signal === undefined ? {} : { signal });
    } catch (thrown) {
      signal?.throwIfAborted();
      throw thrown;
    }
  },
};
