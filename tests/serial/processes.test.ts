import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { EnvironmentError, MeasurementError } from '../../src/foundation/errors.ts';
import { readProc } from '../../src/host/files/reader.ts';
import { processStat, threadsOf } from '../../src/host/machine/proc.ts';
import { processRuntime } from '../../src/runtime/process/runtime.ts';
import { realLoadTools } from '../integration/load-tools.ts';
import { answer, benchPerTest, HTTP_SERVER, marked, printed, pythonService } from '../integration/plain-service.ts';

const bench = benchPerTest();

describe('start', () => {
  it('gives the service its settings, an address below the ephemeral ports, its core, and little else', async () => {
    await using runtime = await processRuntime(bench.options);
    process.env['UNRELATED'] = 'of the parent';
    await using running = await runtime.start(pythonService(HTTP_SERVER, { environment: { THREADS: '10' } }));
    delete process.env['UNRELATED'];

    const environment = await answer(running);

    const port = Number(environment['PORT']);
    expect(running.address).toBe(`127.0.0.1:${port}`);
    expect(running.loadAddress).toBe(running.address);
    expect(port).toBeGreaterThanOrEqual(1024);
    expect(port).toBeLessThan(32_768);
    expect(environment).toMatchObject({ HOST: '127.0.0.1', THREADS: '10', WIREGAUGE_OWNER: bench.options.owner });
    expect(environment['UNRELATED']).toBeUndefined();
    const [pid = 0] = marked(bench.options.owner);
    expect(readProc(`/proc/${pid}/status`)).toMatch(/^Cpus_allowed_list:\s+0$/m);
    expect(processStat(pid)?.group).not.toBe(processStat('self')?.group);
  });

  it('moves all its threads to all cores and back, and gives it the number of measured cores', async () => {
    await using runtime = await processRuntime(bench.options);
    const environment = { JAVA_TOOL_OPTIONS: '-Xmx64m' };
    const threads =
      'import threading, time\n[threading.Thread(target=time.sleep, args=(60,), daemon=True).start() for _ in range(3)]\n';
    await using running = await runtime.start(pythonService(`${threads}${HTTP_SERVER}`, { environment }));
    const [pid = 0] = running.processes ?? [];
    const cores = () =>
      threadsOf(pid).map((thread) => /_list:\s+(\S+)/.exec(readProc(`/proc/${pid}/task/${thread}/status`) ?? '')?.[1]);

    expect(await answer(running)).toMatchObject({
      JAVA_TOOL_OPTIONS: '-XX:ActiveProcessorCount=1 -Xmx64m',
      DOTNET_PROCESSOR_COUNT: '1',
    });
    const back = await running.onAllCores?.();
    const wide = cores();
    await back?.[Symbol.asyncDispose]();

    expect(wide.length).toBeGreaterThan(3);
    expect(new Set(wide)).toEqual(new Set(['0-1']));
    expect(new Set(cores())).toEqual(new Set(['0']));
  });

  it('is restarted each time, with the output of the service', async () => {
    await using runtime = await processRuntime(bench.options);
    const service = pythonService('import os, time; print("pid", os.getpid(), flush=True); time.sleep(60)');
    await using first = await runtime.start(service);
    await using second = await runtime.start(service);

    await printed(first, 'pid');
    await printed(second, 'pid');

    expect(await first.logs()).not.toBe(await second.logs());
  });

  it('keeps only the last lines of a talkative service, and never blocks it', async () => {
    await using runtime = await processRuntime(bench.options);
    const talk = 'import time\nfor i in range(200000): print("line", i)\nprint("done", flush=True); time.sleep(60)';
    await using running = await runtime.start(pythonService(talk));

    await printed(running, 'done');

    const lines = (await running.logs()).split('\n');
    expect(lines.slice(-2)).toEqual(['line 199999', 'done']);
    expect(lines.length).toBeLessThanOrEqual(400);
  });
});

describe('reading', () => {
  it('counts the CPU time of the whole service, its memory and the bytes on the wire', async () => {
    await using runtime = await processRuntime(bench.options);
    await using running = await runtime.start(pythonService(HTTP_SERVER));
    await answer(running);
    const before = await running.reading();

    // The kernel counts both in ticks of its own, so that each has to be waited for.
    const ask = async () => {
      await (await fetch(`http://${running.address}/`)).text();
      const { service, host } = await running.reading();
      const cpuSeconds = (service.cpuSeconds ?? 0) - (before.service.cpuSeconds ?? 0);
      return Math.min(cpuSeconds, host.busySeconds - before.host.busySeconds);
    };
    await expect.poll(ask, { interval: 1, timeout: 20_000 }).toBeGreaterThan(0);

    const after = await running.reading();
    expect(after.service.cpuSeconds).toBeGreaterThan(before.service.cpuSeconds ?? 0);
    expect(after.service.memoryMiB).toBeGreaterThan(5);
    expect(after.service.peakMemoryMiB).toBeGreaterThanOrEqual(after.service.memoryMiB ?? 0);
    expect((after.service.wireBytes ?? 0) - (before.service.wireBytes ?? 0)).toBeGreaterThan(300);
    expect(after.atMs).toBeGreaterThan(before.atMs);
    expect(after.host.busySeconds).toBeGreaterThan(before.host.busySeconds);
    expect(after.loadCpuSeconds).toBeGreaterThanOrEqual(before.loadCpuSeconds);
  });
});

