import { setTimeout as timeout } from 'node:timers/promises';

/** System clock; an aborted sleep rejects with the reason of the signal. */
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

export interface Clock {
  /** Unix time in milliseconds, which may be adjusted. */
  nowMs(): number;
  /** Monotonic time in milliseconds. */
  steadyMs(): number;
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
}
