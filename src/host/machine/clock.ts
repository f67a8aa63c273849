import { setTimeout as timeout } from 'node:timers/promises';

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

export interface Clock {
  /** Unix time, which an administrator or a time service may set. */
  nowMs(): number;
  /** Milliseconds since some moment of the past; nothing sets it. */
  steadyMs(): number;
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
}
