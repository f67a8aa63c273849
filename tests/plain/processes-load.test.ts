import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { readRecords } from '../../src/measure/samples/record-file.ts';
import { processRuntime } from '../../src/runtime/process/runtime.ts';
import { benchPerTest, httpLoad, marked, ownedFolders, pythonService } from '../integration/plain-service.ts';

const IDLE = pythonService('', { process: { build: [], command: ['sleep', '60'] } });
const never = new AbortController().signal;
const bench = benchPerTest();

describe('load', () => {
  it('is sent side by side, and has records of its own for each load and each call', async () => {
    await using runtime = await processRuntime(bench.options);
    await using running = await runtime.start(IDLE);

    const first = await running.play([httpLoad(running), httpLoad(running, { ratePerSecond: 40 })], never);
    const [second] = await running.play([httpLoad(running, { seconds: 0.2 })], never);

    const counts = [...first, second].map(async (end) => readRecords((await end?.records()) ?? new Uint8Array()));
    const found = (await Promise.all(counts)).map((records) => [records?.startMs.length ?? 0, records?.failureKinds]);
    expect(found.map(([, kinds]) => kinds)).toEqual(Array(3).fill(['connection refused']));
    expect(Number(found[1]?.[0])).toBeGreaterThan(Number(found[0]?.[0]));
    expect(Number(found[0]?.[0])).toBeGreaterThan(Number(found[2]?.[0]));
  });

  it('is ended by an abort, which rejects with its reason', async () => {
    await using runtime = await processRuntime(bench.options);
    await using running = await runtime.start(IDLE);
    const stop = new AbortController();

    const sending = running.play([httpLoad(running, { seconds: 60 })], stop.signal);
    await expect.poll(() => marked(bench.options.owner).length, { timeout: 20_000 }).toBe(2);
    stop.abort(new Error('interrupted'));

    await expect(sending).rejects.toThrow('interrupted');
    expect(marked(bench.options.owner)).toHaveLength(1);
  });

  it('is ended by the disposal of its service', async () => {
    await using runtime = await processRuntime(bench.options);
    const running = await runtime.start(IDLE);
    const sending = running.play([httpLoad(running, { seconds: 60 })], never).catch((thrown: unknown) => thrown);
    await expect.poll(() => marked(bench.options.owner).length, { timeout: 20_000 }).toBe(2);

    await running[Symbol.asyncDispose]();

    expect(await sending).toBeInstanceOf(Error);
    expect([marked(bench.options.owner), ownedFolders(bench.options.owner)]).toEqual([[], []]);
  });

  it('names the driver if it is missing', async () => {
    bench.renew({ tools: { ...bench.options.tools, folder: join(bench.root, 'none') } });
    await using runtime = await processRuntime(bench.options);
    await using running = await runtime.start(IDLE);

    await expect(running.play([httpLoad(running)], never)).rejects.toThrow('wiregauge-load');
  });

  it('is ended if it uses more memory than it may', async () => {
    bench.renew({ limits: { cpus: 1, memoryMiB: 2 } });
    await using runtime = await processRuntime(bench.options);
    await using running = await runtime.start(IDLE);

    await expect(running.play([httpLoad(running, { seconds: 30 })], never)).rejects.toThrow(
      /the load driver ended unexpectedly because its memory reached \d+ MiB, over the limit of 2 MiB/,
    );
  });

  it('may use as much memory as the service that it loads', async () => {
    bench.renew({ limits: { cpus: 1, memoryMiB: 2 } });
    await using runtime = await processRuntime(bench.options);
    await using running = await runtime.start({ ...IDLE, limits: { memoryMiB: 512 } });

    // Longer than it takes to see its memory.
    const [end] = await running.play([httpLoad(running, { seconds: 2.5 })], never);

    expect(end?.complaint).toBe('');
  });

  it('names the folder when the disk is full', async ({ skip }) => {
    const small = join(bench.root, 'small');
    mkdirSync(small);
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=16k', 'tmpfs', small], { stdio: 'ignore' });
    } catch {
      skip('this user may not mount');
    }
    const temporary = process.env['TMPDIR'];
    process.env['TMPDIR'] = small;
    try {
      await using runtime = await processRuntime(bench.options);
      await using running = await runtime.start(IDLE);

      await expect(running.play([httpLoad(running, { ratePerSecond: 2000 })], never)).rejects.toMatchObject({
        message: expect.stringContaining(`the disk with ${small} is full`),
        next: expect.stringContaining('TMPDIR'),
      });
    } finally {
      process.env['TMPDIR'] = temporary ?? '/tmp';
      execFileSync('umount', [small]);
    }
  });
});

describe('loadCpuSeconds', () => {
  it('never falls, and counts what the driver uses', async () => {
    await using runtime = await processRuntime(bench.options);
    await using running = await runtime.start(IDLE);
    const seen: number[] = [(await running.reading()).loadCpuSeconds];

    let ended = false;
    const sending = running.play([httpLoad(running, { ratePerSecond: 500 })], never).finally(() => {
      ended = true;
    });
    while (!ended) {
      seen.push((await running.reading()).loadCpuSeconds);
      await sleep(20);
    }
    await sending;
    seen.push((await running.reading()).loadCpuSeconds);

    expect(seen).toEqual([...seen].sort((left, right) => left - right));
    expect(new Set(seen).size).toBeGreaterThan(5);
    await using next = await runtime.start(IDLE);
    expect((await next.reading()).loadCpuSeconds).toBeLessThan(seen.at(-1) ?? 0);
  });
});
