import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { summarise } from '../../../../src/measure/samples/summary.ts';
import { type Call, partOf } from './synthetic-records.ts';

const SECOND = { fromMs: 0, toMs: 1000 };

function stall(calls: readonly Call[], ratePerSecond?: number): number {
  return summarise([partOf(calls, { ratePerSecond })], SECOND).longestStallMs;
}

/** The same by looking at every millisecond: waiting then, and how long since the last answer or the first wait. */
function stallByMilliseconds(calls: readonly Call[]): number {
  let longest = 0;
  let since: number | undefined;
  for (let ms = 0; ms <= 1000; ms += 1) {
    const isWaiting = (at: number) => calls.some(({ startMs, latencyMs }) => startMs <= at && startMs + latencyMs > at);
    const isAnswered = calls.some((call) => call.startMs + call.latencyMs === ms && call.failure === undefined);
    longest = since === undefined ? longest : Math.max(longest, ms - since);
    if (isAnswered || !isWaiting(ms - 0.5)) {
      since = undefined;
    }
    since = isWaiting(ms) ? (since ?? ms) : undefined;
  }
  return longest;
}

describe('the longest stall', () => {
  it('is the longest wait for any answer while someone waits', () => {
    const calls = [
      { startMs: 0, latencyMs: 5 },
      { startMs: 100, latencyMs: 400 },
      { startMs: 150, latencyMs: 360 },
      { startMs: 900, latencyMs: 20 },
    ];

    expect(stall(calls)).toBe(400);
  });

  it('excludes the time in which no request was open', () => {
    expect(
      stall([
        { startMs: 0, latencyMs: 3 },
        { startMs: 800, latencyMs: 4 },
      ]),
    ).toBe(4);
  });

  it('begins when a request was due, not when it was sent', () => {
    const calls = [
      { startMs: 0, latencyMs: 1 },
      { startMs: 300, latencyMs: 1 },
    ];

    // The second was due at 100.
    expect(stall(calls, 10)).toBe(201);
  });

  it('does not end with a failure, which is not an answer', () => {
    const calls = [
      { startMs: 0, latencyMs: 600 },
      { startMs: 100, latencyMs: 200, failure: 'timeout' },
    ];

    expect(stall(calls)).toBe(600);
  });

  it('ends with the window', () => {
    expect(stall([{ startMs: -500, latencyMs: 5000 }])).toBe(1000);
  });

  it('is that of all operations together: an answer to one is an answer', () => {
    const one = partOf([{ startMs: 0, latencyMs: 900 }], { ratePerSecond: undefined });
    const other = partOf([{ startMs: 100, latencyMs: 300 }], { ratePerSecond: undefined, originMs: 200 });

    expect(summarise([one, other], SECOND).longestStallMs).toBe(600);
  });

  it('agrees with a look at every millisecond', () => {
    const call = fc.record({
      startMs: fc.integer({ min: 0, max: 950 }),
      latencyMs: fc.integer({ min: 1, max: 500 }),
      isFailed: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(call, { maxLength: 8 }), (made) => {
        const calls = made.map(({ isFailed, ...rest }) => (isFailed ? { ...rest, failure: 'timeout' } : rest));
        expect(stall(calls)).toBe(stallByMilliseconds(calls));
      }),
      { numRuns: 200 },
    );
  });
});