describe('reading with the driver', () => {
  it('is finer than the ticks of the kernel, and counts threads and children that have ended', async () => {
    await using runtime = await processRuntime({ ...bench.options, tools: await realLoadTools() });
    const source = `import os, subprocess, sys, threading, time
def burn():
    until = time.thread_time() + 0.02
    while time.thread_time() < until: pass
for _ in range(20):
    thread = threading.Thread(target=burn)
    thread.start()
    thread.join()
used = time.process_time()
subprocess.run([sys.executable, '-c', 'import time\\nwhile time.process_time() < 0.3: pass'])
children = os.times().children_user + os.times().children_system
print('used', used, children, flush=True)
time.sleep(60)`;
    await using running = await runtime.start(pythonService(source));
    await printed(running, 'used');

    const { cpuSeconds = 0 } = (await running.reading()).service;

    const [, used = 0, children = 0] = (await running.logs()).split(' ').map(Number);
    expect(used).toBeGreaterThanOrEqual(0.4);
    // The children's time is kept in ticks, of user and of system time.
    expect(cpuSeconds).toBeGreaterThanOrEqual(used + children - 0.021);
    expect(cpuSeconds).toBeLessThan(used + children + 0.1);
    expect(Math.abs(cpuSeconds * 100 - Math.round(cpuSeconds * 100))).toBeGreaterThan(1e-6);
  });
});

describe('prepare', () => {
  const building = (...build: string[][]) => pythonService('', { process: { build, command: ['true'] } });

  it('runs each distinct build command once, in the root, in order', async () => {
    await using runtime = await processRuntime(bench.options);
    const note = (text: string) => ['sh', '-c', `echo ${text} $(pwd) >> notes`];

    await runtime.prepare(
      [building(note('a'), note('b')), building(note('a'), note('c'))],
      new AbortController().signal,
    );

    const lines = readFileSync(join(bench.root, 'notes'), 'utf8').trim().split('\n');
    expect(lines).toEqual(['a', 'b', 'c'].map((letter) => `${letter} ${bench.root}`));
  });

  it('names the command, its exit code and what it printed when a build fails', async () => {
    await using runtime = await processRuntime(bench.options);
    const failing = building(['sh', '-c', 'seq 1 30; echo broken >&2; exit 7']);

    const refused = await runtime.prepare([failing], new AbortController().signal).catch((thrown: unknown) => thrown);

    expect(refused).toBeInstanceOf(MeasurementError);
    expect(String(refused)).toContain(
      "plain cannot be built: `sh -c 'seq 1 30; echo broken >&2; exit 7'` ended with exit code 7",
    );
    expect(String(refused)).toMatch(/printed:\n12\n(.|\n)*30\nbroken$/);
    expect(refused).toMatchObject({
      printed: expect.stringMatching(/^12\n(.|\n)*30\nbroken$/),
      brief: expect.stringMatching(/ended with exit code 7; it printed: broken$/),
      next: "Run `sh -c 'seq 1 30; echo broken >&2; exit 7'` in the root of the repository, and fix the errors that it reports.",
    });
  });

  it('takes a program of the repository that is not there for a fault of the repository, and any other for one of the machine', async () => {
    await using runtime = await processRuntime(bench.options);
    const build = async (program: string) =>
      await runtime.prepare([building([program])], new AbortController().signal).catch((thrown: unknown) => thrown);

    expect(await build('./scripts/no-such-build')).toBeInstanceOf(MeasurementError);
    expect(await build('no-such-program')).toBeInstanceOf(EnvironmentError);
  });

  it('is ended by an abort, and leaves nothing running', async () => {
    await using runtime = await processRuntime(bench.options);
    const stop = new AbortController();
    const hanging = building(['sh', '-c', 'touch started; sleep 60 & wait']);

    const preparing = runtime.prepare([hanging], stop.signal);
    await expect.poll(() => marked(bench.options.owner).length, { timeout: 20_000 }).toBeGreaterThan(1);
    stop.abort(new Error('enough'));

    await expect(preparing).rejects.toThrow('enough');
    expect(marked(bench.options.owner)).toEqual([]);
  });

  it('builds and starts a Python service in a uv-managed environment of the repository', async () => {
    writeFileSync(
      join(bench.root, 'pyproject.toml'),
      '[project]\nname = "sample"\nversion = "0"\nrequires-python = ">=3.11"\n[tool.uv]\npackage = false\n',
    );
    await using runtime = await processRuntime(bench.options);
    const service = pythonService('', {
      process: { build: [['uv', 'sync']], command: ['python', '-c', 'import sys; print(sys.prefix)'] },
    });

    await runtime.prepare([service], new AbortController().signal);
    await using running = await runtime.start(service);

    await expect(running.ended).resolves.toMatchObject({
      printed: expect.stringContaining(`${bench.root}/.wiregauge/venv`),
    });
  });
});

describe('processRuntime', () => {
  it('says that a core cannot be used', async () => {
    const cores = { service: 0, load: 4000 };

    const refused = processRuntime({ ...bench.options, cores });

    await expect(refused).rejects.toThrow(EnvironmentError);
    await expect(refused).rejects.toThrow(/^core 4000 cannot be used: /);
  });

  it('names util-linux where taskset is missing', async () => {
    const path = process.env['PATH'];
    process.env['PATH'] = bench.root;
    try {
      await expect(processRuntime(bench.options)).rejects.toMatchObject({
        message: expect.stringContaining('taskset is missing'),
        next: expect.stringContaining('util-linux'),
      });
    } finally {
      process.env['PATH'] = path;
    }
  });

  it('says what it is and why', async () => {
    const cores = { service: 0, load: 0 };

    await using runtime = await processRuntime({ ...bench.options, cores });

    expect(bench.lines).toEqual([]);
    expect(runtime).toMatchObject({ name: 'process', reason: 'asked for', runner: { serviceCore: 0, loadCore: 0 } });
    expect(runtime.runner.platform).toMatch(/^linux-\w+$/);
  });
});
