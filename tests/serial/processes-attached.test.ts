import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { freePort } from '../../src/host/machine/ports.ts';
import type { Service } from '../../src/model/service.ts';
import { processRuntime } from '../../src/runtime/process/runtime.ts';
import { answer, benchPerTest, HTTP_SERVER, httpLoad, pythonService } from '../integration/plain-service.ts';

const bench = benchPerTest();
let program: ChildProcess;
let service: Service;

beforeEach(async () => {
  const port = await freePort();
  const env = { ...process.env, HOST: '127.0.0.1', PORT: String(port) };
  program = spawn('python3', ['-c', HTTP_SERVER], { env, stdio: 'ignore' });
  service = pythonService('', { image: undefined, process: undefined, port, address: `localhost:${port}` });
});

afterEach(async () => {
  if (program.exitCode === null && program.signalCode === null) {
    program.kill('SIGKILL');
    await once(program, 'exit');
  }
});

describe('a service that already runs', () => {
  it('is found at its address, and its CPU time and memory are read', async () => {
    await using runtime = await processRuntime(bench.options);
    await using running = await runtime.start(service);
    await answer(running);

    const { service: used } = await running.reading();

    expect(running.loadAddress).toBe(service.address);
    expect(used.cpuSeconds).toBeGreaterThan(0);
    expect(used.memoryMiB).toBeGreaterThan(5);
    expect(used.peakMemoryMiB).toBeGreaterThanOrEqual(used.memoryMiB ?? 0);
    expect(used.wireBytes).toBeGreaterThan(300);
  });

  it('is loaded by a driver that is ended with the slot, and goes on running itself', async () => {
    await using runtime = await processRuntime(bench.options);
    const running = await runtime.start(service);
    await answer(running);

    const [end] = await running.play([httpLoad(running)], new AbortController().signal);
    await running[Symbol.asyncDispose]();

    expect(end?.complaint).toBe('');
    expect(await answer(running)).toMatchObject({ HOST: '127.0.0.1' });
  });

  it('reports when it is gone, once it has been seen', async () => {
    await using runtime = await processRuntime(bench.options);
    await using running = await runtime.start(service);
    await answer(running);
    await running.reading();

    program.kill('SIGKILL');

    expect(await running.ended).toEqual({
      of: 'listener',
      how: `nothing listens at ${service.address} any longer`,
    });
  });

  it('has no figures if no listening process is visible', async () => {
    await using runtime = await processRuntime(bench.options);
    const port = await freePort();
    await using running = await runtime.start({ ...service, port, address: `127.0.0.1:${port}` });

    const { service: used } = await running.reading();

    expect([used.cpuSeconds, used.memoryMiB, used.peakMemoryMiB]).toEqual([undefined, undefined, undefined]);
    expect(await running.tries(['true'])).toContain('was not started by Wiregauge');
  });

  it('needs neither a build nor an image', async () => {
    await using runtime = await processRuntime(bench.options);

    await expect(runtime.prepare([service], new AbortController().signal)).resolves.toBeUndefined();
  });
});
