import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { EnvironmentError } from '../../src/foundation/errors.ts';
import type { LoadEnd } from '../../src/model/load.ts';
import { processRuntime } from '../../src/runtime/process/runtime.ts';
import { benchPerTest, command, marked, ownedFolders, pythonService } from '../integration/plain-service.ts';

const IDLE = pythonService('', { process: { build: [], command: ['sleep', '60'] } });
const never = new AbortController().signal;
const bench = benchPerTest();

async function textOf(end: LoadEnd | undefined): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of end?.records() ?? []) {
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** Shell: burns half a second of CPU time. */
const BURN = 'exec python3 -c "import time\nwhile time.process_time() < 0.5: pass"';

describe('load', () => {
  it('runs the commands side by side in one folder on the load core, and gives their records', async () => {
    bench.tool(
      'vegeta',
      'until [ -e from-ghz ]; do sleep 0.01; done; cat in/targets; grep Cpus_allowed_list /proc/self/status >"$1"; cat in/targets >>"$1"; echo "$TZ" >>"$1"',
    );
    bench.tool('ghz', 'echo said >&2; touch from-ghz; head -c 3000000 /dev/zero >"$1"');
    await using runtime = await processRuntime(bench.options);
    await using running = await runtime.start(IDLE);
    const before = Date.now();

    const [vegeta, ghz] = await running.load(
      [
        command({ arguments: ['v.bin'], inputs: { 'in/targets': 'GET /\n' }, output: 'v.bin' }),
        command({ tool: 'ghz', arguments: ['g.json'], output: 'g.json' }),
      ],
      never,
    );

    expect(await textOf(vegeta)).toMatch(/^Cpus_allowed_list:\s+1\nGET \/\nUTC\n$/);
    expect(vegeta).toMatchObject({ exitCode: 0, complaint: '' });
    expect(ghz).toMatchObject({ exitCode: 0, complaint: 'said' });
    expect(ghz?.startedMs).toBeGreaterThanOrEqual(before);
    expect(ghz?.endedMs).toBeGreaterThan(ghz?.startedMs ?? 0);
    const sizes: number[] = [];
    for await (const chunk of ghz?.records() ?? []) {
      sizes.push(chunk.byteLength);
    }
    expect(sizes).toEqual([2 ** 20, 2 ** 20, 3_000_000 - 2 * 2 ** 20]);
  });

  it('keeps the records of each call apart', async () => {
    bench.tool('vegeta', 'echo "$1" >out');
    await using runtime = await processRuntime(bench.options);
    await using running = await runtime.start(IDLE);

    const [first] = await running.load([command({ arguments: ['1'] })], never);
    const [second] = await running.load([command({ arguments: ['2'] })], never);

    expect([await textOf(first), await textOf(second)]).toEqual(['1\n', '2\n']);
  });

  it('keeps the records of calls at the same time apart', async () => {
    bench.tool('vegeta', 'echo "$1" >out');
    await using runtime = await processRuntime(bench.options);
    await using running = await runtime.start(IDLE);

    const ends = await Promise.all(['1', '2'].map((name) => running.load([command({ arguments: [name] })], never)));

    expect(await Promise.all(ends.map(([end]) => textOf(end)))).toEqual(['1\n', '2\n']);
  });

  it('gives exit code and complaint of a tool that fails, and no records where it left none', async () => {
    bench.tool('vegeta', 'echo "bad flag" >&2; exit 9');
    await using runtime = await processRuntime(bench.options);
    await using running = await runtime.start(IDLE);

    const [end] = await running.load([command()], never);

    expect(end).toMatchObject({ exitCode: 9, complaint: 'bad flag' });
    expect(await textOf(end)).toBe('');
  });

  it('ends a tool that is over its time limit, also one that ignores SIGTERM', async () => {
    bench.tool('vegeta', 'trap "" TERM; echo partial >out; while :; do sleep 1; done');
    await using runtime = await processRuntime(bench.options);
    await using running = await runtime.start(IDLE);

    const [end] = await running.load([command({ limitSeconds: 0.5 })], never);

    expect(end).toMatchObject({ exitCode: 124, complaint: 'stopped at its time limit of 0.5 s' });
    expect(await textOf(end)).toBe('partial\n');
    expect(marked(bench.options.owner)).toHaveLength(1);
  });

  it('ends all tools on an abort and rejects with its reason', async () => {
    bench.tool('vegeta', 'touch started; sleep 60');
    bench.tool('ghz', 'sleep 60');
    await using runtime = await processRuntime(bench.options);
    await using running = await runtime.start(IDLE);
    const stop = new AbortController();

    const playing = running.load([command(), command({ tool: 'ghz' })], stop.signal);
    await expect.poll(() => marked(bench.options.owner).length, { timeout: 20_000 }).toBeGreaterThanOrEqual(5);
    stop.abort(new Error('interrupted'));

    await expect(playing).rejects.toThrow('interrupted');
    expect(marked(bench.options.owner)).toHaveLength(1);
  });

  it('is ended by the disposal of its service', async () => {
    bench.tool('vegeta', 'sleep 60');
    await using runtime = await processRuntime(bench.options);
    const running = await runtime.start(IDLE);
    const playing = running.load([command()], never).catch((thrown: unknown) => thrown);
    await expect.poll(() => marked(bench.options.owner).length, { timeout: 20_000 }).toBeGreaterThanOrEqual(3);

    await running[Symbol.asyncDispose]();

    expect(await playing).toBeInstanceOf(Error);
    expect([marked(bench.options.owner), ownedFolders(bench.options.owner)]).toEqual([[], []]);
  });

  it('names a tool that is missing, and ends the ones beside it', async () => {
    bench.tool('vegeta', 'sleep 60');
    await using runtime = await processRuntime(bench.options);
    await using running = await runtime.start(IDLE);

    const refused = running.load([command(), command({ tool: 'ghz' })], never);

    await expect(refused).rejects.toThrow(EnvironmentError);
    await expect(refused).rejects.toThrow(`the load tool ghz is missing at ${bench.root}/tools/ghz`);
    expect(marked(bench.options.owner)).toHaveLength(1);
  });

  it('ends a tool that uses more memory than it may', async () => {
    bench.renew({ limits: { cpus: 1, memoryMiB: 64 } });
    bench.tool('vegeta', 'exec python3 -c "import time; held = bytearray(100 * 2**20); time.sleep(60)"');
    await using runtime = await processRuntime(bench.options);
    await using running = await runtime.start(IDLE);

    const [end] = await running.load([command()], never);

    expect(end?.exitCode).toBeGreaterThan(128);
    expect(end?.complaint).toMatch(/stopped: its memory reached 1\d\d MiB, over the limit of 64 MiB/);
  });

  it('lets a tool use as much memory as the service that it loads', async () => {
    bench.renew({ limits: { cpus: 1, memoryMiB: 64 } });
    // Longer than it takes to see its memory.
    bench.tool('vegeta', 'exec python3 -c "import time; held = bytearray(100 * 2**20); time.sleep(2.5)"');
    await using runtime = await processRuntime(bench.options);
    await using running = await runtime.start({ ...IDLE, limits: { memoryMiB: 512 } });

    const [end] = await running.load([command()], never);

    expect(end?.complaint).toBe('');
    expect(end?.exitCode).toBe(0);
  });

  it('names the folder when the disk is full', async ({ skip }) => {
    const small = join(bench.root, 'small');
    mkdirSync(small);
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', small], { stdio: 'ignore' });
    } catch {
      skip('this user may not mount');
    }
    const temporary = process.env['TMPDIR'];
    process.env['TMPDIR'] = small;
    try {
      bench.tool('vegeta', 'head -c 200000 /dev/zero >out');
      await using runtime = await processRuntime(bench.options);
      await using running = await runtime.start(IDLE);

      await expect(running.load([command()], never)).rejects.toMatchObject({
        message: expect.stringContaining(`the disk with ${small} is full`),
        next: expect.stringContaining('TMPDIR'),
      });
      const big = command({ inputs: { targets: 'x'.repeat(200_000) } });
      await expect(running.load([big], never)).rejects.toThrow(`${small} cannot be written: the disk is full`);
    } finally {
      process.env['TMPDIR'] = temporary ?? '/tmp';
      execFileSync('umount', [small]);
    }
  });
});

