import { expect, test } from 'vitest';
import { measureSlot } from '../../../../src/measure/slots/slot.ts';
import type { LoadCommand } from '../../../../src/model/load.ts';
import type { Client } from '../../../../src/protocols/client.ts';
import type { Runtime } from '../../../../src/runtime/port.ts';
import { fakeBench } from '../../../support/fakes.ts';

test('the load tools get the service as it describes itself, and it is asked before they start', async () => {
  const bench = fakeBench();
  const commands: LoadCommand[] = [];
  let loadsAtAsking: number | undefined;
  const client: Client = {
    ...bench.client,
    described: async (service) => {
      loadsAtAsking ??= commands.length;
      return { ...service, headers: { 'X-Contract': 'told by the service' } };
    },
  };
  const runtime: Runtime = {
    ...bench.runtime,
    async start(service, signal) {
      const running = await bench.runtime.start(service, signal);
      return {
        ...running,
        load: async (asked, stop) => {
          commands.push(...asked);
          return await running.load(asked, stop);
        },
      };
    },
  };
  const [slot] = bench.plan.slots;

  await measureSlot({ ...bench, client, runtime }, slot ?? expect.fail('the plan is empty'), { doneSeconds: 0 });

  expect(loadsAtAsking).toBe(0);
  expect(commands.length).toBeGreaterThan(0);
  for (const { inputs } of commands) {
    expect(Object.values(inputs).join()).toContain('told by the service');
  }
});
