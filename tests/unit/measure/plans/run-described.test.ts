import { expect, test } from 'vitest';
import { measureTrial } from '../../../../src/measure/plans/run.ts';
import type { BlockLoad } from '../../../../src/model/load.ts';
import type { Client } from '../../../../src/protocols/client.ts';
import type { Runtime } from '../../../../src/runtime/port.ts';
import { fakeBench } from '../../../support/fakes.ts';

test('the driver gets the service as it describes itself, which is asked before the load', async () => {
  const bench = fakeBench();
  const measured: BlockLoad[] = [];
  let loadsAtAsking: number | undefined;
  const client: Client = {
    ...bench.client,
    described: async (service) => {
      loadsAtAsking ??= measured.length;
      return { ...service, headers: { 'X-Contract': 'told by the service' } };
    },
  };
  const runtime: Runtime = {
    ...bench.runtime,
    async start(service, signal) {
      const running = await bench.runtime.start(service, signal);
      return {
        ...running,
        play: async (loads, stop) => {
          measured.push(...loads);
          return await running.play(loads, stop);
        },
      };
    },
  };
  const [trial] = bench.plan.trials;

  await measureTrial({ ...bench, client, runtime }, trial ?? expect.fail('the plan is empty'), {
    ...{ doneSeconds: 0, verified: new Map(), connectionBytes: new Map() },
  });

  expect(loadsAtAsking).toBe(0);
  expect(measured.length).toBeGreaterThan(0);
  for (const { load } of measured) {
    expect(load.target.requests[0]?.headers).toEqual({ 'X-Contract': 'told by the service' });
  }
});
