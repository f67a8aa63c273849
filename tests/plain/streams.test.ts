import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { systemClock } from '../../src/host/machine/clock.ts';
import { runBlock } from '../../src/measure/trial/loads.ts';
import type { ScheduledRecords } from '../../src/model/load.ts';
import type { Network } from '../../src/model/suite/network.ts';
import type { Operation } from '../../src/model/suite/suite.ts';
import { readSuite } from '../../src/project/suite.ts';
import { protocolClient } from '../../src/protocols/client.ts';
import { PROTOCOLS } from '../../src/protocols/protocols.ts';
import type { RunningService, Runtime } from '../../src/runtime/port.ts';
import { processRuntime } from '../../src/runtime/process/runtime.ts';
import { realLoadTools } from '../integration/load-tools.ts';
import { optionsOf } from '../integration/plain-service.ts';
import { NO_SECRETS } from '../support/secrets.ts';

const { suite, services } = readSuite('.', 'streaming');
const requested = readSuite('.', 'streaming-asked').suite.operations;
const never = new AbortController().signal;

const operationOf = (name: string, changes: Partial<Operation> = {}): Operation => {
  const found = [...suite.operations, ...requested].find((one) => one.name === name);
  return { ...(found ?? expect.fail(`no operation ${name}`)), share: 1, ...changes };
};

describe.each([...services.values()])('streams of $name', (service) => {
  let runtime: Runtime | undefined;
  let running: RunningService | undefined;

  beforeAll(async () => {
    runtime = await processRuntime({ ...optionsOf(process.cwd()), tools: await realLoadTools() });
    await runtime.prepare([service], never);
    running = await runtime.start(service);
    const { address } = running;
    const [request] = PROTOCOLS[service.protocol].target(operationOf('Whole1'), service, address).requests;
    const client = protocolClient(NO_SECRETS);
    const ask = async () => (await client.call(service, address, request ?? expect.fail('no request'))).status;
    await vi.waitUntil(async () => /^(200|OK)$/.test(await ask().catch(String)), { timeout: 60_000, interval: 100 });
  });

  afterAll(async () => {
    await running?.[Symbol.asyncDispose]();
    await runtime?.[Symbol.asyncDispose]();
  });

  const measured = async (operation: Operation, network?: Network): Promise<ScheduledRecords> => {
    const own = running ?? expect.fail('it does not run');
    const subject = { service, running: own, operations: [operation], signal: never };
    const pace = {
      kind: 'users',
      workers: 2,
      requestsPerUser: 5,
      rampSeconds: 0,
      ...(network && { network }),
    } as const;
    const bench = { secrets: NO_SECRETS, clock: systemClock };
    const { parts } = await (await runBlock(bench, subject, { pace, seconds: 60 }, { isWatched: true }))();
    return parts[0] ?? expect.fail('no records');
  };

  const names = [
    'Stream1',
    'Stream10000',
    'Whole10000',
    ...(service.protocol === 'grpc' ? ['Ask100', 'Ask10000'] : []),
  ];

  it.each(names)('are looked at as the driver reads them: %s', async (name) => {
    const { records, messages } = await measured(operationOf(name));

    expect(records.failureKinds).toEqual([]);
    expect(messages).toBe(operationOf(name).stream?.messages);
    const { latencyMs, firstMs = [] } = records;
    expect(firstMs).toHaveLength(10);
    for (const [index, first] of [...firstMs].entries()) {
      expect(first).toBeGreaterThan(0);
      expect(first).toBeLessThanOrEqual(latencyMs[index] ?? Number.NaN);
    }
  });

  it.each([
    ['Stream100', { messages: 101 }, 'stream ended early'],
    ['Stream100', { messages: 99 }, 'stream too long'],
    ['Stream100', { messages: 100, last: 'ada@example.org' }, 'unexpected last message'],
    ['Whole100', { messages: 100, last: 'nobody@example.org' }, 'unexpected last message'],
  ])('are failures if they are not as they are to be: %s, %j', async (name, stream, kind) => {
    const { records } = await measured(operationOf(name, { stream }));

    expect(records.failureKinds).toEqual([kind]);
    expect([...records.failure]).toEqual(new Array(10).fill(1));
  });

  it.each(['Stream10000', 'Whole10000'])('come as slowly as they are read: %s', async (name) => {
    const { records } = await measured(operationOf(name), { rttMs: 0, readMbit: 40, by: 'driver' });

    expect(records.failureKinds).toEqual([]);
    // 10,000 users are over 300 KB in any form.
    expect(Math.min(...records.latencyMs)).toBeGreaterThan((300_000 * 8) / 40_000);
  });
});
