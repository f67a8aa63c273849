import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Container } from 'dockerode';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { EnvironmentError, MeasurementError } from '../../src/foundation/errors.ts';
import { containerCounters } from '../../src/runtime/docker/counters.ts';
import { dockerRuntime } from '../../src/runtime/docker/runtime.ts';
import { endSentence } from '../../src/runtime/ended.ts';
import type { RunningService } from '../../src/runtime/port.ts';
import { answerOf, containersOf, type DockerBench, makeDockerBench, OWNER } from '../integration/docker-bench.ts';
import { httpLoad, ownedFolders } from '../integration/plain-service.ts';
import { requires } from '../support/requires.ts';

const never = new AbortController().signal;

describe.runIf(requires('docker'))('the Docker runtime', () => {
  let bench: DockerBench;

  beforeAll(async () => {
    bench = await makeDockerBench();
  });

  afterAll(() => bench?.remove());

  async function serviceContainer({ address }: RunningService): Promise<Container> {
    const published = Number(address.split(':')[1]);
    const all = await bench.engine.api.listContainers();
    const found = all.find(({ Ports: ports }) => ports.some((port) => port.PublicPort === published));
    return bench.engine.api.getContainer(found?.Id ?? '');
  }

  test('reports its environment', () => {
    expect(bench.runtime).toMatchObject({
      name: 'docker',
      reason: 'asked for',
      runner: { engine: expect.stringMatching(/^\d+\./), serviceCore: 0, loadCore: 1 },
    });
  });

  test('gives a service its settings, its user, and a file system that it cannot write to', async () => {
    await using running = await bench.runtime.start(bench.service);

    const answer = await answerOf(running);

    expect(answer).toMatchObject({ user: 10_001, root: 'Read-only file system', tmp: 'written' });
    expect(answer['environment']).toMatchObject({ GREETING: 'good morning', HOST: '0.0.0.0', PORT: '5000' });
    expect(running.loadAddress).toBe('127.0.0.1:5000');
    expect(Number(running.address.split(':')[1])).toBeLessThan(32_768);
  });

  test('passes a port of the environment on, for another server of the service', async () => {
    const environment = { ...bench.service.environment, PORT: '0' };
    await using running = await bench.runtime.start({ ...bench.service, environment });

    const { Config: config } = await (await serviceContainer(running)).inspect();

    expect(config.Env).toEqual(expect.arrayContaining(['HOST=0.0.0.0', 'PORT=0']));
  });

  test('holds both containers to a core each and to the limits, without rights or health checks', async () => {
    await using running = await bench.runtime.start(bench.service);
    // The load tools start while the service gets ready.
    await running.reading();

    const ids = await containersOf(bench.engine, OWNER);
    const found = await Promise.all(ids.map((id) => bench.engine.api.getContainer(id).inspect()));

    expect(running.address).toMatch(/^127\.0\.0\.1:/);
    expect(found.map(({ HostConfig: host }) => host.CpusetCpus).sort()).toEqual(['0', '1']);
    for (const { HostConfig: host, Config: config } of found) {
      expect(host).toMatchObject({
        Memory: 64 * 2 ** 20,
        MemorySwap: 64 * 2 ** 20,
        NanoCpus: 1e9,
        PidsLimit: 4096,
        ReadonlyRootfs: true,
        CapDrop: ['ALL'],
        SecurityOpt: ['no-new-privileges'],
      });
      expect(config.Healthcheck?.Test).toEqual(['NONE']);
    }
  });

  test('moves a container to all cores and back, and gives it the number of measured cores', async () => {
    const environment = { ...bench.service.environment, JAVA_TOOL_OPTIONS: '-Xmx64m' };
    await using running = await bench.runtime.start({ ...bench.service, environment });
    const container = await serviceContainer(running);
    const coresOf = async () => {
      const { HostConfig: host } = await container.inspect();
      return [host.CpusetCpus, host.NanoCpus];
    };

    expect((await answerOf(running))['environment']).toMatchObject({
      JAVA_TOOL_OPTIONS: '-XX:ActiveProcessorCount=1 -Xmx64m',
    });
    const back = await running.onAllCores?.();
    expect(await coresOf()).toEqual(['0,1', 2e9]);
    await back?.[Symbol.asyncDispose]();
    expect(await coresOf()).toEqual(['0', 1e9]);
  });

  test('starts each service again, in a separate network', async () => {
    await using first = await bench.runtime.start(bench.service);
    await using second = await bench.runtime.start(bench.service);

    await Promise.all([answerOf(first), answerOf(second), first.reading(), second.reading()]);

    expect(first.address).not.toBe(second.address);
    expect(first.loadAddress).toBe(second.loadAddress);
    const ids = await containersOf(bench.engine, OWNER);
    const names = await Promise.all(ids.map(async (id) => (await bench.engine.api.getContainer(id).inspect()).Name));
    // All of one length, and nothing in them that tells one version from another.
    expect(names.filter((name) => /^\/wiregauge-[0-9a-f]{12}$/.test(name))).toHaveLength(4);
  });

  test('counts what the service and the load tool used in between', async () => {
    await using running = await bench.runtime.start(bench.service);
    await answerOf(running);
    const before = await running.reading();

    await running.play([httpLoad(running)], never);

    const after = await running.reading();
    expect(after.atMs).toBeGreaterThan(before.atMs);
    expect(after.service.cpuSeconds).toBeGreaterThan(before.service.cpuSeconds ?? 0);
    expect(after.loadCpuSeconds).toBeGreaterThan(before.loadCpuSeconds);
    expect(after.host.busySeconds).toBeGreaterThan(before.host.busySeconds);
    // 20 requests, each with at least a request and an answer of their headers alone.
    expect((after.service.wireBytes ?? 0) - (before.service.wireBytes ?? 0)).toBeGreaterThan(20 * 200);
    expect(after.service.peakMemoryMiB).toBeGreaterThanOrEqual(after.service.memoryMiB ?? 0);
    expect(after.service.peakMemoryMiB).toBeLessThanOrEqual(64);
  });

  test('asks the engine for the counters where the kernel does not show them', async () => {
    await using running = await bench.runtime.start(bench.service);
    await answerOf(running);
    const { cpuSeconds = 0, memoryMiB = 0 } = (await running.reading()).service;
    const container = await serviceContainer(running);
    // A process id that is not the container's here, as on an engine in a virtual machine.
    const counters = containerCounters({ container, pid: process.pid });

    const used = await counters.read();

    expect(counters.isVisible).toBe(false);
    expect(used.cpuSeconds).toBeGreaterThanOrEqual(cpuSeconds);
    expect(used.cpuSeconds).toBeLessThan(cpuSeconds + 5);
    expect(used.memoryMiB).toBeGreaterThan(memoryMiB / 2);
    expect(used.memoryMiB).toBeLessThan(64);
    expect(used.peakMemoryMiB).toBeGreaterThanOrEqual(used.memoryMiB);
  });

  test('notices a service that ends by itself, with its last words', async () => {
    await using running = await bench.runtime.start(bench.service);
    await answerOf(running);
    await running.reading();

    await fetch(`http://${running.address}/leave`).catch(() => undefined);

    expect(endSentence(await running.ended)).toBe(
      'small ended with exit code 3; its last output: listening\nleaving now',
    );
    expect(await running.logs()).toContain('leaving now');
    await expect(running.reading()).rejects.toThrow(MeasurementError);
  });

  test('says when a service needed more memory than it may have', async () => {
    await using running = await bench.runtime.start(bench.service);
    await answerOf(running);

    await fetch(`http://${running.address}/eat`).catch(() => undefined);

    expect(endSentence(await running.ended)).toContain(
      'small ran out of memory (OOM): it was killed at its limit of 64 MiB',
    );
  });

  test('says when a service was killed from outside', async () => {
    await using running = await bench.runtime.start(bench.service);
    await answerOf(running);
    const container = await serviceContainer(running);

    await container.kill();

    expect(await running.ended).toMatchObject({ of: 'container', how: 'small ended with exit code 137' });
  });

  test('removes containers and files when a service is disposed of, and with the runtime those that are left', async () => {
    const runtime = await dockerRuntime(bench.options);
    await runtime.prepare([bench.service], never);
    const disposed = await runtime.start(bench.service);
    const left = await runtime.start(bench.service);
    await Promise.all([disposed.reading(), left.reading()]);
    expect(await containersOf(bench.engine, OWNER)).toHaveLength(4);

    await disposed[Symbol.asyncDispose]();
    expect(await containersOf(bench.engine, OWNER)).toHaveLength(2);

    await runtime[Symbol.asyncDispose]();
    expect(await containersOf(bench.engine, OWNER)).toEqual([]);
    expect(ownedFolders(OWNER)).toEqual([]);
  });

  test('leaves nothing when the load tools are not where they should be', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'no-tools-'));
    const tools = { ...bench.options.tools, folder };
    await using runtime = await dockerRuntime({ ...bench.options, tools });
    await runtime.prepare([bench.service], never);

    const running = await runtime.start(bench.service);
    const reading = running.reading();

    await expect(reading).rejects.toThrow(EnvironmentError);
    await expect(reading).rejects.toMatchObject({ next: expect.stringContaining(folder) });
    await running[Symbol.asyncDispose]();
    expect(await containersOf(bench.engine, OWNER)).toEqual([]);
    expect(readdirSync(folder)).toEqual([]);
    rmSync(folder, { recursive: true });
  });

  test('says which limits the machine cannot give', async () => {
    await using runtime = await dockerRuntime({ ...bench.options, cores: { service: 4095, load: 0 } });
    await runtime.prepare([bench.service], never);

    const starting = runtime.start(bench.service);

    await expect(starting).rejects.toThrow(EnvironmentError);
    await expect(starting).rejects.toThrow('core 4095');
    expect(await containersOf(bench.engine, OWNER)).toEqual([]);
  });
});
