import { expect, test } from 'vitest';
import { SLOW_SECONDS, untilReady } from '../../../../../src/measure/trial/ready.ts';
import { fakeBench, standingService } from '../../../../support/fakes.ts';
import { restService, usersSuite } from '../../../../support/suite.ts';

/** A start that is ready after so many seconds; `can`: whether something can be done about it at a call, by its number. */
async function started(readySeconds: number, can: (call: number) => boolean = () => true) {
  const events: string[] = [];
  const bench = fakeBench({
    replies: (_, call) => ({
      status: bench.clock.steadyMs() - startMs >= readySeconds * 1000 ? '200' : '503',
      body: { call },
    }),
  });
  const startMs = bench.clock.steadyMs();
  const seconds = () => (bench.clock.steadyMs() - startMs) / 1000;
  let calls = 0;
  const wasSlow = await untilReady(standingService({}), {
    ...bench,
    service: restService('first'),
    operation: usersSuite().operations[0] ?? expect.fail('no operation'),
    slowStart: async () => {
      calls += 1;
      if (!can(calls)) {
        return undefined;
      }
      events.push(`helped after ${Math.round(seconds())} s`);
      return { [Symbol.asyncDispose]: async () => void events.push(`ended after ${Math.round(seconds())} s`) };
    },
  });
  return { wasSlow, events };
}

test('a slow start is helped once, until the service is ready', async () => {
  expect(await started(12)).toEqual({
    wasSlow: true,
    events: [`helped after ${SLOW_SECONDS} s`, 'ended after 12 s'],
  });
});

test('a quick start is left alone', async () => {
  expect(await started(4)).toEqual({ wasSlow: false, events: [] });
});

test('a start that cannot be helped yet is looked at again', async () => {
  expect((await started(12, (call) => call > 3)).events).toHaveLength(2);
  expect(await started(12, () => false)).toEqual({ wasSlow: false, events: [] });
});
