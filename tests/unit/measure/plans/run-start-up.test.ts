import { expect, test } from 'vitest';
import { measureTrial } from '../../../../src/measure/plans/run.ts';
import type { Runtime } from '../../../../src/runtime/port.ts';
import { fakeBench } from '../../../support/fakes.ts';

/** The start-up times of the samples of a trial, by operation: of a service that was started so long ago, and refuses its first requests. */
async function startUps(startedBeforeMs: number | undefined, refusals: number) {
  let refused = 0;
  const bench = fakeBench({
    replies: (_service, call) => ({ status: refused++ < refusals ? '503' : '200', body: { call } }),
  });
  const runtime: Runtime = {
    ...bench.runtime,
    start: async (service) => ({
      ...(await bench.runtime.start(service)),
      ...(startedBeforeMs !== undefined && { startedAtMs: bench.clock.nowMs() - startedBeforeMs }),
    }),
  };
  const [trial] = bench.plan.trials;
  const samples = await measureTrial({ ...bench, runtime }, trial ?? expect.fail('the plan is empty'), {
    ...{ doneSeconds: 0, verified: new Map(), connectionBytes: new Map() },
  });
  return samples.map(({ cell, values }) => [cell.operation, values.startUpMs]);
}

test('a trial has the time from the start of the program to the first answer', async () => {
  const atOnce = await startUps(1500, 0);
  const later = await startUps(1500, 4);

  expect(atOnce[0]).toEqual(['all', expect.any(Number)]);
  expect(Number(atOnce[0]?.[1])).toBeGreaterThanOrEqual(1500);
  // It is asked every 25 ms.
  expect(Number(later[0]?.[1]) - Number(atOnce[0]?.[1])).toBeGreaterThanOrEqual(4 * 25);
});

test('no operation has one, nor has a service that was not started from here', async () => {
  expect((await startUps(1500, 0)).slice(1).map(([, startUp]) => startUp)).toEqual([undefined, undefined]);
  expect((await startUps(undefined, 0)).map(([, startUp]) => startUp)).toEqual([undefined, undefined, undefined]);
});

test('a clock of the engine that is ahead makes no negative time', async () => {
  expect((await startUps(-60_000, 0))[0]).toEqual(['all', 0]);
});