describe('loadCpuSeconds', () => {
  it('never falls, and counts running and finished tools of the slot', async () => {
    bench.tool('vegeta', BURN);
    await using runtime = await processRuntime(bench.options);
    await using running = await runtime.start(IDLE);
    const seen: number[] = [(await running.reading()).loadCpuSeconds];

    for (let run = 0; run < 2; run += 1) {
      let ended = false;
      const playing = running.load([command(), command()], never).finally(() => {
        ended = true;
      });
      while (!ended) {
        seen.push((await running.reading()).loadCpuSeconds);
        await sleep(20);
      }
      await playing;
      seen.push((await running.reading()).loadCpuSeconds);
    }

    expect(seen).toEqual([...seen].sort((left, right) => left - right));
    expect(new Set(seen).size).toBeGreaterThan(5);
    // Four tools that burn half a second of CPU time each, and the starts of Python.
    expect(seen.at(-1)).toBeGreaterThanOrEqual(4 * 0.5);
    expect(seen.at(-1)).toBeLessThan(4);
  });

  it('starts at zero for the next service', async () => {
    bench.tool('vegeta', BURN);
    await using runtime = await processRuntime(bench.options);
    {
      await using running = await runtime.start(IDLE);
      await running.load([command()], never);
    }

    await using next = await runtime.start(IDLE);

    expect((await next.reading()).loadCpuSeconds).toBe(0);
  });
});
